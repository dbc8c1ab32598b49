"""Outputs against their reference, by nbval's rules and the wishes on top of them.

All values of a kind are compared with each other in their order, while the order between kinds
does not matter. Kinds are MIME types, streams (of which all pieces are one text), and the name and
message of an error. Some are never compared: they differ from run to run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.gate.comparing.excerpts import excerpt, excerpts
from octavo.gate.comparing.numbers import texts_apart, values_apart
from octavo.gate.comparing.rules import IMAGES, Rules
from octavo.gate.verdicts import Difference

#: The ids of widget models are random.
_NEVER = ("application/vnd.jupyter.widget-view+json",)
#: More differences of one cell tell nothing new.
_MOST = 8
_OVERWRITTEN = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)
_LEFT_OUT = re.compile(r"^… [\d.]+ (?:bytes|[kMG]B) left out, ", re.MULTILINE)
_CUT = "the run kept only a part of this output (--output-cap)"

Outputs = Sequence[Mapping[str, Any]]


def compare(expected: Outputs, got: Outputs, rules: Rules) -> tuple[Difference, ...]:
    """How outputs (as nbformat spells them) differ from what is expected; empty if they agree."""
    wanted, found = by_kind(expected, rules), by_kind(got, rules)
    differences: list[Difference] = []
    for key in [*wanted, *(key for key in found if key not in wanted)]:
        try:
            differences += _of_kind(key, wanted.get(key, []), found.get(key, []), rules)
        except RecursionError:
            differences.append(Difference(key, "is nested too deeply to be compared"))
    return tuple(differences[:_MOST])


def by_kind(outputs: Outputs, rules: Rules) -> dict[str, list[Any]]:
    """What is compared of outputs: the values of each kind in their order, sanitized."""
    found: dict[str, list[Any]] = {}
    streams: dict[str, list[str]] = {}
    for output in outputs:
        if output["output_type"] == "stream":
            name = output.get("name", "stdout")
            streams.setdefault(name, []).append(_text(output.get("text", "")))
            found.setdefault(name, [])
        else:
            for key, value in _values(output):
                if _is_compared(key, rules):
                    found.setdefault(key, []).append(value)
    for name, pieces in streams.items():
        found[name].insert(0, as_shown("".join(pieces)))
    return {key: [_sanitized(value, rules) for value in values] for key, values in found.items()}


def as_shown(text: str) -> str:
    """A stream as a terminal has it in the end: what was written over is gone."""
    return _OVERWRITTEN.sub("", text) if "\r" in text else text


def _values(output: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if output["output_type"] == "error":
        yield "ename", output.get("ename", "")
        yield "evalue", output.get("evalue", "")
    else:
        yield from output.get("data", {}).items()


def _is_compared(key: str, rules: Rules) -> bool:
    return key not in _NEVER and (key not in IMAGES or rules.image_threshold is not None)


def _sanitized(value: Any, rules: Rules) -> Any:
    return rules.sanitizer(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(value)


def _of_kind(key: str, wanted: list[Any], found: list[Any], rules: Rules) -> Iterator[Difference]:
    if key in IMAGES:
        from octavo.gate.comparing.images import compare_images

        yield from compare_images(key, wanted, found, rules)
    elif not found or not wanted:
        yield _one_sided(key, wanted, found)
    elif len(wanted) != len(found):
        yield _uncounted(key, wanted, found)
    else:
        for one, other in zip(wanted, found, strict=True):
            if one != other:
                yield from _of_pair(key, one, other, rules)


def _of_pair(key: str, one: Any, other: Any, rules: Rules) -> Iterator[Difference]:
    why: str | None = ""
    if rules.tolerance is not None and has_numbers(key):
        both_text = isinstance(one, str) and isinstance(other, str)
        why = (texts_apart if both_text else values_apart)(one, other, rules.tolerance)
    if why is not None:
        yield _different(key, spelled(one), spelled(other), why)


def has_numbers(key: str) -> bool:
    """Whether numbers in a kind of output are compared as numbers where that is wished."""
    return key.startswith("text/") or key in ("stdout", "stderr") or is_json(key)


def is_json(key: str) -> bool:
    """Whether a kind of output holds values of JSON, not text."""
    return key == "application/json" or (key.startswith("application/") and key.endswith("+json"))


def spelled(value: Any) -> str:
    """A value as people compare it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, default=str)


def _different(key: str, one: str, other: str, why: str) -> Difference:
    expected, got, line = excerpts(one, other)
    if key in ("ename", "evalue"):
        message = f"raised {excerpt(other)[:80]}, not {excerpt(one)[:80]}"
    else:
        several = "\n" in one.rstrip("\n") or "\n" in other.rstrip("\n")
        message = f"differs in line {line}" if several else "differs"
    parts = filter(None, (message, why, _cut(other)))
    return Difference(key, "; ".join(parts), expected, got)


def _one_sided(key: str, wanted: list[Any], found: list[Any]) -> Difference:
    if wanted:
        text = "\n".join(map(spelled, wanted))
        return Difference(key, "is missing", excerpt(text), None)
    text = "\n".join(map(spelled, found))
    message = "is not expected"
    return Difference(key, "; ".join(filter(None, (message, _cut(text)))), None, excerpt(text))


def _uncounted(key: str, wanted: list[Any], found: list[Any]) -> Difference:
    one, other = ("\n".join(map(spelled, values)) for values in (wanted, found))
    expected, got, _ = excerpts(one, other)
    return Difference(key, f"came {len(found)} times, not {len(wanted)}", expected, got)


def _cut(text: str) -> str:
    return _CUT if _LEFT_OUT.search(text) else ""
