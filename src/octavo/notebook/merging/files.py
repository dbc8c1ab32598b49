"""Three versions of a notebook file into one text, whatever its format: `merge_texts`."""

from __future__ import annotations

from octavo.notebook import formats
from octavo.notebook.merging.marks import Labels
from octavo.value import Value


class MergedText(Value):
    """The text of a merged file. `conflicts` counts what a person has to decide."""

    text: str
    conflicts: int = 0

    @property
    def clean(self) -> bool:
        return self.conflicts == 0


def merge_texts(
    base: str | None, ours: str, theirs: str, path: str, labels: Labels | None = None
) -> MergedText:
    """Merge what two sides made of a file; `path` decides the format.

    `base` is None when both sides added it. The text of a merge with conflicts is a notebook
    too: both versions of a cell stand in it between cells that mark them. NotebookError when one
    of the texts is not a notebook.
    """
    for one, other, outcome in ((ours, theirs, ours), (base, theirs, ours), (base, ours, theirs)):
        if one == other:
            return MergedText(outcome)
    if formats.suffix_of(path) == ".ipynb":
        return _merge_ipynb(base, ours, theirs, path, labels or Labels())
    from octavo.notebook.merging.scripts import merge_scripts

    return MergedText(*merge_scripts(base or "", ours, theirs, path, labels or Labels()))


def _merge_ipynb(base: str | None, ours: str, theirs: str, path: str, labels: Labels) -> MergedText:
    from octavo.notebook.merging.documents import merge_documents
    from octavo.notebook.merging.reading import Reader
    from octavo.notebook.merging.spelling import spelled_like

    reader = Reader(path)
    before = None if base is None else reader.read(base)
    mine, yours = reader.read(ours), reader.read(theirs)
    document, merged = merge_documents(before, mine, yours, labels)
    conflicts = len(merged.conflicts) + len(merged.metadata_conflicts)
    for side, text in ((mine, ours), (yours, theirs)):
        if document == side:
            return MergedText(text, conflicts)
    return MergedText(spelled_like(document, ours, mine, reader.text_of), conflicts)
