"""Finding a resident zygote: a listening socket in the runtime folder, named by its key."""

from __future__ import annotations

import os
import socket


def socket_path(folder: str, key: tuple[object, ...]) -> str:
    """Where the resident zygote for a key listens."""
    import hashlib

    return os.path.join(folder, f"z-{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}.sock")


def connect(folder: str, key: tuple[object, ...]) -> socket.socket | None:
    """A connection to the resident zygote for a key, None where there is none."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(socket_path(folder, key))
    except OSError:
        connection.close()
        return None
    return connection
