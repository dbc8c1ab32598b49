"""Whether a text may have to do with a file: it names it, its folder, or a pattern for it.

This is for texts of which no run is known. It rather sees too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import PurePosixPath

_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\n\\]){1,300})\1""")
_IMPORT = re.compile(r"^[ \t]*(?:from|import)\b[^\n]*", re.MULTILINE)
#: What is put into a text while running may be anything.
_PLACE = re.compile(r"\{[^{}]*\}|%\(?\w*\)?[sd]")
_WORD = re.compile(r"\w+")


class Text:
    """The text of a notebook, or of a module that it uses."""

    def __init__(self, text: str) -> None:
        self._text = text

    def mentions(self, name: str) -> bool:
        """Whether it may have to do with a file of this name, which has slashes."""
        path = PurePosixPath(name)
        if path.name in self._text:
            return True
        if path.suffix == ".py":
            return self._imports(path.parent.name if path.stem == "__init__" else path.stem)
        return path.parent.name in self._folders or any(
            fnmatchcase(path.name, pattern) for pattern in self._patterns
        )

    def paths(self) -> Iterator[str]:
        """What may be paths of files, as they are written."""
        return (str(path) for path in self._quoted if path.suffix and "\0" not in str(path))

    def _imports(self, module: str) -> bool:
        return module in self._imported or module in self._named

    @cached_property
    def _quoted(self) -> list[PurePosixPath]:
        """What stands between quotes, as paths, with a star for what is not known yet."""
        words = (_PLACE.sub("*", each[2]) for each in _QUOTED.finditer(self._text))
        return [PurePosixPath(word) for word in dict.fromkeys(words)]

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders that some file is taken from, it is not told which."""
        return frozenset(
            part
            for path in self._quoted
            if "*" in path.name or not path.suffix
            for part in path.parts
            if part not in ("/", "..", "*", "**")
        )

    @cached_property
    def _patterns(self) -> frozenset[str]:
        """The names of files that are not told to the letter, but by their suffix."""
        return frozenset(
            path.name
            for path in self._quoted
            if any(sign in path.name for sign in "*?[") and path.suffix.strip(".*?")
        )

    @cached_property
    def _imported(self) -> frozenset[str]:
        return _words(_IMPORT.findall(self._text))

    @cached_property
    def _named(self) -> frozenset[str]:
        """Last words between quotes: a module can be imported by a name that is a text."""
        return frozenset(str(path).rpartition(".")[2] for path in self._quoted)


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in _WORD.findall(line))
