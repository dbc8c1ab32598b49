"""How notebooks are checked: what was asked for, and what each notebook says itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from octavo.gate.block import CheckBlock
from octavo.gate.request import CheckRequest
from octavo.gate.tolerance import Tolerance
from octavo.value import Value


class Options(Value):
    """What holds for one notebook, or for all of them before their blocks are read."""

    strict: bool = False
    lint: bool = True
    update: bool = False
    recall: bool = True
    require_records: bool = False
    on_ci: bool = False
    tolerance: Tolerance | None = None
    image_threshold: float | None = None
    sanitize_with: str | None = None
    timeout: float | None = None
    cell_timeout: float | None = None
    memory: int | None = None
    early_exit: bool = False

    @property
    def mode(self) -> str:
        return "strict" if self.strict else "lax"

    def decisive(self) -> Mapping[str, Any]:
        """What a verdict depends on; with other options it may be another one."""
        names = (name for name in self._fields if name not in ("update", "recall", "on_ci"))
        told = {name: getattr(self, name) for name in names}
        tolerance = self.tolerance
        told["tolerance"] = tolerance and [tolerance.relative, tolerance.absolute]
        return told


def options_of(request: CheckRequest, environ: Mapping[str, str], cwd: str) -> Options:
    """What a request asks of all notebooks."""
    share = request.tolerance
    return Options(
        strict=request.strict,
        lint=not request.no_lint,
        update=request.update,
        recall=not (request.no_cache or request.update or request.cov),
        require_records=request.require_records,
        on_ci=environ.get("CI", "").lower() not in ("", "0", "false"),
        tolerance=None if share is None else Tolerance(relative=share),
        image_threshold=request.image_threshold,
        sanitize_with=_within(cwd, request.sanitize_with),
        timeout=request.timeout,
        cell_timeout=request.cell_timeout,
        memory=request.memory,
    )


_SAID = (
    *("strict", "tolerance", "image_threshold", "sanitize_with"),
    *("timeout", "cell_timeout", "memory", "early_exit"),
)


def as_said(options: Options, block: CheckBlock, folder: str) -> Options:
    """With what the notebook's own block says in place of what was asked."""
    said = {name: getattr(block, name) for name in _SAID}
    said["sanitize_with"] = _within(folder, block.sanitize_with)
    return options.replace(**{name: value for name, value in said.items() if value is not None})


def _within(folder: str, path: str | None) -> str | None:
    return None if path is None else os.path.join(folder, path)
