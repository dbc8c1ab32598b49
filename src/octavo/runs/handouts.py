"""Whether a run handed out what its notebook declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.events.types import Display, ExecuteResult
from octavo.notebook.handouts import TAG, Form, Handout
from octavo.records.scraps import PLAIN, Glued, ScrapFold

#: What the encoder of a scrap says of its form; other encoders say nothing.
_FORMS: dict[str, Form] = {
    **dict.fromkeys(PLAIN, "value"),
    **dict.fromkeys(("pandas", "polars", "arrow"), "table"),
}


class HandedOut:
    """Takes note of the declared scraps while they pass by, before anything is cut off.

    What is too large for the record has been handed out nevertheless.
    """

    def __init__(self) -> None:
        self._fold = ScrapFold(light=True)

    def take(self, event: Display | ExecuteResult) -> None:
        """Look at one output."""
        self._fold.take(event.data, event.metadata)

    def get(self, name: str) -> Glued | None:
        """What was handed out under a name."""
        return self._fold.scraps.get(name)


def problems(
    handouts: Iterable[Handout], given: HandedOut, *, ended_early: bool
) -> tuple[Mapping[str, Any], ...]:
    """What is not as it was declared. A run that the notebook itself ended early may leave scraps
    out, but those that it handed out are held to their declaration.
    """
    found = (_problem(each, given.get(each.name), ended_early) for each in handouts)
    return tuple(each for each in found if each is not None)


def told(problems: Iterable[Mapping[str, Any]]) -> str:
    """All problems in one line."""
    return "; ".join(str(each["message"]) for each in problems)


def unknown_type_hint(tags: Any) -> str:
    """What to say of a NameError in a cell with these tags, if it declares scraps."""
    if not isinstance(tags, (list, tuple)) or TAG not in tags:
        return ""
    return 'a type that is not imported is written in quotes: report: "pandas.DataFrame"'


def _problem(handout: Handout, scrap: Glued | None, ended_early: bool) -> dict[str, Any] | None:
    if scrap is None:
        missing = handout.required and not ended_early
        return _told(handout, "missing", " was not handed out") if missing else None
    if handout.form == "display":
        return None if scrap.display else _told(handout, "type", " has no display")
    if not scrap.has_data:
        return _told(handout, "type", " is only a display, it has no data")
    return next(_misfits(handout, scrap), None)


def _misfits(handout: Handout, scrap: Glued) -> Iterator[dict[str, Any]]:
    form = _FORMS.get(scrap.encoder)
    if form == "value" and handout.form == "value":
        yield from _unfit(handout, scrap.payload)
        yield from _out_of_bounds(handout, scrap.payload)
    elif form == "value":
        yield _told(handout, "type", " is a plain value, not a table")
    elif form == "table" and handout.form == "value" and handout.type.kind != "any":
        yield _told(handout, "type", f" is a table, not {handout.kind}")


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
