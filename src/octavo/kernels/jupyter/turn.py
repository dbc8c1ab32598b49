"""One cell on its way through a Jupyter kernel: what has come of it, and how it ended."""

from __future__ import annotations

import asyncio
from typing import Any

from octavo.events.types import ErrorRaised, ExitRequested, KernelEvent
from octavo.kernels.jupyter import messages
from octavo.kernels.local import reports
from octavo.kernels.port import Code, Outcome, Usage

NO_REPLY = "the kernel ended this cell without an answer; it may be of no use any more"


class Turn:
    """A cell ends when its reply and the state `idle` have come, and what its guest says."""

    def __init__(self, code: Code, request: str, guest: bool) -> None:
        self.cell = code.cell
        self.request = request
        self.interrupted = False
        self.idle = False
        self.reply: dict[str, Any] | None = None
        self.done: dict[str, Any] | None = None
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.asked = ""
        self.answers = 0
        self.news = False
        self.patience = False
        self.progress = 0
        self._guest = guest
        self._errors = 0

    @property
    def over(self) -> bool:
        told = self.done is not None or not self._guest
        return self.reply is not None and self.idle and told

    @property
    def nearly_over(self) -> bool:
        """Whether one of two answers has come, so that the other cannot be far."""
        return self.reply is not None or self.idle or self.done is not None

    @property
    def quiet(self) -> bool:
        """Whether nothing can come any more: some kernels publish after they have said `idle`.

        So they are asked something that shows nothing, until only the answer comes.
        """
        return self._guest or (self.answers >= 2 and not self.news)

    def ask(self, request: str) -> None:
        """Note that a question of no weight was sent."""
        self.asked, self.answers, self.news = request, 0, False

    def saw(self, events: list[KernelEvent]) -> None:
        self.news = True
        self.progress += 1
        self._errors += sum(isinstance(event, ErrorRaised) for event in events)

    def last_events(self, words: str) -> list[KernelEvent]:
        """What the reply says and no message has shown; `words` are what the program wrote."""
        reply = self.reply
        if reply is None:
            return [] if self.done is not None else [self._no_reply(words)]
        if self._failed(reply) and not self._errors and self.done is None:
            return [self._error(reply)]
        if _asks_to_exit(reply):
            return [ExitRequested(self.cell, None)]
        return []

    def result(self, usage: Usage) -> Outcome:
        """The outcome, from what the guest says or from the reply."""
        if self.done is not None:
            return reports.outcome(self.done)
        reply = self.reply or {"status": "error"}
        count = reply.get("execution_count")
        return Outcome(
            "error" if self._failed(reply) else "ok",
            count if isinstance(count, int) else None,
            usage,
        )

    def _failed(self, reply: dict[str, Any]) -> bool:
        return reply.get("status") != "ok"

    def _no_reply(self, words: str) -> ErrorRaised:
        lines = words.strip().splitlines()
        return ErrorRaised(self.cell, "NoReply", NO_REPLY, (*lines, f"NoReply: {NO_REPLY}"))

    def _error(self, reply: dict[str, Any]) -> ErrorRaised:
        error = messages.error(reply, self.cell)
        if self.interrupted:
            return error.replace(ename="KeyboardInterrupt", evalue="")
        if reply.get("status") in ("abort", "aborted"):
            return error.replace(ename="Aborted", evalue="the kernel did not run this cell")
        return error


def _asks_to_exit(reply: dict[str, Any]) -> bool:
    payload = reply.get("payload")
    return isinstance(payload, list) and any(
        isinstance(each, dict) and each.get("source") == "ask_exit" for each in payload
    )
