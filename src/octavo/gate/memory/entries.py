"""What is remembered of a notebook that passed, as values and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from octavo.gate.verdicts import Finding, Severity
from octavo.value import EMPTY, Value


class Inputs(Value):
    """What a run rests on. Paths are relative to the project where they lie in it.

    `files` are hashes of contents, empty where there was no file; `listings` are hashes of the
    names in a folder; `patterns` are hashes of the names that a declared pattern matches.
    """

    files: Mapping[str, str] = EMPTY
    listings: Mapping[str, str] = EMPTY
    patterns: Mapping[str, str] = EMPTY

    def to_json(self) -> dict[str, Any]:
        return {name: dict(getattr(self, name)) for name in self._fields if getattr(self, name)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Inputs:
        return cls(**{name: dict(plain.get(name) or {}) for name in cls._fields})


def joined(several: Iterable[Inputs]) -> Inputs | None:
    """The inputs of several runs together; None where they do not rest on the same contents."""
    together: dict[str, dict[str, str]] = {name: {} for name in Inputs._fields}
    for inputs in several:
        for name, known in together.items():
            for path, digest in getattr(inputs, name).items():
                if known.setdefault(path, digest) != digest:
                    return None
    return Inputs(**together)


class Passed(Value):
    """One set of values that passed: the run that showed it, and what a verdict tells of it."""

    run_id: str
    duration_seconds: float | None = None
    parameters: Mapping[str, Any] = EMPTY
    scraps: Mapping[str, Any] = EMPTY
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        plain = self.to_dict()
        plain["findings"] = [each.to_json() for each in self.findings]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Passed:
        known = {name: plain[name] for name in cls._fields if name in plain}
        known["findings"] = tuple(map(_finding, known.get("findings", ())))
        seconds = known.get("duration_seconds")
        as_they_were = (
            isinstance(known["run_id"], str)
            and (seconds is None or isinstance(seconds, (int, float)))
            and all(isinstance(known.get(name, {}), dict) for name in ("parameters", "scraps"))
        )
        if not as_they_were:
            raise ValueError("these are no values of a verdict")
        return cls(**known)


def _finding(plain: Mapping[str, Any]) -> Finding:
    found = Finding(**plain)
    texts = (found.rule, found.message, found.path, found.hint)
    numbers = (found.cell, found.line)
    if (
        found.severity not in get_args(Severity)
        or not all(isinstance(text, str) for text in texts)
        or not all(number is None or isinstance(number, int) for number in numbers)
    ):
        raise ValueError("this is no finding")
    return found


class Entry(Value):
    """What is remembered of a notebook: the sets of values that passed, and what that rests on.

    `whole` says that all of its sets passed, `ci` that this was on CI.
    """

    sets: Mapping[str, Passed]
    inputs: Inputs
    whole: bool = True
    ci: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "whole": self.whole,
            "ci": self.ci,
            "sets": {name: passed.to_json() for name, passed in self.sets.items()},
            "inputs": self.inputs.to_json(),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Entry:
        """The inverse of `to_json`; anything may be raised where it was not made by that."""
        if not plain["sets"]:
            raise ValueError("nothing passed")
        return cls(
            sets={name: Passed.from_json(each) for name, each in plain["sets"].items()},
            inputs=Inputs.from_json(plain["inputs"]),
            whole=plain["whole"] is True,
            ci=plain["ci"] is True,
        )
