"""A kernel of a Jupyter server, which others may use at the same time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from octavo.errors import OctavoError
from octavo.events.types import KernelEvent
from octavo.kernels.jupyter import looking, messages
from octavo.kernels.jupyter.client import Message, sendable
from octavo.kernels.jupyter.turn import Turn
from octavo.kernels.port import Code, Death, Outcome, Sink, Usage
from octavo.kernels.remote import failures
from octavo.kernels.remote.channels import Channels
from octavo.kernels.remote.server import Server, call

ASK_AGAIN_SECONDS = 2.0
EARLY_TIMES, EARLY_SECONDS = 10, 0.5
#: States that a kernel has only while it comes up: then everything in it is new.
_NEW = ("starting", "restarting", "autorestarting")
_RESTARTED = "the kernel was restarted in the Jupyter server: what it knew is lost"
_DEAD = "the kernel ended in the Jupyter server"
_ENDED = "the kernel was ended in the Jupyter server"


class RemoteTurn(Turn):
    """One cell. `began` is when it is its turn: the cells of others may be before it.

    IPython's kernel says `idle` after everything else; others are asked until they are quiet.
    """

    def __init__(self, code: Code, request: str, orderly: bool) -> None:
        super().__init__(code, request, guest=False)
        self.began = False
        self._orderly = orderly

    @property
    def quiet(self) -> bool:
        return self._orderly or super().quiet


class RemoteKernel:
    """Sends cells to a kernel, and hands on what it publishes about these cells only.

    With `owned` it was started for us and ends with us; else it stays when we leave.
    """

    pid = 0

    def __init__(self, server: Server, kernel: str, sink: Sink, *, owned: bool) -> None:
        self.facts: Mapping[str, Any] = {}
        self.death: Death | None = None
        self.id = kernel
        self.owned = owned
        self._server = server
        self._sink = sink
        self._sink_failure: BaseException | None = None
        self._turn: RemoteTurn | None = None
        #: Ids of requests must be ours alone: a person's page has cells of its own numbers.
        self._prefix = os.urandom(6).hex()
        self._number = 0
        self._requests: dict[str, int] = {}
        self._ready = False
        #: The name that the kernel's process gives itself; after a restart it is another one.
        self._process = ""
        loop = asyncio.get_running_loop()
        self._info: asyncio.Future[Message] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()
        self._channels = Channels(server, kernel, self._heard, self._back, self._gone)
        self._questions = looking.Questions(self._channels.request, self._ended)
        self._tasks: set[asyncio.Task[Any]] = set()

    # Becoming ready

    async def ready(self, seconds: float) -> None:
        """Until the kernel answers; raises what keeps it from doing so."""
        await self._channels.open()
        try:
            info = await asyncio.wait_for(self._first_answer(), seconds)
        except TimeoutError:
            await self._channels.close()
            raise failures.silent(self._server.url, self.id, seconds) from None
        language = info.get("language_info")
        self._ready = True
        self.facts = {
            "kernel": self.id,
            "server": self._server.url,
            "implementation": str(info.get("implementation") or ""),
            "implementation_version": str(info.get("implementation_version") or ""),
            "language_info": language if isinstance(language, dict) else {},
            "protocol": str(info.get("protocol_version") or ""),
        }

    async def _first_answer(self) -> Message:
        """A busy kernel answers on `control` only, and some never do there: both are asked."""
        while not self._info.done():
            for channel in ("control", "shell"):
                self._channels.request(channel, "kernel_info_request", {})
            await asyncio.wait([self._info], timeout=ASK_AGAIN_SECONDS)
        return self._info.result()

    # The port

    async def execute(self, code: Code) -> Outcome:
        """Run one cell after those that others have asked for; `died` where the kernel is gone."""
        if self._ended.done():
            return Outcome("died")
        self._number += 1
        orderly = self.facts.get("implementation") == "ipython"
        turn = RemoteTurn(code, f"octavo-{self._prefix}-{self._number}", orderly)
        self._turn = turn
        self._requests[turn.request] = code.cell
        content = {
            "code": code.source,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        self._channels.request("shell", "execute_request", sendable(content), turn.request)
        try:
            return await turn.outcome
        finally:
            self._turn = None

    async def interrupt(self) -> None:
        """Interrupt our cell, and no other: one that waits for its turn, when that has come."""
        turn = self._turn
        if turn is None or self._ended.done():
            return
        turn.interrupted = True
        if turn.began:
            await self._send_interrupt()

    async def kill(self) -> None:
        """End a kernel of ours. Somebody else's is interrupted, if it runs our cell, and left."""
        if not self._ended.done():
            if not self.owned:
                await self.interrupt()
            await self._leave(Death(None, None, "the session left the kernel", "killed"))

    async def stop(self) -> None:
        """End a kernel of ours; leave somebody else's as it is."""
        await self.kill()

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """What a function of the runtime says of the names; a busy kernel is not waited for."""
        looking.check_language(self.facts)
        return await self._questions.ask(function, arguments, seconds)

    async def _interrupt_early(self, turn: RemoteTurn) -> None:
        """A kernel that has taken a cell and not begun to run its code may hear nothing yet."""
        for _ in range(EARLY_TIMES):
            await self._send_interrupt()
            await asyncio.wait([turn.outcome], timeout=EARLY_SECONDS)
            if turn.outcome.done() or self._turn is not turn:
                return

    async def _send_interrupt(self) -> None:
        try:
            await call(self._server, "POST", f"api/kernels/{self.id}/interrupt", {})
        except OctavoError:
            pass  # whoever waits for the cell learns that the server is gone

    async def _leave(self, death: Death) -> None:
        self._end(death)
        await self._channels.close()
        if self.owned:
            try:
                await call(self._server, "DELETE", f"api/kernels/{self.id}")
            except OctavoError:
                pass  # the server or the kernel has gone before us

    # What comes over the channels

    def _heard(self, channel: str, message: Message) -> None:
        kind = str(message["header"].get("msg_type"))
        parent = message["parent_header"].get("msg_id")
        if channel == "iopub":
            self._publication(kind, parent, message)
        else:
            if kind == "kernel_info_reply" and not self._process:
                self._process = str(message["header"].get("session") or "")
            self._answer(kind, parent, message["content"])
        self._settle()

    def _publication(self, kind: str, parent: Any, message: Message) -> None:
        content = message["content"]
        if kind == "status":
            state = str(content.get("execution_state"))
            if state != "starting" or not self._is_known(message):
                self._state(state, parent)
        elif kind == "shutdown_reply":
            self._lost(_RESTARTED if content.get("restart") else _ENDED)
        elif parent in self._requests:
            content = self._with_cells(content)
            made = messages.event(
                kind, content, self._requests[parent], message.get("buffers") or []
            )
            if made is not None:
                self._hand_on([made])

    def _is_known(self, message: Message) -> bool:
        """Whether it is the process that has answered us, whose first words may come late."""
        return bool(self._process) and message["header"].get("session") == self._process

    def _with_cells(self, content: Message) -> Message:
        """A widget that captures output names the request, which is known here as a cell."""
        data: Any = content.get("data")
        state: Any = data.get("state") if isinstance(data, dict) else None
        cell = self._requests.get(state.get("msg_id", "")) if isinstance(state, dict) else None
        if cell is None:
            return content
        return {**content, "data": {**data, "state": {**state, "msg_id": f"cell-{cell}"}}}

    def _state(self, state: str, parent: Any) -> None:
        turn = self._turn
        if state == "dead":
            self._lost(_DEAD)
        elif state in _NEW and self._ready:
            self._lost(_RESTARTED)
        elif turn and parent == turn.request:
            turn.idle = turn.idle or state == "idle"
            if state == "busy" and not turn.began:
                turn.began = True
                if turn.interrupted:
                    self._spawn(self._interrupt_early(turn))
        elif turn and state == "idle":
            turn.answers += parent == turn.asked

    def _answer(self, kind: str, parent: Any, content: Message) -> None:
        if self._questions.answered(parent, content):
            return
        if kind == "kernel_info_reply":
            if not self._info.done():
                self._info.set_result(content)
            if self._turn and parent == self._turn.asked:
                self._turn.answers += 1
        elif kind == "execute_reply" and self._turn and parent == self._turn.request:
            self._turn.reply = content

    def _hand_on(self, events: list[KernelEvent]) -> None:
        """Where it cannot be written the cell must not go on."""
        if not events or self._sink_failure is not None:
            return
        if self._turn:
            self._turn.saw(events)
        try:
            self._sink(events)
        except Exception as error:
            self._sink_failure = error
            self._spawn(self.kill())

    # How a cell ends

    def _settle(self) -> None:
        turn = self._turn
        if turn is None or turn.outcome.done():
            return
        if turn.over and turn.quiet:
            self._finish(turn)
        elif turn.asked and turn.answers >= 2 and not turn.over:
            self._finish(turn)  # what was asked later is answered: the rest was missed
        elif turn.nearly_over and (not turn.asked or turn.answers >= 2):
            turn.ask(self._channels.request("shell", "kernel_info_request", {}))

    def _finish(self, turn: RemoteTurn) -> None:
        self._hand_on(turn.last_events(""))
        if self._sink_failure is not None:
            turn.outcome.set_exception(self._sink_failure)
        else:
            turn.outcome.set_result(turn.result(Usage()))

    # How the kernel is lost

    def _back(self) -> None:
        """Connected again. Whether the reply was missed shows what is asked behind it."""
        turn = self._turn
        if turn and not turn.outcome.done():
            turn.ask(self._channels.request("shell", "kernel_info_request", {}))

    def _gone(self, reason: str) -> None:
        self._lost(f"the Jupyter server went away: {reason}")

    def _lost(self, message: str) -> None:
        if not self._ended.done():
            self._end(Death(None, None, message, "lost"))
            self._spawn(self._channels.close())

    def _end(self, death: Death) -> None:
        if self._ended.done():
            return
        self.death = death
        self._ended.set_result(None)
        turn = self._turn
        if turn and not turn.outcome.done():
            if self._sink_failure is not None:
                turn.outcome.set_exception(self._sink_failure)
            else:
                turn.outcome.set_result(Outcome("died"))

    def _spawn(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
