"""The program of a step that may take long: `python -m octavo.surfaces.mcp.worker`.

On standard input comes what is to be done, from a file of its own; the answer goes to standard
output as `--json` tells it. So it comes to its end whatever becomes of the server that asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import sys
from types import FrameType
from typing import Any

from octavo.app.context import Context
from octavo.app.table import find, load
from octavo.errors import InfrastructureError, OctavoError
from octavo.runs.context import Said
from octavo.sessions.wire import told


def main() -> None:
    """Do what was handed over, and tell what came of it."""
    operation, request = pickle.load(sys.stdin.buffer)
    # What children print, such as hooks of git, is no part of the answer.
    answer = os.dup(1)
    os.dup2(2, 1)
    plain = json.dumps(_answered(operation, request), default=str)
    with open(answer, "w", encoding="utf-8") as file:
        file.write(plain)


def _answered(operation: str, request: Any) -> dict[str, Any]:
    try:
        result: dict[str, Any] = asyncio.run(_Step(operation, request).done())
        return result
    except OctavoError as error:
        return {"error": told(error)}
    except OSError as error:
        failure = InfrastructureError(
            "storage",
            f"the system refuses: {error.strerror or error}",
            hint="free space, or mend its permissions",
        )
        return {"error": told(failure)}


class _Step:
    """One operation, which a signal may ask to stop."""

    def __init__(self, operation: str, request: Any) -> None:
        self._operation = operation
        self._request = request
        self._context = Context(cwd=os.getcwd(), environ=dict(os.environ), emit=self._heard)
        #: Whether a notebook is run: that is stopped so that its record stays true.
        self._runs = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def done(self) -> dict[str, Any]:
        entry = find(self._operation)
        assert entry is not None, self._operation
        target: Any = load(entry.target)
        self._loop = asyncio.get_running_loop()
        signal.signal(signal.SIGINT, self._interrupted)
        try:
            result = await target(self._request, self._context)
        finally:
            await self._context.close()
        plain: dict[str, Any] = result.to_json()
        return plain

    def _heard(self, happened: Any) -> None:
        if isinstance(happened, Said):
            sys.stderr.write(f"{happened.text}\n")
            sys.stderr.flush()
        else:
            self._runs = True

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if not self._runs or self._loop is None or self._context.stop.requested:
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._context.stop.request, "cancelled")


if __name__ == "__main__":
    main()
