"""How a kernel's process is started and watched: by a keeper on Linux, plainly elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from octavo.environments.launch import Launch
from octavo.events.types import StreamName
from octavo.kernels.jupyter.command import Command
from octavo.kernels.jupyter.connection import Connection
from octavo.kernels.jupyter.guests import launch_message

#: How much of what a program says of itself is kept.
TAIL_CHARACTERS = 16_000

Pieces = list[tuple[StreamName, str]]


class Said(Protocol):
    """What a kernel's process writes. With a `guest` in it that is the text of cells."""

    guest: bool

    def last_words(self) -> str: ...

    def forget(self) -> None: ...

    def rest(self) -> Pieces: ...

    def close(self) -> None: ...


class Running(Protocol):
    """A kernel's process: `command` is "interrupt", "stop" or "kill".

    `has_room` says that a guest in it could reach us.
    """

    pid: int
    has_room: bool

    def command(self, name: str) -> None: ...

    def hold(self, held: bool) -> None: ...


class Listener(Protocol):
    """Who is told what happens."""

    def wrote(self, pieces: Pieces) -> None: ...

    def told(self, pieces: Pieces, packet: dict[str, Any]) -> None: ...

    def complain(self, why: str) -> None: ...

    def reported(self, message: dict[str, Any]) -> None: ...

    def ended(self) -> None: ...


def can_be_kept() -> bool:
    """Whether this system has what a keeper needs."""
    return sys.platform == "linux"


Begin = Callable[[Command, Connection, Launch, Listener], "tuple[Said, Running]"]


def begin_kept(
    command: Command, connection: Connection, launch: Launch, listener: Listener
) -> tuple[Said, Running]:
    """Start a kernel under a keeper, with a side channel where a guest is to come."""
    from octavo.kernels.jupyter.kept import KeptProcess
    from octavo.kernels.jupyter.output import Output

    output = Output(command.is_ipykernel, listener.wrote, listener.told, listener.complain)
    message = launch_message(command, connection, launch)
    process = KeptProcess(message, output.descriptors(), listener.reported, listener.ended)
    output.handed_over()
    return output, process


def begin_plainly(
    command: Command, connection: Connection, launch: Launch, listener: Listener
) -> tuple[Said, Running]:
    """Start a kernel in a process group of its own."""
    from octavo.kernels.jupyter.plain import LogFile, PlainProcess

    log = LogFile(connection.folder)
    message = launch_message(command, connection, launch)
    return log, PlainProcess(message, log, listener.reported, listener.ended)
