"""Options that only the command line has: how a result is shown, not what is done."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from octavo.requests import Shown, option

SHOWN = "What is shown"

_KNOWN: dict[str, Shown] = {
    "json": option("--json", help="print the result as JSON", default=False, group=SHOWN),
    "quiet": option(
        "-q", "--quiet", help="show nothing unless a run fails", default=False, group=SHOWN
    ),
    "log_output": option(
        "--log-output",
        help="write the output of cells to standard error as it comes",
        default=False,
        group=SHOWN,
    ),
    "help_notebook": option(
        "--help-notebook",
        help="show the parameters of the notebook, run nothing",
        default=False,
        group=SHOWN,
    ),
    "images": option(
        "--images",
        help="how images are drawn",
        default="auto",
        choices=("auto", "kitty", "iterm", "sixel", "blocks", "none"),
        metavar="HOW",
        group=SHOWN,
    ),
    "full": option(
        "--full", help="all of every output, nothing folded", default=False, group=SHOWN
    ),
    "no_pager": option(
        "--no-pager", help="do not page what is longer than the screen", default=False, group=SHOWN
    ),
    "markdown": option(
        "--markdown", help="as Markdown, for pull requests", default=False, group=SHOWN
    ),
    "html": option(
        "--html",
        help="write a page that needs no network; - for standard output",
        metavar="FILE",
        group=SHOWN,
    ),
    "figures": option(
        "--figures",
        help="with --markdown: write images to this folder, and show them side by side",
        metavar="FOLDER",
        group=SHOWN,
    ),
    "table": option(
        "--table",
        help="a row for each notebook, a column for each scrap",
        default=False,
        group=SHOWN,
    ),
    "csv": option("--csv", help="likewise as CSV, nothing shortened", default=False, group=SHOWN),
}

_OF_COMMAND: dict[str, tuple[str, ...]] = {
    "run": ("quiet", "log_output", "help_notebook"),
    "rerun": ("quiet", "log_output"),
    "check": ("quiet",),
    "scraps": ("table", "csv"),
    "show": ("images", "full", "no_pager"),
    "runs": ("no_pager",),
    "compare": ("full", "no_pager"),
    "diff": ("markdown", "figures", "html", "images", "full", "no_pager"),
    "propose": ("quiet", "log_output"),
    "notebook_execute": ("quiet", "log_output"),
    "proposals": ("no_pager",),
    "review": ("no_pager",),
}


def options_of(command: str) -> dict[str, Shown]:
    """The options of a command; every command has `--json`."""
    return {name: _KNOWN[name] for name in (*_OF_COMMAND.get(command, ()), "json")}


def options_with(command: str, given: dict[str, Any]) -> SimpleNamespace:
    """The options of a command: those that were given, the others as usual."""
    usual = {name: shown.default for name, shown in options_of(command).items()}
    return SimpleNamespace(**{**usual, **given})
