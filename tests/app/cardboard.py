"""The command line on a system that is made believe it is another one.

    python cardboard.py darwin run nb.py

What that system lacks is taken away. The standard library is loaded before, because it looks at
the system itself; Octavo comes after. It is not that system, but what is missing there fails here.
"""

import asyncio  # noqa: F401
import fcntl
import os
import signal
import socket
import subprocess  # noqa: F401
import sys
import types

import jupyter_client  # noqa: F401
import zmq  # noqa: F401

LACKING = {
    "darwin": ("posix_fallocate", "fdatasync"),
    "win32": (
        *("posix_fallocate", "fdatasync", "getuid", "geteuid", "fork", "posix_spawn", "killpg"),
        *("O_CLOEXEC", "O_DIRECTORY", "mkfifo", "setsid"),
    ),
}


def _locking(fd: int, how: int, size: int) -> None:
    """Bytes are locked from where the file stands; ours must be far behind its content."""
    assert os.lseek(fd, 0, os.SEEK_CUR) > os.fstat(fd).st_size
    fcntl.flock(fd, fcntl.LOCK_EX | (fcntl.LOCK_NB if how else 0))


def pretend(system: str) -> None:
    for name in LACKING[system]:
        if hasattr(os, name):
            delattr(os, name)
    if hasattr(socket, "SOCK_SEQPACKET"):
        del socket.SOCK_SEQPACKET
    if system == "win32":
        for name in ("fcntl", "termios", "resource", "pwd"):
            sys.modules[name] = None  # type: ignore[assignment]
        del signal.SIGHUP
        locks = types.ModuleType("msvcrt")
        vars(locks).update(LK_LOCK=0, LK_NBLCK=1, locking=_locking)
        sys.modules["msvcrt"] = locks
    sys.platform = system


pretend(sys.argv[1])

from octavo.surfaces.cli.main import main  # noqa: E402

code = main(sys.argv[2:])
sys.stdout.flush()
os._exit(code)
