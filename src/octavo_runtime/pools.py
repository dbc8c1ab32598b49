"""Which library the threads belong to that Python knows nothing of.

At the end of a thread's stack the C library keeps what it knows of it, with the function that it
was started with: that names the library. Where this function is the C++ library's, as for every
`std::thread`, the outermost code on the stack tells more; only a waiting thread shows its stack.
"""

from __future__ import annotations

import os
import re
import struct
from bisect import bisect_right

from octavo_runtime import sharing

Reason = tuple[str, str]
Mapping = tuple[int, int, str, str]
_LIBC = re.compile(r"/(libc|libpthread|ld-musl[^/]*)[.-]")

#: Libraries that see to their threads when a process forks (measured, see the design note).
SOUND = re.compile(r"lib(scipy_)?openblas|libarrow|/_?duckdb|numexpr|libjemalloc")
_NAMES = (
    (re.compile(r"libgomp|libomp|libiomp"), "OpenMP"),
    (re.compile(r"polars"), "Polars"),
    (re.compile(r"/numba/|libtbb"), "numba"),
    (re.compile(r"/torch/|libtorch|libc10"), "torch"),
    (re.compile(r"libmkl"), "MKL"),
    (re.compile(r"tensorflow"), "TensorFlow"),
    (re.compile(r"/jaxlib/"), "JAX"),
)
#: Code that is on every stack, and tells nothing.
_ANYBODYS = re.compile(
    r"/(libc|libpthread|ld-linux[^/]*|ld-musl[^/]*|libm|libdl|libstdc\+\+|libgcc_s)[.-]"
    r"|/(libpython|python)[^/]*$|^\["
)
STACK_BYTES, DESCRIPTION_BYTES, AFTER_NUMBER_BYTES = 1 << 18, 1 << 14, 1 << 10


class Code:
    """Where in memory the code of what library lies."""

    def __init__(self, memory: list[Mapping]) -> None:
        self._ranges = sorted(each for each in memory if "x" in each[2] and each[3])
        self._starts = [low for low, *_ in self._ranges]

    def path(self, address: int) -> str | None:
        """The file whose code an address lies in."""
        at = bisect_right(self._starts, address) - 1
        if at < 0 or address >= self._ranges[at][1]:
            return None
        return self._ranges[at][3]

    def library(self, address: int) -> str | None:
        """The same, where it is a library that tells something."""
        path = self.path(address)
        return None if path is None or _ANYBODYS.search(path) else path


def reason() -> Reason | None:
    """The first pool of threads that a fork would break, None where there is none."""
    memory = sharing.maps()
    code = Code(memory)
    own = str(os.getpid())
    for thread in os.listdir("/proc/self/task"):
        if thread == own:
            continue
        owner = _by_description(int(thread), memory, code) or _by_stack(thread, memory, code)
        if owner is None:
            if (name := _name(thread)) is not None:
                return "thread-pool", f"a thread of an unknown library is alive: {name}"
        elif not SOUND.search(owner):
            return "thread-pool", f"threads of {_called(owner)} are alive"
    return None


def _name(thread: str) -> str | None:
    """What the system calls a thread; None when it has ended meanwhile."""
    try:
        with open(f"/proc/self/task/{thread}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def _called(path: str) -> str:
    for pattern, name in _NAMES:
        if pattern.search(path):
            return f"{name} ({os.path.basename(path)})"
    return os.path.basename(path)


def _by_stack(thread: str, memory: list[Mapping], code: Code) -> str | None:
    """What the C library's own frame, the first of all, has called."""
    try:
        with open(f"/proc/self/task/{thread}/syscall", encoding="ascii") as file:
            stack = int(file.read().split()[-2], 16)
    except (OSError, ValueError, IndexError):  # it is at work, or has ended
        return None
    end = next((high for low, high, _, _ in memory if low <= stack < high), stack)
    begun = False
    for word in reversed(_words(sharing.read(stack, min(end - stack, STACK_BYTES)))):
        path = code.path(word)
        if begun and code.library(word):
            return path
        begun = begun or (path is not None and bool(_LIBC.search(path)))
    return None


def _by_description(thread: int, memory: list[Mapping], code: Code) -> str | None:
    """The library of the function that a thread was started with."""
    number = struct.pack("=i", thread)
    for low, high in _stacks(memory):
        size = min(high - low, DESCRIPTION_BYTES)
        owner = _described(sharing.read(high - size, size), number, code)
        if owner is not None:
            return owner
    return None


def _stacks(memory: list[Mapping]) -> list[tuple[int, int]]:
    """Memory of no file behind a page that nobody may touch: so stacks of threads are guarded."""
    found, guarded = [], 0
    for low, high, rights, path in memory:
        if low == guarded and rights.startswith("rw") and not path:
            found.append((low, high))
        guarded = high if rights.startswith("---") else 0
    return found


def _described(description: bytes, number: bytes, code: Code) -> str | None:
    at = description.find(number)
    while at >= 0:
        start = at - at % 8
        for word in _words(description[start : start + AFTER_NUMBER_BYTES]):
            if (owner := code.library(word)) is not None:
                return owner
        at = description.find(number, at + 4)
    return None


def _words(data: bytes) -> list[int]:
    return list(memoryview(data[: len(data) // 8 * 8]).cast("Q"))
