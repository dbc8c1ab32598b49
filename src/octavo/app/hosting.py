"""The program of a session's process, and the nursery that such processes are forked from.

python -m octavo.app.hosting one              a session; what is asked comes on standard input
python -m octavo.app.hosting nursery FOLDER   forks a process for each session that is asked
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from octavo.app.context import Context
from octavo.errors import InfrastructureError, OctavoError
from octavo.kernels.fork.resident import listen
from octavo.sessions.hosts.parcel import Parcel
from octavo.sessions.hosts.sleeping import doze, received_line
from octavo.sessions.hosts.spawning import IDLE, identity, nursery_path
from octavo.sessions.wire import told

#: Loaded before the first fork, so that all sessions share it.
LOADED = (
    "octavo.sessions.hosts.hosting",
    "octavo.sessions.hosts.asked",
    "octavo.records.assemble",
    "octavo.notebook.formats.percent",
    "octavo.notebook.formats.markdown",
    "octavo.notebook.formats.ipynb",
    "octavo.notebook.names",
    "octavo.kernels.fork.engine",
    "octavo.kernels.fork.resident",
    "octavo.runs.surroundings",
    "octavo.environments.resolve",
    "hashlib",
    "traceback",
    "asyncio.unix_events",
)
Announce = Callable[[Mapping[str, Any]], None]


def main(words: list[str]) -> None:
    """Serve one session, or fork a process for each that is asked for."""
    if words[:1] == ["nursery"]:
        _nursery(words[1])
        return
    asked = json.loads(sys.stdin.buffer.read())
    out = os.dup(1)
    _let_go()
    _serve(asked, _announcer(lambda data: os.write(out, data), lambda: os.close(out)))


def _serve(asked: Mapping[str, Any], announce: Announce) -> None:
    """Be a session from its beginning to its end."""
    context = Context(cwd=os.getcwd(), environ=dict(os.environ))
    try:
        from octavo.sessions.hosts.hosting import host

        asyncio.run(host(asked, context, announce))
    except OctavoError as error:
        announce({"error": told(error)})
    except BaseException as error:
        import traceback

        details: dict[str, object] = {"traceback": traceback.format_exc()[-4000:]}
        what = f"internal error: {type(error).__name__}: {error}"
        hint = "please report it"
        mistake = InfrastructureError("internal", what, hint=hint, details=details)
        announce({"error": told(mistake)})


def _go_on(parcel: Parcel, signalled: str, asked: Mapping[str, Any]) -> None:
    """Be the sessions that slept here, to their end."""
    from octavo.sessions.hosts.hosting import go_on

    for descriptor in parcel.descriptors:
        os.set_inheritable(descriptor, False)
    with suppress(OSError):  # somebody may have removed it meanwhile
        os.chdir(asked["cwd"])
    context = Context(cwd=asked["cwd"], environ=dict(os.environ))
    asyncio.run(go_on(parcel, signalled, asked, context))


def _announcer(write: Callable[[bytes], object], close: Callable[[], object]) -> Announce:
    """Tells whoever asked once how the beginning went."""
    done: list[bool] = []

    def announce(message: Mapping[str, Any]) -> None:
        if done:
            return
        done.append(True)
        try:
            data = json.dumps(message, default=str).encode() + b"\n"
            while data:
                data = data[int(str(write(data))) :]
            close()
        except OSError:
            pass  # whoever asked is gone; the session is there all the same

    return announce


def _let_go() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def _nursery(runtime: str) -> None:
    """Fork until nobody has asked for a while; another version of our code has another one."""
    known = identity()
    path = nursery_path(runtime, known)
    listener = listen(path)
    from importlib import import_module

    for name in LOADED:
        import_module(name)
    _rehearse()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    _let_go()
    gc.disable()
    while select.select([listener], [], [], IDLE)[0]:
        connection, _ = listener.accept()
        # Whatever is written here is not shared any more, so the child does all there is to do.
        if os.fork() == 0:
            _be_host(listener, connection, known)
        connection.close()
    _forget(path)


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _rehearse() -> None:
    """Play a session through; whatever is wrong with that, sessions are none the worse."""
    from tempfile import TemporaryDirectory

    from octavo.sessions.hosts.rehearsal import rehearse

    try:
        with TemporaryDirectory() as folder:
            variables = {**os.environ, "XDG_RUNTIME_DIR": folder}
            asyncio.run(rehearse(Context(cwd=folder, environ=variables)))
    except Exception:
        return


def _be_host(listener: socket.socket, connection: socket.socket, known: str) -> NoReturn:
    """This fork is the process of a session; never returns."""
    try:
        listener.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        connection.settimeout(5.0)
        asked = _received(connection)
        if asked.get("stop"):
            os.kill(os.getppid(), signal.SIGTERM)
        elif asked.get("identity") == known:
            os.setsid()
            os.umask(asked["umask"])
            slept = doze(connection) if asked.get("sleep") else None
            gc.enable()
            os.environ.clear()
            os.environ.update(asked["environ"])
            if slept is not None:
                _go_on(*slept, asked)
            else:
                os.chdir(asked["cwd"])
                connection.settimeout(None)
                _serve(asked, _announcer(connection.send, connection.close))
    except (OSError, ValueError):
        pass  # nobody is there to be told
    finally:
        os._exit(0)


def _received(connection: socket.socket) -> dict[str, Any]:
    asked = json.loads(received_line(connection))
    if not isinstance(asked, dict):
        raise ValueError("not a request")
    return asked


if __name__ == "__main__":
    main(sys.argv[1:])
