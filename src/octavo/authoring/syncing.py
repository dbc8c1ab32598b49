"""Bringing one pair of files into step: what to write is planned first, then written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.authoring.base import Bases
from octavo.authoring.files import replace_file
from octavo.authoring.pairs import Pair
from octavo.authoring.sides import generate, portable, same_content
from octavo.errors import ConflictError, NotebookError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.formats.percent.rewrite import rewrite
from octavo.notebook.merge import Merged, merge
from octavo.notebook.model import Notebook
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
    if not pair.notebook.exists():
        made = ipynb.dumps(generate(script.notebook, None))
        return Plan(pair, GENERATED, script, None, new_notebook=made)
    notebook = read_source(pair.notebook)
    ours = portable(script.notebook, script.notebook)
    theirs = portable(notebook.notebook, script.notebook)
    if same_content(ours, theirs):
        return Plan(pair, IN_STEP, script, notebook)
    merged = _merge(pair, bases, ours, theirs, notebook.notebook)
    new_script = None if same_content(merged, ours) else _rewritten(script, merged)
    new_notebook = None
    if not same_content(merged, theirs):
        source = formats.read(new_script, script.path) if new_script else script.notebook
        new_notebook = ipynb.dumps(generate(source, ipynb.parse(notebook.text, notebook.path)))
    status = MERGED if new_script and new_notebook else TAKEN_BACK if new_script else REGENERATED
    return Plan(pair, status, script, notebook, new_script, new_notebook)


def _merge(
    pair: Pair, bases: Bases, ours: Notebook, theirs: Notebook, whole: Notebook
) -> Notebook:
    first: Merged | None = None
    for base in bases.candidates(pair, ours_as_script(ours, pair), whole):
        merged = merge(base, ours, theirs)
        if merged.clean:
            return merged.notebook
        first = first or merged
    raise _no_base(pair) if first is None else _conflict(pair, first, theirs)
