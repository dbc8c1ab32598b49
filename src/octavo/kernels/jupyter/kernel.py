"""A kernel that is driven by Jupyter's protocol, from the runner's side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from octavo.environments.launch import Launch
from octavo.errors import InfrastructureError
from octavo.events.types import KernelEvent, LimitExceeded, Stream
from octavo.kernels.jupyter import failures, guests, looking, messages
from octavo.kernels.jupyter.client import Client, Message
from octavo.kernels.jupyter.command import Command
from octavo.kernels.jupyter.connection import Connection
from octavo.kernels.jupyter.running import Begin, Pieces
from octavo.kernels.jupyter.turn import Turn
from octavo.kernels.jupyter.usage import Meter
from octavo.kernels.local import reports
from octavo.kernels.port import Code, Death, Outcome, Sink, Usage

ASK_AGAIN_SECONDS = 1.0
#: How long the second of two answers may come after the first.
PATIENCE_SECONDS = 5.0
SUBSCRIBED_SECONDS = 0.2
ASKED_ENOUGH = 20
NONSENSE_ENOUGH = 20
NONSENSE_SECONDS = 3.0


class JupyterKernel:
    """Sends cells to a kernel and hands on what it publishes, in order."""

    pid = 0

    def __init__(
        self, command: Command, connection: Connection, launch: Launch, sink: Sink, begin: Begin
    ) -> None:
        self.facts: Mapping[str, Any] = {}
        self.death: Death | None = None
        self._command = command
        self._connection = connection
        self._launch = launch
        self._sink = sink
        self._sink_failure: BaseException | None = None
        self._loop = asyncio.get_running_loop()
        self._cell = 0
        self._turn: Turn | None = None
        self._requests: dict[str, int] = {}
        self._batch: list[KernelEvent] = []
        self._info: asyncio.Future[Message] = self._loop.create_future()
        self._guest: asyncio.Future[bool] = self._loop.create_future()
        self._named: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._absurd: asyncio.Future[str] = self._loop.create_future()
        self._published = asyncio.Event()
        self._nonsense = 0
        self._calm = asyncio.Event()
        self._calm.set()
        self._waiting_for = 0
        self._preamble = ""
        self._report: dict[str, Any] | None = None
        self._failure: InfrastructureError | None = None
        self._burial: asyncio.Task[None] | None = None
        connection.write(command.spec.name)
        self._output, self._process = begin(command, connection, launch, self)
        # What is imported from here on costs nothing: the kernel takes longer to start.
        self._client = Client(
            self._connection, self._arrived, self._heard_nonsense, self._process.hold
        )
        self._questions = looking.Questions(self._client.request, self._ended)

    # Becoming ready

    async def ready(self, seconds: float) -> None:
        """Until the kernel answers; raises what keeps it from doing so."""
        try:
            await asyncio.wait_for(self._ready(), seconds)
        except TimeoutError:
            words = self._output.last_words()
            await self.kill()
            raise failures.never_ready(self._command, seconds, words) from None
        except BaseException:
            await self.kill()
            raise

    async def _ready(self) -> None:
        info = await self._first_answer()
        language = info.get("language_info")
        self.facts = {
            "kernel": self._command.spec.name,
            "implementation": str(info.get("implementation") or ""),
            "implementation_version": str(info.get("implementation_version") or ""),
            "language_info": language if isinstance(language, dict) else {},
            "protocol": str(info.get("protocol_version") or ""),
            "transport": self._connection.transport,
        }
        await self._subscribed()
        self.pid = await self._process_number()
        room = self._process.has_room
        if room and self._command.is_ipykernel and info.get("implementation") == "ipython":
            await self._invite()
        self._meter = Meter(self.pid)

    async def _first_answer(self) -> Message:
        while True:
            self._client.request("shell", "kernel_info_request", {})
            waiting: set[asyncio.Future[Any]] = {self._info, self._ended, self._absurd}
            done, _ = await asyncio.wait(
                waiting, timeout=ASK_AGAIN_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if self._info in done:
                return self._info.result()
            if self._ended in done:
                raise self._failure or self._ended_early()
            if self._absurd in done:
                words = self._output.last_words()
                raise failures.nonsense(self._command, self._absurd.result(), words)

    async def _subscribed(self) -> None:
        """Until something published has reached us. A kernel that never says its state may be."""
        asked = 0
        while not self._published.is_set():
            try:
                await asyncio.wait_for(self._published.wait(), SUBSCRIBED_SECONDS)
            except TimeoutError:
                asked += 1
                if asked > ASKED_ENOUGH and self._client.wire.connected:
                    return
                self._client.request("shell", "kernel_info_request", {})
            if self._ended.done():
                raise self._failure or self._ended_early()

    async def _process_number(self) -> int:
        """A quick kernel answers before its keeper has said which process it is."""
        if not self._process.pid:
            waiting: set[asyncio.Future[None]] = {self._named, self._ended}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            raise self._failure or self._ended_early()
        return self._process.pid

    async def _invite(self) -> None:
        """Let our guest into an ipykernel; without it that kernel is used as it is."""
        source = guests.preamble(self._command, self._launch)
        self._preamble = self._client.request("shell", "execute_request", guests.silent(source))
        waiting: set[asyncio.Future[Any]] = {self._guest, self._ended}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            raise self._failure or self._ended_early()
        self.facts = {**self.facts, "guest": self._guest.result()}

    def _ended_early(self) -> InfrastructureError:
        how = self.death.message if self.death else "it ended"
        return failures.ended(self._command, how, self._output.last_words())

    # The port

    async def execute(self, code: Code) -> Outcome:
        """Run one cell; a dead kernel gives the outcome `died`."""
        await self._calm.wait()
        if self._ended.done():
            return Outcome("died")
        self._cell = code.cell
        self._turn = turn = Turn(code, f"cell-{code.cell}", self._output.guest)
        self._requests[turn.request] = code.cell
        if not self._output.guest:
            self._output.forget()
            self._meter.begin()
        content = {
            "code": code.source,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        self._client.request("shell", "execute_request", content, turn.request)
        try:
            return await turn.outcome
        finally:
            self._turn = None

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """What a function of the runtime says of the names of an idle kernel for Python."""
        looking.check_language(self.facts)
        return await self._questions.ask(function, arguments, seconds)

    async def interrupt(self) -> None:
        """Interrupt the cell that runs, and no later one: the next waits until it was sent."""
        if self._turn is None or self._ended.done():
            return
        self._turn.interrupted = True
        self._waiting_for += 1
        self._calm.clear()
        if self._command.spec.interrupt_mode == "message":
            self._client.request("control", "interrupt_request", {})
            self._loop.call_later(PATIENCE_SECONDS, self._calm.set)
        else:
            self._process.command("interrupt")

    async def kill(self) -> None:
        self._process.command("kill")
        await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Let an idle kernel end in its own way, then end whatever is left of it."""
        if self._ended.done():
            return
        self._process.command("stop" if self._turn is None else "kill")
        if self._turn is None and self._output.guest:
            self._client.request("shell", "execute_request", guests.silent(guests.LEAVE))
        elif self._turn is None:
            self._client.request("control", "shutdown_request", {"restart": False})
        await asyncio.shield(self._ended)

    # What comes over the protocol

    def _arrived(self, portion: list[tuple[str, Message]]) -> None:
        for channel, message in portion:
            kind = str(message["header"].get("msg_type"))
            parent = message["parent_header"].get("msg_id")
            if channel == "iopub":
                self._publication(kind, parent, message)
            else:
                self._answer(kind, parent, message["content"])
        self._flush()
        self._settle()

    def _publication(self, kind: str, parent: Any, message: Message) -> None:
        self._published.set()
        if kind == "status":
            idle = message["content"].get("execution_state") == "idle"
            if self._turn and idle:
                self._turn.idle = self._turn.idle or parent == self._turn.request
                self._turn.answers += parent == self._turn.asked
            return
        cell = self._requests.get(parent) if parent else self._cell
        if cell is None or not self._requests:
            return  # an answer to somebody else, or said before anything was asked
        event = messages.event(kind, message["content"], cell, message.get("buffers") or [])
        if event is not None:
            self._batch.append(event)

    def _answer(self, kind: str, parent: Any, content: Message) -> None:
        if kind == "execute_reply" and self._questions.answered(parent, content):
            return
        if kind == "kernel_info_reply":
            if not self._info.done():
                self._info.set_result(content)
            if self._turn and parent == self._turn.asked:
                self._turn.answers += 1
        elif kind == "execute_reply" and self._turn and parent == self._turn.request:
            self._turn.reply = content
        elif kind == "execute_reply" and parent == self._preamble and not self._guest.done():
            if content.get("status") != "ok":
                self._guest.set_result(False)
        elif kind == "interrupt_reply":
            self._interrupt_sent()

    def _heard_nonsense(self, why: str) -> None:
        self._nonsense += 1
        if self._info.done() or self._absurd.done():
            return
        if self._nonsense >= NONSENSE_ENOUGH:
            self._absurd.set_result(why)
        elif self._nonsense == 1:
            self._loop.call_later(NONSENSE_SECONDS, self._give_up, why)

    def _give_up(self, why: str) -> None:
        if not self._absurd.done():
            self._absurd.set_result(why)

    # What comes over the pipes and from the guest

    def wrote(self, pieces: Pieces) -> None:
        self._batch.extend(Stream(self._cell, name, text) for name, text in pieces)
        self._flush()

    def told(self, pieces: Pieces, packet: dict[str, Any]) -> None:
        kind = packet.get("type")
        self._batch.extend(Stream(self._cell, name, text) for name, text in pieces)
        if kind == "message":
            content = packet.get("content")
            event = messages.event(
                str(packet.get("msg_type")),
                content if isinstance(content, dict) else {},
                self._cell,
                packet.get("buffers") or [],
            )
            if event is not None:
                self._batch.append(event)
        elif kind not in ("barrier", "ready", "done"):
            self._batch.append(reports.event(packet, self._cell))
        self._flush()
        if kind == "ready" and not self._guest.done():
            self.facts = {**self.facts, **packet["facts"]}
            self._guest.set_result(True)
        elif kind == "done" and self._turn:
            self._turn.done = packet
            self._settle()

    def complain(self, why: str) -> None:
        self._batch.append(reports.complaint(self._cell, why))
        self._flush()

    def _flush(self) -> None:
        """Hand on what has come. Where it cannot be written the kernel must not go on."""
        batch, self._batch = self._batch, []
        if not batch or self._sink_failure is not None:
            return
        if self._turn:
            self._turn.saw(batch)
        try:
            self._sink(batch)
        except Exception as error:
            self._sink_failure = error
            self._process.command("kill")

    # How a cell ends

    def _settle(self) -> None:
        turn = self._turn
        if turn is None or turn.outcome.done():
            return
        if turn.over and turn.quiet:
            self._finish(turn)
        elif turn.over and (not turn.asked or turn.answers >= 2):
            turn.ask(self._client.request("shell", "kernel_info_request", {}))
        if turn.nearly_over and not turn.patience:
            turn.patience = True
            self._loop.call_later(PATIENCE_SECONDS, self._lose_patience, turn, turn.progress)

    def _lose_patience(self, turn: Turn, progress: int) -> None:
        """What is missing will not come, unless something else has come meanwhile."""
        if turn.progress == progress:
            self._finish(turn)
        elif not turn.outcome.done():
            self._loop.call_later(PATIENCE_SECONDS, self._lose_patience, turn, turn.progress)

    def _finish(self, turn: Turn) -> None:
        if turn.outcome.done():
            return
        self._batch.extend(turn.last_events(self._output.last_words()))
        self._flush()
        if self._sink_failure is not None:
            turn.outcome.set_exception(self._sink_failure)
        else:
            usage = Usage() if turn.done is not None else self._meter.end()
            turn.outcome.set_result(turn.result(usage))

    # How the kernel ends

    def reported(self, message: dict[str, Any]) -> None:
        if message["type"] == "started" and not self._named.done():
            self._named.set_result(None)
        elif message["type"] == "ended":
            self._report = message
        elif message["type"] == "failed":
            self._failure = failures.not_executed(self._command, message["step"], message["reason"])
        elif message["type"] == "interrupted":
            self._interrupt_sent()

    def _interrupt_sent(self) -> None:
        self._waiting_for -= 1
        if self._waiting_for <= 0:
            self._waiting_for = 0
            self._calm.set()

    def ended(self) -> None:
        self._burial = asyncio.ensure_future(self._bury())

    async def _bury(self) -> None:
        """Hand on everything that is left, and say how it ended."""
        await self._client.wire.finish()
        self.wrote(self._output.rest())
        self.death = reports.death(self._report)
        exceeded = (self._report or {}).get("exceeded")
        if exceeded:
            self._batch.append(LimitExceeded(self._cell, **exceeded))
        elif self._turn and self.death.cause != "killed" and not self._output.guest:
            words = self._output.last_words()
            self._batch.extend([Stream(self._cell, "stderr", words)] if words else [])
        self._flush()
        self._connection.remove()
        self._ended.set_result(None)
        self._calm.set()
        if self._turn and not self._turn.outcome.done():
            if self._sink_failure is not None:
                self._turn.outcome.set_exception(self._sink_failure)
            else:
                self._turn.outcome.set_result(Outcome("died"))
        self._output.close()
