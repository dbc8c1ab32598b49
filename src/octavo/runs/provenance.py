"""Where a run comes from: the commit, the machine. Gathered while the kernel starts."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

from octavo.version import VERSION

_MOST_CHANGED = 100
#: So many words stand before the name of a file that was changed, or that is in conflict.
_WORDS = {"1": 8, "2": 9, "u": 10}


def host_facts() -> dict[str, Any]:
    """The machine, without names that identify a person."""
    system = os.uname()
    return {
        "octavo": VERSION,
        "system": system.sysname,
        "release": system.release,
        "machine": system.machine,
        "node": system.nodename,
        "cpus": os.cpu_count(),
        "octavo_python": ".".join(map(str, sys.version_info[:3])),
    }


async def git_facts(folder: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """Commit, branch and dirtiness of the repository around a folder; None outside of one."""
    if not _in_repository(folder):
        return None
    variables = {**environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *("status", "--porcelain=v2", "-z", "--branch", "--no-renames"),
            *("--untracked-files=no", "--", ":/"),
            cwd=folder,
            env=variables,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    output, _ = await process.communicate()
    if process.returncode != 0:
        return None
    return _parse_status(output.decode("utf-8", "replace"))


def _in_repository(folder: str) -> bool:
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return True
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent


def _parse_status(text: str) -> dict[str, Any]:
    """Of the files that are not as in the commit, the first so many are named."""
    facts: dict[str, Any] = {"commit": None, "branch": None, "dirty": False, "changed": []}
    for line in text.split("\0"):
        if line.startswith("# branch.oid "):
            commit = line.removeprefix("# branch.oid ")
            facts["commit"] = None if commit == "(initial)" else commit
        elif line.startswith("# branch.head "):
            branch = line.removeprefix("# branch.head ")
            facts["branch"] = None if branch == "(detached)" else branch
        elif line and not line.startswith("#"):
            facts["dirty"] = True
            if len(facts["changed"]) < _MOST_CHANGED:
                facts["changed"].append(line.split(" ", _WORDS[line[0]])[-1])
    return facts
