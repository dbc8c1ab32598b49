"""Placeholders of a template: `{{title}}`, `{{description}}`, `{{slug}}` and `{{date}}`.

What replaces them was written by anybody, and must never run. In code a placeholder may stand
in a string or a comment only, and the whole string is written anew; in text it stays text.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Mapping

from octavo.errors import NotebookError
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.places import place_of

_PLACEHOLDER = re.compile(r"\{\{ ?(title|description|slug|date) ?\}\}")
_QUOTED = re.compile(r'"\{\{ ?(title|description|slug|date) ?\}\}"')
_RAW = re.compile(f"{_QUOTED.pattern}|{_PLACEHOLDER.pattern}")
#: Those that hold nothing but letters, digits and dashes.
_HARMLESS = ("slug", "date")
_NAMES = ("title", "description", "slug", "date")
_NEARLY = re.compile(r"\{\{\s*(\w{1,20})\s*\}\}")


def filled(notebook: Notebook, values: Mapping[str, str], path: str) -> Notebook:
    """The notebook with values instead of placeholders; `path` is that of the template."""
    _refuse_misspelled(notebook, path)
    cells = tuple(
        cell.replace(source=_source(cell, at, values, notebook.is_python, path))
        if _PLACEHOLDER.search(cell.source)
        else cell
        for at, cell in enumerate(notebook.cells)
    )
    return notebook.replace(cells=cells)


def _refuse_misspelled(notebook: Notebook, path: str) -> None:
    """In text, what is nearly a placeholder was meant to be one."""
    from difflib import get_close_matches

    for at, cell in enumerate(notebook.cells):
        for found in _NEARLY.finditer(cell.source) if cell.kind == "markdown" else ():
            close = get_close_matches(found[1].casefold(), _NAMES, 1, 0.8)
            if close and not _PLACEHOLDER.fullmatch(found[0]):
                line = cell.source[: found.start()].count("\n") + 1
                raise NotebookError(
                    "notebook-invalid",
                    f"there is no placeholder {found[0]}",
                    place=place_of(path, at, cell, line),
                    hint=f"did you mean {{{{{close[0]}}}}}?",
                )


def _source(cell: Cell, at: int, values: Mapping[str, str], python: bool, path: str) -> str:
    if cell.kind == "markdown":
        return _in_text(cell.source, values)
    if cell.kind == "code" and python:
        replaced = _in_python(cell.source, values)
    else:
        replaced = _in_other(cell, values)
    if replaced is None:
        raise _refused(cell, at, path)
    return replaced


def _in_other(cell: Cell, values: Mapping[str, str]) -> str | None:
    """Raw text may have any value in double quotes, code of other languages none of free text."""
    raw = cell.kind == "raw"
    free = _PLACEHOLDER.findall(_QUOTED.sub("", cell.source) if raw else cell.source)
    if not set(free) <= set(_HARMLESS):
        return None
    if raw:
        return _RAW.sub(lambda found: _raw_value(found, values), cell.source)
    return _PLACEHOLDER.sub(lambda found: values[found[1]], cell.source)


def _raw_value(found: re.Match[str], values: Mapping[str, str]) -> str:
    return values[found[2]] if found[2] else json.dumps(values[found[1]])


def _in_text(source: str, values: Mapping[str, str]) -> str:
    """Markdown: lines after the first stand behind the same quote signs; within a line of other
    words a text is put on one line.
    """

    def replaced(found: re.Match[str]) -> str:
        value = values[found[1]]
        before = source[: found.start()].rpartition("\n")[2]
        behind = source[found.end() :].partition("\n")[0]
        if before.strip(" \t>") or behind.strip():
            return " ".join(value.split())
        lines = value.split("\n")
        return "\n".join([lines[0], *(f"{before}{line}".rstrip() for line in lines[1:])])

    return _PLACEHOLDER.sub(replaced, source)


def _in_python(source: str, values: Mapping[str, str]) -> str | None:
    """Python: strings that hold a placeholder are written anew, comments stay on their line.

    None when one stands anywhere else.
    """
    try:
        ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return None
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    replaced, left = source, len(_PLACEHOLDER.findall(source))
    for token in reversed(tokens):
        count = len(_PLACEHOLDER.findall(token.string))
        new = _token(token, values) if count else None
        if new is not None:
            left -= count
            start = starts[token.start[0] - 1] + token.start[1]
            replaced = replaced[:start] + new + replaced[start + len(token.string) :]
    return None if left else replaced


def _token(token: tokenize.TokenInfo, values: Mapping[str, str]) -> str | None:
    if token.type == tokenize.COMMENT:
        return _PLACEHOLDER.sub(lambda found: " ".join(values[found[1]].split()), token.string)
    if token.type != tokenize.STRING:
        return None
    try:
        text = ast.literal_eval(token.string)
    except (ValueError, SyntaxError):
        return None
    if not isinstance(text, str):
        return None
    whole = _PLACEHOLDER.sub(lambda found: values[found[1]], text)
    return json.dumps(whole, ensure_ascii=False)


def _refused(cell: Cell, at: int, path: str) -> NotebookError:
    found = _PLACEHOLDER.search(cell.source)
    assert found is not None
    line = cell.source[: found.start()].count("\n") + 1
    hint = 'put it into a plain string or a comment: title = "{{title}}"'
    if cell.kind == "code" and not _is_plain_python(cell.source):
        hint += ", in a cell that has no magics and commands"
    return NotebookError(
        "notebook-invalid",
        f"{found[0]} stands in code, where what others wrote could run",
        place=place_of(path, at, cell, line),
        hint=hint,
    )


def _is_plain_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
