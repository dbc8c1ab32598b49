"""Notebooks that are run and judged in a temporary project, as the gate does it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from octavo.app.context import Context
from octavo.gate.comparing.rules import Rules
from octavo.gate.judging import judge, read_executed
from octavo.gate.nbval.markers import marked
from octavo.gate.references.reading import read_reference
from octavo.gate.references.writing import accept
from octavo.gate.verdicts import CellVerdict
from octavo.records.record import RunRecord, load_record
from octavo.runs.operation import run
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile, read_source


class Judged:
    """A notebook after its run, and all that its verdicts rest on."""

    def __init__(self, source: SourceFile, record: RunRecord) -> None:
        self.source = source
        self.record = record
        self.executed = read_executed(record)

    def verdicts(
        self, rules: Rules | None = None, *, strict: bool = True, values: str = ""
    ) -> tuple[CellVerdict, ...]:
        reference = read_reference(self.source, values)
        wanted = self.source.notebook, self.record, self.executed, reference, rules or Rules()
        return judge(*wanted, strict=strict)

    def outcomes(self, rules: Rules | None = None, *, strict: bool = True) -> list[str]:
        return [each.outcome for each in self.verdicts(rules, strict=strict)]

    def accept(
        self, rules: Rules | None = None, *, strict: bool = True, values: str = ""
    ) -> tuple[int, ...]:
        reference = read_reference(self.source, values)
        wanted = self.source, self.record, self.executed, reference, rules or Rules()
        return accept(*wanted, strict=strict)


class JudgedProject:
    """A folder with notebooks, and a way to run them as the gate does."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "octavo.toml").write_text("")

    def run(self, text: str | None = None, name: str = "nb.py", **options: Any) -> Judged:
        if text is not None:
            (self.root / name).write_text(text)
        return self.run_all([name], **options)[0]

    def run_all(self, names: Sequence[str], **options: Any) -> list[Judged]:
        return asyncio.run(self._run_all(names, **options))

    async def _run_all(self, names: Sequence[str], **options: Any) -> list[Judged]:
        environ = {**os.environ, "XDG_RUNTIME_DIR": str(self.root / "runtime")}
        places = asyncio.Semaphore(6)

        async def one(name: str) -> Judged:
            source = read_source(self.root / name)
            wanted = source.replace(notebook=marked(source.notebook))
            request = RunRequest(paths=(name,), source=wanted, keep_going=True, **options)
            async with places:
                context = Context(cwd=str(self.root), environ=environ, emit=lambda _: None)
                try:
                    report = await run(request, context)
                finally:
                    await context.close()
            return Judged(source, load_record(Path(report.results[0].record_path).parent))

        return await asyncio.gather(*map(one, names))
