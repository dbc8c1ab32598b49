"""What stands behind a served kernel: a session, asked over its own socket."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from octavo.errors import OctavoError
from octavo.sessions.client import SessionClient

#: The longest that a person waits for completions before going on typing.
LOOK_SECONDS = 3.0

OnEvent = Callable[[dict[str, Any]], None]


class Speaker(Protocol):
    """What a served kernel asks; `execute` answers with status, execution_count and error."""

    language: Mapping[str, Any]

    async def execute(self, code: str, scratch: bool, on_event: OnEvent) -> Mapping[str, Any]: ...

    async def interrupt(self) -> None: ...

    async def look(self, function: str, **arguments: Any) -> Any:
        """What a function of the runtime says; None where it cannot be asked."""


class SessionSpeaker:
    """One connection to a session; leaving it ends nothing."""

    def __init__(self, client: SessionClient, language: Mapping[str, Any]) -> None:
        self._client = client
        self.place = client.place
        self.language = language

    @classmethod
    async def open(cls, runtime: str, session: str) -> SessionSpeaker:
        client = await SessionClient.open(runtime, session)
        document = await client.call("document")
        return cls(client, _language(document.get("metadata") or {}))

    async def execute(self, code: str, scratch: bool, on_event: OnEvent) -> Mapping[str, Any]:
        request = f"jupyter-{os.urandom(8).hex()}"
        answer: Mapping[str, Any] = await self._client.call(
            "exec", on_event=on_event, code=code, scratch=scratch, request_id=request
        )
        return answer

    async def interrupt(self) -> None:
        await self._client.call("interrupt")

    async def look(self, function: str, **arguments: Any) -> Any:
        try:
            told = await self._client.call(
                "ask", function=function, arguments=arguments, seconds=LOOK_SECONDS
            )
        except OctavoError:
            return None
        return told.get("value")

    def close(self) -> None:
        self._client.close()


def _language(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    told = metadata.get("language_info")
    if isinstance(told, Mapping) and told.get("name"):
        return {"file_extension": ".txt", "mimetype": "text/plain", "version": "", **told}
    name = str((metadata.get("kernelspec") or {}).get("language") or "python").lower()
    if name != "python":
        return {"name": name, "version": "", "mimetype": "text/plain", "file_extension": ".txt"}
    return {
        "name": "python",
        "version": "3",
        "mimetype": "text/x-python",
        "file_extension": ".py",
        "pygments_lexer": "ipython3",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "nbconvert_exporter": "python",
    }
