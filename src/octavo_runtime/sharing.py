"""Memory that a kernel shares with its processes (`multiprocessing`), when the kernel is copied.

A copy must not share it: two continuations would change each other's state, and one that ends with
a lock in its hands would hold the other for ever. So a frozen copy has it for itself, as it was,
and a kernel that goes on shares it with the processes that it starts, and with nobody else.
"""

from __future__ import annotations

import mmap
import re

from octavo_runtime import process

#: What is no file that anybody could look at: shared memory, semaphores, files in memory.
_SHARED = re.compile(r"^/dev/shm/|^/dev/zero|^/memfd:|^/SYSV|/pymp-")
_WRITTEN = re.compile(r"^(\w+)-(\w+) rw.s \S+ \S+ \S+ +(.*)$", re.MULTILINE)
_FIXED, _ANONYMOUS, _SHARED_FLAG, _PRIVATE = 0x10, 0x20, 0x01, 0x02

Range = tuple[int, int]


def maps() -> list[tuple[int, int, str, str]]:
    """Where what lies in the memory of this process: from, to, rights, path."""
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            fields = line.rstrip("\n").split(None, 5)
            low, _, high = fields[0].partition("-")
            path = fields[5] if len(fields) > 5 else ""
            found.append((int(low, 16), int(high, 16), fields[1], path))
    return found


def shared() -> list[Range]:
    """The ranges of memory that others write to as well."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        found = _WRITTEN.findall(file.read())
    return [(int(low, 16), int(high, 16)) for low, high, path in found if _SHARED.search(path)]


def mapped_files() -> list[str]:
    """The files that this process writes to as to its memory."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        found = _WRITTEN.findall(file.read())
    paths = (path for _, _, path in found if path.startswith("/") and not _SHARED.search(path))
    return [path for path in paths if not path.startswith("/dev/")]


def make_private(ranges: list[Range]) -> None:
    """In a frozen copy: keep what is there now, whatever the others do."""
    _replace(ranges, _PRIVATE)


def make_shared(ranges: list[Range]) -> None:
    """In a kernel that goes on: what it forks from now on sees the same memory."""
    _replace(ranges, _SHARED_FLAG)


def _replace(ranges: list[Range], flag: int) -> None:
    library = process.libc()
    if not ranges or library is None:
        return
    import ctypes

    library.mmap.restype = ctypes.c_void_p
    rights = mmap.PROT_READ | mmap.PROT_WRITE
    for low, high in ranges:
        content = read(low, high - low)
        place, size = ctypes.c_void_p(low), ctypes.c_size_t(high - low)
        flags = flag | _FIXED | _ANONYMOUS
        made = library.mmap(place, size, rights, flags, -1, ctypes.c_long(0))
        if made == low:
            ctypes.memmove(low, content, len(content))


def read(address: int, size: int) -> bytes:
    """Memory of this process; what cannot be read ends it, and does not crash."""
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        parts = []
        while size > 0:
            try:
                part = memory.read(size)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def bytes_of(ranges: list[Range]) -> int:
    return sum(high - low for low, high in ranges)
