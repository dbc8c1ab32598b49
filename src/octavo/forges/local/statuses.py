"""What checks say of commits: `refs/octavo/statuses/COMMIT`, a file for each context."""

from __future__ import annotations

from octavo.forges.local import chains, store
from octavo.forges.local.chains import Addition, Entries
from octavo.forges.local.clone import Clone
from octavo.forges.local.said import Said, read_status, status_path
from octavo.forges.local.stored import LARGEST_ENTRY, Unreadable
from octavo.forges.local.turns import CHANGE, turn
from octavo.forges.port import Status
from octavo.git.program import Git


def statuses_of(git: Git, commit: str) -> tuple[Status, ...]:
    """The newest status of each context."""
    tip = chains.commit_at(git, f"{store.STATUSES}/{commit}")
    return tuple(each.status for each in _read(git, chains.entries_of(git, tip) if tip else {}))


def set_status(clone: Clone, commit: str, status: Status) -> None:
    """Write a status, unless the commit has it already."""

    def build(tip: str | None, entries: Entries) -> Addition | None:
        known = {each.status.context: each for each in _read(clone.git, entries)}
        before = known.get(status.context)
        if before and before.status == status:
            return None
        said = Said(status, clone.now(before.at if before else ""))
        files = {status_path(status.context): said.content()}
        return Addition(files, f"Status {status.context}: {status.state}")

    with turn(clone.repository.folder, CHANGE):
        chains.append(clone.git, f"{store.STATUSES}/{commit}", build, clone.identity)


def _read(git: Git, entries: Entries) -> list[Said]:
    contents = chains.contents_of(git, entries.values(), LARGEST_ENTRY)
    found = []
    for path, blob in entries.items():
        try:
            said = read_status(contents[blob.sha])
        except (Unreadable, KeyError):
            continue
        if path == status_path(said.status.context):
            found.append(said)
    return sorted(found, key=lambda each: each.status.context)
