"""Lines of a client that are no message: they are answered, so that nobody waits for ever.

Half of a character, as programs leave it that cut texts in two, is no JSON for the SDK.
"""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, Self

from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


class Lines:
    """What a client sends on a stream, without the lines that were refused."""

    def __init__(self, sent: Any, answers: Any) -> None:
        self._sent = sent
        self._answers = answers

    @property
    def last_context(self) -> Any:
        """As the SDK asks for it."""
        return getattr(self._sent, "last_context", None)

    async def receive(self) -> Any:
        """The next message."""
        while isinstance(item := await self._sent.receive(), Exception):
            answer = refusal(item)
            if answer is not None:
                await self._answers.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        await self._sent.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._sent.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        done: bool | None = await self._sent.__aexit__(kind, error, trace)
        return done


def refusal(problem: Exception) -> JSONRPCError | None:
    """What is wrong with a line, for whoever sent it; an empty one is nobody's question."""
    if not isinstance(problem, ValidationError):
        return _error(None, INVALID_REQUEST, "that is no message")
    first = problem.errors(include_url=False, include_context=False)[0]
    if first["type"] != "json_invalid":
        return _error(None, INVALID_REQUEST, f"that is no message: {first['msg'].lower()}")
    line = str(first["input"])
    return _error(_id_in(line), PARSE_ERROR, first["msg"]) if line.strip() else None


def _id_in(line: str) -> str | int | None:
    """The id of a request that Python can read, though the SDK cannot."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    id = request.get("id") if isinstance(request, dict) else None
    return id if isinstance(id, (str, int)) else None


def _error(id: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))
