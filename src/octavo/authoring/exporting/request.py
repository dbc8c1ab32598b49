"""What to export, and what was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.value import Value

STANDARD = "-"
FORMS = ("html", "md", "pdf", "script", "ipynb")


class ExportContext(RunContext, Protocol):
    """Handed to the operation: what finds runs, and the root of the project."""

    @property
    def project(self) -> Path: ...


class ExportRequest(Request):
    """Which runs and notebooks to write in which form."""

    what: tuple[str, ...] = argument(
        "runs (ids or parts of them, `last`, folders of runs) or notebook files (default: last)",
        metavar="WHAT",
        default=(),
    )
    to: str = option(
        "--to",
        help="the form (default: by the output's name, else html)",
        default="",
        metavar="FORM",
        choices=FORMS,
    )
    output: str = option(
        "-o",
        "--output",
        help="the file to write, a folder for several, or - for standard output "
        "(default: in this folder, named after the notebook)",
        default="",
        metavar="PATH",
    )
    no_code: bool = option(
        "--no-code", help="for readers of results: code is folded, in Markdown left out",
        default=False,
    )  # fmt: skip
    embed: bool = option(
        "--embed",
        help="with --to md: images within the file, not in a folder beside it",
        default=False,
    )
    browser: str = option(
        "--browser",
        help="with --to pdf: the Chromium that prints (default: the one that is found)",
        default="",
        metavar="PATH",
    )
    force: bool = option("--force", help="overwrite what is there", default=False)


class Exported(Value):
    """One file that was written. `text` is set when it is to go to standard output.

    `figures` are the files of images beside it; `notes` say what a reader should know.
    """

    source: str
    output: str
    form: str
    size: int
    figures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        shown = {**self.to_dict(), "figures": list(self.figures), "notes": list(self.notes)}
        return shown if self.text is not None else {k: v for k, v in shown.items() if k != "text"}


class ExportResult(Value):
    """What was written, in the order in which it was asked for."""

    files: tuple[Exported, ...]

    def to_json(self) -> dict[str, Any]:
        return {"files": [file.to_json() for file in self.files]}
