"""The indexes of the branch: small files that spare reading every record.

An index names the objects that it is about, and has a hash over itself: one that somebody edited,
or that misses something, is not believed but made anew from what is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from octavo.archive import entries
from octavo.archive.entries import SCHEMA, Entry
from octavo.archive.layout import DATE, ENTRY, INDEX, RUN_ID, TOP, split
from octavo.errors import OctavoError, UsageError
from octavo.git.program import Git
from octavo.git.trees import FOLDER, Tree, contents
from octavo.records.identity import time_of
from octavo.records.plain import compact, utf8
from octavo.records.record import RECORD_NAME, RunRecord
from octavo.value import EMPTY, Value

#: So many runs of a notebook are in its index, and on its page.
NEWEST = 100
_MARK = "archive"


class NotebookIndex(Value):
    """The newest runs of a notebook, and of every day how many there are and which object it is."""

    runs: tuple[Entry, ...] = ()
    days: Mapping[str, tuple[int, str]] = EMPTY

    @property
    def total(self) -> int:
        return sum(count for count, _ in self.days.values())

    def to_json(self) -> dict[str, Any]:
        runs = [each.short().to_json() for each in self.runs]
        return {"runs": runs, "days": {date: list(each) for date, each in self.days.items()}}


class Summary(Value):
    """A notebook on the page of all of them."""

    runs: int
    newest: Entry


class RootIndex(Value):
    """All notebooks by their folders."""

    notebooks: Mapping[str, Summary] = EMPTY

    def to_json(self) -> dict[str, Any]:
        known = sorted(self.notebooks.items())
        told = {
            folder: {"runs": each.runs, "newest": each.newest.short().to_json()}
            for folder, each in known
        }
        return {"notebooks": told}


def dump(content: Mapping[str, Any], about: str) -> bytes:
    """An index as a file; `about` is the object that it was made from."""
    plain = json.loads(compact({"octavo": _MARK, "schema": SCHEMA, "about": about, **content}))
    plain["check"] = _check(plain)
    return utf8(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")


def _check(plain: Mapping[str, Any]) -> str:
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def load(content: bytes | None, about: str) -> dict[str, Any] | None:
    """What an index says, if it is as we wrote it and about this object."""
    plain = _ours(content)
    if plain is None:
        return None
    schema = plain.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        raise UsageError(
            "archive",
            "the archive was written by a newer version of Octavo",
            place=INDEX,
            hint="upgrade Octavo: pip install --upgrade octavo",
        )
    check = plain.pop("check", None)
    return plain if check == _check(plain) and plain.get("about") == about else None


def is_ours(content: bytes | None) -> bool:
    """Whether a file is an index of an archive, edited or not."""
    return _ours(content) is not None


def _ours(content: bytes | None) -> dict[str, Any] | None:
    try:
        plain = json.loads(content or b"")
    except (ValueError, RecursionError):
        return None
    return plain if isinstance(plain, dict) and plain.get("octavo") == _MARK else None


def notebook_index(tree: Tree, folder: str) -> NotebookIndex:
    """The index of a notebook as the tree is now: read where it can be believed, else made anew."""
    days = _days(tree, folder)
    kept = _kept(tree, folder, days)
    return kept if kept is not None else _gathered(tree, folder, days)


def _days(tree: Tree, folder: str) -> dict[str, str]:
    return {
        name: oid
        for name, (mode, oid) in tree.items(folder).items()
        if mode == FOLDER and DATE.fullmatch(name)
    }


def _kept(tree: Tree, folder: str, days: Mapping[str, str]) -> NotebookIndex | None:
    plain = load(_content(tree, f"{folder}/{INDEX}"), folder)
    if plain is None:
        return None
    try:
        told = {str(date): (int(count), str(oid)) for date, (count, oid) in plain["days"].items()}
        runs = tuple(Entry.from_json(each) for each in plain["runs"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return NotebookIndex(runs, told) if {d: oid for d, (_, oid) in told.items()} == days else None


def _content(tree: Tree, path: str) -> bytes | None:
    oid = tree.oid(path)
    return None if oid is None else next(contents(tree.git, [oid]))


def _gathered(tree: Tree, folder: str, days: Mapping[str, str]) -> NotebookIndex:
    """From the entries of the newest runs, and the names of all."""
    runs: list[Entry] = []
    counts: dict[str, tuple[int, str]] = {}
    for date in sorted(days, reverse=True):
        there = _runs_in(tree, f"{folder}/{date}")
        counts[date] = (len(there), days[date])
        runs += entries_in(tree.git, {f"{folder}/{date}/{id}": oid for id, oid in there.items()},
                           NEWEST - len(runs))  # fmt: skip
    return NotebookIndex(tuple(runs), counts)


def _runs_in(tree: Tree, path: str) -> dict[str, str]:
    """The runs of a day, the newest first."""
    found = {
        name: oid
        for name, (mode, oid) in tree.items(path).items()
        if mode == FOLDER and RUN_ID.fullmatch(name)
    }
    return dict(sorted(found.items(), reverse=True))


def entries_in(git: Git, places: Mapping[str, str], most: int | None = None) -> Iterator[Entry]:
    """The entries in folders of runs, by their objects; of the first so many."""
    first = list(places.items())[:most]
    read = contents(git, [f"{oid}:{ENTRY}" for _, oid in first])
    for (place, oid), content in zip(first, read, strict=True):
        known = entries.load(content)
        if known is not None and known.place == place:
            yield known.short()
        else:
            yield _from_record(git, place, oid)


def _from_record(git: Git, place: str, oid: str) -> Entry:
    """Where somebody edited the entry: what the record says, as far as it can be read."""
    folder, _, run_id = split(place) or (place, "", place.rpartition("/")[2])
    notebook = folder.removeprefix(f"{TOP}/")
    try:
        plain = json.loads(next(contents(git, [f"{oid}:{RECORD_NAME}"])) or b"")
        found = entries.entry_of(RunRecord.from_json(plain, Path()), f"{notebook}.py")
        return entries.checked(found.replace(run_id=run_id))
    except (ValueError, OctavoError, TypeError, AttributeError, RecursionError, OverflowError):
        return Entry(
            run_id, f"{notebook}.py", "unreadable", None, "", time_of(run_id) or 0.0, None, 0,
            {}, {}, {}, None, False, None, None,
        )  # fmt: skip


def root_index(tree: Tree) -> RootIndex:
    """The index of all notebooks, read where it can be believed, else made anew."""
    about = tree.oid(TOP)
    if about is None:
        return RootIndex()
    plain = load(_content(tree, INDEX), about)
    if plain is None:
        return _all_gathered(tree, about)
    try:
        return RootIndex(
            {
                str(folder): Summary(int(each["runs"]), Entry.from_json(each["newest"]))
                for folder, each in plain["notebooks"].items()
            }
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return _all_gathered(tree, about)


def _all_gathered(tree: Tree, about: str) -> RootIndex:
    folders = {place[0] for place in map(split, run_folders(tree.git, about)) if place}
    found = {folder: notebook_index(tree, folder) for folder in sorted(folders)}
    return RootIndex({f: Summary(i.total, i.runs[0]) for f, i in found.items() if i.runs})


def run_folders(git: Git, reports: str) -> dict[str, str]:
    """Every run on the branch: its folder, and the object of that. `reports` is that of the top."""
    found: dict[str, str] = {}
    for line in git.lines("ls-tree", "-r", "-d", "-z", reports):
        about, _, name = line.partition("\t")
        place = f"{TOP}/{name}"
        if split(place):
            found[place] = about.split(" ")[2]
    return found
