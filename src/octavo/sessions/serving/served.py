"""A session that answers as a kernel does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from octavo.errors import OctavoError
from octavo.sessions.serving import publishing
from octavo.sessions.serving.sockets import Message, Sockets
from octavo.sessions.serving.speaker import Speaker
from octavo.version import VERSION

Content = Mapping[str, Any]
_OK = {"status": "ok"}
BANNER = "A session of Octavo. Leaving it does not end it."
#: Errors after which there is nobody left to ask.
_OVER = ("session-dead", "session-lost", "session-not-found")


class Served:
    """Answers what Jupyter's programs ask, until one asks it to shut down or the session ends.

    That ends the serving, never the session.
    """

    def __init__(self, speaker: Speaker, sockets: Sockets) -> None:
        self._speaker = speaker
        self._sockets = sockets
        self._over = asyncio.Event()
        self.executed = 0
        self._leaves = False
        self._last = False
        self.reason = "it was asked to shut down"

    async def run(self) -> None:
        """Serve. Requests on `shell` have their turn, those on `control` are answered at once."""
        tasks = [
            asyncio.ensure_future(each)
            for each in (self._sockets.beat(), self._serve("shell"), self._serve("control"))
        ]
        over = asyncio.ensure_future(self._over.wait())
        try:
            done, _ = await asyncio.wait([over, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {over}:
                task.result()
        finally:
            for task in (over, *tasks):
                task.cancel()
            await asyncio.wait([over, *tasks])

    async def _serve(self, channel: str) -> None:
        while True:
            await self._answer(channel, *await self._sockets.next(channel))

    async def _answer(self, channel: str, to: list[bytes], request: Message) -> None:
        kind = str(request["header"].get("msg_type"))
        handle = _HANDLERS.get(kind)
        if handle is None:
            return  # messages of widgets have no answer, and what is unknown gets none
        await self._sockets.publish("status", {"execution_state": "busy"}, request)
        content = await handle(self, request)
        stops = content.get("status") == "error" and request["content"].get("stop_on_error", True)
        sent_before: list[tuple[list[bytes], Message]] = []
        if kind == "execute_request" and stops:
            sent_before = await self._sockets.waiting(channel)
        await self._conclude(channel, to, request, content)
        for each in sent_before:
            await self._pass_over(channel, *each)
        if kind == "shutdown_request" or self._last:
            self._over.set()

    async def _conclude(
        self, channel: str, to: list[bytes], request: Message, content: Content
    ) -> None:
        kind = str(request["header"]["msg_type"]).removesuffix("_request") + "_reply"
        await self._sockets.reply(channel, to, kind, content, request)
        await self._sockets.publish("status", {"execution_state": "idle"}, request)

    async def _pass_over(self, channel: str, to: list[bytes], request: Message) -> None:
        """Cells that were sent before the failure could be seen are not run after it."""
        if request["header"].get("msg_type") != "execute_request":
            await self._answer(channel, to, request)
            return
        await self._sockets.publish("status", {"execution_state": "busy"}, request)
        await self._conclude(channel, to, request, {"status": "aborted"})

    # Executing

    async def execute(self, request: Message) -> Content:
        asked = request["content"]
        code, silent = str(asked.get("code") or ""), bool(asked.get("silent"))
        if not code.strip():
            return {**_OK, "execution_count": self.executed, "user_expressions": {}, "payload": []}
        self.executed += not silent
        if not silent:
            given = {"code": code, "execution_count": self.executed}
            await self._sockets.publish("execute_input", given, request)
        self._leaves = False
        outbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        showing = asyncio.ensure_future(self._show(outbox, request, silent))
        try:
            answer = await self._speaker.execute(code, silent, outbox.put_nowait)
        except OctavoError as error:
            return await self._failed(error, request)
        finally:
            outbox.put_nowait(None)
            await showing
        return await self._reply(answer, request)

    async def _show(
        self, outbox: asyncio.Queue[dict[str, Any] | None], request: Message, silent: bool
    ) -> None:
        while (event := await outbox.get()) is not None:
            self._leaves = self._leaves or event.get("type") == "exit-requested"
            made = publishing.message(event)
            if made is not None and not silent:
                await self._sockets.publish(*made, request)

    async def _reply(self, answer: Mapping[str, Any], request: Message) -> Content:
        count = answer.get("execution_count") or self.executed
        self.executed = max(self.executed, int(count))
        if answer.get("status") == "succeeded":
            payload = [{"source": "ask_exit", "keepkernel": True}] if self._leaves else []
            return {**_OK, "execution_count": count, "user_expressions": {}, "payload": payload}
        error = answer.get("error") or {}
        name = str(error.get("name") or answer.get("status"))
        told = {"ename": name, "evalue": str(error.get("message") or ""), "traceback": []}
        if answer.get("status") == "kernel-died":
            words = f"{told['evalue']}\n{answer.get('next') or ''}".strip()
            await self._sockets.publish("error", {**told, "traceback": [words]}, request)
        return {"status": "error", "execution_count": count, **told}

    async def _failed(self, error: OctavoError, request: Message) -> Content:
        """What the session itself says."""
        words = [error.message, *([f"hint: {error.hint}"] if error.hint else [])]
        told = {"ename": error.kind, "evalue": error.message, "traceback": ["\n".join(words)]}
        await self._sockets.publish("error", told, request)
        if error.kind in _OVER:
            self.reason = error.message
            self._last = True
        return {"status": "error", "execution_count": self.executed, **told}

    # Looking

    async def info(self, request: Message) -> Content:
        return {
            **_OK,
            "protocol_version": "5.3",
            "implementation": "octavo",
            "implementation_version": VERSION,
            "language_info": dict(self._speaker.language),
            "banner": BANNER,
            "help_links": [],
        }

    async def complete(self, request: Message) -> Content:
        code, at = _cursor(request["content"])
        found = await self._look("completing:complete", code, at)
        nothing = {"matches": [], "cursor_start": at, "cursor_end": at, "metadata": {}}
        return {**_OK, **nothing, **found}

    async def inspect(self, request: Message) -> Content:
        code, at = _cursor(request["content"])
        detail = 1 if request["content"].get("detail_level") == 1 else 0
        found = await self._look("completing:inspect", code, at, detail=detail)
        return {**_OK, "found": False, "data": {}, "metadata": {}, **found}

    async def _look(self, function: str, code: str, at: int, **more: Any) -> Mapping[str, Any]:
        if self._speaker.language.get("name") != "python":
            return {}
        found = await self._speaker.look(function, code=code, cursor=at, **more)
        return found if isinstance(found, Mapping) else {}

    async def is_complete(self, request: Message) -> Content:
        if self._speaker.language.get("name") != "python":
            return {"status": "unknown"}
        from IPython.core.inputtransformer2 import TransformerManager

        code = str(request["content"].get("code") or "")
        status, indent = TransformerManager().check_complete(code)
        told = {"status": status}
        return {**told, "indent": " " * int(indent or 0)} if status == "incomplete" else told

    async def history(self, request: Message) -> Content:
        return {**_OK, "history": []}

    async def comm_info(self, request: Message) -> Content:
        return {**_OK, "comms": {}}

    # Ending

    async def interrupt(self, request: Message) -> Content:
        try:
            await self._speaker.interrupt()
        except OctavoError as error:
            return {"status": "error", "ename": error.kind, "evalue": error.message}
        return _OK

    async def shutdown(self, request: Message) -> Content:
        return {**_OK, "restart": False}


def _cursor(content: Content) -> tuple[str, int]:
    code = str(content.get("code") or "")
    at = content.get("cursor_pos")
    return code, at if isinstance(at, int) and 0 <= at <= len(code) else len(code)


_HANDLERS: dict[str, Callable[[Served, Message], Awaitable[Content]]] = {
    "execute_request": Served.execute,
    "kernel_info_request": Served.info,
    "complete_request": Served.complete,
    "inspect_request": Served.inspect,
    "is_complete_request": Served.is_complete,
    "history_request": Served.history,
    "comm_info_request": Served.comm_info,
    "interrupt_request": Served.interrupt,
    "shutdown_request": Served.shutdown,
}
