"""The other file of a pair, which follows an edit if both were in step before."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from octavo.authoring.base import Bases
from octavo.authoring.editing.answer import Beside
from octavo.authoring.pairs import Pair
from octavo.authoring.sync import sync_pair
from octavo.authoring.syncing import IN_STEP, plan
from octavo.errors import OctavoError

LEFT = "left"
OUT_OF_STEP = "out-of-step"
FOLLOWS = "would-follow"


class Around(Protocol):
    """Where the files of a project are."""

    cwd: str

    @property
    def project(self) -> Path: ...


class BesideFile:
    """The pair that an edited file is part of, if both files are there."""

    def __init__(self, path: str, context: Around) -> None:
        self._path = Path(path)
        self._cwd = context.cwd
        self._bases = Bases(context.project)
        self._pair = _pair_of(self._path)
        self._in_step = False

    def look(self, *, remember: bool) -> None:
        """Before the edit: are both in step? Then that state is what the edit goes on from."""
        if self._pair is None:
            return
        try:
            planned = plan(self._pair, self._bases)
            self._in_step = planned.status == IN_STEP
            if self._in_step and remember:
                planned.carry_out(self._bases)
        except (OctavoError, OSError):
            self._in_step = False

    def follow(self, changed: bool, dry_run: bool, no_sync: bool) -> Beside | None:
        """After the edit: bring the other file into step, and tell how that went."""
        if self._pair is None or not changed:
            return None
        script, notebook = self._pair
        other = os.path.relpath(notebook if self._path == script else script, self._cwd)
        if no_sync:
            return Beside(other, LEFT)
        if not self._in_step:
            return Beside(other, OUT_OF_STEP)
        if dry_run:
            return Beside(other, FOLLOWS)
        return Beside(other, sync_pair(self._pair, self._bases, self._cwd).status)


def _pair_of(path: Path) -> Pair | None:
    """The text and the `.ipynb` of one name, when both are there; a script is before a document."""
    notebook = path.with_suffix(".ipynb")
    script = path.with_suffix(".py")
    text = script if script.exists() else path.with_suffix(".md")
    if path not in (text, notebook) or not (text.exists() and notebook.exists()):
        return None
    return Pair(text, notebook)
