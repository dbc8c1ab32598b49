"""The check block of a notebook: with which values it is checked, and what it may take and use.

    # /// check
    # timeout = "2m"
    # [sets.small]
    # rows = 10
    # [matrix]
    # threshold = [0.5, 0.9]
    # ///

A notebook can say the same under `octavo.check` in its metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import isfinite
from typing import Any

from octavo.errors import NotebookError
from octavo.gate.tolerance import Tolerance
from octavo.notebook.comment_blocks import CommentBlock, find_block, line_with, read_toml
from octavo.requests import seconds, size
from octavo.sources import SourceFile
from octavo.value import EMPTY, Value

#: More sets of values than this are a mistake in the block.
MOST_SETS = 256
_HINT = 'write it as TOML in comments, for example `# timeout = "2m"`'


class ValueSet(Value):
    """Values that a notebook is checked with; the only set of a notebook has no name."""

    name: str
    values: Mapping[str, Any]


class CheckBlock(Value):
    """What a notebook says of its check. None where it says nothing."""

    parameters: Mapping[str, Any] = EMPTY
    sets: Mapping[str, Mapping[str, Any]] = EMPTY
    matrix: Mapping[str, tuple[Any, ...]] = EMPTY
    strict: bool | None = None
    tolerance: Tolerance | None = None
    image_threshold: float | None = None
    sanitize_with: str | None = None
    timeout: float | None = None
    cell_timeout: float | None = None
    memory: int | None = None
    data: tuple[str, ...] = ()
    #: Whether it may end itself before its last cell, with `exit()`.
    early_exit: bool | None = None
    #: Why the notebook is not checked at all.
    skip: str = ""

    def value_sets(self) -> tuple[ValueSet, ...]:
        """All sets: each named one, with every combination of the matrix.

        No two have the same name: what passed and what is expected are known by it.
        """
        named = self.sets or {"": EMPTY}
        sets = [(name, chosen) for name in named for chosen in self._combinations()]
        names = [_joined(name, chosen, str) for name, chosen in sets]
        if len(set(names)) < len(names):
            names = [_joined(name, chosen, repr) for name, chosen in sets]
        unique = dict(zip(names, sets, strict=True))
        return tuple(
            ValueSet(told, {**self.parameters, **named[name], **chosen})
            for told, (name, chosen) in unique.items()
        )

    def _combinations(self) -> Iterator[dict[str, Any]]:
        for combination in product(*self.matrix.values()):
            yield dict(zip(self.matrix, combination, strict=True))


def _joined(name: str, chosen: Mapping[str, Any], spelled: Callable[[Any], str]) -> str:
    told = ", ".join(f"{key}={spelled(value)}" for key, value in chosen.items())
    return ", ".join(filter(None, (name, told)))


def check_block(source: SourceFile) -> CheckBlock:
    """What a notebook says of its check; NotebookError `check-block` when that makes no sense."""
    block = find_block(source.text, source.name, "check")
    if block is not None:
        return _understood(read_toml(block, _HINT), _InBlock(block))
    octavo = source.notebook.metadata.get("octavo")
    table = octavo.get("check") if isinstance(octavo, Mapping) else None
    if table is None:
        return CheckBlock()
    return _understood(table, _InMetadata(source.name))


class _InBlock:
    """Where a mistake is, when it is in a comment block."""

    def __init__(self, block: CommentBlock) -> None:
        self._block = block

    def mistake(self, key: str, message: str) -> NotebookError:
        return self._block.mistake(message, line_with(key, self._block) if key else 0, _HINT)


class _InMetadata:
    """Where a mistake is, when the metadata of the notebook holds the block."""

    def __init__(self, name: str) -> None:
        self._name = name

    def mistake(self, key: str, message: str) -> NotebookError:
        place = f"{self._name}, metadata octavo.check{f'.{key}' if key else ''}"
        hint = "mend it in the notebook's metadata"
        return NotebookError("check-block", f"the check block {message}", place=place, hint=hint)


def _understood(table: Any, where: _InBlock | _InMetadata) -> CheckBlock:
    if not isinstance(table, Mapping):
        raise where.mistake("", "must be a table")
    said = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in _READERS:
            raise where.mistake(key, f"does not know {key!r}; known are {', '.join(_READERS)}")
        try:
            said[name] = _READERS[name](value)
        except (ValueError, TypeError) as error:
            raise where.mistake(key, f"says {key} = {value!r:.60}: {error}") from None
    block = CheckBlock(**said)
    sets = len(block.sets or "1")
    for values in block.matrix.values():
        sets *= len(values)
    if sets > MOST_SETS:
        raise where.mistake("matrix", f"makes {sets:,} sets of values; {MOST_SETS} are allowed")
    return block


def _table(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("that must be a table of parameters and values")
    return value


def _sets(value: Any) -> Mapping[str, Mapping[str, Any]]:
    return {name: _table(values) for name, values in _table(value).items()}


def _matrix(value: Any) -> Mapping[str, tuple[Any, ...]]:
    for name, values in _table(value).items():
        if not isinstance(values, list) or not values:
            raise TypeError(f"{name} must be a list of at least one value")
    return {name: tuple(values) for name, values in value.items()}


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("that must be true or false")
    return value


def _share(value: Any) -> float:
    number = _number(value)
    if number > 1:
        raise ValueError("that must be between 0 and 1")
    return number


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("that must be a number")
    if value < 0 or not isfinite(value):
        raise ValueError("that must not be negative")
    return float(value)


def _tolerance(value: Any) -> Tolerance:
    if not isinstance(value, Mapping):
        return Tolerance(relative=_number(value))
    if not value or set(value) - {"rel", "abs"}:
        raise ValueError("a table has `rel`, `abs` or both")
    return Tolerance(_number(value.get("rel", 0)), _number(value.get("abs", 0)))


def _measured(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """What is written as a number, or as on the command line."""

    def read(value: Any) -> Any:
        return parse(value if isinstance(value, str) else f"{_number(value):.15g}")

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError("that must be text")
    return value


def _patterns(value: Any) -> tuple[str, ...]:
    return tuple(_text(each) for each in (value if isinstance(value, list) else [value]))


_READERS: dict[str, Callable[[Any], Any]] = {
    "parameters": _table,
    "sets": _sets,
    "matrix": _matrix,
    "strict": _flag,
    "tolerance": _tolerance,
    "image_threshold": _share,
    "sanitize_with": _text,
    "timeout": _measured(seconds),
    "cell_timeout": _measured(seconds),
    "memory": _measured(size),
    "data": _patterns,
    "early_exit": _flag,
    "skip": _text,
}
