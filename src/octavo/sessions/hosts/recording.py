"""The record of a session while it lives: its folder, its journal, and how it ends."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.errors import OctavoError, StorageError
from octavo.events.types import Event, Reason, RunFinished, RunStarted
from octavo.records.journal import Journal
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.runs.execution import run_started
from octavo.runs.pipeline import Emit, Pipeline
from octavo.runs.plan import Plan
from octavo.runs.redact import Redactor
from octavo.runs.request import DEFAULT_OUTPUT_CAP, RunRequest
from octavo.runs.spill import Spill


class Recording:
    """What a session writes to. Its id is that of the run."""

    def __init__(
        self,
        store: Store,
        run_dir: RunDir,
        journal: Journal,
        pipeline: Pipeline,
        redactor: Redactor,
    ) -> None:
        self._store = store
        self._journal = journal
        self._redactor = redactor
        self.run_dir = run_dir
        self.pipeline = pipeline

    @classmethod
    def begin(cls, plan: Plan, request: RunRequest, store: Store, emit: Emit) -> Recording:
        """A folder and a journal; the first event is written with `started`."""
        source = plan.source.file
        content = source.text.encode("utf-8"), f".{source.format}"
        run_dir = store.create_run(time.time(), os.urandom(10), *content)
        journal = store.open_journal(run_dir)
        spill = Spill(run_dir.path, DEFAULT_OUTPUT_CAP)
        pipeline = Pipeline(journal, spill, plan.redactor, emit)
        return cls(store, run_dir, journal, pipeline, plan.redactor)

    @property
    def id(self) -> str:
        return self.run_dir.run_id

    @property
    def short(self) -> str:
        return self.id[-8:]

    @property
    def path(self) -> Path:
        return self.run_dir.path

    def started(self, plan: Plan, request: RunRequest, options: dict[str, object]) -> None:
        """Write the first event: no cells yet, they come one by one."""
        event = run_started(plan, request, self.run_dir)
        told = {**event.options, "session": True, **options}
        first: RunStarted = event.replace(cells=(), options=told)
        self.pipeline.write(self.pipeline.redact(first))

    def write(self, *events: Event) -> None:
        self.pipeline.write(*events)

    def clean(self, value: Any) -> Any:
        """A value without secrets."""
        return self._redactor.value(value)

    def end(self, reason: Reason | None, message: str) -> None:
        """Write the last event and the record; what cannot be written is left to recovery."""
        from octavo.records.assemble import assemble

        status = "success" if reason is None else "error"
        with suppress(StorageError):
            finished = RunFinished(time.time(), status, reason, message)  # type: ignore[arg-type]
            self.pipeline.write(self.pipeline.redact(finished))
        self.pipeline.close()
        try:
            with suppress(OctavoError, OSError):
                self._store.finish(self.run_dir, assemble(self.path))
        finally:
            self._journal.close()
