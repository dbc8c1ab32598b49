"""`--prepare-only`: the bound notebook, written without running anything."""

from __future__ import annotations

from pathlib import Path

from octavo.errors import UsageError
from octavo.notebook import formats
from octavo.records.disk import replacing
from octavo.runs.plan import Plan


def write_prepared(plan: Plan) -> str:
    """Write the bound notebook where `-o` says; its path."""
    if plan.output is None:
        raise UsageError(
            "wrong-argument",
            "--prepare-only needs a place to write to",
            hint="add -o prepared.ipynb",
        )
    target = Path(plan.output)
    text = formats.write(plan.source.notebook, str(target))
    with replacing(target) as file:
        file.write(text.encode("utf-8"))
    return str(target)
