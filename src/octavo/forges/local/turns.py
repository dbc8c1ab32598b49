"""One after the other: a lock that processes of one clone share, gone with its process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from octavo.errors import InfrastructureError
from octavo.systems import OURS, lock

#: Held while proposals are changed in this clone: a few git calls.
CHANGE = "proposals.turn"
#: Held while this clone talks to its remote about proposals.
EXCHANGE = "exchange.turn"
_PATIENCE = 120.0
_PAUSE = 0.01


@contextmanager
def turn(folder: Path, name: str, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold a lock in the folder of a repository; InfrastructureError when it is not to be had."""
    home = folder / "octavo"
    home.mkdir(parents=True, exist_ok=True)
    held = os.open(home / name, os.O_CREAT | os.O_RDWR | OURS, 0o600)
    try:
        end = time.monotonic() + patience
        while not lock(held):
            if time.monotonic() > end:
                raise _taken(home / name, patience)
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(held)


def _taken(path: Path, patience: float) -> InfrastructureError:
    return InfrastructureError(
        "forge-down",
        f"another command has been at the proposals of this repository for {patience:g} s",
        place=str(path),
        hint="see what other commands of Octavo are running here, and try again",
    )
