"""Comments, verdicts, statuses and intended merges as files of a chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.forges.bounds import one_line
from octavo.forges.local.stored import (
    LONGEST_DESCRIPTION,
    Person,
    decoded,
    decoded_person,
    digest,
    encoded,
    is_commit,
    is_person,
    is_stamp,
    is_text,
)
from octavo.forges.port import Status, StatusState, Verdict
from octavo.value import Value

COMMENTS = "comments"
REVIEWS = "reviews"
RESOLVED = "resolved"
MERGES = "merges"
VERDICTS: tuple[Verdict, ...] = ("approved", "changes", "comment")
STATES: tuple[StatusState, ...] = ("pending", "success", "failure", "error")
_HIGHEST_LINE = 10_000_000


class Remark(Value):
    """A comment as it is stored: with the place that it had when it was made."""

    id: str
    author: Person
    body: str
    at: str
    commit: str
    path: str | None
    line: int | None
    old: bool
    thread: str
    #: When its words were changed; the latest of two copies stands.
    edited: str = ""

    def content(self) -> bytes:
        left_out = ("id",) if self.edited else ("id", "edited")
        return encoded({n: each for n, each in self.to_dict().items() if n not in left_out})


def read_remark(name: str, content: bytes) -> Remark:
    """The comment in a file."""
    found = decoded(
        content,
        author=is_person,
        body=is_text,
        at=is_stamp,
        commit=is_commit,
        path=_is_path,
        line=_is_line,
        thread=is_text,
    )
    return Remark(
        id=name,
        author=decoded_person(found["author"]),
        body=found["body"],
        at=found["at"],
        commit=found["commit"],
        path=found["path"],
        line=found["line"],
        old=found.get("old") is True,
        thread=found["thread"][:64],
        edited=edited_at(found),
    )


def edited_at(found: Mapping[str, Any]) -> str:
    """When an entry was changed; empty when it never was."""
    edited = found.get("edited")
    return str(edited) if is_stamp(edited) else ""


def _is_path(value: object) -> bool:
    return value is None or (isinstance(value, str) and 0 < len(value) < 10_000)


def _is_line(value: object) -> bool:
    return value is None or (type(value) is int and 0 < value < _HIGHEST_LINE)


class Judgement(Value):
    """A verdict as it is stored."""

    id: str
    author: Person
    verdict: Verdict
    body: str
    commit: str
    at: str

    def content(self) -> bytes:
        return encoded({name: each for name, each in self.to_dict().items() if name != "id"})


def read_judgement(name: str, content: bytes) -> Judgement:
    """The verdict in a file."""
    found = decoded(
        content,
        author=is_person,
        verdict=lambda value: value in VERDICTS,
        body=is_text,
        commit=is_commit,
        at=is_stamp,
    )
    author = decoded_person(found["author"])
    return Judgement(name, author, found["verdict"], found["body"], found["commit"], found["at"])


def repeated(said: Sequence[Remark], new: Remark) -> Remark | None:
    """The comment that somebody makes again.

    With a place it is the same words on the same line of the same commit; without one the same
    words while nobody else has said something since.
    """
    for each in reversed(said):
        own = each.author.key == new.author.key
        if not own and new.path is None:
            return None
        place = (each.path, each.line, each.old) == (new.path, new.line, new.old)
        here = new.path is None or each.commit == new.commit
        if own and place and here and each.body == new.body:
            return each
    return None


def in_order(entries: Iterable[Any]) -> list[Any]:
    """Entries, the oldest first."""
    return sorted(entries, key=lambda each: (each.at, each.id))


class Intent(Value):
    """A commit that a merge is about to move the base to."""

    id: str
    head: str
    at: str

    def content(self) -> bytes:
        return encoded({"head": self.head, "at": self.at})


def read_intent(name: str, content: bytes) -> Intent:
    """The intended merge in a file, whose name is the commit."""
    found = decoded(content, head=is_commit, at=is_stamp)
    return Intent(name if is_commit(name) else found["head"], found["head"], found["at"])


def resolution(resolved: bool, at: str) -> bytes:
    """That a discussion is resolved, or not any more."""
    return encoded({"resolved": resolved, "at": at})


def read_resolution(name: str, content: bytes) -> tuple[str, bool]:
    """The discussion that a file is of, and whether it is resolved."""
    found = decoded(content, at=is_stamp)
    return name, found.get("resolved") is True


class Said(Value):
    """A status, and when it was set."""

    status: Status
    at: str

    def content(self) -> bytes:
        return encoded({**self.status.to_dict(), "at": self.at})


def read_status(content: bytes) -> Said:
    """The status in a file."""
    found = decoded(
        content,
        context=is_text,
        state=lambda value: value in STATES,
        description=is_text,
        url=is_text,
        at=is_stamp,
    )
    status = Status(found["context"], found["state"], found["description"], found["url"])
    return Said(bounded(status), found["at"])


def bounded(status: Status) -> Status:
    """A status whose texts are lines of bounded length."""
    return Status(
        one_line(status.context, 200),
        status.state,
        one_line(status.description, LONGEST_DESCRIPTION),
        one_line(status.url, 2000),
    )


def status_path(context: str) -> str:
    """The file of a status."""
    return f"{digest(context)}.json"
