"""What was said about one proposal, as it reads today: where lines are now, what is stale."""

from __future__ import annotations

from typing import Any

from octavo.forges.local import store
from octavo.forges.local.clone import Clone
from octavo.forges.local.places import Place, Places
from octavo.forges.local.refusals import refused
from octavo.forges.local.said import (
    COMMENTS,
    RESOLVED,
    REVIEWS,
    Judgement,
    Remark,
    in_order,
    read_judgement,
    read_remark,
    read_resolution,
    repeated,
    resolution,
)
from octavo.forges.local.store import Kept
from octavo.forges.local.stored import digest
from octavo.forges.own_comments import own_comment
from octavo.forges.port import Comment, Review, Verdict


class Discussion:
    """Comments and verdicts of a proposal whose newest commit is `head`."""

    def __init__(self, clone: Clone, kept: Kept, head: str) -> None:
        self._clone = clone
        self._kept = kept
        self._head = head
        self.base = kept.document.base
        self._places = Places(clone.git, head)

    def comments(self) -> tuple[Comment, ...]:
        """All comments, the oldest first."""
        resolved = dict(self._read(RESOLVED, read_resolution))
        return tuple(self._shown(each, resolved) for each in self._remarks())

    def reviews(self) -> tuple[Review, ...]:
        """All verdicts, the oldest first."""
        return tuple(
            Review(
                id=each.id,
                author=str(each.author),
                verdict=each.verdict,
                body=each.body,
                commit=each.commit,
                created=each.at,
                stale=each.commit != self._head,
            )
            for each in self.judgements()
        )

    def judgements(self) -> list[Judgement]:
        """Verdicts as they are stored, the oldest first."""
        return in_order(self._read(REVIEWS, read_judgement))

    def place(self, path: str | None, line: int | None, base: str | None) -> Place | None:
        """The place that a new comment is about; UsageError when there is no such line.

        With a `base`, the line is of the commit at which the branch left it.
        """
        if path is None:
            if line is not None:
                raise refused(f"line {line} of which file?", "name the file too")
            return None
        fork = self._clone.repository.merge_base(base, self._head) if base else None
        commit = fork or self._head
        content = self._clone.repository.read(commit, path)
        if content is None:
            raise refused(f"{path} is not in the proposal", "name a file as git lists it")
        lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        if line is not None and not 1 <= line <= lines:
            raise refused(f"{path} has {lines} lines, and no line {line}", "lines count from 1")
        return Place(commit, path, line)

    def remark(self, body: str, place: Place | None, *, old: bool) -> tuple[Remark, bool]:
        """The comment to be stored, and whether it is new: who repeats themselves says it once."""
        author, said = self._clone.me(), self._remarks()
        path, line = (place.path, place.line) if place else (None, None)
        commit = place.commit if place else self._head
        at = self._now()
        id = digest(self._kept.document.uid, author.key, body, path, line, at)
        thread = self._thread(said, place, old) or id if place else ""
        new = Remark(id, author, body, at, commit, path, line, old, thread)
        again = repeated(said, new)
        return (again, False) if again else (new, True)

    def edited(self, id: str, body: str) -> dict[str, bytes]:
        """What is to be stored for other words in a comment of ours; nothing when it has them."""
        own_comment(self.comments(), id, str(self._clone.me()))
        remark = next(each for each in self._remarks() if each.id == id)
        changed = remark.replace(body=body, edited=self._now())
        return {} if remark.body == body else {f"{COMMENTS}/{id}.json": changed.content()}

    def judgement(self, verdict: Verdict, body: str) -> tuple[Judgement, bool]:
        """The verdict to be stored, and whether it is another one than this person's newest."""
        author = self._clone.me()
        own = [each for each in self.judgements() if each.author.key == author.key]
        wanted = (verdict, body, self._head)
        if own and (own[-1].verdict, own[-1].body, own[-1].commit) == wanted:
            return own[-1], False
        at = self._now()
        id = digest(self._kept.document.uid, author.key, *wanted, at)
        return Judgement(id, author, verdict, body, self._head, at), True

    def resolution(self, thread: str, resolved: bool) -> dict[str, bytes]:
        """What is to be stored when a discussion is resolved; nothing when it is already."""
        if thread not in {each.thread for each in self._remarks()} - {""}:
            raise refused(f"there is no discussion {thread!r}", "octavo review shows them")
        if dict(self._read(RESOLVED, read_resolution)).get(thread, False) == resolved:
            return {}
        return {f"{RESOLVED}/{thread}.json": resolution(resolved, self._now())}

    def _now(self) -> str:
        return self._clone.now(self._kept.document["updated"])

    def _read(self, folder: str, read: Any) -> list[Any]:
        found, troubles = store.read_folder(self._clone.git, self._kept, folder, read)
        self._clone.tell(*troubles)
        return found

    def _remarks(self) -> list[Remark]:
        return in_order(self._read(COMMENTS, read_remark))

    def _thread(self, said: list[Remark], place: Place | None, old: bool) -> str:
        for each in said:
            if each.path is not None and each.old == old and self._now_at(each) == place:
                return each.thread
        return ""

    def _now_at(self, remark: Remark) -> Place | None:
        if remark.path is None:
            return None
        place = Place(remark.commit, remark.path, remark.line)
        return place if remark.old else self._places.now(place)

    def _shown(self, remark: Remark, resolved: dict[str, bool]) -> Comment:
        place = self._now_at(remark)
        return Comment(
            id=remark.id,
            author=str(remark.author),
            body=remark.body,
            created=remark.at,
            path=place.path if place else None,
            line=place.line if place else None,
            old=remark.old,
            commit=place.commit if place else None,
            thread=remark.thread,
            resolved=resolved.get(remark.thread, False),
        )
