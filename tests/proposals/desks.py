"""Desks at which somebody works on notebooks: a clone, a forge, an identity."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from git_repositories import ENVIRON, cloned, git
from octavo.app.context import Context
from octavo.forges.port import Forge
from octavo.forges.request import ForgeRequest
from octavo.proposals.answering import ApproveRequest, CommentRequest, approve, comment
from octavo.proposals.merging import MergeRequest, MergeResult, merge
from octavo.proposals.propose import ProposeRequest, ProposeResult, propose
from octavo.proposals.review import ReviewRequest, ReviewResult, review
from octavo.proposals.site import Site, site_for

Found = TypeVar("Found")

NOTEBOOK = """\
# %% [markdown]
# # Health
# How healthy the fleet is.

# %% tags=["parameters"]
hosts: int = 10  # how many hosts there are

# %% score
from octavo_runtime import glue

healthy = hosts - 1
glue("health_score", healthy / hosts)

# %% check
assert healthy > 0
"""
#: The same with another rule.
EDITED = NOTEBOOK.replace("healthy = hosts - 1", "healthy = hosts - hosts // 20")
BROKEN = NOTEBOOK.replace("assert healthy > 0", "assert healthy > 1000, 'too few'")
NAME = "notebooks/health.py"


class Desk:
    """A clone and the person who works in it."""

    def __init__(self, folder: Path, person: str = "ada", **variables: str) -> None:
        self.folder = folder
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", person), ("EMAIL", f"{person}@example.org"))
        }
        runtime = str(folder.parent / "runtime")
        self.environ: Mapping[str, str] = {
            **ENVIRON,
            **who,
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(folder.parent / "cache")),
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
            "XDG_RUNTIME_DIR": runtime,
            "HOME": str(folder.parent),
            **variables,
        }

    @property
    def notebook(self) -> Path:
        return self.folder / NAME

    def context(self, cwd: Path | None = None) -> Context:
        return Context(cwd=str(cwd or self.folder), environ=self.environ)

    def do(
        self,
        operation: Callable[[Any, Any], Coroutine[Any, Any, Found]],
        request: Any,
        cwd: Path | None = None,
    ) -> Found:
        """Call an operation as a command does."""

        async def called() -> Found:
            context = self.context(cwd)
            try:
                return await operation(request, context)
            finally:
                await context.close()

        return asyncio.run(called())

    def octavo(self, *words: str, code: int = 0) -> Any:
        """What a command of the program answers as JSON."""
        done = subprocess.run(
            [sys.executable, "-m", "octavo", *words, "--json"],
            cwd=self.folder,
            env={**self.environ, "OCTAVO_NO_RESIDENT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{words}: {done.returncode} {done.stdout} {done.stderr}"
        return json.loads(done.stdout)

    def propose(self, path: str = NAME, **asked: Any) -> ProposeResult:
        return self.do(propose, ProposeRequest(path=path, **asked))

    def review(self, number: int, **asked: Any) -> ReviewResult:
        return self.do(review, ReviewRequest(number=number, **asked))

    def merge(self, number: int, **asked: Any) -> MergeResult:
        return self.do(merge, MergeRequest(number=number, **asked))

    def approve(self, number: int, **asked: Any) -> Any:
        return self.do(approve, ApproveRequest(number=number, **asked))

    def comment(self, number: int, text: str, **asked: Any) -> Any:
        return self.do(comment, CommentRequest(number=number, text=text, **asked))

    @property
    def site(self) -> Site:
        with site_for(ForgeRequest(), self.context()) as found:
            return found

    @property
    def forge(self) -> Forge:
        return self.site.forge

    def git(self, *words: str) -> str:
        return git(self.folder, *words, environ=self.environ)

    def write(self, text: str, name: str = NAME) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def leftovers(self) -> list[str]:
        """What a command should not leave behind: worktrees, locks, temporary files."""
        folder = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        trees = self.git("worktree", "list", "--porcelain").count("worktree ") - 1
        locks = [str(path) for path in folder.rglob("*.lock")]
        places = folder / "octavo" / "worktrees"
        left = [path.name for path in places.iterdir() if path.is_dir()] if places.exists() else []
        return [*(f"worktree {n}" for n in range(trees)), *locks, *left]


def start(folder: Path, files: Mapping[str, str] | None = None, **variables: str) -> Desk:
    """A clone of a bare repository, with a notebook in step with its `.ipynb`."""
    from octavo.authoring.sides import generate
    from octavo.notebook import formats
    from octavo.notebook.formats import ipynb

    made = ipynb.dumps(generate(formats.read(NOTEBOOK, NAME), None))
    known = {NAME: NOTEBOOK, NAME.replace(".py", ".ipynb"): made, "octavo.toml": ""}
    work = cloned(folder, {**known, **(files or {})})
    return Desk(work.top, **variables)
