"""One cell of a percent file: from its lines to its source, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.notebook.formats.percent.blocks import Block, Fences
from octavo.notebook.formats.percent.magics import (
    LANGUAGES,
    comment_magics,
    split_language,
    uncomment_magics,
)
from octavo.notebook.formats.percent.markers import escape, marker_for, unescape
from octavo.notebook.model import Cell, CellKind

_OPENING = "[rR]?(?:\"\"\"|''')"


_ACTIVITY = frozenset(("active", "tags", "run_control"))


def is_active(suffix: str, metadata: Mapping[str, Any], default: bool = True) -> bool:
    """Whether a cell is code in files of a kind (`py`, `ipynb`), by Jupytext's conventions."""
    if _ACTIVITY.isdisjoint(metadata):
        return default
    control = metadata.get("run_control")
    if isinstance(control, Mapping) and control.get("frozen") is True:
        return suffix == "ipynb"
    tags = metadata.get("tags")
    for tag in tags if isinstance(tags, list) else []:
        if isinstance(tag, str) and tag.startswith("active-"):
            return suffix in tag.split("-")
    if "active" not in metadata:
        return default
    return suffix in re.split(r"[.,]", str(metadata["active"]))


def read_cell(lines: Sequence[str], block: Block, magics: bool) -> Cell:
    """The cell that a block of lines holds; `magics` says whether commented ones are meant."""
    if not block.options:
        source = "\n".join(uncomment_magics(lines[block.body : block.end], magics))
        return Cell("code", source, {}, line=block.body + 1)
    metadata = dict(block.options)
    language = metadata.pop("language", None)
    kind = _kind(metadata)
    body = lines[block.body : block.end]
    line = block.body + 1
    quoted = None if is_active("py", metadata, kind == "code") else _read_quoted(body)
    if quoted:
        source, marker, skipped = quoted
        line += skipped
        if marker:
            metadata["cell_marker"] = marker
    else:
        fenced = block.options.get("cell_type", "code") != "code"
        source = "\n".join(_uncomment(body, kind, metadata, language, magics, fenced))
    if language and language != "python":
        if language in LANGUAGES:
            arguments = metadata.pop("magic_args", None)
            source = f"%%{language}{'' if arguments is None else f' {arguments}'}\n{source}"
            line -= 1
        else:
            metadata["language"] = language
    return Cell(kind, source, metadata, line=line)


def _kind(metadata: dict[str, Any]) -> CellKind:
    if "cell_type" in metadata:
        kind = metadata.pop("cell_type")
        return kind if kind in ("code", "markdown") else "raw"
    if is_active("ipynb", metadata):
        return "code"
    if metadata.get("active") == "":
        del metadata["active"]
    return "raw"


def _uncomment(
    body: Sequence[str],
    kind: str,
    metadata: Mapping[str, Any],
    language: Any,
    magics: bool,
    fenced: bool,
) -> Sequence[str]:
    foreign = "active" not in metadata and language and language != "python"
    plain = is_active("py", metadata) and not foreign
    if plain and (kind == "code" or not is_active("ipynb", metadata)):
        return uncomment_magics(body, magics)
    return uncomment_lines(body, fenced)


def uncomment_lines(lines: Sequence[str], fenced: bool) -> list[str]:
    """Lines without their comment sign; `fenced` where Markdown may have code fences."""
    return [
        line[2:] if line.startswith("# ") else line[1:] if line.startswith("#") else line
        for line in _changed(lines, unescape, fenced)
    ]


def comment_lines(lines: Sequence[str], fenced: bool) -> list[str]:
    """Lines behind a comment sign; the inverse of `uncomment_lines`."""
    return _changed([f"# {line}" if line else "#" for line in lines], escape, fenced)


def _changed(lines: Sequence[str], change: Callable[[str], str], fenced: bool) -> list[str]:
    """Apply a change to the lines that are not inside a code fence."""
    text = "".join(lines)
    if "%%" not in text and "In[" not in text and "<codecell>" not in text:
        return list(lines)
    if not fenced:
        return [change(line) for line in lines]
    fences, at, changed = Fences(lines), 0, []
    while at < len(lines):
        closing = fences.closing(at)
        if closing is None:
            changed.append(change(lines[at]))
            at += 1
        else:
            changed.extend(lines[at : closing + 1])
            at = closing + 1
    return changed


def _read_quoted(body: Sequence[str]) -> tuple[str, str, int] | None:
    """(text, cell_marker, lines before it) of a body that is one triple-quoted string."""
    text = "\n".join(body)
    content = text.strip()
    match = re.match(_OPENING, content)
    if not match:
        return None
    left, right = match[0], match[0][-3:]
    if not content.endswith(right) or len(content) < len(left) + len(right):
        return None
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    source = content[len(left) : -3]
    starts = source.startswith("\n")
    source = source[1:] if starts else source
    ends = source.endswith("\n")
    source = source[:-1] if ends else source
    marker = _cell_marker(left, right, starts, ends)
    return source, marker, skipped + starts


def _cell_marker(left: str, right: str, starts: bool, ends: bool) -> str:
    if starts and ends:
        return left
    if len(left) == 3:
        return ""
    return left + "\n" * starts + "," + "\n" * ends + right


def write_cell(cell: Cell, metadata: dict[str, Any], options: Mapping[str, Any]) -> list[str]:
    """Marker and content lines of a cell; `metadata` is what goes into the marker."""
    source, language = cell.source, None
    split = split_language(source) if cell.kind == "code" else None
    if split:
        language, arguments, source = split
        if arguments:
            metadata["magic_args"] = arguments
        metadata["language"] = language
    language = language or metadata.get("language", "python")
    active = _is_code_here(cell, metadata, str(language))
    body = source.split("\n")
    named = cell.kind != "code" and (cell.kind == "markdown" or is_active("ipynb", metadata))
    marker = _marker(metadata, cell.kind if named else None, body if active else [], options)
    if not active:
        return [marker, *_write_text(body, cell, options, named)]
    if body == [""]:
        return [marker]
    return [marker, *comment_magics(body, options.get("comment_magics", True) is not False)]


def _is_code_here(cell: Cell, metadata: dict[str, Any], language: str) -> bool:
    """Whether the cell stands as plain code in the file; decides about `active` on the way."""
    if cell.kind == "raw" and "active" not in metadata and is_active("py", metadata, False):
        return True
    if cell.kind == "markdown" or (cell.kind == "raw" and not metadata.get("active")):
        metadata.pop("active", None)
        return False
    return is_active("py", metadata, language.lower() == "python")


def _marker(
    metadata: Mapping[str, Any],
    kind: str | None,
    code: Sequence[str],
    options: Mapping[str, Any],
) -> str:
    as_json = options.get("cell_metadata_json") is True
    text = marker_for(metadata, kind, as_json=as_json)
    first = code[0] if code else ""
    indent = first[: len(first) - len(first.lstrip())] if first.strip() else ""
    return f"{indent}# %%{'' if not text or text.startswith('%') else ' '}{text}"


def _write_text(body: list[str], cell: Cell, options: Mapping[str, Any], fenced: bool) -> list[str]:
    marker = cell.metadata.get("cell_marker", options.get("cell_markers"))
    if isinstance(marker, str):
        left, right = _quotes(marker)
        text = "\n".join(body)
        if re.fullmatch(_OPENING, left.strip("\n")) and _fits(text, left, right):
            if "\\" in text and left[0] not in "rR":
                left = "r" + left
            return (left + text + right).split("\n")
    return comment_lines(body, fenced)


def _quotes(marker: str) -> tuple[str, str]:
    if "," in marker:
        left, _, right = marker.partition(",")
        return left, right
    return marker + "\n", "\n" + marker.lstrip("rR")


def _fits(text: str, left: str, right: str) -> bool:
    """Whether a text can stand between these quotes and be read back."""
    quote = right.strip("\n")
    if quote != left.strip("\n")[-3:] or quote in text:
        return False
    return right.startswith("\n") or not text.endswith((quote[0], "\\"))
