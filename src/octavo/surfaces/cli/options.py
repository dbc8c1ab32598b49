"""Options that only the command line has: how a result is shown, not what is done."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.requests import option

SHOWN = "What is shown"


@dataclass(frozen=True, slots=True)
class Options:
    """Every command has these."""

    json: bool = option("--json", help="print the result as JSON", default=False, group=SHOWN)


@dataclass(frozen=True, slots=True)
class RerunOptions(Options):
    """While a notebook runs."""

    quiet: bool = option(
        "-q", "--quiet", help="show nothing unless a run fails", default=False, group=SHOWN
    )
    log_output: bool = option(
        "--log-output",
        help="write the output of cells to standard error as it comes",
        default=False,
        group=SHOWN,
    )


@dataclass(frozen=True, slots=True)
class RunOptions(RerunOptions):
    """`--help-notebook` is Papermill's."""

    help_notebook: bool = option(
        "--help-notebook",
        help="show the parameters of the notebook, run nothing",
        default=False,
        group=SHOWN,
    )


@dataclass(frozen=True, slots=True)
class ShowOptions(Options):
    """How a notebook is drawn."""

    images: str = option(
        "--images",
        help="how images are drawn (default: as the terminal can)",
        default="auto",
        choices=("auto", "kitty", "iterm", "sixel", "blocks", "none"),
        metavar="HOW",
        group=SHOWN,
    )
    full: bool = option(
        "--full", help="all of every output, nothing folded", default=False, group=SHOWN
    )


OPTIONS: dict[str, type[Options]] = {
    "run": RunOptions,
    "rerun": RerunOptions,
    "show": ShowOptions,
}
