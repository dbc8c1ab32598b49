"""The notebook of a run that still goes on, from the journal as far as it has been written."""

from __future__ import annotations

from pathlib import Path

from octavo.records.assemble import write_notebook
from octavo.records.journal import JOURNAL_NAME
from octavo.records.outline import read_outline
from octavo.records.outputs import CellOutputs
from octavo.records.publish import writing_output
from octavo.records.summary import summarize


def publish_unfinished(run_dir: Path, output_path: str) -> None:
    """Write what has run so far to `output_path`; cells that still run or wait say so."""
    with (run_dir / JOURNAL_NAME).open("rb", buffering=1024 * 1024) as journal:
        outline = read_outline(journal)
        run = outline.run.started
        if run is None:
            return
        record = summarize(outline, run, run_dir, settle=False)
        outputs = CellOutputs(journal, outline, run_dir)
        with writing_output(output_path) as file:
            write_notebook(file, run, record, outputs, running=True)
