"""Two versions of a notebook, read so that they can be compared.

Text formats hold neither ids nor outputs. What one side cannot hold counts as unchanged, so that
no change is told that nobody made.
"""

from __future__ import annotations

from typing import Any

from octavo.authoring.documents import document_of
from octavo.authoring.sides import generate
from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.identity import assign_ids
from octavo.notebook.model import Notebook
from octavo.sources import SourceFile
from octavo.value import Value

Document = dict[str, Any]
#: What a text file does not hold of a notebook.
UNHELD = frozenset(("outputs", "details", "ids", "attachments"))


class Content(Value):
    """A file on one side: `path` decides its format, `place` is what errors call it."""

    path: str
    data: bytes
    place: str

    @property
    def is_ipynb(self) -> bool:
        return formats.suffix_of(self.path) == ".ipynb"

    @property
    def is_empty(self) -> bool:
        return not self.data.strip()

    def text(self) -> str:
        """Its text; NotebookError where it is none."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _no_text(self) from error

    def notebook(self) -> Notebook:
        return formats.read(self.text(), self.place_with_suffix())

    def place_with_suffix(self) -> str:
        """The place; the reader takes the format from its end."""
        return self.place if formats.is_notebook_name(self.place) else self.path


class Sides(Value):
    """Both versions as nbformat dictionaries, None for one that is not there, and which parts
    cannot be compared.
    """

    old: Document | None
    new: Document | None
    ignore: frozenset[str] = frozenset()


def read_sides(old: Content | None, new: Content | None) -> Sides:
    """Both versions; an empty file is a notebook that is not there."""
    one = None if old is None or old.is_empty else old
    other = None if new is None or new.is_empty else new
    if one is None or other is None:
        return Sides(None if one is None else _alone(one), None if other is None else _alone(other))
    if one.is_ipynb and other.is_ipynb:
        return Sides(_parsed(one), _parsed(other))
    if one.is_ipynb:
        first = document_of(_source(one))
        return Sides(first, generate(other.notebook(), first), UNHELD)
    if other.is_ipynb:
        second = document_of(_source(other))
        return Sides(generate(one.notebook(), second), second, UNHELD)
    first = generate(one.notebook(), None)
    named = assign_ids(other.notebook(), ipynb.to_notebook(first))
    return Sides(first, generate(named, None), frozenset(("ids",)))


def _alone(content: Content) -> Document:
    return _parsed(content) if content.is_ipynb else generate(content.notebook(), None)


def _parsed(content: Content) -> Document:
    return ipynb.parse(content.text(), content.place_with_suffix())


def _source(content: Content) -> SourceFile:
    return SourceFile(content.path, content.text(), content.notebook(), content.place)


def _no_text(content: Content) -> NotebookError:
    what = "a binary file" if b"\0" in content.data[:8000] else "not UTF-8 text"
    return NotebookError(
        "notebook-encoding",
        f"this is {what}, no notebook",
        place=content.place,
        hint="compare notebooks: .py, .md or .ipynb files",
    )
