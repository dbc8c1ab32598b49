"""`--prepare-only`: the bound notebook, written without running anything."""

from __future__ import annotations

from octavo.errors import UsageError
from octavo.notebook import formats
from octavo.records.publish import write_output
from octavo.runs.plan import Plan


def write_prepared(plan: Plan) -> str:
    """Write the bound notebook where `-o` says; its path."""
    if plan.output is None:
        raise UsageError(
            "wrong-argument",
            "--prepare-only needs a place to write to",
            hint="add -o prepared.ipynb",
        )
    text = formats.write(plan.source.notebook, plan.output)
    write_output(plan.output, text.encode("utf-8"))
    return plan.output
