"""The few system calls that Python does not offer, and what hangs on a process."""

from __future__ import annotations

import os
import signal
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_IOLBF = 1

_libc: Any = None


def libc() -> Any:
    """The C library, or None where ctypes is not built."""
    global _libc
    if _libc is None:
        try:
            import ctypes

            _libc = ctypes.CDLL(None, use_errno=True)
        except (ImportError, OSError):
            _libc = False
    return _libc or None


def become_subreaper() -> None:
    """Adopt every orphan below this process, so that none can get away."""
    library = libc()
    if library is not None:
        library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent dies; the parent must have one thread only."""
    library = libc()
    if library is not None:
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def line_buffer_c_stdout() -> None:
    """Let `printf` in C code come out line by line, although standard output is a pipe."""
    library = libc()
    if library is None:
        return
    try:
        import ctypes

        stream = ctypes.c_void_p.in_dll(library, "stdout")
        library.setvbuf(stream, None, _IOLBF, ctypes.c_size_t(0))
    except (ValueError, AttributeError):
        pass


def flush_c_streams() -> None:
    library = libc()
    if library is not None:
        library.fflush(None)


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        for child in _children(current):
            found.append(child)
            waiting.append(child)
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return children
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children.extend(int(child) for child in file.read().split())
        except OSError:
            continue
    return children


def resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError, ValueError):
        return 0


def cpu_seconds(pid: int) -> float:
    """Processor time of a process and of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def reset_peak_memory() -> None:
    try:
        descriptor = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(descriptor, b"5")
    except OSError:
        pass
    finally:
        os.close(descriptor)


def peak_memory() -> int | None:
    """Peak resident memory of this process since the last reset, in bytes."""
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None
