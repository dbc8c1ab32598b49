"""Numbers in outputs, compared as numbers: the text around them must be equal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isclose, isinf, isnan
from typing import Any

from octavo.gate.tolerance import Tolerance

# A number is not part of a word, a version or a date; of `2j` and `5%` the number counts.
_NUMBER = re.compile(
    r"(?<![\w.])(?!\d{4}-\d\d-\d\d)(?<!\d{4}-)(?<!\d{4}-\d\d-)"
    r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=j?(?!\w|\.\d))"
    r"|[-+]?(?:nan|NaN|NAN|inf|Inf|Infinity)(?!\w))"
)
#: A longer number makes columns wider, and so the space between them.
_SPACE = re.compile(r"[ \t]+")


def texts_apart(expected: str, got: str, tolerance: Tolerance) -> str | None:
    """None when two texts are equal but for numbers within the tolerance; else what is not."""
    lines, others = expected.split("\n"), got.split("\n")
    if len(lines) != len(others):
        return ""
    # Most lines are equal, and looking for numbers takes its time.
    told = (
        _lines_apart(one, other, tolerance)
        for one, other in zip(lines, others, strict=True)
        if one != other
    )
    return next((each for each in told if each is not None), None)


def _lines_apart(expected: str, got: str, tolerance: Tolerance) -> str | None:
    wanted, found = _pieces(expected), _pieces(got)
    if wanted[::2] != found[::2]:
        return ""
    for one, other in zip(wanted[1::2], found[1::2], strict=True):
        if one != other and not _close(one, other, tolerance):
            return _told(one, other, tolerance)
    return None


def _close(one: str, other: str, tolerance: Tolerance) -> bool:
    """Whether two spelled numbers are near; of one that is too large nothing is near but itself."""
    first, second = float(one), float(other)
    overflown = any(isinf(n) and "n" not in text for n, text in ((first, one), (second, other)))
    return not overflown and numbers_close(first, second, tolerance)


def _pieces(text: str) -> list[str]:
    """Text and numbers by turns."""
    pieces = _NUMBER.split(text)
    pieces[::2] = [_SPACE.sub(" ", piece) for piece in pieces[::2]]
    pieces[0] = pieces[0].removeprefix(" ")
    return pieces


def values_apart(expected: Any, got: Any, tolerance: Tolerance) -> str | None:
    """The same of what JSON holds."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        if expected.keys() != got.keys():
            return ""
        pairs = [(value, got[key]) for key, value in expected.items()]
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return ""
        pairs = list(zip(expected, got, strict=True))
    else:
        return _leaves_apart(expected, got, tolerance)
    told = (values_apart(one, other, tolerance) for one, other in pairs)
    return next((each for each in told if each is not None), None)


def _leaves_apart(expected: Any, got: Any, tolerance: Tolerance) -> str | None:
    if isinstance(expected, str) and isinstance(got, str):
        return None if expected == got else texts_apart(expected, got, tolerance)
    if _is_number(expected) and _is_number(got):
        close = expected == got or _values_close(expected, got, tolerance)
        return None if close else _told(str(expected), str(got), tolerance)
    return None if type(expected) is type(got) and expected == got else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _values_close(expected: int | float, got: int | float, tolerance: Tolerance) -> bool:
    try:
        return numbers_close(float(expected), float(got), tolerance)
    except OverflowError:
        return False


def numbers_close(expected: float, got: float, tolerance: Tolerance) -> bool:
    """Whether two numbers are near enough; `nan` is near to itself only, infinity likewise."""
    if isnan(expected) or isnan(got):
        return isnan(expected) and isnan(got)
    return isclose(expected, got, rel_tol=tolerance.relative, abs_tol=tolerance.absolute)


def _told(expected: str, got: str, tolerance: Tolerance) -> str:
    allowed = []
    if tolerance.relative:
        allowed.append(f"{tolerance.relative:g} of it")
    if tolerance.absolute:
        allowed.append(f"{tolerance.absolute:g}")
    return f"{got[:40]} is not {expected[:40]} (allowed: {' or '.join(allowed) or 'nothing'})"
