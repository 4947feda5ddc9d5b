"""The `mercer` command: one file for every verb.

`main.py` names the verbs and where they are; a verb is a function with typer's annotations, loaded when it is called.

bench, certify, cluster, compare,    one verb each
density, embed, explain, figures,
fit, predict, smooth, tune
two_samples.py                       the verb `mercer test`
cluster_check.py                     the verb `mercer cluster-check`
options.py                           options that several verbs share, each with its line of help
labelled_table.py                    a table with its targets and a machine, for all verbs that learn
labelled_parts.py                    the same in a folder of Parquet files, read a column or a piece at a time
by_blocks.py                         fits in memory, on workers, or one piece after the other
table_pieces.py                      pieces of a table, for which a saved model predicts
builtin_table.py                     the table of `mercer compare` without DATA
tune_grid.py                         the grid of `mercer tune`
model_file.py                        what a saved model says of its training data
output_path.py                       a path that cannot be written is refused before any work
printing.py                          results to standard output, as lines or as JSON
stopping.py                          Ctrl-C during a fit: the result so far is printed and saved
"""
