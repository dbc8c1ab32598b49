"""Runs by the names that callers give them, as far as they may see them."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from octavo.errors import UsageError
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.identity import LOCAL

_LAST = re.compile(r"last(?:~([0-9]{1,4}))?")


async def run_named(desk: Desk, name: str) -> str:
    """The whole id of the run that is meant; one of somebody else is as good as none."""
    if name.strip().startswith(".") or "/" in name or "\0" in name:
        raise no_run(name)
    who = caller().identity

    async def work(context: Any) -> str | None:
        store = context.store(desk.project)
        return _own(desk, store, name, who) if who != LOCAL else str(store.find(name).run_id)

    found: str | None = await desk.bounded(work)
    if found is None:
        raise no_run(name)
    return found


def no_run(name: str) -> UsageError:
    return UsageError("run-not-found", f"no run matches {name[:80]!r}", hint="runs_list shows them")


def _own(desk: Desk, store: Any, name: str, who: str) -> str | None:
    """For the holder of a token only those runs exist that are not another's."""
    back = _LAST.fullmatch(name)
    if back is not None:
        seen = (run for run in store.runs() if desk.owners.may_look(run.run_id, who))
        number = int(back[1] or 0)
        return next((str(run.run_id) for run in islice(seen, number, None)), None)
    try:
        found = str(store.find(name).run_id)
    except UsageError:
        # What it says names runs that are near, whose ever they are.
        return None
    return found if desk.owners.may_look(found, who) else None
