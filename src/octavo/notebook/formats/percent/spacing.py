"""How many blank lines stand between two cells when nobody asked for another number.

The rule is Jupytext's reading of PEP 8: two around functions and classes, else one. It looks
past the next cell when that has no code, so what follows is summed up from the end backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from octavo.notebook.formats.percent.strings import after_line, unquoted

_DEFINITIONS = ("def ", "async ", "class ")


class Following:
    """What comes after a cell: is there code, and is a definition the first of it?

    Answered when asked, as few cells need to know, and remembered, so that a long row of cells
    without code is looked through once.
    """

    __slots__ = ("_after", "_code", "_definition", "_lines")

    def __init__(self, lines: Sequence[str], after: Following | None) -> None:
        self._lines = lines
        self._after = after
        self._code: bool | None = None
        self._definition: bool | None = None

    @property
    def empty(self) -> bool:
        return self._after is None

    @property
    def has_code(self) -> bool:
        passed: list[Following] = []
        here, found = self, None
        while here._after is not None and found is None:
            passed.append(here)
            found = here._code = _has_code(here._lines) if here._code is None else here._code
            here = here._after
        for one in passed:
            one._code = bool(found)
        return bool(found)

    @property
    def starts_with_definition(self) -> bool:
        passed: list[Following] = []
        here, found = self, None
        while here._after is not None and found is None:
            passed.append(here)
            if here._definition is None:
                here._definition = _starts_with_definition(here._lines)
            found = here._definition
            here = here._after
        for one in passed:
            one._definition = bool(found)
        return bool(found)


NOTHING = Following((), None)


def precede(lines: Sequence[str], after: Following) -> Following:
    """The summary of some lines together with what comes after them."""
    return Following(lines, after)


def blank_lines(lines: Sequence[str], after: Following) -> int:
    """Blank lines expected between a cell's lines and what comes after."""
    if after.empty:
        return 1
    if not lines:
        return 0
    if _ends_with_definition(lines):
        return 2 if after.has_code else 1
    ends_with_code = bool(lines[-1].strip()) and not lines[-1].startswith("#")
    return 2 if ends_with_code and after.starts_with_definition else 1


def _has_code(lines: Sequence[str]) -> bool | None:
    """Whether code comes before two blank lines; None when the lines do not decide it."""
    blank = False
    for line in lines:
        stripped = line.strip()
        if not stripped:
            if blank:
                return False
            blank = True
            continue
        blank = False
        if not stripped.startswith("#"):
            return True
    return None


def _starts_with_definition(lines: Sequence[str]) -> bool | None:
    """Whether the first instruction is a definition; None when the lines have none."""
    quote, previous = "", "x"
    for line in lines:
        quoted, quote = quote, after_line(line, quote)
        before, previous = previous, line
        if quoted:
            continue
        if not line.strip():
            if not before.strip():
                return False
        elif line.startswith(_DEFINITIONS):
            return True
        elif not line.startswith(("#", "@", " ", ")")):
            return False
    return None


def _ends_with_definition(lines: Sequence[str]) -> bool:
    """Whether the last unindented line of a cell is that of a definition."""
    below = "x"
    for line in reversed(list(unquoted(lines))):
        above, below = below, line
        if not line.strip():
            if not above.strip():
                return False
        elif line.startswith(_DEFINITIONS):
            return True
        elif not line.startswith(("#", " ", ")")):
            return False
    return False
