"""A whole document in MyST-NB's spelling: `{code-cell}` directives, and `+++` between texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set
from functools import cache
from typing import Any

from octavo.notebook.formats.markdown.cells import held_metadata
from octavo.notebook.formats.markdown.fences import fence_around
from octavo.notebook.formats.markdown.header import (
    find_header,
    front_matter_of,
    load_mapping,
    written_options,
)
from octavo.notebook.formats.markdown.myst_blocks import DIRECTIVES, find_blocks, has_directive
from octavo.notebook.formats.markdown.parts import Parts, Piece
from octavo.notebook.formats.percent import options_in
from octavo.notebook.formats.percent.header import NO_HEADER, is_front_matter, plain, select
from octavo.notebook.model import Cell, Notebook

NAME = "myst"
IMPLIED = {"format_name": NAME}
#: Notebook metadata about runs and views, left out of the text unless a filter asks for it.
NOT_HELD = ("language_info", "widgets", "papermill", "toc", "varInspector", "vscode", "colab")
_FORMAT = re.compile(r"\s+format_name:\s*['\"]?(\w+)")


def is_myst(lines: Sequence[str]) -> bool:
    """Whether a document is in this spelling: its header says so, or a cell of it does."""
    span = find_header(lines)
    if span is not None:
        told = (_FORMAT.match(line) for line in lines[span.first + 1 : span.last])
        name = next((match[1] for match in told if match), None)
        if name is not None:
            return name == NAME
    return has_directive(lines, span.stop if span else 0)


def take_apart(lines: Sequence[str], path: str) -> Parts:
    """The cells of a document, and where they stand."""
    span = find_header(lines)
    numbers = range(span.first + 1, span.last) if span else range(0)
    root = load_mapping(lines, numbers, path)
    blocks = find_blocks(lines, span.stop if span else 0, path)
    cells = tuple(
        Cell(
            block.kind,
            "\n".join(lines[block.body : block.close]).rstrip("\n")
            if block.kind == "markdown"
            else "\n".join(lines[block.body : block.close]),
            dict(block.options or {}),
            line=block.body + 1,
        )
        for block in blocks
    )
    metadata, front_matter = _metadata(root)
    lexers = [block.language for block in blocks if block.language]
    _note_spelling(metadata, lexers[0] if lexers else "", bool(span))
    if not front_matter:
        return Parts(Notebook(cells, metadata), tuple(blocks))
    first = Cell("raw", f"---\n{_dump(front_matter)}---")
    return Parts(Notebook((first, *cells), metadata), (None, *blocks))


def _metadata(root: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Notebook metadata, and the front matter that a filter keeps apart from it."""
    inner = root.pop("jupyter", None)
    inner = dict(inner) if isinstance(inner, Mapping) else {}
    options = {**options_in(inner), **options_in(root)}
    held = select(root, options.get("root_level_metadata_filter"), None)
    metadata = {**inner, **held, "jupytext": options}
    return metadata, {key: value for key, value in root.items() if key not in held}


def _note_spelling(metadata: dict[str, Any], lexer: str, header: bool) -> None:
    """Remember what writing needs to know: the spelling, and the word behind `{code-cell}`."""
    options = metadata["jupytext"]
    options.setdefault("text_representation", dict(IMPLIED))
    if lexer and "language_info" not in metadata:
        options["default_lexer"] = lexer
        kernelspec = metadata.get("kernelspec")
        known = isinstance(kernelspec, Mapping) and kernelspec.get("language")
        if not known and not lexer.startswith(("python", "ipython")):
            metadata["language_info"] = {"name": lexer}
    if not header:
        options.update(NO_HEADER)


def in_header(cell: Cell | None, notebook: Notebook) -> bool:
    """Whether a first cell stands in the header: only where a filter keeps it apart."""
    told = options_in(notebook.metadata).get("root_level_metadata_filter")
    if not told or cell is None or cell.kind != "raw":
        return False
    return is_front_matter(cell.source, cell.metadata) and bool(front_matter_of(cell.source))


def header_lines(notebook: Notebook, front_matter: Cell | None) -> list[str]:
    """The header; the spelling is told in it when the document has no cell that shows it."""
    metadata = notebook.metadata
    options = written_options(metadata, NAME)
    options.pop("default_lexer", None)
    shown = any(cell.kind != "markdown" for cell in notebook.cells)
    if shown and options.get("text_representation") == IMPLIED:
        del options["text_representation"]
    whole = {**metadata, "jupytext": options}
    if not options:
        del whole["jupytext"]
    held = select(whole, options.get("notebook_metadata_filter"), None, NOT_HELD)
    root = select(held, options.get("root_level_metadata_filter"), None)
    inner = {key: value for key, value in held.items() if key not in root}
    if inner:
        root["jupyter"] = inner
    apart = front_matter_of(front_matter.source) if front_matter else {}
    whole = {**apart, **dict(sorted(root.items()))}
    return ["---", *_dump(whole).splitlines(), "---"] if whole else []


def write_pieces(
    cells: Sequence[Cell],
    notebook: Notebook,
    told: str | None = None,
    marked: Set[int] = frozenset(),
) -> list[Piece]:
    """The lines of each cell; text that is blank has none."""
    options = options_in(notebook.metadata)
    info = notebook.metadata.get("language_info")
    lexer = info.get("pygments_lexer") if isinstance(info, Mapping) else None
    lexer = lexer or options.get("default_lexer")
    pieces: list[Piece] = []
    after_text = False
    for cell in cells:
        metadata = plain(held_metadata(cell, options))
        source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        if cell.kind != "markdown":
            pieces.append(Piece(_directive(cell, source, metadata, lexer), False))
            after_text = False
            continue
        lines = _text(source, metadata, after_text)
        pieces.append(Piece(lines, True))
        after_text = after_text or bool(lines)
    return pieces


def _text(source: str, metadata: Mapping[str, Any], after_text: bool) -> list[str]:
    lines = held_text(source).split("\n")
    if lines == [""]:
        return []
    if metadata:
        return [f"+++ {json.dumps(metadata)}", "", *lines]
    return ["+++", "", *lines] if after_text else lines


def held_text(source: str) -> str:
    """What this spelling holds of a text: no blank lines around it."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    start = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[start:])


def _directive(cell: Cell, source: str, metadata: Mapping[str, Any], lexer: Any) -> list[str]:
    lines = source.split("\n") if source else []
    name = next(name for name, kind in DIRECTIVES.items() if kind == cell.kind)
    fence = fence_around(lines)
    head = f"{fence}{name} {lexer}" if lexer and cell.kind == "code" else f"{fence}{name}"
    options = _options(metadata) if metadata else []
    blank = bool(lines) and (not lines[0].strip() or _looks_like_options(lines[0], bool(options)))
    if options and options[0].startswith(":"):
        blank = True
    return [head, *options, *([""] if blank else []), *lines, fence]


def _looks_like_options(line: str, after_options: bool) -> bool:
    return not after_options and line.lstrip().startswith((":", "---"))


def _options(metadata: Mapping[str, Any]) -> list[str]:
    """Options of a cell: one `:key: value` line each where that holds them, else YAML."""
    lines = _dump(metadata).splitlines()
    if all(line and line[0].isalpha() for line in lines):
        return [f":{line}" for line in lines]
    return ["---", *lines, "---"]


def _dump(content: Mapping[str, Any]) -> str:
    """YAML with lists in brackets and keys in the order that they have."""
    import yaml

    text: str = yaml.dump(
        plain(content),
        Dumper=_dumper(),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
    )
    return text


@cache
def _dumper() -> Any:
    import yaml

    class Compact(yaml.SafeDumper):
        """A dumper of its own, as representers are kept by class."""

    def bracketed(dumper: Any, items: list[Any]) -> Any:
        flat = not any(isinstance(item, dict) for item in items)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flat)

    Compact.add_representer(list, bracketed)
    return Compact


def gap(piece: Piece, following: Piece, options: Mapping[str, Any], wanted: Any = None) -> int:
    """How many blank lines stand between two cells."""
    return 1 if piece.lines and following.lines else 0


def write(notebook: Notebook) -> list[str]:
    """The lines of a notebook."""
    cells = list(notebook.cells)
    first = cells.pop(0) if cells and in_header(cells[0], notebook) else None
    lines = header_lines(notebook, first)
    for piece in write_pieces(cells, notebook):
        if piece.lines:
            lines += ["", *piece.lines] if lines else piece.lines
    return lines
