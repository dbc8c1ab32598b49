"""The document of a session beside its journal, once somebody has edited it.

A journal tells what was executed. What was written and not executed stands here, so that a session
which is brought back has it. Secrets are left out, as everywhere in a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.events.types import BoundCell
from octavo.records.disk import replacing
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.sessions.hosts.live import Live

NAME = "document.json"

Keyed = list[tuple[str, BoundCell]]


class Draft(Value):
    """Cells as they were written, by their keys; those before `position` made up the state.

    `executed` is how many cells the record had then: what came after that is in the journal only.
    """

    cells: tuple[tuple[str, BoundCell], ...]
    position: int
    executed: int


def keep(live: Live) -> None:
    """Write the document as it is; on a full disk the journal still has what was executed."""
    document = live.document
    content = {
        "cells": [[each.key, _plain(each.bound)] for each in document.cells],
        "position": document.position,
        "executed": live.executor.next_cell,
    }
    live.drafted = True
    with suppress(OSError), replacing(live.recording.path / NAME, sync=False) as file:
        file.write(json.dumps(live.recording.clean(content)).encode())


def renew(live: Live) -> None:
    """After something was executed; a document that nobody edited is told by its journal."""
    if live.drafted and not live.ended:
        keep(live)


def kept(folder: Path) -> Draft | None:
    """What was kept in the record of a session; None where there is nothing that can be read."""
    try:
        plain = json.loads((folder / NAME).read_bytes())
        cells = tuple((str(key), BoundCell(**bound)) for key, bound in plain["cells"])
        return Draft(cells, int(plain["position"]), int(plain["executed"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def with_later(draft: Draft, line: Keyed) -> Draft:
    """A draft with the cells of the last state in it, which were executed after it was written."""
    cells = list(draft.cells)
    position = 0
    for key, bound in line:
        at = next((index for index, each in enumerate(cells) if each[0] == key), None)
        if at is None:
            cells.insert(position, (key, bound))
            at = position
        cells[at] = (key, bound)
        position = max(position, at + 1)
    return draft.replace(cells=tuple(cells), position=position)


def _plain(bound: BoundCell) -> dict[str, Any]:
    found = {name: getattr(bound, name) for name in bound._fields}
    return {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in found.items()
    }
