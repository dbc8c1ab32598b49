"""Handing a command to the resident host, where there is one.

This module is all that such a command loads: it sends its words, folder, variables and standard
streams, forwards signals, and ends with the host's exit code.
"""

from __future__ import annotations

import os
import sys


def hand_over(arguments: list[str]) -> int | None:
    """The exit code of a command that the resident host ran; None when it must run here."""
    if sys.platform != "linux" or "OCTAVO_NO_RESIDENT" in os.environ:
        return None
    try:
        folder = os.open(_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    import _socket

    from octavo.config import HOST_SOCKET

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        if os.fstat(folder).st_uid != os.getuid():
            return None
        # Through the descriptor, because a socket's path may not be long.
        connection.connect(f"/proc/self/fd/{folder}/{HOST_SOCKET}")
        _send(connection, arguments)
        answer = connection.recv(64)
    except OSError:
        return None
    finally:
        os.close(folder)
    if not answer.startswith(b"runner "):
        return None
    first, _, rest = answer.partition(b"\n")
    return _wait(connection, int(first.split()[1]), rest)


def _folder() -> str:
    from octavo.config import runtime_folder

    return runtime_folder(os.environ)


def _send(connection: object, arguments: list[str]) -> None:
    """One message: who we are, then lists of words, separated so that nothing needs quoting."""
    import _socket

    variables = [f"{name}={value}" for name, value in os.environ.items()]
    parts = [[identity()], [os.getcwd()], arguments, variables]
    data = b"\0\0".join(b"\0".join(os.fsencode(word) or b"\1" for word in part) for part in parts)
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
    head = len(data).to_bytes(4, "big")
    sent = connection.sendmsg([head + data], rights)  # type: ignore[attr-defined]
    if sent < len(data) + 4:
        connection.sendall((head + data)[sent:])  # type: ignore[attr-defined]


def identity() -> str:
    """Which program this is: a host of another version or environment must refuse."""
    return f"{sys.executable} {sys.prefix} {__file__} {os.environ.get('PYTHONPATH', '')}"


def _wait(connection: object, runner: int, answer: bytes) -> int:
    """Until the runner has ended; signals that reach us go on to it.

    `answer` is what it has said already: a short command may be done by now.
    """
    import _signal  # type: ignore[import-not-found]

    def forward(number: int, frame: object) -> None:
        try:
            os.kill(runner, number)
        except ProcessLookupError:
            pass

    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, forward)
    while not answer.endswith(b"\n"):
        more = connection.recv(64)  # type: ignore[attr-defined]
        if not more:
            sys.stderr.write("octavo: the resident host is gone; the record will be mended\n")
            return 3
        answer += more
    return int(answer.split()[1])
