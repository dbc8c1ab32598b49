"""The few system calls that Python does not offer, and what hangs on a process."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import resource
import signal
import sys
from collections.abc import Collection
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_IOLBF = 1
_HIGHEST = (1 << 31) - 1

#: As those of `signal`, which look for the names of numbers, and so at many pages.
set_handler: Any = _signal.signal
mask_signals: Any = _signal.pthread_sigmask
DEFAULT_HANDLER: Any = _signal.SIG_DFL

_libc: Any = None
_stdout: Any = None


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


def fork_plainly() -> int:
    """As `os.fork`, without what Python and its libraries do before and after forks.

    For a process with one thread; where ctypes is not built, it is `os.fork`.
    """
    library = libc()
    if library is None:
        return os.fork()
    pid: int = library.fork()
    if pid < 0:
        raise BlockingIOError(0, "the process could not be forked")
    return pid


def become_subreaper() -> None:
    """Adopt every orphan below this process, so that none can get away."""
    library = libc()
    if library is not None:
        library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def be_no_subreaper() -> None:
    """Let orphans go to whoever adopts them above."""
    library = libc()
    if library is not None:
        library.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent dies; the parent must have one thread only."""
    library = libc()
    if library is not None:
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def line_buffer_c_stdout() -> None:
    """Let `printf` in C code come out line by line, although standard output is a pipe."""
    library, stream = libc(), _c_stdout()
    if library is not None and stream is not None:
        import ctypes

        library.setvbuf(stream, None, _IOLBF, ctypes.c_size_t(0))


def flush_c_stdout() -> None:
    """Write what C code has printed without ending its line."""
    library, stream = libc(), _c_stdout()
    if library is not None and stream is not None:
        library.fflush(stream)


def flush_c_streams() -> None:
    """Write what C code has buffered in any of its files."""
    library = libc()
    if library is not None:
        library.fflush(None)


def _c_stdout() -> Any:
    global _stdout
    library = libc()
    if _stdout is None and library is not None:
        import ctypes

        try:
            _stdout = ctypes.c_void_p.in_dll(library, "stdout")
        except ValueError:
            _stdout = False
    return _stdout or None


def leave(code: int) -> None:
    """End this process at once, but for what it has printed."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        flush_c_stdout()
    finally:
        os._exit(code & 0xFF)


def close_all_but(*kept: int) -> None:
    """Let go of descriptors that came with the program that started us."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass  # the one that listed the folder


def descendants(pid: int, spared: Collection[int] = ()) -> list[int]:
    """All processes below one, nearest first, but for some and what is below those."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        for child in children(current):
            if child not in spared:
                found.append(child)
                waiting.append(child)
    return found


def children(pid: int) -> list[int]:
    """The processes that one has started and that still are its own."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found.extend(int(child) for child in file.read().split())
        except OSError:
            continue
    return found


def end_descendants(spared: Collection[int] = ()) -> None:
    """Kill everything below this process, and collect it; this process must be a subreaper."""
    while True:
        left = descendants(os.getpid(), spared)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not (_collect(left) if spared else _collect_one()):
            return


def _collect(pids: list[int]) -> bool:
    """Wait for those of some killed processes that are our own; False when there were none."""
    for pid in pids:
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            os.sched_yield()  # it falls to us when its parent is gone
    return bool(pids)


def _collect_one() -> bool:
    """Wait for one child to end; False when there is none. More may have come meanwhile."""
    try:
        os.waitpid(-1, 0)
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError, ValueError):
        return 0


def proportional_bytes(pid: int) -> int:
    """Resident memory with shared pages divided among those who share them; slow to find."""
    for line in _lines(f"/proc/{pid}/smaps_rollup"):
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return resident_bytes(pid)


def cpu_seconds(pid: int) -> float:
    """Processor time of a process and of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def oom_kills() -> int:
    """How many processes the system has killed for want of memory, as near to us as it counts."""
    for path in _OOM_COUNTERS:
        count = _counter(path.format(group=_memory_group()))
        if count is not None:
            return count
    return 0


_OOM_COUNTERS = (
    "/sys/fs/cgroup{group}/memory.events",
    "/sys/fs/cgroup/memory{group}/memory.oom_control",
    "/proc/vmstat",
)


def _memory_group() -> str:
    """The control group that bounds the memory of this process."""
    unified = ""
    for line in _lines("/proc/self/cgroup"):
        _, controllers, path = line.decode("utf-8", "replace").rstrip("\n").split(":", 2)
        if controllers == "memory":
            return path.rstrip("/")
        if not controllers:
            unified = path.rstrip("/")
    return unified


def _counter(path: str) -> int | None:
    for line in _lines(path):
        words = line.split()
        if len(words) == 2 and words[0] == b"oom_kill":
            return int(words[1])
    return None


def _lines(path: str) -> list[bytes]:
    """Read by system calls: file objects would touch many pages that a keeper shares."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    text = b""
    try:
        while True:
            piece = os.read(descriptor, 1 << 15)
            if not piece:
                break
            text += piece
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return text.splitlines()


def close_others(kept: int) -> None:
    """Close every descriptor but standard input, output, error and one more."""
    if sys.version_info < (3, 10):  # noqa: UP036 (there it tries each number)
        close_all_but(0, 1, 2, kept)
        return
    os.closerange(3, kept)
    os.closerange(kept + 1, _HIGHEST)


class Usage:
    """What this process uses from `begin` to `end`: once for each cell, so it must be cheap."""

    def __init__(self) -> None:
        try:
            self.descriptor = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            self.descriptor = -1
        self._seconds = 0.0

    def begin(self) -> None:
        """Forget the peak so far. Where the system cannot, a peak is that since the start."""
        if self.descriptor >= 0:
            try:
                os.pwrite(self.descriptor, b"5", 0)
            except OSError:
                self.descriptor = -1
        self._seconds = _own_cpu_seconds()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def end(self) -> tuple[int, float]:
        """Peak resident bytes and processor seconds, with those of children that have ended."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return peak, round(_own_cpu_seconds() - self._seconds, 6)


def _own_cpu_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
