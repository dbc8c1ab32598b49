"""Verdicts for the items of a session: every notebook runs once, whoever asks for it first."""

from __future__ import annotations

import asyncio
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from octavo.app.context import Context
from octavo.gate.check import check_one
from octavo.gate.options import Options, options_of
from octavo.gate.reports.reading import read_report
from octavo.gate.request import CheckRequest
from octavo.gate.verdicts import CheckReport, NotebookVerdict
from octavo.systems import OURS, lock

Verdicts = tuple[NotebookVerdict, ...]


class Checks:
    """Checks of one process. `shared` is a folder in which workers leave verdicts to each other.

    Cells of one notebook may be given to different workers: the first one that needs the notebook
    runs it, and the others wait for what it finds.
    """

    def __init__(self, cwd: Path, *, strict: bool, cells: bool, shared: Path | None) -> None:
        self._context = Context(cwd=str(cwd), environ=dict(os.environ))
        # A verdict that is only remembered knows nothing of the cells.
        request = CheckRequest(strict=strict, no_cache=cells)
        self._options: Options = options_of(request, self._context.environ, str(cwd))
        self.mode: Literal["lax", "strict"] = "strict" if strict else "lax"
        self._shared = shared if cells else None
        self._known: dict[Path, Verdicts] = {}
        self._loop: asyncio.Runner | None = None

    @property
    def project(self) -> Path:
        return self._context.project

    def verdicts(self, path: Path) -> Verdicts:
        """The verdicts of a notebook, one for each set of its values."""
        if path not in self._known:
            self._known[path] = self._shared_verdicts(path) if self._shared else self._run(path)
        return self._known[path]

    def close(self) -> None:
        """Let kernels go."""
        if self._loop is not None:
            self._loop.run(self._context.close())
            self._loop.close()

    def _run(self, path: Path) -> Verdicts:
        if self._loop is None:
            self._loop = asyncio.Runner()
        return self._loop.run(check_one(str(path), self._context, self._options))

    def _shared_verdicts(self, path: Path) -> Verdicts:
        assert self._shared is not None
        name = sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
        place = self._shared / f"{name}.json"
        # The lock goes with its process: who waits for a worker that died runs it anew.
        held = os.open(self._shared / f"{name}.lock", os.O_CREAT | os.O_RDWR | OURS, 0o600)
        try:
            lock(held, wait=True)
            if place.exists():
                return read_report(place.read_text("utf-8"), str(place)).verdicts
            found = self._run(path)
            _write(place, CheckReport(found).to_json())
            return found
        finally:
            os.close(held)


def _write(place: Path, report: Any) -> None:
    text = json.dumps(report, default=str)
    partial = place.with_suffix(".part")
    partial.write_text(text, "utf-8", errors="surrogatepass")
    partial.replace(place)
