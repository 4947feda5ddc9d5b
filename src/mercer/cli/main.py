"""mercer VERB ...: finds the verb, and turns faults of the user into one sentence and exit code 2.

VERBS has the function of every verb and its line in --help.  Its module is imported when the verb is called, so that
--help is fast.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mercer.cli.stopping import STOPPED

VERBS = {
    "compare": ("mercer.cli.compare:compare", "Tune and compare all methods on a table; writes a report."),
    "tune": ("mercer.cli.tune:tune", "Choose the hyper-parameters of one method by cross-validation."),
    "fit": ("mercer.cli.fit:fit", "Fit one method to a table, show its certificate, save it."),
    "cluster": ("mercer.cli.cluster:cluster", "Part the rows of a table into clusters; writes pictures."),
    "embed": ("mercer.cli.embed:embed", "Place the rows of a table on few axes, by kernel PCA or scaling."),
    "density": ("mercer.cli.density:density", "Estimate the density of one or two columns; draws it."),
    "smooth": ("mercer.cli.smooth:smooth", "Smooth a column of a table along others, with a band."),
    "predict": ("mercer.cli.predict:predict", "Predict the rows of a table with a saved model."),
    "certify": ("mercer.cli.certify:certify", "Test a kernel on data, or prove a saved model again."),
    "test": ("mercer.cli.two_samples:two_samples", "Test whether two tables, or two groups of rows, differ."),
    "explain-kernel": ("mercer.cli.explain:explain", "Formula, domain and proof of a kernel expression."),
    "cluster-check": (
        "mercer.cli.cluster_check:cluster_check",
        "List the workers of a Dask cluster and their versions.",
    ),
    "figures": ("mercer.cli.figures:figures", "Draw figures of textbooks, each with its claim checked."),
    "bench": ("mercer.cli.bench:bench", "Measure against other libraries (in a checkout of the sources)."),
}
FAULT = 2


class Verbs(TyperGroup):
    """The verbs by name, as lines for --help, and as commands once they are called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs in the order of VERBS."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What --help shows of a verb."""
        return TyperCommand(cmd_name, short_help=VERBS[cmd_name][1]) if cmd_name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that is called, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and loaded(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Call the verb; an interrupt that arrives here has left no result."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("mercer: stopped by Ctrl-C before there was a result.", err=True)
            raise typer.Exit(STOPPED) from None


def loaded(verb: Any) -> Any:
    """The command of a verb."""
    module, _, function = VERBS[verb][0].partition(":")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(verb)(getattr(import_module(module), function))
    return typer.main.get_command(app)


app = typer.Typer(cls=Verbs, add_completion=False, rich_markup_mode=None, subcommand_metavar="VERB ...")


def _version(wanted: bool) -> None:
    if wanted:
        from mercer import __version__

        typer.echo(f"mercer {__version__}")
        raise typer.Exit


@app.callback()
def _mercer(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Kernel methods from the command line: one kernel, every machine, with proof.

    Data are CSV, TSV, Parquet, JSON or svmlight files, or - for standard input.

    \b
    mercer compare data.csv                which method suits a table?
    mercer fit data.csv -o model.mercer    fit one method, with its certificate
    mercer predict model.mercer new.csv    predict new rows
    mercer VERB --help                     the options of a verb
    """


def run(arguments: Sequence[str]) -> int:
    """The exit code of a command; without a verb, help."""
    given = [argument for argument in arguments if argument != "--debug"]  # it may stand before or after the verb
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            words = given or ["--help"]
            return int(typer.main.get_command(app).main(words, prog_name="mercer", standalone_mode=False) or 0)
    except (typer.Abort, KeyboardInterrupt):
        return STOPPED
    except Exception as error:
        sentence = sentence_of(error)
        if sentence is None or len(given) < len(arguments):
            raise
        typer.echo(f"mercer: {sentence}", err=True)
        return FAULT


def sentence_of(error: Exception) -> str | None:
    """The message for the user; None if the error is a bug of ours."""
    if hasattr(error, "format_message"):  # a wrong option or argument
        context = getattr(error, "ctx", None)
        hint = f" See {context.command_path} --help." if context else ""
        return f"{' '.join(error.format_message().split())}{hint}"
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    ours = isinstance(error, TypeError) and " must be " in str(
        error
    )  # raised by wrong_kind; any other TypeError is a bug of ours
    if ours or isinstance(error, (OSError, ValueError, MemoryError)):
        return " ".join(str(error).split()) or type(error).__name__
    return None


def _note(message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning in one sentence, without the line of code that it came from."""
    typer.echo(f"note: {' '.join(str(message).split())}", err=True)


def main() -> None:
    """The command `mercer`."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
