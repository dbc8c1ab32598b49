"""Markdown documents whose code fences are cells, as Jupytext or MyST-NB spells them.

Jupytext's spelling is written unless a document was read as MyST.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook.formats.markdown import fenced, myst
from octavo.notebook.formats.markdown.parts import Parts, Spelling
from octavo.notebook.formats.percent import options_in
from octavo.notebook.formats.percent.blocks import split_lines
from octavo.notebook.model import Notebook


def read(text: str, path: str) -> Notebook:
    """Read a Markdown document."""
    return take_apart(split_lines(text.removeprefix("\ufeff")), path).notebook


def take_apart(lines: Sequence[str], path: str) -> Parts:
    """The cells of a document, and where they stand."""
    spelling: Spelling = myst if myst.is_myst(lines) else fenced
    return spelling.take_apart(lines, path)


def is_myst(metadata: Mapping[str, Any]) -> bool:
    """Whether a notebook with this metadata is written in MyST's spelling."""
    told = options_in(metadata).get("text_representation")
    return isinstance(told, Mapping) and told.get("format_name") == myst.NAME


def spelling_of(metadata: Mapping[str, Any]) -> Spelling:
    """The spelling in which a notebook with this metadata is written."""
    return myst if is_myst(metadata) else fenced


def write(notebook: Notebook) -> str:
    """Write a notebook as a Markdown document."""
    lines = spelling_of(notebook.metadata).write(notebook)
    return "".join(f"{line}\n" for line in lines)
