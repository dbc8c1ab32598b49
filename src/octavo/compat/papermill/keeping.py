"""Where the record of a run is kept that somebody else's tool has asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from octavo.app.context import Context
from octavo.config import project_root
from octavo.records.store import Store

Emit = Callable[[Any], None]


class KeepingContext(Context):
    """Keeps records in the notebook's project; where nothing may be written there, in `elsewhere`.

    A pipeline that could write its output must not fail for want of a record.
    """

    def __init__(self, emit: Emit, elsewhere: Callable[[], str]) -> None:
        super().__init__(cwd=os.getcwd(), environ=dict(os.environ), emit=emit)
        self._elsewhere = elsewhere

    def store(self, near: str) -> Store:
        root = project_root(near) or self.cwd
        return super().store(near) if _writable(root) else Store(Path(self._elsewhere()))


def _writable(root: str) -> bool:
    for folder in (os.path.join(root, ".octavo", "runs"), os.path.join(root, ".octavo"), root):
        if os.path.isdir(folder):
            return os.access(folder, os.W_OK | os.X_OK)
    return False


@contextmanager
def keeping() -> Iterator[Callable[[Emit], Context]]:
    """Makes contexts; what had to be kept in a folder of ours is gone after the block."""
    folders: list[str] = []

    def elsewhere() -> str:
        if not folders:
            folders.append(mkdtemp(prefix="octavo-"))
        return folders[0]

    try:
        yield lambda emit: KeepingContext(emit, elsewhere)
    finally:
        for folder in folders:
            rmtree(folder, ignore_errors=True)
