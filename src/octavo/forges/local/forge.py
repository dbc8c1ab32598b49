"""The repository as its own forge: proposals, comments and verdicts are refs that git moves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal
from uuid import uuid4

from octavo.errors import OctavoError
from octavo.forges.local import chains, landing, store
from octavo.forges.local.clone import Clone, Sight
from octavo.forges.local.discussion import Discussion
from octavo.forges.local.document import Document
from octavo.forges.local.export import write_export
from octavo.forges.local.protection import Protection
from octavo.forges.local.refusals import own_approval, refused, too_large
from octavo.forges.local.said import STATES, VERDICTS, bounded
from octavo.forges.local.statuses import set_status, statuses_of
from octavo.forges.local.store import Change, Kept, Listed
from octavo.forges.local.stored import file_name, is_branch, is_commit, text_of, title_of
from octavo.forges.local.turns import CHANGE, turn
from octavo.forges.own_comments import with_words
from octavo.forges.port import (
    MERGE_METHODS,
    About,
    Comment,
    Mergeable,
    MergeMethod,
    Proposal,
    Review,
    Status,
    Verdict,
)
from octavo.git.objects import write_blob
from octavo.git.remotes import Remote
from octavo.git.repository import Repository
from octavo.value import EMPTY

_LARGEST_FILE = 32 * 1024 * 1024
_NO_PROTECTION = Protection()


class LocalForge:
    """Proposals of a repository, shared with others through a remote when there is one.

    Who writes is git's `user.name` and `user.email`, or `user`, such as `Ada <ada@example.org>`.
    `variables` and `configuration` are what git needs to log in at the remote.
    """

    name: str = "local"

    def __init__(
        self,
        repository: Repository,
        remote: Remote | None,
        *,
        protection: Protection = _NO_PROTECTION,
        user: str = "",
        variables: Mapping[str, str] = EMPTY,
        configuration: tuple[str, ...] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clone = Clone(repository, remote, user, clock, variables, configuration)
        self._git = repository.git
        self._repository = repository
        self.protection = protection

    @property
    def troubles(self) -> tuple[OctavoError, ...]:
        """What went wrong without keeping calls from their work: an unreachable remote, entries
        that cannot be read, a push that was refused. Surfaces tell them.
        """
        return tuple(self._clone.troubles)

    @property
    def renumbered(self) -> Mapping[int, int]:
        """Proposals opened here whose number somebody else's had first, and their new number."""
        return dict(self._clone.renumbered)

    def about(self) -> About:
        remote = self._clone.remote
        branch = self._repository.default_branch(remote.name if remote else None)
        address = remote.url if remote else self._repository.top.as_uri()
        return About(branch, address, str(self._clone.me()))

    def proposals(self, state: Literal["open", "closed", "all"] = "open") -> tuple[Proposal, ...]:
        sight = self._clone.sight()
        return tuple(
            self._shown(each, sight)
            for each in self._listing()
            if state == "all" or (each.document["state"] == "open") == (state == "open")
        )

    def proposal(self, number: int) -> Proposal:
        sight = self._clone.sight()
        return self._one(number, sight)

    def find(self, branch: str) -> Proposal | None:
        sight = self._clone.sight()
        found = self._open_one(branch)
        return self._shown(found, sight) if found else None

    def open(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> Proposal:
        sight = self._clone.sight()
        found = self._open_one(branch)
        if found:
            return self._shown(found, sight)
        head = self._head_to_propose(sight, branch, base)
        content = text_of(body).encode()
        at = self._clone.now()
        facts = {
            "title": title_of(title) or branch,
            "body": write_blob(self._git, content),
            "draft": draft,
            "state": "open",
            "head": head,
            "merged": "",
            "updated": at,
        }
        stamped = {name: (value, at) for name, value in facts.items()}
        author = self._clone.me()
        document = Document(uuid4().hex, author, at, branch, base, stamped)
        with turn(self._repository.folder, CHANGE):
            if not self._open_one(branch):
                highest = self._clone.highest()
                store.create(self._git, document, content, highest, self._clone.identity)
        self._clone.share(sight)
        opened = self._open_one(branch)
        if opened is None:
            raise chains.busy(store.PROPOSALS)
        return self._shown(opened, sight)

    def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        draft: bool | None = None,
    ) -> Proposal:
        sight = self._clone.sight()

        def build(kept: Kept) -> Change | None:
            wanted: dict[str, object] = {}
            files = {}
            if title is not None:
                wanted["title"] = title_of(title) or kept.document.branch
            if draft is not None:
                wanted["draft"] = draft
            if body is not None and text_of(body) != store.body_of(self._git, kept):
                files[store.BODY] = text_of(body).encode()
                wanted["body"] = write_blob(self._git, files[store.BODY])
            return self._changed(kept, sight, "Update", files, wanted)

        return self._one(self._write(sight, number, build), sight)

    def close(self, number: int) -> Proposal:
        sight = self._clone.sight()

        def build(kept: Kept) -> Change | None:
            if kept.document["state"] == "merged":
                raise refused(f"proposal {number} is merged already", "there is nothing to close")
            return self._changed(kept, sight, "Close", {}, {"state": "closed"})

        return self._one(self._write(sight, number, build), sight)

    def attach(self, number: int, name: str, content: bytes, media_type: str) -> str:
        if len(content) > _LARGEST_FILE:
            raise too_large(name, len(content), _LARGEST_FILE)
        sight = self._clone.sight()
        address = f"files/{write_blob(self._git, content)[:12]}-{file_name(name, media_type)}"

        def build(kept: Kept) -> Change | None:
            if address in kept.entries:
                return None
            return self._changed(kept, sight, "Attach", {address: content}, {})

        self._write(sight, number, build)
        return address

    def comments(self, number: int) -> tuple[Comment, ...]:
        sight = self._clone.sight()
        return self._discussion(number, sight).comments()

    def comment(
        self,
        number: int,
        body: str,
        *,
        path: str | None = None,
        line: int | None = None,
        old: bool = False,
    ) -> Comment:
        """Say something; with `old` about a line of the base that the proposal takes away."""
        text = with_words(text_of(body))
        sight = self._clone.sight()
        talk = self._discussion(number, sight)
        base = sight.commit(talk.base) if old else None
        place = talk.place(path, line, base)
        said: list[str] = []

        def build(kept: Kept) -> Change | None:
            talk = Discussion(self._clone, kept, self._head(kept.document, sight))
            remark, new = talk.remark(text, place, old=old)
            said[:] = [remark.id]
            files = {f"comments/{remark.id}.json": remark.content()} if new else {}
            return self._changed(kept, sight, "Comment", files, {}, remark.at)

        number = self._write(sight, number, build)
        found = self._discussion(number, sight).comments()
        return next(each for each in found if each.id == said[0])

    def edit_comment(self, number: int, comment_id: str, body: str) -> Comment:
        text, sight = with_words(text_of(body)), self._clone.sight()

        def build(kept: Kept) -> Change | None:
            talk = Discussion(self._clone, kept, self._head(kept.document, sight))
            files = talk.edited(comment_id, text)
            return self._changed(kept, sight, "Edit a comment", files, {})

        number = self._write(sight, number, build)
        found = self._discussion(number, sight).comments()
        return next(each for each in found if each.id == comment_id)

    def resolve(self, number: int, thread: str, *, resolved: bool = True) -> None:
        """Mark a discussion, by the `thread` of its comments, as resolved or not."""
        sight = self._clone.sight()

        def build(kept: Kept) -> Change | None:
            talk = Discussion(self._clone, kept, self._head(kept.document, sight))
            files = talk.resolution(thread, resolved)
            return self._changed(kept, sight, "Resolve", files, {})

        self._write(sight, number, build)

    def reviews(self, number: int) -> tuple[Review, ...]:
        sight = self._clone.sight()
        return self._discussion(number, sight).reviews()

    def review(self, number: int, verdict: Verdict, body: str = "") -> Review:
        if verdict not in VERDICTS:
            raise refused(f"{verdict!r} is no verdict", f"one of {', '.join(VERDICTS)}")
        sight = self._clone.sight()
        given: list[str] = []

        def build(kept: Kept) -> Change | None:
            if verdict == "approved" and kept.document.author.key == self._clone.me().key:
                raise own_approval()
            talk = Discussion(self._clone, kept, self._head(kept.document, sight))
            judgement, new = talk.judgement(verdict, text_of(body))
            given[:] = [judgement.id]
            files = {f"reviews/{judgement.id}.json": judgement.content()} if new else {}
            return self._changed(kept, sight, f"Review: {verdict}", files, {}, judgement.at)

        number = self._write(sight, number, build)
        found = self._discussion(number, sight).reviews()
        return next(each for each in found if each.id == given[0])

    def statuses(self, commit: str) -> tuple[Status, ...]:
        self._clone.sight()
        return statuses_of(self._git, commit) if is_commit(commit) else ()

    def set_status(self, commit: str, status: Status) -> None:
        sight = self._clone.sight()
        if status.state not in STATES or not status.context.strip():
            raise refused(f"{status.state!r} is no state", f"one of {', '.join(STATES)}")
        if not is_commit(commit) or not sight.bring(commit):
            raise refused(f"the commit {commit} is not here", "push its branch, and fetch it here")
        set_status(self._clone, commit, bounded(status))
        self._clone.share(sight)

    def mergeable(self, number: int) -> Mergeable:
        sight = self._clone.sight()
        return self._landing(number, sight).mergeable()

    def merge(
        self, number: int, method: MergeMethod, head: str, *, title: str = "", body: str = ""
    ) -> str:
        if method not in MERGE_METHODS:
            raise refused(f"{method!r} is no way to merge", f"one of {', '.join(MERGE_METHODS)}")
        for _ in range(chains.ATTEMPTS):
            sight = self._clone.online()
            commit = self._landing(number, sight).land(method, head, title, body)
            if commit is not None:
                return commit
        raise chains.busy(store.reference(number))

    def delete_branch(self, branch: str) -> None:
        """Delete a branch on the remote, and here unless it is checked out or has other work.

        Without a remote this repository is the forge, and what keeps the branch is an error.
        """
        if not is_branch(branch):
            return
        if branch == self.about().default_branch:
            raise refused(f"{branch} is the default branch", "name another branch")
        sight = self._clone.online()
        for each in self._listing():
            if each.document.branch == branch and each.document["state"] == "open":
                self._write(sight, each.number, lambda kept: self._remember(kept, sight))
        landing.delete_branch(self._clone, sight, branch)

    def export(self, number: int, folder: str | os.PathLike[str]) -> Path:
        """Write the body and its figures into a folder, to be read in an editor or a browser;
        the path of `body.md`.
        """
        sight = self._clone.sight()
        return write_export(self._git, store.load(self._git, sight.number(number)), Path(folder))

    def _listing(self) -> list[Listed]:
        found, troubles = store.listing(self._git)
        self._clone.tell(*troubles)
        return found

    def _open_one(self, branch: str) -> Listed | None:
        for each in self._listing():
            if each.document.branch == branch and each.document["state"] == "open":
                return each
        return None

    def _write(self, sight: Sight, number: int, build: Callable[[Kept], Change | None]) -> int:
        """Write to a proposal and share it; the number that it has then."""
        kept = store.load(self._git, sight.number(number))
        self._head(kept.document, sight)
        self._clone.change(sight, kept.number, build)
        return sight.number(number)

    def _one(self, number: int, sight: Sight) -> Proposal:
        kept = store.load(self._git, sight.number(number))
        body = store.body_of(self._git, kept)
        return self._shown(Listed(kept.number, kept.document, body), sight)

    def _shown(self, listed: Listed, sight: Sight) -> Proposal:
        document = listed.document
        state = document["state"]
        return Proposal(
            number=listed.number,
            title=title_of(document["title"]),
            body=listed.body,
            branch=document.branch,
            base=document.base,
            head=(sight.head(document.branch) if state == "open" else None) or document["head"],
            state=state,
            draft=document["draft"],
            url=store.reference(listed.number),
            author=str(document.author),
            created=document.created,
            updated=document["updated"],
        )

    def _head(self, document: Document, sight: Sight) -> str:
        found = sight.commit(document.branch) if document["state"] == "open" else None
        return found or str(document["head"])

    def _head_to_propose(self, sight: Sight, branch: str, base: str) -> str:
        where = f"on {self._clone.remote.name}" if self._clone.remote else "here"
        for name in (branch, base):
            if not is_branch(name) or sight.head(name) is None:
                raise refused(f"there is no branch {name!r} {where}", "push it first")
        if branch == base:
            raise refused(f"{branch} cannot be merged into itself", "propose another branch")
        return str(sight.commit(branch))

    def _changed(
        self,
        kept: Kept,
        sight: Sight,
        message: str,
        files: Mapping[str, bytes],
        wanted: Mapping[str, object],
        at: str = "",
    ) -> Change | None:
        """A change that also keeps the newest head; None when nothing is to be written."""
        document = kept.document
        time = at or self._clone.now(document["updated"])
        changed = document.setting(time, **wanted)
        if changed == document and not files:
            return None
        head = self._head(document, sight)
        parents = () if head == document["head"] else (head,)
        full = changed.setting(time, head=head, updated=max(time, document["updated"]))
        return Change(message, full, files, parents)

    def _remember(self, kept: Kept, sight: Sight) -> Change | None:
        head = self._head(kept.document, sight)
        if head == kept.document["head"]:
            return None
        return self._changed(kept, sight, "Remember the branch", {}, {"head": head})

    def _discussion(self, number: int, sight: Sight) -> Discussion:
        kept = store.load(self._git, sight.number(number))
        return Discussion(self._clone, kept, self._head(kept.document, sight))

    def _landing(self, number: int, sight: Sight) -> landing.Landing:
        kept = store.load(self._git, sight.number(number))
        statuses = statuses_of(self._git, self._head(kept.document, sight))
        return landing.Landing(self._clone, sight, kept, self.protection, statuses)
