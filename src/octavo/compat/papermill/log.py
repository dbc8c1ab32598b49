"""What cells write, passed on as Papermill does: to its logger, and to files of the caller's."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from octavo.events.types import Display, Event, ExecuteResult, Stream

#: Papermill's own logger: whoever has configured it goes on seeing what it did.
logger = logging.getLogger("papermill")


class TextFile(Protocol):
    """Something to write text to."""

    def write(self, text: str, /) -> Any: ...

    def flush(self) -> Any: ...


class Outlet:
    """Takes the events of a run and passes on what cells write."""

    def __init__(
        self, log_output: bool, stdout: TextFile | None = None, stderr: TextFile | None = None
    ) -> None:
        self._log_output = log_output
        self._files = {"stdout": stdout, "stderr": stderr}

    def take(self, event: Event) -> None:
        if isinstance(event, Stream):
            self._stream(event)
        elif self._log_output and isinstance(event, Display | ExecuteResult):
            self._bundle(event.data)

    def _stream(self, event: Stream) -> None:
        if self._log_output:
            level = logging.WARNING if event.name == "stderr" else logging.INFO
            logger.log(level, "%s", event.text)
        file = self._files[event.name]
        if file is not None:
            file.write(event.text)
            file.flush()

    def _bundle(self, data: Mapping[str, Any]) -> None:
        if "text/plain" in data:
            logger.info("%s", data["text/plain"])
