"""Folders of a commit that are changed object by object: neither an index nor a checkout is used.

Only the folders on the way to a change are read and written, so that a change costs the same in a
small tree and in a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from octavo.git.program import Git

FILE, FOLDER = "100644", "040000"
_AT_ONCE = 500


class Folder:
    """A folder as it is to be: names with the mode and object of what is there."""

    def __init__(self, git: Git, oid: str | None) -> None:
        self._git = git
        self._oid = oid
        self._items: dict[str, tuple[str, str]] = {} if oid is None else dict(_listed(git, oid))
        self._opened: dict[str, Folder] = {}

    def items(self) -> Mapping[str, tuple[str, str]]:
        """Mode and object of everything in it, as it is to be."""
        for name, folder in self._opened.items():
            self._settle(name, folder)
        return self._items

    def folder(self, name: str, *, make: bool = False) -> Folder | None:
        """A folder in it; with `make`, one that is there from now on."""
        if name in self._opened:
            return self._opened[name]
        mode, oid = self._items.get(name, ("", ""))
        if mode != FOLDER and not make:
            return None
        self._opened[name] = Folder(self._git, oid if mode == FOLDER else None)
        return self._opened[name]

    def put(self, name: str, mode: str, oid: str) -> None:
        self._opened.pop(name, None)
        if self._items.get(name) != (mode, oid):
            self._items[name] = (mode, oid)
            self._oid = None

    def remove(self, name: str) -> None:
        self._opened.pop(name, None)
        if self._items.pop(name, None) is not None:
            self._oid = None

    def write(self) -> str | None:
        """The object of this folder; None for one with nothing in it, which git does not keep."""
        items = self.items()
        if self._oid is None and items:
            lines = (
                f"{mode} {_KINDS.get(mode, 'blob')} {oid}\t{name}\0"
                for name, (mode, oid) in items.items()
            )
            listed = "".join(lines).encode("utf-8", "surrogateescape")
            self._oid = self._git.text("mktree", "-z", "--missing", input=listed)
        return self._oid if items else None

    def _settle(self, name: str, folder: Folder) -> None:
        oid = folder.write()
        wanted = None if oid is None else (FOLDER, oid)
        if wanted == self._items.get(name):
            return
        self._oid = None
        if wanted is None:
            self._items.pop(name, None)
        else:
            self._items[name] = wanted


_KINDS = {FOLDER: "tree", "160000": "commit"}


def _listed(git: Git, oid: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for line in git.lines("ls-tree", "-z", oid):
        about, _, name = line.partition("\t")
        mode, _, item = about.split(" ")
        yield name, (mode, item)


class Tree:
    """The files of a commit (None: no files yet), and what is to be changed in them."""

    def __init__(self, git: Git, base: str | None) -> None:
        self.git = git
        tree = None if base is None else git.text("rev-parse", f"{base}^{{tree}}")
        self._top = Folder(git, tree)

    def items(self, path: str = "") -> Mapping[str, tuple[str, str]]:
        """What is in a folder; nothing in one that is not there."""
        folder = self._find(path)
        return {} if folder is None else folder.items()

    def oid(self, path: str) -> str | None:
        """The object at a path as it is now to be; None when there is nothing."""
        above, _, name = path.rpartition("/")
        return self.items(above).get(name, ("", None))[1]

    def put(self, path: str, oid: str, mode: str = FILE) -> None:
        """Set what is at a path."""
        above, _, name = path.rpartition("/")
        folder = self._find(above, make=True)
        assert folder is not None
        folder.put(name, mode, oid)

    def remove(self, path: str) -> None:
        """Take away what is at a path; folders that are empty then go too."""
        above, _, name = path.rpartition("/")
        folder = self._find(above)
        if folder is not None:
            folder.remove(name)

    def write(self) -> str:
        """The object of the whole."""
        return self._top.write() or self.git.text("mktree", input=b"")

    def _find(self, path: str, *, make: bool = False) -> Folder | None:
        folder: Folder | None = self._top
        for name in path.split("/") if path else ():
            folder = folder.folder(name, make=make) if folder else None
        return folder


def contents(git: Git, names: Iterable[str]) -> Iterator[bytes | None]:
    """The blobs that objects or `COMMIT:PATH` name, in their order; None for one that is missing.

    A name with a line end in it is taken for missing.
    """
    waiting: list[str] = []
    for name in names:
        waiting.append(name if "\n" not in name else "missing")
        if len(waiting) == _AT_ONCE:
            yield from _batch(git, waiting)
            waiting.clear()
    if waiting:
        yield from _batch(git, waiting)


def _batch(git: Git, names: list[str]) -> Iterator[bytes | None]:
    asked = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
    answer = git.run("cat-file", "--batch", input=asked)
    at = 0
    for _ in names:
        end = answer.index(b"\n", at)
        words = answer[at:end].split(b" ")
        at = end + 1
        if words[-1] in (b"missing", b"ambiguous"):
            yield None
            continue
        size = int(words[-1])
        yield answer[at : at + size] if words[-2] == b"blob" else None
        at += size + 1


def write_blobs(git: Git, paths: Iterable[str]) -> list[str]:
    """Store files as they are, in one call; their paths have no line ends."""
    listed = "".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape")
    if not listed:
        return []
    return git.text("hash-object", "-w", "--no-filters", "--stdin-paths", input=listed).split("\n")
