"""What the runner tells the keeper of a kernel, and the guest in an ipykernel."""

from __future__ import annotations

import os
from typing import Any

from octavo.environments.launch import Launch
from octavo.kernels.jupyter.command import Command
from octavo.kernels.jupyter.connection import Connection

_PACKAGES = __file__.rpartition("/octavo/kernels/")[0]
_BOOT = os.path.join(_PACKAGES, "octavo_runtime", "guest_boot.py")

#: Ends a kernel that has our guest, in order.
LEAVE = "__import__('octavo_runtime.guest').guest.leave()"


def launch_message(command: Command, connection: Connection, launch: Launch) -> dict[str, Any]:
    """The first message to the keeper."""
    limits = launch.limits
    return {
        "program": command.program,
        "argv": command.arguments(connection),
        "variables": command.start_variables(connection),
        "cwd": launch.cwd,
        "folder": connection.folder,
        "limits": {
            "memory": limits.memory,
            "processes": limits.processes,
            "cpu_seconds": limits.cpu_seconds,
            "file_size": limits.file_size,
        },
        # ipykernel writes files while it starts; its guest sets the bound afterwards.
        "file_size": None if command.is_ipykernel else limits.file_size,
    }


def preamble(command: Command, launch: Launch) -> str:
    """Code that lets the guest in. It leaves no name behind."""
    from octavo_runtime.program import ACKNOWLEDGEMENTS, CHANNEL

    settings = {
        "runtime": _PACKAGES,
        "channel": CHANNEL,
        "acknowledgements": ACKNOWLEDGEMENTS,
        "names": sorted(command.variables),
        "file_size": launch.limits.file_size,
        "uv": launch.uv,
        "managed": launch.environment.managed,
        "scrapbook_shim": launch.scrapbook_shim,
        "observe": launch.observe,
        "coverage": launch.coverage,
    }
    return (
        f"exec(compile(open({_BOOT!r}, encoding='utf-8').read(), {_BOOT!r}, 'exec'), "
        f"{{'__name__': 'octavo_guest', 'settings': {settings!r}}})"
    )


def silent(source: str) -> dict[str, Any]:
    """An execution that leaves no trace in the notebook."""
    return {
        "code": source,
        "silent": True,
        "store_history": False,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
