"""An `.ipynb` without what running it left behind; everything else stays byte for byte.

The text is not written anew: only the spans of outputs, execution counts and volatile metadata are
cut out of it, so indentation, order of keys, escapes and line ends stay as their author has them.
"""

from __future__ import annotations

from itertools import pairwise
from json import decoder
from json.decoder import JSONDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

#: Metadata of cells that tools write while a notebook is looked at and run.
CELL_VOLATILE = frozenset(
    (
        "ExecuteTime",
        "autoscroll",
        "collapsed",
        "execution",
        "heading_collapsed",
        "hidden",
        "octavo_conflict",
        "papermill",
        "scrolled",
        "trusted",
    )
)
#: Metadata of notebooks of the same sort.
NOTEBOOK_VOLATILE = frozenset(("papermill", "signature", "widgets"))
#: What a person puts on a cell (as a tag, or as metadata) whose outputs are to stay.
KEPT = ("keep_output", "init_cell")

# The parts that `json` itself is made of, which its stubs do not tell.
_json: Any = decoder
# Numbers stay text: nobody looks at them, and one of thousands of digits must not be an error.
_plain: Any = JSONDecoder(strict=False, parse_int=str, parse_float=str, parse_constant=str)
_scan = _plain.scan_once
_whitespace = _json.WHITESPACE.match


class NotANotebook(ValueError):
    """A text that cannot be cleaned; the message tells why."""


def cleaned(text: str) -> str:
    """The text of a notebook without outputs, execution counts and volatile metadata.

    NotANotebook when it is something else: then nothing of it should be changed.
    """
    try:
        return _Cleaning(text).cleaned()
    except NotANotebook:
        raise
    except (StopIteration, ValueError, IndexError):
        raise NotANotebook(_why_not(text)) from None
    except RecursionError:
        raise NotANotebook("it is nested too deeply") from None


def _why_not(text: str) -> str:
    if not text.strip("\ufeff \t\r\n"):
        return "it is empty"
    if text.startswith("version https://git-lfs"):
        return "it is a pointer of Git LFS"
    if any(line.startswith("<<<<<<<") for line in text.splitlines()):
        return "it holds unresolved merge conflicts"
    return "it is not JSON"


def is_clean(text: str) -> bool:
    """Whether cleaning would leave the text as it is; also for what is no notebook."""
    try:
        return cleaned(text) == text
    except NotANotebook:
        return True


def cleaned_bytes(content: bytes) -> bytes:
    """Like `cleaned`, for the content of a file."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise NotANotebook("it is not UTF-8 text") from None
    return cleaned(text).encode("utf-8")


class _Member:
    """One key of an object: where it begins, and where its value ends."""

    __slots__ = ("end", "key", "start")

    def __init__(self, key: str, start: int, end: int) -> None:
        self.key = key
        self.start = start
        self.end = end


class _Cleaning:
    """One pass over a text. What is to be replaced are spans of it, gathered on the way."""

    def __init__(self, text: str) -> None:
        self._text = text
        #: Results of runs; and what is cut out whether or not results are to stay.
        self._results: list[tuple[int, int, str]] = []
        self._cuts: list[tuple[int, int, str]] = []
        self._kept = False
        self._has_cells = False

    def cleaned(self) -> str:
        """The text without what is volatile in it."""
        text = self._text
        at = self._skip(1 if text.startswith("\ufeff") else 0)
        if text[at] != "{":
            self._pass_over(at)
            raise NotANotebook("it holds JSON, but not an object")
        handlers = {
            "cells": self._cells,
            "worksheets": self._worksheets,
            "metadata": self._notebook_metadata,
        }
        _, end = self._object(at, handlers)
        if self._skip(end) != len(text):
            raise ValueError("something follows")
        if not self._has_cells:
            raise NotANotebook("it has no cells")
        return self._replaced()

    def _skip(self, at: int) -> int:
        end: int = _whitespace(self._text, at).end()
        return end

    def _pass_over(self, at: int) -> int:
        """Where the value that begins here ends."""
        end: int = _scan(self._text, at)[1]
        return end

    def _object(
        self, at: int, handlers: Mapping[str, Callable[[int], int]]
    ) -> tuple[list[_Member], int]:
        """The members of the object that begins here, and its end; some are handled on the way."""
        text, members = self._text, list[_Member]()
        at = self._skip(at + 1)
        while text[at] != "}":
            if text[at] != '"':
                raise ValueError("no key")
            key, colon = _json.scanstring(text, at + 1, False)
            colon = self._skip(colon)
            if text[colon] != ":":
                raise ValueError("no value")
            end = handlers.get(key, self._pass_over)(self._skip(colon + 1))
            members.append(_Member(key, at, end))
            at = self._next(end, "}")
        return members, at + 1

    def _list(self, at: int, handler: Callable[[int], int], what: str) -> int:
        """Handle the items of the list that begins here; its end."""
        text = self._text
        if text[at] != "[":
            raise NotANotebook(f"its {what} are not a list")
        at = self._skip(at + 1)
        while text[at] != "]":
            if text[at] != "{":
                raise NotANotebook(f"one of its {what} is not an object")
            at = self._next(handler(at), "]")
        return at + 1

    def _next(self, end: int, closing: str) -> int:
        """Where the next member or item begins, or the bracket that closes them stands."""
        at = self._skip(end)
        if self._text[at] == closing:
            return at
        following = self._skip(at + 1)
        if self._text[at] != "," or self._text[following] == closing:
            raise ValueError("no comma")
        return following

    def _worksheets(self, at: int) -> int:
        """The pages of nbformat 3, where cells were."""
        return self._list(at, lambda page: self._object(page, {"cells": self._cells})[1], "pages")

    def _cells(self, at: int) -> int:
        self._has_cells = True
        return self._list(at, self._cell, "cells")

    def _cell(self, at: int) -> int:
        results: list[tuple[int, int, str]] = []
        kept = False

        def outputs(at: int) -> int:
            end = self._pass_over(at)
            if self._text[at] != "[" or self._text[self._skip(at + 1)] != "]":
                results.append((at, end, "[]"))
            return end

        def count(at: int) -> int:
            end = self._pass_over(at)
            if self._text[at:end] != "null":
                results.append((at, end, "null"))
            return end

        def metadata(at: int) -> int:
            nonlocal kept
            kept, end = self._metadata(at, CELL_VOLATILE)
            return end

        handlers = {
            "outputs": outputs,
            "execution_count": count,
            "prompt_number": count,
            "metadata": metadata,
        }
        end = self._object(at, handlers)[1]
        if not kept:
            self._results += results
        return end

    def _notebook_metadata(self, at: int) -> int:
        self._kept, end = self._metadata(at, NOTEBOOK_VOLATILE)
        return end

    def _metadata(self, at: int, volatile: frozenset[str]) -> tuple[bool, int]:
        """Whether metadata says that results are to stay, and where it ends."""
        value, end = _scan(self._text, at)
        if not isinstance(value, dict) or not value:
            return False, end
        if not volatile.isdisjoint(value):
            members = self._object(at, {})[0]
            self._cuts += _without(members, volatile) or [(at, end, "{}")]
        tags = value.get("tags")
        tagged = isinstance(tags, list) and any(tag in KEPT for tag in tags)
        return tagged or any(value.get(name) is True for name in KEPT), end

    def _replaced(self) -> str:
        pieces: list[str] = []
        done = 0
        for start, end, instead in sorted(self._cuts + ([] if self._kept else self._results)):
            pieces += [self._text[done:start], instead]
            done = end
        return "".join([*pieces, self._text[done:]])


def _without(members: list[_Member], unwanted: frozenset[str]) -> list[tuple[int, int, str]]:
    """The cuts that leave the other members, as if these had never been; none to leave nothing."""
    first = next((at for at, each in enumerate(members) if each.key not in unwanted), None)
    if first is None:
        return []
    cuts = [(members[0].start, members[first].start, "")] if first else []
    for before, each in pairwise(members[first:]):
        if each.key in unwanted:
            cuts.append((before.end, each.end, ""))
    return cuts
