"""Bringing one pair of files into step: what to write is planned first, then written."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from octavo.authoring.base import Bases
from octavo.authoring.conflicts import conflict, no_common_state
from octavo.authoring.files import replace_file
from octavo.authoring.pairs import Pair
from octavo.authoring.sides import (
    generate,
    portable,
    rewrite,
    same_content,
    sort_of_text,
    unwritable_hint,
)
from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.merge import Merged, merge
from octavo.notebook.merging.unresolved import refuse_conflicts
from octavo.notebook.model import Cell, Notebook
from octavo.sources import SourceFile, read_source
from octavo.value import Value

IN_STEP = "in-step"
GENERATED = "generated"
REGENERATED = "regenerated"
TAKEN_BACK = "taken-back"
MERGED = "merged"


class Plan(Value):
    """What is to be done with a pair; None for a text that stays."""

    pair: Pair
    status: str
    script: SourceFile
    notebook: SourceFile | None
    new_script: str | None = None
    new_notebook: str | None = None

    def carry_out(self, bases: Bases) -> None:
        """Write what changes, then remember the state. A crash in between is made up for next."""
        if self.new_script is not None:
            _write(self.pair.script, self.new_script, self.script)
        if self.new_notebook is not None:
            _write(self.pair.notebook, self.new_notebook, self.notebook)
        script = self.script.notebook
        if self.new_script is not None:
            script = formats.read(self.new_script, str(self.pair.script))
        text = self.new_notebook or (self.notebook.text if self.notebook else "")
        bases.save(self.pair, script, ipynb.read(text, str(self.pair.notebook)))


def _write(path: Path, text: str, before: SourceFile | None) -> None:
    replace_file(path, ipynb.encode(text), before.text.encode("utf-8") if before else None)


def plan(pair: Pair, bases: Bases) -> Plan:
    """Compare both sides and decide; ConflictError when that needs a person."""
    script = read_source(pair.script)
    refuse_conflicts(script.notebook, script.path)
    if not pair.notebook.exists():
        made = ipynb.dumps(generate(script.notebook, None))
        return Plan(pair, GENERATED, script, None, new_notebook=made)
    notebook = read_source(pair.notebook)
    refuse_conflicts(notebook.notebook, notebook.path, _keep_script(pair))
    ours = portable(script.notebook, script.notebook)
    theirs = portable(notebook.notebook, script.notebook)
    if same_content(ours, theirs):
        return Plan(pair, IN_STEP, script, notebook)
    merged = _merge(pair, bases, script, notebook, ours, theirs)
    new_script = None if same_content(merged, ours) else rewritten(script, merged)
    new_notebook = None
    if not same_content(merged, theirs):
        source = formats.read(new_script, script.path) if new_script else script.notebook
        new_notebook = ipynb.dumps(generate(source, ipynb.parse(notebook.text, notebook.path)))
    status = MERGED if new_script and new_notebook else TAKEN_BACK if new_script else REGENERATED
    return Plan(pair, status, script, notebook, new_script, new_notebook)


def _keep_script(pair: Pair) -> str:
    """What to do when only the generated file is in conflict."""
    command = f"octavo convert --force {quote(str(pair.script))}"
    return f"; if {pair.script.name} is right, run `{command}`"


def _merge(
    pair: Pair,
    bases: Bases,
    script: SourceFile,
    notebook: SourceFile,
    ours: Notebook,
    theirs: Notebook,
) -> Notebook:
    first: Merged | None = None
    for base in bases.candidates(pair, script.notebook, notebook.notebook):
        merged = merge(base, ours, theirs)
        if merged.clean:
            return merged.notebook
        first = first or merged
    raise no_common_state(pair) if first is None else conflict(pair, first, theirs)


def rewritten(script: SourceFile, merged: Notebook) -> str:
    """The script with other cells, which are portable to it; checked by reading it back."""
    header = {**script.notebook.metadata, **merged.metadata}
    changed = header != script.notebook.metadata
    text = rewrite(script.text, script.path, merged.cells, header if changed else None)
    back = formats.read(text, script.path)
    if same_content(portable(back, script.notebook), merged):
        return text
    cells = portable(back, script.notebook).cells
    at = next(
        (n for n, pair in enumerate(zip(cells, merged.cells, strict=False)) if not _alike(*pair)),
        min(len(cells), len(merged.cells)),
    )
    raise NotebookError(
        "notebook-invalid",
        f"cell {at} of the notebook cannot be written as part of a {sort_of_text(script.path)}",
        place=script.path,
        hint=unwritable_hint(script.path),
    )


def _alike(one: Cell, other: Cell) -> bool:
    return (one.kind, one.source, one.metadata) == (other.kind, other.source, other.metadata)
