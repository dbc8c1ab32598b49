"""Why a kernel cannot be copied now.

A fork copies one thread only. Where others are at work, or hold a lock that only they would give
back, the copy can hang; so can libraries that believe their pool of threads still stands. What is
known to be sound after a fork passes; what is not known does not.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from fnmatch import fnmatchcase
from typing import Any

Reason = tuple[str, str]

#: Libraries that see to their threads when a process forks (measured, see the design note).
SOUND = re.compile(r"lib(scipy_)?openblas|libarrow|/duckdb|/_duckdb|libjemalloc")
_NAMES = (
    (re.compile(r"libgomp|libomp|libiomp"), "OpenMP"),
    (re.compile(r"polars"), "Polars"),
    (re.compile(r"/numba/|libtbb"), "numba"),
    (re.compile(r"/torch/|libtorch|libc10"), "torch"),
    (re.compile(r"libmkl"), "MKL"),
    (re.compile(r"tensorflow"), "TensorFlow"),
    (re.compile(r"/jaxlib/"), "JAX"),
    (re.compile(r"numexpr"), "numexpr"),
)
_GPU = ("/dev/nvidia", "/dev/dri/", "/dev/kfd")
_SHARED = re.compile(r"^/dev/shm/(?!sem\.)|^/dev/zero|^/memfd:|^/SYSV|/pymp-")
_PLAIN = re.compile(r"/(libc|libpthread|ld-linux[^/]*|ld-musl[^/]*|libm|libstdc\+\+|libgcc_s)[.-]")


def reason(connections: list[str]) -> Reason | None:
    """What stands in the way, in words, or None. `connections` are patterns of a policy."""
    threads = os.listdir("/proc/self/task")
    found = None
    if len(threads) > 1:
        _end_monitors()
        threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        found = _python_threads() or _native_threads(threads)
    return found or _opened(connections) or _shared_memory() or _locked()


def _end_monitors() -> None:
    """The thread of tqdm that looks after its bars; the next bar starts another."""
    tqdm: Any = sys.modules.get("tqdm")
    monitor = getattr(getattr(tqdm, "tqdm", None), "monitor", None)
    if monitor is not None and monitor.is_alive():
        monitor.exit()


def _python_threads() -> Reason | None:
    main = threading.main_thread()
    names = [each.name for each in threading.enumerate() if each is not main and each.is_alive()]
    if not names:
        return None
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return "threads", f"threads of the notebook are alive: {shown}"


# Threads that libraries have started


def _native_threads(threads: list[str]) -> Reason | None:
    libraries = _code()
    own = str(os.getpid())
    for thread in threads:
        if thread == own:
            continue
        owner = _owner(thread, libraries)
        if owner is None:
            return _nobodys(thread)
        if owner and not SOUND.search(owner):
            return "thread-pool", f"threads of {_called(owner)} are running"
    return None


def _nobodys(thread: str) -> Reason | None:
    try:
        with open(f"/proc/self/task/{thread}/comm", encoding="utf-8", errors="replace") as file:
            name = file.read().strip()
    except OSError:  # it has ended meanwhile
        return None
    return "thread-pool", f"a thread of an unknown library is running: {name}"


def _called(path: str) -> str:
    for pattern, name in _NAMES:
        if pattern.search(path):
            return f"{name} ({os.path.basename(path)})"
    return os.path.basename(path)


def _code() -> list[tuple[int, int, str]]:
    """Where in memory the code of libraries lies."""
    found = []
    for low, high, rights, path in _maps():
        if "x" in rights and path.startswith("/") and not _PLAIN.search(path):
            found.append((low, high, path))
    return found


def _maps() -> list[tuple[int, int, str, str]]:
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            fields = line.rstrip("\n").split(None, 5)
            low, _, high = fields[0].partition("-")
            path = fields[5] if len(fields) > 5 else ""
            found.append((int(low, 16), int(high, 16), fields[1], path))
    return found


def _owner(thread: str, libraries: list[tuple[int, int, str]]) -> str | None:
    """The library whose code a waiting thread was started in: the outermost on its stack.

    None where that cannot be told: it runs, or its stack cannot be read.
    """
    try:
        with open(f"/proc/self/task/{thread}/syscall", encoding="ascii") as file:
            words = file.read().split()
        stack = int(words[-2], 16)
    except (OSError, ValueError, IndexError):
        return "" if not os.path.exists(f"/proc/self/task/{thread}") else None
    outermost = None
    for address in _words_above(stack):
        for low, high, path in libraries:
            if low <= address < high and not _is_interpreter(path):
                outermost = path
    return outermost


def _words_above(stack: int) -> list[int]:
    """The words from an address to the end of its mapping, at most those of 256 KB."""
    end = next((high for low, high, _, _ in _maps() if low <= stack < high), stack)
    size = min(end - stack, 1 << 18) // 8 * 8
    try:
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(stack)
            return list(memoryview(memory.read(size)).cast("Q")) if size else []
    except (OSError, ValueError, OverflowError):
        return []


def _is_interpreter(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(("libpython", "python"))


# What is open, and what is shared


def _opened(connections: list[str]) -> Reason | None:
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith(_GPU):
            return "gpu", f"a GPU is in use: {target} is open"
        if connections and target.startswith("socket:"):
            peer = _peer(int(name))
            if peer and _is_named(peer, connections):
                return "connections", f"a connection that the policy names is open: {peer}"
    return None


def _peer(number: int) -> str | None:
    import socket

    try:
        with socket.socket(fileno=os.dup(number)) as connection:
            if connection.family not in (socket.AF_INET, socket.AF_INET6):
                return None
            host, port = connection.getpeername()[:2]
    except OSError:
        return None
    return f"{host}:{port}"


def _is_named(peer: str, patterns: list[str]) -> bool:
    host, _, port = peer.rpartition(":")
    return any(
        fnmatchcase(word, pattern)
        for pattern in patterns
        for word in (peer, host, f":{port}", port)
    )


def _shared_memory() -> Reason | None:
    """Memory that a copy would share in both directions, so that going back would not."""
    for _, _, rights, path in _maps():
        if rights.startswith("rw") and rights.endswith("s") and _SHARED.search(path):
            return "unsupported", f"memory is shared with other processes: {path}"
    return None


def _locked() -> Reason | None:
    """Locks of the process on files do not pass to a copy, which believes that it has them."""
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return None
    own = str(os.getpid())
    for words in lines:
        if "POSIX" in words and own in words[4:6]:
            return "connections", f"a file is locked, as by an open database: {_locked_file(words)}"
    return None


def _locked_file(words: list[str]) -> str:
    """The path of what a line of /proc/locks tells by its device and number."""
    number = next((word.rpartition(":")[2] for word in words if word.count(":") == 2), "")
    for name in os.listdir("/proc/self/fd"):
        try:
            if str(os.stat(f"/proc/self/fd/{name}").st_ino) == number:
                return os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
    return f"number {number}"
