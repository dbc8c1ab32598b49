"""Whether a run handed out what its notebook declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.events.types import Display, ExecuteResult
from octavo.notebook.handouts import TAG, Form, Handout
from octavo.records.scraps import SCRAP_PREFIX
from octavo.value import Value

#: Encoders whose scraps are plain values; those of the others cannot be looked into here.
_VALUES = ("json", "text")
_TABLES = ("pandas", "polars", "arrow")


class Given(Value):
    """What a scrap was when it was handed out; of unknown encoders `form` says nothing."""

    form: Form | None
    value: Any = None


class HandedOut:
    """Takes note of the declared scraps while they pass by, before anything is cut off.

    What is too large for the record has been handed out nevertheless.
    """

    def __init__(self, handouts: Iterable[Handout] = ()) -> None:
        self._names = frozenset(each.name for each in handouts)
        self.data: dict[str, Given] = {}
        self.displays: set[str] = set()

    def take(self, event: Display | ExecuteResult) -> None:
        """Look at one bundle."""
        if not self._names:
            return
        for mime, payload in event.data.items():
            if mime.startswith(SCRAP_PREFIX) and isinstance(payload, Mapping):
                name = str(payload.get("name"))
                if name in self._names:
                    self.data[name] = _given(mime, payload)
        said = event.metadata.get("scrapbook")
        if isinstance(said, Mapping) and said.get("display"):
            self.displays.add(str(said.get("name")))


def problems(
    handouts: Iterable[Handout], given: HandedOut, *, ended_early: bool
) -> tuple[Mapping[str, Any], ...]:
    """What is not as it was declared. A run that the notebook itself ended early may leave scraps
    out, but those that it handed out are held to their declaration.
    """
    found = (_problem(each, given, ended_early) for each in handouts)
    return tuple(each for each in found if each is not None)


def told(problems: Iterable[Mapping[str, Any]]) -> str:
    """All problems in one line."""
    return "; ".join(str(each["message"]) for each in problems)


def unknown_type_hint(tags: Any) -> str:
    """What to say of a NameError in a cell with these tags, if it declares scraps."""
    if not isinstance(tags, (list, tuple)) or TAG not in tags:
        return ""
    return 'a type that is not imported is written in quotes: report: "pandas.DataFrame"'


def _given(mime: str, payload: Mapping[str, Any]) -> Given:
    encoder = payload.get("encoder") or mime.removeprefix(SCRAP_PREFIX).partition("+")[0]
    if encoder in _VALUES:
        return Given("value", payload.get("data"))
    return Given("table" if encoder in _TABLES else None)


def _problem(handout: Handout, given: HandedOut, ended_early: bool) -> dict[str, Any] | None:
    data = given.data.get(handout.name)
    shown = handout.name in given.displays
    if data is None and not shown:
        missing = handout.required and not ended_early
        return _told(handout, "missing", " was not handed out") if missing else None
    if handout.form == "display":
        return None if shown else _told(handout, "type", " has no display")
    if data is None:
        return _told(handout, "type", " is only a display, it has no data")
    if data.form is None:
        return None
    return next(_misfits(handout, data), None)


def _misfits(handout: Handout, data: Given) -> Iterator[dict[str, Any]]:
    if handout.form != data.form:
        wanted = "a table" if handout.form == "table" else handout.kind
        is_what = "a table" if data.form == "table" else "a plain value"
        if handout.form == "table" or handout.type.kind != "any":
            yield _told(handout, "type", f" is {is_what}, not {wanted}")
    elif handout.form == "value":
        yield from _unfit(handout, data.value)
        yield from _out_of_bounds(handout, data.value)


def _unfit(handout: Handout, value: Any) -> Iterator[dict[str, Any]]:
    from octavo.notebook.fitting import unfit

    found = unfit(handout.type, value)
    if found is not None:
        gap = "" if found.path else ": "
        yield _told(handout, "type", f"{gap}{found}")


def _out_of_bounds(handout: Handout, value: Any) -> Iterator[dict[str, Any]]:
    from octavo.notebook.coercion import shown
    from octavo.notebook.fitting import number_of

    low, high = handout.minimum, handout.maximum
    if (low is None and high is None) or (value is None and not handout.required):
        return
    number = number_of(value)
    unit = f" {handout.unit}" if handout.unit else ""
    if number is None:
        yield _told(handout, "type", f": {shown(value)} is not a number")
    elif number != number:
        yield _told(handout, "bounds", f": nan is not within {handout.bounds}")
    elif low is not None and number < low:
        yield _told(handout, "bounds", f": {shown(value)} is below {low:g}{unit}")
    elif high is not None and number > high:
        yield _told(handout, "bounds", f": {shown(value)} is above {high:g}{unit}")


def _told(handout: Handout, problem: str, text: str) -> dict[str, Any]:
    return {
        "name": handout.name,
        "problem": problem,
        "message": f"{handout.name}{text} (declared at {handout.place})",
        "place": handout.place,
    }
