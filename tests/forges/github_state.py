"""What the server in the tests knows: users, repositories and what was said there.

Branches and commits are real: every repository is a bare one on the disk.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from git_repositories import ENVIRON, git


@dataclass
class User:
    """Somebody with a token. A classic token has `scopes`; a newer one may be told `lacks`."""

    login: str
    token: str
    id: int
    admin: bool = False
    scopes: str | None = None
    lacks: str = ""
    is_app: bool = False


@dataclass
class Remark:
    id: int
    author: str
    body: str
    created: str


@dataclass
class Finding(Remark):
    path: str
    line: int | None
    side: str
    commit: str
    reply_to: int | None = None
    review: int = 0
    resolved: bool = False


@dataclass
class Verdict(Remark):
    state: str
    commit: str


@dataclass
class Pull:
    number: int
    title: str
    body: str
    branch: str
    base: str
    head: str
    draft: bool
    author: str
    created: str
    updated: str
    state: str = "open"
    merged: str = ""
    merged_at: str | None = None
    remarks: list[Remark] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    reviews: list[Verdict] = field(default_factory=list)
    looked_at: tuple[str, str] = ("", "")


@dataclass
class Protection:
    """What a branch demands: by rules, which everybody sees, or by what only administrators see."""

    approvals: int = 0
    contexts: tuple[str, ...] = ()
    rules: bool = True
    threads: bool = False


class Hosted:
    """A repository."""

    def __init__(self, folder: Path, owner: str, name: str, id: int) -> None:
        self.folder, self.owner, self.name, self.id = folder, owner, name, id
        self.default_branch = "main"
        self.private = False
        self.drafts = True
        #: The ways of merging that its settings allow.
        self.methods = ("merge", "squash", "rebase")
        #: GitHub does not get round to working out what merges.
        self.undecided = False
        self.pulls: dict[int, Pull] = {}
        self.statuses: dict[str, list[dict[str, Any]]] = {}
        self.checks: dict[str, list[dict[str, Any]]] = {}
        self.protection: dict[str, Protection] = {}

    def git(self, *arguments: str, input: str | None = None) -> str:
        if input is None:
            return git(self.folder, *arguments)
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**ENVIRON},
            input=input,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.rstrip("\n")

    def commit(self, revision: str) -> str | None:
        """The commit that a revision names; None when there is none."""
        done = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"],
            cwd=self.folder,
            env={**ENVIRON},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip() or None

    def branch(self, name: str) -> str | None:
        """The commit of a branch; git itself is asked only where no file says it."""
        try:
            return (self.folder / "refs" / "heads" / name).read_text().strip()
        except OSError:
            pass
        return self.commit(f"refs/heads/{name}")

    def refreshed(self, pull: Pull) -> Pull:
        """A pull request whose head is that of its branch."""
        if pull.state == "open":
            pull.head = self.branch(pull.branch) or pull.head
        return pull

    def lines(self, commit: str, path: str) -> list[str]:
        done = subprocess.run(
            ["git", "cat-file", "blob", f"{commit}:{path}"],
            cwd=self.folder,
            env={**ENVIRON},
            capture_output=True,
            check=False,
        )
        return done.stdout.decode().splitlines()

    def shown(self, pull: Pull, path: str, side: str) -> set[int]:
        """The lines of a file that the diff of a pull request shows."""
        diff = self.git("diff", f"{pull.base}...{pull.head}", "--", path)
        found: set[int] = set()
        for old, old_count, new, new_count in re.findall(
            r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", diff, re.MULTILINE
        ):
            start, count = (old, old_count) if side == "LEFT" else (new, new_count)
            found |= set(range(int(start), int(start) + int(count or 1)))
        return found

    def line_now(self, pull: Pull, finding: Finding) -> int | None:
        """Where the line of a comment is in the head; None when it was changed."""
        if finding.line is None or finding.side == "LEFT" or finding.commit == pull.head:
            return finding.line
        before = self.lines(finding.commit, finding.path)
        after = self.lines(pull.head, finding.path)
        for block in difflib.SequenceMatcher(None, before, after, False).get_matching_blocks():
            if block.a < finding.line <= block.a + block.size:
                return finding.line - block.a + block.b
        return None

    def merges(self, pull: Pull) -> bool:
        """Whether a pull request merges without a conflict."""
        base = self.branch(pull.base)
        command = ["git", "merge-tree", "--write-tree", str(base), pull.head]
        done = subprocess.run(
            command, cwd=self.folder, env={**ENVIRON}, capture_output=True, check=False
        )
        return done.returncode == 0

    def missing(self, pull: Pull) -> list[str]:
        """What the base demands, as GitHub says it when it refuses a merge."""
        wanted = self.protection.get(pull.base, Protection())
        newest = {each.author: each.state for each in pull.reviews if each.state != "COMMENTED"}
        told = []
        if list(newest.values()).count("APPROVED") < wanted.approvals:
            told.append("At least 1 approving review is required by reviewers with write access.")
        states = {each["context"]: each["state"] for each in self.statuses.get(pull.head, ())}
        states |= {each["name"]: each["conclusion"] for each in self.checks.get(pull.head, ())}
        for name in wanted.contexts:
            if states.get(name) != "success":
                told.append(f'Required status check "{name}" is expected.')
        if wanted.threads and any(not each.resolved for each in pull.findings):
            told.append("All comments must be resolved.")
        return told

    def merge(self, pull: Pull, method: str, title: str, body: str, author: str) -> str:
        """Merge in a checkout of its own; the commit that the base is at then."""
        who = ("-c", f"user.name={author}", "-c", f"user.email={author}@example.org")
        base = str(self.branch(pull.base))
        default = f"Merge pull request #{pull.number} from {self.owner}/{pull.branch}"
        message = f"{title or default}\n\n{body or pull.title}"
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder, "merge")
            self.git("worktree", "add", "--quiet", "--detach", str(there), base)
            try:
                if method == "merge":
                    git(there, *who, "merge", "--quiet", "--no-ff", "-m", message, pull.head)
                elif method == "squash":
                    git(there, *who, "merge", "--quiet", "--squash", pull.head)
                    git(there, *who, "commit", "--quiet", "--allow-empty", "-m", message)
                else:
                    git(there, "checkout", "--quiet", "--detach", pull.head)
                    git(there, *who, "rebase", "--quiet", base)
                commit = git(there, "rev-parse", "HEAD")
            finally:
                self.git("worktree", "remove", "--force", str(there))
        self.git("update-ref", f"refs/heads/{pull.base}", commit, base)
        return commit


class Hub:
    """All of it. Time goes on by a second with everything that is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.users: dict[str, User] = {}
        self.repositories: dict[tuple[str, str], Hosted] = {}
        #: Repositories that have another name now.
        self.renamed: dict[tuple[str, str], Hosted] = {}
        self.writes = 0
        self._ids = self._counted()
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def _counted(self) -> Iterator[int]:
        number = 1000
        while True:
            number += 1
            yield number

    def id(self) -> int:
        return next(self._ids)

    def time(self) -> str:
        self._now += timedelta(seconds=1)
        return self._now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def user(self, login: str, **more: Any) -> User:
        """A new user with a token."""
        made = User(login, f"ghp_{login}0123456789secret", self.id(), **more)
        self.users[made.token] = made
        return made

    def named(self, login: str) -> User | None:
        return next((each for each in self.users.values() if each.login == login), None)

    def repository(self, owner: str, name: str) -> Hosted:
        """A new repository with one commit on `main`."""
        folder = self.folder / owner / f"{name}.git"
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--bare")
        made = Hosted(folder, owner, name, self.id())
        blob = made.git("hash-object", "-w", "--stdin", input="a repository\n")
        tree = made.git("mktree", input=f"100644 blob {blob}\tREADME.md\n")
        made.git("update-ref", "refs/heads/main", made.git("commit-tree", tree, "-m", "first"))
        made.git("config", "http.receivepack", "true")
        self.repositories[owner, name] = made
        return made

    def rename(self, hosted: Hosted, owner: str, name: str) -> None:
        """Give a repository another name; the old one leads to it."""
        self.renamed[hosted.owner, hosted.name] = hosted
        del self.repositories[hosted.owner, hosted.name]
        hosted.owner, hosted.name = owner, name
        self.repositories[owner, name] = hosted
