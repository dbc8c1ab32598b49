"""Sessions that sleep soon, and who sleeps for them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from octavo.sessions.client import Caller
from sessions.live_projects import Live, info, is_gone, live_in


@contextmanager
def drowsy_in(home: Path) -> Iterator[Live]:
    """A project whose sessions sleep as soon as they are idle."""
    with live_in(home) as live:
        del live.variables["OCTAVO_NO_RESIDENT"]
        live.variables["OCTAVO_SLEEP_AFTER"] = "0.1"
        live.write()
        try:
            yield live
        finally:
            live.end()
            live.octavo("warm", "--stop")


def asleep(session: Caller) -> int:
    """The process that sleeps for a session, once it does."""
    before = info(session).pid
    for _ in range(3000):
        if noted(session) != before and is_gone(before):
            return noted(session)
        time.sleep(0.01)
    raise AssertionError("it stays awake")


def noted(session: Caller) -> int:
    """The process of a session, without calling it."""
    return int(json.loads(Path(session.place.address).with_suffix(".json").read_text())["pid"])
