"""What differs between two values, two texts, or the outputs of two cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Literal

from octavo.records.plain import compact, utf8
from octavo.records.scraps import is_scrap
from octavo.runs.looking.sides import plain_json
from octavo.value import Value

Change = Literal["equal", "changed", "added", "removed"]

#: A text is compared line by line up to so many lines that differ; so many are told.
MOST_COMPARED, MOST_TOLD, LONGEST_LINE = 1000, 200, 2000
#: Mappings are compared entry by entry, so deep and up to so many.
DEEPEST, MOST_ENTRIES = 3, 500

_MISSING: Any = object()
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class ValueChange(Value):
    """A named value on both sides; one that is missing is None and `change` says so.

    `difference` and `percent` are for numbers, from `a` to `b`; `diff` is for long text.
    """

    name: str
    change: Change
    a: Any = None
    b: Any = None
    difference: float | None = None
    percent: float | None = None
    diff: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "diff": list(self.diff)}


class OutputChange(Value):
    """An output of a cell: `what` is a stream, `error` or a media type.

    `diff` has lines that begin with `-`, `+` or a space; `note` says what cannot be told so.
    """

    what: str
    change: Change
    diff: tuple[str, ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "diff": list(self.diff)}


def value_changes(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[ValueChange, ...]:
    """Every name of both sides, equal ones too, in the order of the first."""
    names = dict.fromkeys((*a, *b))
    return tuple(
        change for name in names
        for change in _compared(name, a.get(name, _MISSING), b.get(name, _MISSING), DEEPEST)
    )  # fmt: skip


def _compared(name: str, a: Any, b: Any, depth: int) -> Iterator[ValueChange]:
    if a is _MISSING:
        yield ValueChange(name, "added", b=b)
    elif b is _MISSING:
        yield ValueChange(name, "removed", a=a)
    elif _same(a, b):
        yield ValueChange(name, "equal", a, b)
    elif _entries(a, b) and depth:
        for key in dict.fromkeys((*a, *b)):
            inner = f"{name}.{key}"
            yield from _compared(inner, a.get(key, _MISSING), b.get(key, _MISSING), depth - 1)
    else:
        yield _changed(name, a, b)


def _entries(a: Any, b: Any) -> bool:
    """Whether two values are mappings that are told apart entry by entry."""
    both = isinstance(a, Mapping) and isinstance(b, Mapping)
    return both and "encoder" not in a and 0 < len(a) + len(b) <= MOST_ENTRIES


def _same(a: Any, b: Any) -> bool:
    """Equal, and of one kind: True is not 1. The order of a mapping makes no difference."""
    if isinstance(a, (Mapping, list, tuple)):
        return type(a) is type(b) and plain_json(a) == plain_json(b)
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _changed(name: str, a: Any, b: Any) -> ValueChange:
    change = ValueChange(name, "changed", a, b)
    if _is_number(a) and _is_number(b):
        difference = b - a
        percent = difference / abs(a) * 100 if a and _is_number(difference) else None
        return change.replace(
            difference=difference if _is_number(difference) else None,
            percent=percent if _is_number(percent) else None,
        )
    if isinstance(a, str) and isinstance(b, str):
        long = "\n" in a + b or len(a) + len(b) > 60
        return change.replace(diff=text_diff(a, b)) if long else change
    if type(a) is type(b) and not (isinstance(a, Mapping) and "encoder" in a):
        return change.replace(diff=text_diff(plain_json(a), plain_json(b)))
    return change


def _is_number(value: Any) -> bool:
    """Whether a value is a number that can be calculated with; JSON knows larger ones."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def text_diff(a: str, b: str) -> tuple[str, ...]:
    """The lines that differ, with one line around them; a bounded number of them."""
    old, new = a.splitlines(), b.splitlines()
    if old == new:
        return ()
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    before, after = old[max(0, start - 1) : start], old[len(old) - end :][:1]
    inner = _inner_diff(old[start : len(old) - end], new[start : len(new) - end])
    lines = [*(f" {line}" for line in before), *inner, *(f" {line}" for line in after)]
    told = [line[:LONGEST_LINE] for line in lines[:MOST_TOLD]]
    if len(lines) > MOST_TOLD:
        told.append(f" … {len(lines) - MOST_TOLD:,} more lines")
    return tuple(told)


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for old, new in zip(a, b, strict=False):
        if old != new:
            break
        count += 1
    return count


def _inner_diff(old: Sequence[str], new: Sequence[str]) -> list[str]:
    if len(old) > MOST_COMPARED or len(new) > MOST_COMPARED:
        half = MOST_TOLD // 2
        return [
            *(f"-{line}" for line in old[:half]),
            f" … {len(old):,} lines before, {len(new):,} now",
            *(f"+{line}" for line in new[:half]),
        ]
    from difflib import unified_diff

    lines = list(unified_diff(old, new, n=1, lineterm=""))[3:]
    return [" …" if line.startswith("@@") else line for line in lines]


class Part:
    """An output as it is compared: the text that a reader sees, and the rest of its content."""

    def __init__(self, what: str, text: str, content: Mapping[str, Any]) -> None:
        self.what = what
        self.text = text
        self.content = content


def output_changes(
    a: Sequence[Mapping[str, Any]],
    b: Sequence[Mapping[str, Any]],
    ignored: Sequence[re.Pattern[str]] = (),
) -> tuple[OutputChange, ...]:
    """The outputs of a cell, kind by kind; those that hand out scraps are compared elsewhere."""
    old, new = _by_kind(a, ignored), _by_kind(b, ignored)
    changes = []
    for what in dict.fromkeys((*old, *new)):
        ours, theirs = old[what], new[what]
        for at in range(max(len(ours), len(theirs))):
            if at >= len(ours):
                changes.append(OutputChange(what, "added", _lines("+", theirs[at])))
            elif at >= len(theirs):
                changes.append(OutputChange(what, "removed", _lines("-", ours[at])))
            else:
                changes.append(_part_change(ours[at], theirs[at]))
    return tuple(changes)


def _lines(sign: str, part: Part) -> tuple[str, ...]:
    lines = part.text.splitlines()
    told = tuple(f"{sign}{line[:LONGEST_LINE]}" for line in lines[:MOST_TOLD])
    more = len(lines) - MOST_TOLD
    return (*told, f" … {more:,} more lines") if more > 0 else told


def _part_change(a: Part, b: Part) -> OutputChange:
    if a.text == b.text and a.content == b.content:
        return OutputChange(a.what, "equal")
    if a.text != b.text:
        diff = text_diff(a.text, b.text)
        return OutputChange(a.what, "changed", diff, "" if diff else "only line ends differ")
    names = dict.fromkeys((*a.content, *b.content))
    differing = [name for name in names if a.content.get(name) != b.content.get(name)]
    return OutputChange(a.what, "changed", note=f"{', '.join(differing)} differs")


def _by_kind(
    outputs: Sequence[Mapping[str, Any]], ignored: Sequence[re.Pattern[str]]
) -> defaultdict[str, list[Part]]:
    kinds: defaultdict[str, list[Part]] = defaultdict(list)
    for part in _parts(outputs):
        for pattern in ignored:
            part.text = pattern.sub("", part.text)
            part.content = {
                key: pattern.sub("", value) if isinstance(value, str) else value
                for key, value in part.content.items()
            }
        joins = part.what in ("stdout", "stderr") and kinds[part.what]
        if joins:
            kinds[part.what][0].text += part.text
        else:
            kinds[part.what].append(part)
    return kinds


def _parts(outputs: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    for output in outputs:
        kind = output.get("output_type")
        if kind == "stream":
            yield Part(str(output.get("name", "stdout")), _text(output.get("text")), {})
        elif kind == "error":
            traceback = "\n".join(map(str, output.get("traceback") or ()))
            named = f"{output.get('ename')}: {output.get('evalue')}"
            yield Part("error", _COLOUR.sub("", traceback) or named, {})
        else:
            data = output.get("data")
            if isinstance(data, Mapping) and not is_scrap(data):
                yield _bundle(data)


def _bundle(data: Mapping[str, Any]) -> Part:
    """A display: by its image if it has one, else by the text that is read."""
    content = {mime: _text(value) if _is_text(value) else compact(value)
               for mime, value in data.items()}  # fmt: skip
    images = [mime for mime in content if mime.startswith("image/")]
    if images:
        digests = {mime: _digest(content[mime]) for mime in images}
        return Part(images[0], "", digests)
    for mime in ("text/plain", "text/markdown", "text/latex", "application/json"):
        if mime in content:
            return Part(mime, content.pop(mime), content)
    return Part(next(iter(content), "display"), "", content)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(utf8(text)).hexdigest()
