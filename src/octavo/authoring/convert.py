"""`octavo convert`: a notebook in another format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from octavo.authoring.context import AuthoringContext
from octavo.authoring.documents import document_of
from octavo.authoring.files import replace_file
from octavo.authoring.sides import portable, respelled, same_content, sort_of_text, unwritable_hint
from octavo.errors import ConflictError, NotebookError, OctavoError, UsageError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Notebook
from octavo.requests import Request, argument, option
from octavo.sources import SourceFile, read_source
from octavo.value import Value

STANDARD = "-"


class ConvertRequest(Request):
    """Which notebook to write in which format."""

    path: str = argument("the notebook, or - for standard input", metavar="NOTEBOOK")
    output: str = option(
        "-o",
        "--output",
        help="the file to write, or - for standard output (default: beside the notebook)",
        default="",
        metavar="PATH",
    )
    to: str = option(
        "--to",
        help="the format (default: by the output's name, else the other one)",
        default="",
        metavar="FORMAT",
        choices=("py", "md", "ipynb"),
    )
    force: bool = option("--force", help="overwrite the output", default=False)


class ConvertResult(Value):
    """What was written where. `text` is set when it is to go to standard output.

    `left_out` names what the new format cannot hold.
    """

    source: str
    output: str
    left_out: tuple[str, ...] = ()
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        shown = {"source": self.source, "output": self.output, "left_out": list(self.left_out)}
        return shown if self.text is None else {**shown, "text": self.text}


async def convert(request: ConvertRequest, context: AuthoringContext) -> ConvertResult:
    """Write a notebook in another format. An existing file is overwritten only by force."""
    source = _read(request, context)
    output = _output(request, source, context.cwd)
    target = request.to or (formats.suffix_of(output)[1:] if output != STANDARD else "")
    target = target or _other(source.format)
    text, left_out = _converted(source, target, _previous(output, target))
    if output == STANDARD:
        return ConvertResult(request.path, output, left_out, text)
    path = Path(output)
    _refuse_overwriting(path, source, request.force)
    replace_file(path, ipynb.encode(text))
    return ConvertResult(request.path, os.path.relpath(path, context.cwd), left_out)


def _read(request: ConvertRequest, context: AuthoringContext) -> SourceFile:
    if request.path != STANDARD:
        return read_source(os.path.normpath(Path(context.cwd) / request.path))
    text = _standard_input()
    name = _standard_name(text)
    return SourceFile(name, text, formats.read(text, name))


def _standard_name(text: str) -> str:
    """A name for standard input that ends as its format does."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return "stdin.ipynb"
    fenced = start.startswith(("```", "---")) or "\n```" in text
    return "stdin.md" if fenced and "# %%" not in text else "stdin.py"


def _standard_input() -> str:
    import sys

    try:
        text = sys.stdin.buffer.read().decode("utf-8") if sys.stdin else ""
    except UnicodeDecodeError as error:
        raise NotebookError(
            "notebook-encoding",
            "standard input is not UTF-8",
            place=STANDARD,
            hint="convert it first, for example with `iconv -f LATIN1 -t UTF-8`",
        ) from error
    if not text.strip():
        raise NotebookError(
            "notebook-empty",
            "standard input is empty",
            place=STANDARD,
            hint="hand a notebook in: octavo convert - < report.py",
        )
    return text


def _other(kind: str) -> str:
    return "py" if kind == "ipynb" else "ipynb"


def _output(request: ConvertRequest, source: SourceFile, cwd: str) -> str:
    if request.output == STANDARD or (request.path == STANDARD and not request.output):
        return STANDARD
    if request.output:
        output = os.path.normpath(Path(cwd) / request.output)
        formats.format_for(output)
        if request.to and formats.suffix_of(output) != f".{request.to}":
            message = f"--to {request.to} and the name of the output do not agree"
            raise UsageError("wrong-argument", message, place=request.output, hint="give one")
        return output
    return str(Path(source.path).with_suffix(f".{request.to or _other(source.format)}"))


def _refuse_overwriting(path: Path, source: SourceFile, force: bool) -> None:
    if path.is_dir():
        hint = f"name a file in it, such as {path / Path(source.path).name}"
        raise ConflictError("output-exists", "the output is a folder", place=str(path), hint=hint)
    if path.exists() and not force:
        hint = "--force overwrites it; `octavo sync` brings two files into step instead"
        raise ConflictError(
            "output-exists", "the output exists already", place=str(path), hint=hint
        )


def _previous(output: str, target: str) -> Notebook | None:
    """The notebook that is about to be overwritten, so that its cells keep their ids."""
    if target != "ipynb" or output == STANDARD:
        return None
    try:
        return read_source(output).notebook
    except OctavoError:
        return None


def _converted(
    source: SourceFile, target: str, previous: Notebook | None
) -> tuple[str, tuple[str, ...]]:
    if target == "ipynb":
        return ipynb.dumps(document_of(source, previous)), ()
    return spelled(source.notebook, target, source.path), _left_out(source)


def spelled(notebook: Notebook, target: str, path: str) -> str:
    """The text of a notebook in a format; what that cannot hold is refused, naming the path."""
    text = formats.write(respelled(notebook, target), target)
    back = formats.read(text, f"converted.{target}")
    wanted = portable(notebook, back)
    if not same_content(portable(back, back), wanted):
        raise _unspeakable(path, target, portable(back, back), wanted)
    return text


def _unspeakable(path: str, target: str, found: Notebook, wanted: Notebook) -> NotebookError:
    pairs = zip(found.cells, wanted.cells, strict=False)
    at = next((n for n, (one, two) in enumerate(pairs) if one.source != two.source), 0)
    return NotebookError(
        "notebook-invalid",
        f"cell {at} cannot be written as part of a {sort_of_text(target)}",
        place=path,
        hint=unwritable_hint(target),
    )


def _left_out(source: SourceFile) -> tuple[str, ...]:
    if source.format != "ipynb":
        return ()
    cells = ipynb.parse(source.text, source.path)["cells"]
    outputs = sum(len(cell.get("outputs", ())) for cell in cells)
    attachments = sum(len(cell.get("attachments", ())) for cell in cells)
    found = ((outputs, "output"), (attachments, "attachment"))
    return tuple(f"{count} {name}{'s' * (count > 1)}" for count, name in found if count)
