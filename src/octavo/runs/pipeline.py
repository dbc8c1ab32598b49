"""The way of an event from the kernel to the journal: redact, limit, write, then show."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from octavo.events.types import Event, KernelEvent, Stream
from octavo.records.journal import Journal
from octavo.runs.redact import Redactor
from octavo.runs.spill import Spill

Emit = Callable[[Event], None]
#: Given what a kernel wrote, all of it, before anything is cut.
Take = Callable[[Sequence[KernelEvent]], None]


class Pipeline:
    """Takes events in order. When `write` returns they are in the journal and have been shown.

    A failure to write is kept and raised at the next cell boundary: the kernel must not be left
    waiting for an answer.
    """

    def __init__(
        self,
        journal: Journal,
        spill: Spill,
        redactor: Redactor,
        emit: Emit,
        take: Take | None = None,
    ) -> None:
        self._journal = journal
        self._spill = spill
        self._redactor = redactor
        self._emit = emit
        self._take = take
        self._streams = {name: redactor.stream(name) for name in ("stdout", "stderr")}
        self._secret = redactor.active
        self.heard = time.monotonic()
        self.failure: Exception | None = None
        self.on_failure: Callable[[], None] = _nothing

    def from_kernel(self, events: Sequence[KernelEvent]) -> None:
        """The sink of a kernel; never raises into the event loop."""
        self.heard = time.monotonic()
        if self.failure is not None:
            return
        try:
            self.write(*self._limited(self._redacted(events)))
        except Exception as error:
            self.failure = error
            self.on_failure()

    def write(self, *events: Event) -> None:
        """Journal events of the runner itself, then show them."""
        if not events:
            return
        self._journal.write(events)
        for event in events:
            self._emit(event)

    def redact(self, event: Event) -> Event:
        """The event without secrets, for what the runner itself writes."""
        cleaned: Event = self._redactor.value(event)
        return cleaned

    def end_of_cell(self, cell: int) -> None:
        """Let go of text that was held back because a secret might have begun in it."""
        if not self._secret or self.failure is not None:
            return
        rest = [
            Stream(cell, name, text)  # type: ignore[arg-type]
            for name, stream in self._streams.items()
            if (text := stream.flush())
        ]
        self.write(*self._limited(rest))

    def close(self) -> None:
        """Let go of the files that long outputs were written to."""
        self._spill.close()

    def _limited(self, events: Sequence[KernelEvent]) -> list[Event]:
        if self._take is not None:
            self._take(events)
        return self._spill.apply(events)

    def _redacted(self, events: Sequence[KernelEvent]) -> Sequence[KernelEvent]:
        if not self._secret:
            return events
        clean: list[KernelEvent] = []
        for event in events:
            if isinstance(event, Stream):
                text = self._streams[event.name].feed(event.text)
                if text:
                    clean.append(event.replace(text=text))
            else:
                clean.append(self._redactor.value(event))
        return clean


def _nothing() -> None:
    pass
