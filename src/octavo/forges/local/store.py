"""The proposals of a repository: `refs/octavo/proposals/N`, each a chain of commits.

A chain holds `proposal.json`, `body.md`, `comments/`, `reviews/`, `resolved/`, `merges/` and
`files/`. The heads of the branch that it speaks of are parents of its commits, so that they stay
when the branch is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from octavo.errors import ConflictError, InfrastructureError, OctavoError, UsageError
from octavo.forges.local import chains
from octavo.forges.local.chains import Addition, Blob, Entries
from octavo.forges.local.document import Document, read_document
from octavo.forges.local.stored import LARGEST_ENTRY, Unreadable
from octavo.git.objects import ABSENT, move_ref
from octavo.git.program import Git
from octavo.value import EMPTY, Value

PROPOSALS = "refs/octavo/proposals"
STATUSES = "refs/octavo/statuses"
DOCUMENT = "proposal.json"
BODY = "body.md"
_NUMBER = re.compile(rf"{PROPOSALS}/([1-9][0-9]{{0,8}})")
_STATUS = re.compile(rf"{STATUSES}/([0-9a-f]{{40,64}})")
_LARGEST_DOCUMENT = 256 * 1024


class Kept(Value):
    """A proposal as it is stored; `entries` are the files of its chain."""

    number: int
    commit: str
    document: Document
    entries: Entries


class Listed(Value):
    """A proposal in a list."""

    number: int
    document: Document
    body: str


class Change(Value):
    """What is to be written to a proposal."""

    message: str
    document: Document
    files: Mapping[str, bytes] = EMPTY
    parents: tuple[str, ...] = ()


def reference(number: int) -> str:
    """The ref of a proposal."""
    return f"{PROPOSALS}/{number}"


def number_of(ref: str) -> int | None:
    """The number in a proposal's ref; None when it is another one."""
    found = _NUMBER.fullmatch(ref)
    return int(found[1]) if found else None


def is_known(ref: str) -> bool:
    """Whether a ref is one that this version writes."""
    return bool(_NUMBER.fullmatch(ref) or _STATUS.fullmatch(ref))


def proposals_at(git: Git) -> dict[int, str]:
    """The numbers of all proposals, with the commits of their chains."""
    found = {number_of(ref): sha for ref, sha in chains.refs_under(git, PROPOSALS).items()}
    return {number: sha for number, sha in found.items() if number is not None}


def listing(
    git: Git, tips: Mapping[int, str] | None = None
) -> tuple[list[Listed], list[OctavoError]]:
    """All proposals that can be read, the newest first, and why others cannot.

    `tips` are the chains to read, by number, when it is not those of this repository.
    """
    tips = proposals_at(git) if tips is None else tips
    names = [f"{tip}:{name}" for tip in tips.values() for name in (DOCUMENT, BODY)]
    blobs = chains.blobs_at(git, names) if names else {}
    contents = chains.contents_of(git, blobs.values(), LARGEST_ENTRY)
    found: list[Listed] = []
    troubles: list[OctavoError] = []
    for number in sorted(tips, reverse=True):
        document, body = (blobs.get(f"{tips[number]}:{name}") for name in (DOCUMENT, BODY))
        try:
            read = _document(document, contents)
        except Unreadable as error:
            troubles.append(unreadable(number, error))
        else:
            found.append(Listed(number, read, _text(body, contents)))
    return found, troubles


def _document(blob: Blob | None, contents: Mapping[str, bytes]) -> Document:
    if blob is None:
        raise Unreadable(f"it has no {DOCUMENT}")
    if blob.size > _LARGEST_DOCUMENT or blob.sha not in contents:
        raise Unreadable(f"its {DOCUMENT} is too large")
    return read_document(contents[blob.sha])


def _text(blob: Blob | None, contents: Mapping[str, bytes]) -> str:
    if blob is None:
        return ""
    if blob.sha not in contents:
        return f"(the body has {blob.size} bytes and is not shown)\n"
    return contents[blob.sha].decode("utf-8", "replace")


def load(git: Git, number: int) -> Kept:
    """One proposal; `proposal-not-found` when there is none."""
    tip = chains.commit_at(git, reference(number)) if number > 0 else None
    if tip is None:
        raise not_found(number)
    return _kept(git, number, tip, chains.entries_of(git, tip))


def _kept(git: Git, number: int, tip: str, entries: Entries) -> Kept:
    try:
        return Kept(number, tip, document_in(git, entries), entries)
    except Unreadable as error:
        raise unreadable(number, error) from error


def document_in(git: Git, entries: Entries) -> Document:
    """The document among the files of a chain."""
    blob = entries.get(DOCUMENT)
    found = chains.contents_of(git, [blob], _LARGEST_DOCUMENT) if blob else {}
    return _document(blob, found)


def body_of(git: Git, kept: Kept) -> str:
    """The body of a proposal."""
    blob = kept.entries.get(BODY)
    return _text(blob, chains.contents_of(git, [blob], LARGEST_ENTRY) if blob else {})


def read_folder(
    git: Git, kept: Kept, folder: str, read: Callable[[str, bytes], Any]
) -> tuple[list[Any], list[OctavoError]]:
    """The entries in a folder of a proposal, each by name and content, and why others cannot."""
    blobs = {
        path.removeprefix(f"{folder}/").removesuffix(".json"): blob
        for path, blob in kept.entries.items()
        if path.startswith(f"{folder}/") and path.endswith(".json")
    }
    contents = chains.contents_of(git, blobs.values(), LARGEST_ENTRY)
    found: list[Any] = []
    troubles: list[OctavoError] = []
    for name, blob in sorted(blobs.items()):
        try:
            if blob.sha not in contents:
                raise Unreadable("it is too large")
            found.append(read(name, contents[blob.sha]))
        except Unreadable as error:
            troubles.append(unreadable(kept.number, error, f"{folder}/{name}.json"))
    return found, troubles


def change(
    git: Git,
    number: int,
    build: Callable[[Kept], Change | None],
    variables: Mapping[str, str] = EMPTY,
) -> None:
    """Write to a proposal what `build` makes of its newest state; None writes nothing."""

    def addition(tip: str | None, entries: Entries) -> Addition | None:
        if tip is None:
            raise not_found(number)
        kept = _kept(git, number, tip, entries)
        wanted = build(kept)
        if wanted is None:
            return None
        files = dict(wanted.files)
        if wanted.document != kept.document:
            files[DOCUMENT] = wanted.document.content()
        return Addition(files, wanted.message, wanted.parents)

    chains.append(git, reference(number), addition, variables)


def create(
    git: Git, document: Document, body: bytes, floor: int, variables: Mapping[str, str] = EMPTY
) -> int:
    """Store a new proposal under the first number above `floor` that nobody takes meanwhile."""
    files = {DOCUMENT: document.content(), BODY: body}
    message = f"Open: {document['title']}"
    commit = chains.write(git, None, {}, Addition(files, message, (document["head"],)), variables)
    return take_number(git, commit, floor)


def take_number(git: Git, commit: str, floor: int) -> int:
    """Give a chain the first number above `floor` that nobody takes meanwhile."""
    for number in range(floor + 1, floor + 1 + chains.ATTEMPTS):
        if number_of(reference(number)) is None:
            break
        try:
            move_ref(git, reference(number), commit, ABSENT)
        except ConflictError:
            continue
        return number
    raise chains.busy(PROPOSALS)


def not_found(number: int) -> UsageError:
    return UsageError(
        "proposal-not-found",
        f"there is no proposal {number}",
        place=str(number),
        hint="list those there are: octavo proposals",
    )


def unreadable(number: int, error: Unreadable, path: str = "") -> InfrastructureError:
    what = f"{path} of proposal {number}" if path else f"proposal {number}"
    return InfrastructureError(
        "forge-answer",
        f"{what} cannot be read: {error}",
        place=reference(number),
        hint=f"look at it with `git log -p {reference(number)}`; a newer Octavo may read it",
    )
