"""Whether a fresh run hands out what a session handed out, scrap by scrap."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from octavo.records.scraps import Glued, ScrapFold
from octavo.sessions.fetching import Results
from octavo.value import Value

_WIDTH = 60


class Differing(Value):
    """A scrap on which the two do not agree; None where one of them has it not."""

    name: str
    session: str | None
    run: str | None

    def __str__(self) -> str:
        if self.session is None:
            return f"{self.name}: not in the session, {self.run} in the run"
        if self.run is None:
            return f"{self.name}: {self.session} in the session, not in the run"
        if self.session == self.run:
            return f"{self.name}: {self.session} in both, but not the same content"
        return f"{self.name}: {self.session} in the session, {self.run} in the run"


def handed_out(results: Results, record_cells: Iterable[int]) -> dict[str, Glued]:
    """The scraps of some cells of a record, executed in this order."""
    fold = ScrapFold()
    for cell in record_cells:
        for output in results.outputs(cell):
            if output["output_type"] in ("display_data", "execute_result"):
                fold.take(output["data"], output["metadata"], output["output_type"])
    return fold.scraps


def differing(session: Mapping[str, Glued], run: Mapping[str, Glued]) -> tuple[Differing, ...]:
    """The scraps that do not agree, in the order in which they were handed out."""
    names = dict.fromkeys((*session, *run))
    return tuple(
        Differing(name, _told(session.get(name)), _told(run.get(name)))
        for name in names
        if not _agree(session.get(name), run.get(name))
    )


def _agree(one: Glued | None, other: Glued | None) -> bool:
    if one is None or other is None:
        return False
    if one.has_data != other.has_data or one.encoder != other.encoder:
        return False
    if one.left_out or other.left_out:
        # Too large for the output: what is known of it is how large.
        return _size(one) == _size(other)
    # A picture of the same thing need not be the same picture.
    return not one.has_data or _same(one.payload, other.payload)


def _size(glued: Glued) -> tuple[Any, ...]:
    return glued.size, glued.told.get("rows"), glued.told.get("columns")


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _told(glued: Glued | None) -> str | None:
    if glued is None:
        return None
    text = json.dumps(glued.summary(), ensure_ascii=False, default=str)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
