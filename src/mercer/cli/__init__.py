"""The `mercer` command: one file for every verb.

`main.py` names the verbs and where they are; a verb is a function with typer's annotations, loaded when it is called.
"""
