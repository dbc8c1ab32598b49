"""The program of a session's process, and the nursery that such processes are forked from.

python -m octavo.app.hosting one              a session; what is asked comes on standard input
python -m octavo.app.hosting nursery FOLDER   forks a process for each session that is asked,
                                              and one in which idle sessions sleep
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
from octavo.sessions.hosts.dormitory import Bed, Dormitory, bound_files, raise_bound
from octavo.sessions.hosts.sleeping import ROUSING, received_line
from octavo.sessions.hosts.spawning import IDLE, identity, nursery_path
from octavo.sessions.wire import told
from octavo_runtime import process

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


def _go_on(bed: Bed, signalled: str) -> None:
    """Be the sessions that slept, to their end."""
    from octavo.sessions.hosts.hosting import go_on

    asked = bed.surroundings
    _be_like(asked)
    for descriptor in bed.parcel.descriptors:
        os.set_inheritable(descriptor, False)
    with suppress(OSError):  # somebody may have removed it meanwhile
        os.chdir(asked["cwd"])
    context = Context(cwd=asked["cwd"], environ=dict(os.environ))
    asyncio.run(go_on(bed.parcel, signalled, asked, context))


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
    process.libc()
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    _let_go()
    gc.disable()
    while select.select([listener], [], [], IDLE)[0]:
        connection, _ = listener.accept()
        # Whatever is written here is not shared any more, so the child does all there is to do.
        if process.fork_plainly() == 0:
            _be_useful(listener, connection, known)
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


def _be_useful(listener: socket.socket, connection: socket.socket, known: str) -> NoReturn:
    """This fork is a host or the dormitory, as it is asked; never returns."""
    try:
        listener.close()
        connection.settimeout(5.0)
        asked = _received(connection)
        if asked.get("stop"):
            os.kill(os.getppid(), signal.SIGTERM)
        elif asked.get("identity") == known and "dormitory" in asked:
            _be_dormitory(connection, asked["dormitory"])
        elif asked.get("identity") == known:
            _be_host(connection, asked)
    except (OSError, ValueError):
        pass  # nobody is there to be told
    finally:
        os._exit(0)


def _be_host(connection: socket.socket, asked: Mapping[str, Any]) -> None:
    _be_like(asked)
    os.chdir(asked["cwd"])
    connection.settimeout(None)
    _serve(asked, _announcer(connection.send, connection.close))


def _be_dormitory(connection: socket.socket, path: str) -> None:
    """Returns when nobody sleeps there any more; and as the host of whoever is called."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, ROUSING)
    bound = raise_bound()
    listener = listen(path)
    mine = os.stat(path).st_ino
    connection.close()
    woken = Dormitory(listener, process.fork_plainly).serve()
    if woken is not None:
        bound_files(bound)
        _go_on(*woken)
    else:
        with suppress(OSError):
            if os.stat(path).st_ino == mine:
                os.unlink(path)


def _be_like(asked: Mapping[str, Any]) -> None:
    """From a fork to a process that could have been started by itself, where somebody asked."""
    if process.libc() is not None:  # the fork was a plain one
        import ctypes

        ctypes.pythonapi.PyOS_BeforeFork()
        ctypes.pythonapi.PyOS_AfterFork_Child()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.umask(asked["umask"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    gc.enable()


def _received(connection: socket.socket) -> dict[str, Any]:
    asked = json.loads(received_line(connection))
    if not isinstance(asked, dict):
        raise ValueError("not a request")
    return asked


if __name__ == "__main__":
    main(sys.argv[1:])
