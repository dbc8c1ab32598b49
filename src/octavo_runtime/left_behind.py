"""What a copy of a kernel would be without, so that the state in it would be another.

A fork is safe there, and a look into a copy is true. But whoever went on from it would find a
server that nobody reaches, processes that are somebody else's, or memory that is a file which has
been written to since.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import Any

from octavo_runtime import process, sharing

Reason = tuple[str, str]

_TRACKERS = (
    "multiprocessing.resource_tracker",
    "joblib.externals.loky.backend.resource_tracker",
)


def reason() -> Reason | None:
    """What would stay behind, in words, or None."""
    return _listening() or mapped() or started()


def _listening() -> Reason | None:
    for name in os.listdir("/proc/self/fd"):
        where = _served(int(name))
        if where is not None:
            return "connections", f"the notebook is a server: it listens on {where}"
    return None


def _served(number: int) -> str | None:
    """Where a socket listens for others."""
    import socket

    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return None
        with socket.socket(fileno=os.dup(number)) as server:
            if not server.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                return None
            address = server.getsockname()
    except OSError:
        return None
    return f"{address[0]}:{address[1]}" if isinstance(address, tuple) else repr(address)


def mapped() -> Reason | None:
    """What one writes to the file, the others would find in their memory."""
    files = sharing.mapped_files()
    return ("unsupported", f"a file is memory of the notebook: {files[0]}") if files else None


def started() -> Reason | None:
    """A copy would not have them, nor learn what became of them."""
    _collect()
    trackers = {_tracker(name) for name in _TRACKERS}
    names = [_command(pid) for pid in process.children(os.getpid()) if pid not in trackers]
    if not names:
        return None
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return "processes", f"processes of the notebook have not been waited for: {shown}"


def _collect() -> None:
    """Python notes what became of ended processes now and then; here it does so at once."""
    subprocess: Any = sys.modules.get("subprocess")
    multiprocessing: Any = sys.modules.get("multiprocessing.process")
    for module in (subprocess, multiprocessing):
        if module is not None:
            module._cleanup()


def _tracker(name: str) -> int | None:
    """The process by which Python tidies up shared memory: it is started anew when it is gone."""
    return getattr(getattr(sys.modules.get(name), "_resource_tracker", None), "_pid", None)


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return f"{file.read().strip()} ({pid})"
    except OSError:
        return str(pid)
