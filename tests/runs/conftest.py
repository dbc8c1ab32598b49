"""Real runs in a temporary project."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.app.context import Context
from octavo.records.record import RunRecord, load_record
from octavo.records.result import RunResult
from octavo.runs.operation import run
from octavo.runs.request import RunRequest

Runner = Callable[..., RunResult]


class Project:
    """A folder with notebooks, and a way to run them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events: list[Any] = []
        self.environ = {**os.environ, "XDG_RUNTIME_DIR": str(root / "runtime")}

    def write(self, source: str, name: str = "nb.py") -> Path:
        path = self.root / name
        path.write_text(source)
        return path

    def run(self, source: str, name: str = "nb.py", **options: Any) -> RunResult:
        self.write(source, name)
        return self.run_paths(name, **options)[0]

    def run_paths(self, *names: str, **options: Any) -> tuple[RunResult, ...]:
        return asyncio.run(self.arun(*names, **options))

    async def arun(self, *names: str, **options: Any) -> tuple[RunResult, ...]:
        context = self.context()
        try:
            report = await run(RunRequest(paths=names, **options), context)
        finally:
            await context.close()
        return report.results

    def context(self) -> Context:
        return Context(cwd=str(self.root), environ=self.environ, emit=self.events.append)

    def record(self, result: RunResult) -> RunRecord:
        return load_record(Path(result.record_path).parent)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "octavo.toml").write_text("")
    return Project(tmp_path)
