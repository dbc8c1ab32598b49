"""Folders of ours in a project, which git does not see."""

from __future__ import annotations

import os
from contextlib import suppress

_ROOT = ".octavo"


def folder_in(project: str, name: str = "") -> str:
    """Where a folder of ours is, whether it is there or not."""
    return os.path.join(project, _ROOT, name)


def made_in(project: str, name: str) -> str:
    """A folder that only the user may look into."""
    folder = folder_in(project, name)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    ignore = os.path.join(project, _ROOT, ".gitignore")
    if not os.path.exists(ignore):
        with suppress(OSError), open(ignore, "w", encoding="utf-8") as file:
            file.write("*\n")
    return folder
