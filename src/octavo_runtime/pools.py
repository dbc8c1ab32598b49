"""Which library the threads belong to that Python knows nothing of.

A waiting thread is known by its stack: the outermost code on it that is a library's has started
it. One that is at work shows no stack; the function that it was started with stands at the end of
its stack's memory, where the C library keeps what it knows of a thread.
"""

from __future__ import annotations

import os
import re
import struct

from octavo_runtime import sharing

Reason = tuple[str, str]
Mapping = tuple[int, int, str, str]

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
STACK_BYTES, DESCRIPTION_BYTES = 1 << 18, 1 << 14


def reason() -> Reason | None:
    """The first pool of threads that a fork would break, None where there is none."""
    memory = sharing.maps()
    code = [each for each in memory if "x" in each[2] and not _ANYBODYS.search(each[3])]
    own = str(os.getpid())
    for thread in os.listdir("/proc/self/task"):
        if thread == own:
            continue
        owner = _by_stack(thread, memory, code) or _by_description(int(thread), memory, code)
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


def _by_stack(thread: str, memory: list[Mapping], code: list[Mapping]) -> str | None:
    try:
        with open(f"/proc/self/task/{thread}/syscall", encoding="ascii") as file:
            stack = int(file.read().split()[-2], 16)
    except (OSError, ValueError, IndexError):  # it is at work, or has ended
        return None
    end = next((high for low, high, _, _ in memory if low <= stack < high), stack)
    words = _words(stack, min(end - stack, STACK_BYTES))
    return next((path for word in reversed(words) if (path := _path(word, code))), None)


def _by_description(thread: int, memory: list[Mapping], code: list[Mapping]) -> str | None:
    number = struct.pack("=i", thread)
    for low, high, rights, path in memory:
        if path or not rights.startswith("rw"):
            continue
        size = min(high - low, DESCRIPTION_BYTES)
        description = sharing.read(high - size, size)
        at = description.find(number)
        while at >= 0:
            start = at - at % 8
            words = _cut(description[start : start + 2048])
            owner = next((found for word in words if (found := _path(word, code))), None)
            if owner is not None:
                return owner
            at = description.find(number, at + 4)
    return None


def _words(address: int, size: int) -> list[int]:
    return _cut(sharing.read(address, size))


def _cut(data: bytes) -> list[int]:
    return list(memoryview(data[: len(data) // 8 * 8]).cast("Q"))


def _path(address: int, code: list[Mapping]) -> str | None:
    return next((path for low, high, _, path in code if low <= address < high), None)
