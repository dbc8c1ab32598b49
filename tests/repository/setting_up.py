"""Real repositories that `octavo init` is tried on, and the program as git and people call it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from git_repositories import ENVIRON, git, repository

BIN = Path(sys.executable).parent
SCRIPT = """\
# %% [markdown]
# # Numbers

# %%
a = 1

# %%
b = 1

# %%
c = 1
"""


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environ(home: Path, **more: str) -> dict[str, str]:
    """The variables of a person whose home is a folder of the test."""
    return {
        **ENVIRON,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "OCTAVO_NO_RESIDENT": "1",
        "COLUMNS": "200",
        **more,
    }


def octavo(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> Answer:
    """The program, in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "octavo", *words],
        cwd=folder,
        env=dict(env or environ(folder.parent / "home")),
        capture_output=True,
        text=True,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def run(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> Answer:
    """Any program, as a person runs it there."""
    done = subprocess.run(
        words,
        cwd=folder,
        env=dict(env or environ(folder.parent / "home")),
        capture_output=True,
        text=True,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def initialized(folder: Path) -> Path:
    """A repository after `octavo init`, with one pair of notebooks, all committed."""
    shutil.copytree(Path(_made().name, "project"), folder / "project", symlinks=True)
    return folder / "project"


@cache
def _made() -> TemporaryDirectory[str]:
    """The same, made once for all tests of a process: they get copies."""
    made = TemporaryDirectory()
    folder = Path(made.name)
    top = repository(folder / "project").top
    assert octavo(top, "init").code == 0
    (top / "notebooks" / "n.py").write_text(SCRIPT)
    assert octavo(top, "sync").code == 0
    git(top, "add", "--all", environ=environ(folder / "home"))
    git(top, "commit", "--quiet", "-m", "set up", environ=environ(folder / "home"))
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but for git's own objects and logs."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not {"objects", "logs", ".octavo"} & set(path.relative_to(folder).parts)
        and path.name not in ("index", "COMMIT_EDITMSG", "ORIG_HEAD")
    }


def notebook(source: str, *, outputs: list[Any] | None = None, count: int | None = None) -> str:
    """An `.ipynb` with one code cell, as Jupyter writes it."""
    cell = {
        "cell_type": "code",
        "execution_count": count,
        "id": "a1",
        "metadata": {},
        "outputs": outputs or [],
        "source": source.splitlines(keepends=True),
    }
    document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


STREAM = {"name": "stdout", "output_type": "stream", "text": ["hello\n"]}
