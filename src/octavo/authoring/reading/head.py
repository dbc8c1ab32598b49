"""The facts above a reading: what it is of, and what it takes."""

from __future__ import annotations

from typing import Any

from octavo.authoring.reading.material import Material
from octavo.render.columns import clip_start
from octavo.render.compact_text import short
from octavo.render.figures import counted, duration

WIDEST_PATH, WIDEST_LINE = 160, 600


class HeadBlock:
    """Level 1 counts, 2 names the file or the run, 3 adds its hash, 4 what it takes and gave."""

    def __init__(self, material: Material, path: str | None, view: str, budget: int | None) -> None:
        self._material = material
        self._path = clip_start(short(path, 2 * WIDEST_PATH), WIDEST_PATH) if path else None
        self._view = view
        self._budget = budget

    @property
    def highest(self) -> int:
        return 4

    def text(self, level: int) -> list[str]:
        given = self._material
        counts = f"{counted(len(given.cells), 'cell')}, {counted(given.tokens, 'token')} of source"
        if level < 2:
            return [counts]
        named = f"{self._path or 'a notebook'}: {given.format}, {given.language}, {counts}"
        lines = [named, *self._run_lines()]
        if level > 2 and given.sha256:
            lines.append(f"sha256 {given.sha256}")
        return [*lines, *(self._values() if level > 3 else ())]

    def _run_lines(self) -> list[str]:
        run = self._material.run
        if run is None:
            return []
        took = run["duration_seconds"]
        words = [f"run {run['run_id']}: {run['reason'] or run['status']}"]
        words += [f"in {duration(took)}"] if took is not None else []
        lines = [" ".join(words)]
        return [*lines, f"message: {run['message']}"] if run["message"] else lines

    def _values(self) -> list[str]:
        """In one line each."""
        lines = []
        if self._material.parameters:
            lines.append("parameters: " + ", ".join(self._material.parameters))
        if self._material.run and self._material.run["scraps"]:
            lines.append("scraps: " + ", ".join(self._material.run["scraps"]))
        return [short(line, WIDEST_LINE) for line in lines]

    def plain(self, level: int) -> dict[str, Any]:
        """The whole answer but for what is read; what a level lacks is null."""
        given = self._material
        run = dict(given.run) if given.run and level > 1 else None
        if run is not None and level < 4:
            run["scraps"] = []
        return {
            "notebook": {
                "path": self._path if level > 1 else None,
                "format": given.format,
                "language": given.language,
                "sha256": given.sha256 if level > 2 else None,
                "cells": len(given.cells),
                "tokens": given.tokens,
                "parameters": list(given.parameters)[:20] if level > 3 else [],
            },
            "run": run,
            "view": self._view,
            "budget": self._budget,
            "outline": [],
            "cells": [],
            "left_out": None,
        }
