"""Where calls from Hermes are answered: a loop in a thread, and a desk for each project."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Mapping
from typing import Any

from octavo import config
from octavo.surfaces.mcp.caller import Caller, called_by
from octavo.surfaces.mcp.declaring import Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.toolsets import declared_tools
from octavo.surfaces.mcp.wording import Wording

#: What Hermes sets where its terminal works in another folder than its own.
FOLDER = "TERMINAL_CWD"


class Desks:
    """Everything that calls share, made when the first one comes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tools: dict[str, dict[str, Declared]] = {}
        self._wordings: dict[str, Wording] = {}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What a tool answers in the project that Hermes works in."""
        declared = self.tools(project())[name]

        async def work() -> Any:
            called_by(Caller(tool=name))
            return await declared.method(**arguments)

        return self._run(work())

    def tools(self, folder: str) -> dict[str, Declared]:
        """The tools for a project, by name."""
        with self._lock:
            if folder not in self._tools:
                desk = Desk(folder, dict(os.environ))
                self._wordings[folder] = desk.wording
                processes = Processes(desk)
                listed = declared_tools(desk, processes, JobDesk(desk, processes))
                self._tools[folder] = {each.called: each for each in listed}
            return self._tools[folder]

    def wording(self, folder: str) -> Wording:
        """How answers about a project are worded."""
        self.tools(folder)
        return self._wordings[folder]

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Jobs go on between calls, so the loop does too."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="octavo-hermes", daemon=True
                ).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def project() -> str:
    """The project around the folder that Hermes works in."""
    named = os.environ.get(FOLDER, "")
    folder = named if os.path.isabs(named) and os.path.isdir(named) else os.getcwd()
    return os.path.realpath(config.project_root(folder) or folder)
