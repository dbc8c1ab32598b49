"""One cell in Jupytext's spelling of Markdown: from its lines to its source, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook.formats.markdown.blocks import Finder
from octavo.notebook.formats.markdown.fences import fence_around
from octavo.notebook.formats.markdown.languages import (
    KNOWN,
    is_cell_language,
    magic_name,
    usual_name,
)
from octavo.notebook.formats.markdown.myst_blocks import has_directive
from octavo.notebook.formats.markdown.options import write_options, write_titled
from octavo.notebook.formats.markdown.parts import Block, Piece
from octavo.notebook.formats.percent import LAYOUT, VOLATILE
from octavo.notebook.formats.percent.cells import is_active
from octavo.notebook.formats.percent.header import select
from octavo.notebook.model import Cell, CellKind

_REGIONS = ("region", "md", "markdown")


def read_cell(lines: Sequence[str], block: Block, main: str) -> Cell:
    """The cell that a block holds; `main` is the language of the document."""
    source = "\n".join(lines[block.body : block.close])
    metadata = dict(block.options or {})
    line = block.body + 1
    if block.kind != "code":
        return Cell(block.kind, source, metadata, line=line)
    kind: CellKind = "code" if is_active("ipynb", metadata) else "raw"
    if metadata.get("active") == "":
        del metadata["active"]
    if block.language != main:
        magic = magic_name(block.language)
        if magic is None or usual_name(block.language) == usual_name(main):
            metadata["language"] = block.language
        else:
            source = f"{_magic(magic, metadata)}\n{source}"
            line -= 1
    return Cell(kind, source, metadata, line=line)


def _magic(language: str, metadata: dict[str, Any]) -> str:
    arguments = metadata.pop("magic_args", None)
    return f"%%{language}" if arguments is None else f"%%{language} {arguments}"


def held_metadata(cell: Cell, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a Markdown document holds of a cell's metadata."""
    metadata = select(cell.metadata, options.get("cell_metadata_filter"), None, VOLATILE)
    for key in LAYOUT:
        metadata.pop(key, None)
    if not metadata.get("tags", True):
        del metadata["tags"]
    return metadata


def write_cell(
    cell: Cell, options: Mapping[str, Any], main: str, before_text: bool, *, magics: bool
) -> Piece:
    """The lines of a cell; `before_text` when unmarked text follows.

    `magics` when code in another language gets a fence of that language.
    """
    metadata = held_metadata(cell, options)
    as_json = options.get("cell_metadata_json") is True
    lines = cell.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if cell.kind == "markdown":
        if not metadata and stands_alone(lines, options, main, before_text):
            return Piece(lines, True)
        return Piece(region(metadata.pop("region_name", "region"), metadata, lines, as_json), False)
    if cell.kind == "raw" and not is_active("md", metadata, False):
        if metadata.get("active") == "":
            del metadata["active"]
        return Piece(region("raw", metadata, lines, as_json), False)
    language, lines = _language(lines, metadata, main, magics)
    text = write_options(metadata, as_json)
    fence = fence_around(lines)
    return Piece([f"{fence}{language} {text}".rstrip(), *lines, fence], False, language)


def _language(
    lines: list[str], metadata: dict[str, Any], main: str, magics: bool
) -> tuple[str, list[str]]:
    """The word behind the fence, and the lines within it."""
    split = split_magic(lines, main) if magics else None
    if split is not None and "magic_args" not in metadata and "language" not in metadata:
        language, arguments = split
        if arguments:
            metadata["magic_args"] = arguments
        return language, lines[1:]
    told = metadata.get("language")
    if isinstance(told, str) and told != main and _is_other_name(told, main):
        del metadata["language"]
        return told, lines
    return main, lines


def _is_other_name(language: str, main: str) -> bool:
    """Whether a fence with this word is a cell of the main language, such as `PYTHON`."""
    known = is_cell_language(language, main) and " " not in language
    return known and usual_name(language) == usual_name(main)


def split_magic(lines: Sequence[str], main: str) -> tuple[str, str] | None:
    """(language, arguments) of a cell whose first line is the magic of another language."""
    if len(lines) < 2 or not lines[0].startswith("%%"):
        return None
    language, space, arguments = lines[0][2:].partition(" ")
    if language not in KNOWN or bool(space) != bool(arguments):
        return None
    return None if usual_name(language) == usual_name(main) else (language, arguments)


def stands_alone(
    lines: Sequence[str], options: Mapping[str, Any], main: str, before_text: bool
) -> bool:
    """Whether text is read back as one cell when nothing marks it."""
    if not lines[0].strip() or has_directive(lines):
        return False
    finder = Finder(lines, "", main, options.get("split_at_heading") is True)
    if finder.opening(0) is not None:
        return False
    found = finder.text_end(0)
    return found.stop == len(lines) and not (found.dangling or (found.indented and before_text))


def region(
    name: str, metadata: Mapping[str, Any], lines: Sequence[str], as_json: bool = False
) -> list[str]:
    """Text between two comments, of which the second does not occur in it."""
    if name != "raw":
        text = "\n".join(lines)
        free = [other for other in (name, *_REGIONS) if f"#end{other}" not in text]
        name = free[0] if free else name
    options = write_titled(metadata, as_json)
    return [f"<!-- #{name} {options}".rstrip() + " -->", *lines, f"<!-- #end{name} -->"]
