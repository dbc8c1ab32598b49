"""`--prepare-only`: the bound notebook, written without running anything."""

from __future__ import annotations

from octavo.errors import UsageError
from octavo.notebook import formats
from octavo.records.publish import write_output
from octavo.runs.output_path import STANDARD
from octavo.runs.plan import Plan


def prepared_text(plan: Plan) -> str:
    """The bound notebook as it is written."""
    path = "" if plan.output in (None, STANDARD) else str(plan.output)
    return formats.write(plan.source.notebook, path or "ipynb")


def write_prepared(plan: Plan) -> str:
    """Write the bound notebook where `-o` says; its path. Standard output is left to the caller."""
    if plan.output is None:
        raise UsageError(
            "wrong-argument",
            "--prepare-only needs a place to write to",
            hint="add -o prepared.ipynb",
        )
    if plan.output != STANDARD:
        write_output(plan.output, prepared_text(plan).encode("utf-8"))
    return plan.output
