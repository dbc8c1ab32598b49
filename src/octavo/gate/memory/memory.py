"""The memory of the gate: one small file in a project, `.octavo/gate/memory.json`.

It only saves time. A file that is damaged, or of another version, counts as none; where it cannot
be written nothing is remembered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.gate.memory.entries import Entry, Inputs
from octavo.gate.memory.seen import inputs_of_record
from octavo.gate.memory.stamps import Stamps, of_names
from octavo.records.disk import replacing
from octavo.records.record import RunRecord
from octavo.records.store import FOLDER
from octavo.systems import OURS, lock

FORMAT = 1
NAME = "memory.json"
_DAMAGED = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class Memory:
    """What is known of the notebooks of a project."""

    def __init__(self, project: Path, entries: dict[str, Any], stamps: dict[str, Any]) -> None:
        self._project = project
        self._folder = project / FOLDER / "gate"
        self._entries = entries
        self._changed: dict[str, Any] = {}
        self._stamps = Stamps(project, stamps)

    @classmethod
    def open(cls, project: Path, *, unless_committed: Mapping[str, str] | None = None) -> Memory:
        """The memory of a project; an empty one where there is none that can be read.

        With `unless_committed`, which are the caller's variables, one that is part of a commit
        counts as none: whoever wrote the commit could have written anything into it.
        """
        path = project / FOLDER / "gate" / NAME
        if unless_committed is not None and _is_committed(path, unless_committed):
            return cls(project, {}, {})
        return cls(project, *_read(path))

    def recall(
        self, path: str | os.PathLike[str], key: str | None, *, only_from_ci: bool = False
    ) -> Entry | None:
        """What is known of a notebook, if everything that it rests on is as it was.

        With `only_from_ci`, only what was run on CI counts.
        """
        plain = self._entries.get(self._name(path))
        with suppress(*_DAMAGED):
            if plain is None or key is None or plain["key"] != key:
                return None
            if only_from_ci and plain["ci"] is not True:
                return None
            entry = Entry.from_json(plain)
            return entry if self._holds(entry.inputs) else None
        return None

    def _holds(self, inputs: Inputs) -> bool:
        stamps = self._stamps
        return (
            all(stamps.digest(name) == digest for name, digest in inputs.files.items())
            and all(stamps.listing(name) == digest for name, digest in inputs.listings.items())
            and all(
                of_names(stamps.matches(name)) == digest for name, digest in inputs.patterns.items()
            )
        )

    def remember(self, path: str | os.PathLike[str], key: str | None, entry: Entry | None) -> None:
        """Keep what passed. Without a key or an entry, what was known of the notebook is let go."""
        name = self._name(path)
        if key is None or entry is None:
            if self._entries.pop(name, None) is not None:
                self._changed[name] = None
            return
        self._entries[name] = self._changed[name] = {"key": key, **entry.to_json()}

    def inputs_of(self, path: str | os.PathLike[str]) -> frozenset[str] | None:
        """The files and folders that the last known run of a notebook saw, as whole paths.

        None where nothing is known.
        """
        plain = self._entries.get(self._name(path))
        if plain is None:
            return None
        with suppress(*_DAMAGED):
            inputs = Inputs.from_json(plain["inputs"])
            return frozenset(map(self._stamps.path, (*inputs.files, *inputs.listings)))
        return None

    def inputs_of_record(
        self,
        record: RunRecord,
        *,
        declared: Iterable[str] = (),
        also: Iterable[str | os.PathLike[str]] = (),
    ) -> Inputs | None:
        """What a run was seen to rest on, as it is now; None where that is not known for sure.

        `declared` are patterns of data files, from the notebook's folder; `also` are more files
        that the verdict depends on. `why_not_memorable` tells why it is None.
        """
        return inputs_of_record(record, self._stamps, declared, [os.fspath(each) for each in also])

    def save(self) -> bool:
        """Keep what was learnt, together with what others have saved meanwhile.

        False where it cannot be written: the next check then runs more than it had to.
        """
        if not self._changed and not self._stamps.learnt:
            return True
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._write_locked()
        except OSError:
            return False
        self._changed.clear()
        self._stamps.learnt.clear()
        return True

    def _write_locked(self) -> None:
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | OURS, 0o600)
        try:
            lock(descriptor, wait=True)
            entries, stamps = _read(self._folder / NAME)
            entries.update(self._changed)
            stamps.update(self._stamps.learnt)
            self._write(*self._pruned(entries, stamps))
        finally:
            os.close(descriptor)

    def _pruned(
        self, entries: Mapping[str, Any], stamps: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Without notebooks that are gone, and stamps that nothing needs any more."""
        kept = {
            name: plain
            for name, plain in entries.items()
            if isinstance(plain, dict) and os.path.exists(self._stamps.path(name))
        }
        needed: set[str] = set()
        for plain in kept.values():
            with suppress(*_DAMAGED):
                needed.update(plain["inputs"].get("files", ()))
        return kept, {name: stamp for name, stamp in stamps.items() if name in needed}

    def _write(self, entries: dict[str, Any], stamps: dict[str, Any]) -> None:
        content = {"format": FORMAT, "stamps": stamps, "notebooks": entries}
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_bytes(b"*\n")
        with replacing(self._folder / NAME, sync=False) as file:
            file.write(json.dumps(content, separators=(",", ":"), default=str).encode("ascii"))

    def _name(self, path: str | os.PathLike[str]) -> str:
        return self._stamps.name(self._stamps.path(os.fspath(path)))


def _is_committed(path: Path, environ: Mapping[str, str]) -> bool:
    if not path.exists():
        return False
    from octavo.git.program import Git

    return Git(path.parent, environ).succeeds("ls-files", "--error-unmatch", "--", path.name)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries and stamps in a file; none where it is missing or damaged."""
    try:
        plain = json.loads(path.read_bytes() if path.is_file() else b"")
        entries, stamps = plain["notebooks"], plain["stamps"]
        if plain["format"] == FORMAT and isinstance(entries, dict) and isinstance(stamps, dict):
            return entries, {name: each for name, each in stamps.items() if _is_stamp(each)}
    except (OSError, RecursionError, *_DAMAGED):
        pass
    return {}, {}


def _is_stamp(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 5
