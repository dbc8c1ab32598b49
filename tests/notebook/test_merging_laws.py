"""The laws of merging, on thousands of generated cases and in all three formats."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from notebook_merges import ON_SOURCE, Case, Document, case, lines_of, without_ids
from octavo.authoring.sides import generate
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.matching import match_cells
from octavo.notebook.merge import Conflict, Merged
from octavo.notebook.merging.documents import merge_documents
from octavo.notebook.merging.files import merge_texts
from octavo.notebook.merging.unresolved import KEY, TAG, find_conflict
from octavo.notebook.model import Notebook

CHUNK = 250
chunks = pytest.mark.parametrize("chunk", range(12))
few = pytest.mark.parametrize("chunk", range(2))


def cases(chunk: int, **how: Any) -> Iterator[Case]:
    return (case(seed, **how) for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK))


def bare(document: Document) -> Notebook:
    """Only cells: a header in YAML would take most of the time."""
    return Notebook(ipynb.to_notebook(without_ids(document)).cells)


def merged_of(found: Case, *, ids: bool = True) -> tuple[Document, Merged]:
    sides = [document if ids else without_ids(document) for document in found[:3]]
    return merge_documents(*copy.deepcopy(sides))


def assert_no_edit_is_lost(found: Case, lines: set[str], conflicting: set[str], told: str) -> None:
    """`lines` are those of the outcome, `conflicting` those of them that need not be gone."""
    base, ours, theirs = map(lines_of, found[:3])
    assert ours - base <= lines, f"{told}: ours lost {ours - base - lines}"
    assert theirs - base <= lines, f"{told}: theirs lost {theirs - base - lines}"
    assert base & ours & theirs <= lines, f"{told}: lost {base & ours & theirs - lines}"
    gone = base - (ours & theirs)
    assert not gone & (lines - conflicting), f"{told}: came back {gone & (lines - conflicting)}"


def conflicting_lines(merged: Merged) -> set[str]:
    return {
        line
        for conflict in merged.conflicts
        for cell in (conflict.ours, conflict.theirs)
        if cell
        for line in cell.source.split("\n")
    }


@chunks
@pytest.mark.parametrize("ids", [True, False])
def test_no_edit_is_lost(chunk: int, ids: bool) -> None:
    for seed, found in enumerate(cases(chunk), chunk * CHUNK):
        document, merged = merged_of(found, ids=ids)
        conflicting = conflicting_lines(merged)
        assert_no_edit_is_lost(found, lines_of(document), conflicting, f"seed {seed}")


@few
@pytest.mark.parametrize("suffix", ["py", "md"])
def test_no_edit_of_a_text_is_lost(chunk: int, suffix: str) -> None:
    for seed, found in enumerate(cases(chunk, edits=ON_SOURCE), chunk * CHUNK):
        texts = [formats.write(bare(each), suffix) for each in found[:3]]
        merged = merge_texts(*texts, f"nb.{suffix}")
        notebook = formats.read(merged.text, f"nb.{suffix}")
        lines = {line for cell in notebook.cells for line in cell.source.split("\n")}
        conflicting = _between_marks(notebook.cells) | _written_anew(found)
        assert_no_edit_is_lost(found, lines, conflicting, f"seed {seed}")
        assert merged.clean == (find_conflict(notebook) is None)


def _written_anew(found: Case) -> set[str]:
    """Lines of cells that were changed and moved beyond recognition: those are new cells."""
    base, *sides = (ipynb.to_notebook(without_ids(each)).cells for each in found[:3])
    return {
        line
        for side in sides
        for at, cell in enumerate(side)
        if at not in match_cells(base, side)
        for line in cell.source.split("\n")
    }


def _between_marks(cells: Sequence[Any]) -> set[str]:
    inside, found = False, set()
    for cell in cells:
        if TAG in cell.tags:
            inside = not cell.source.startswith(">")
        elif inside:
            found |= set(cell.source.split("\n"))
    return found


@few
def test_the_outcome_is_valid_and_its_ids_are_unique(chunk: int) -> None:
    import nbformat

    for found in cases(chunk, most=5):
        document, merged = merged_of(found)
        nbformat.validate(nbformat.from_dict(document))
        ids = [cell["id"] for cell in document["cells"]]
        assert len(ids) == len(set(ids))
        unresolved = find_conflict(ipynb.to_notebook(document)) is not None
        assert unresolved == (not merged.clean)


@few
def test_what_one_side_did_alone_is_taken_as_it_is(chunk: int) -> None:
    for found in cases(chunk):
        base, side, _ = found[:3]
        for sides in ((base, side, base), (base, base, side), (base, side, side)):
            document, merged = merge_documents(*copy.deepcopy(sides))
            assert merged.clean
            assert document == side


@few
def test_both_sides_are_treated_alike(chunk: int) -> None:
    """Up to the order of what both inserted at one place or moved, and to outputs of two runs."""
    for found in cases(chunk):
        one, merged = merged_of(found)
        other, mirrored = merged_of(Case(found.base, found.theirs, found.ours, (), ()))
        assert len(merged.conflicts) == len(mirrored.conflicts)
        assert sorted(map(_versions, merged.conflicts)) == sorted(
            _versions(each)[::-1] for each in mirrored.conflicts
        )
        if merged.clean:
            assert _contents(one) == _contents(other)


def _versions(conflict: Conflict) -> tuple[str, str]:
    ours, theirs = (cell.source if cell else "" for cell in (conflict.ours, conflict.theirs))
    return ours, theirs


def _contents(document: Document) -> list[tuple[Any, ...]]:
    return sorted(
        (cell["id"], cell["source"], sorted(map(str, _plain(cell["metadata"]).items())))
        for cell in document["cells"]
    )


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    return {**metadata, "tags": sorted(metadata.get("tags", ()))}


@few
def test_outputs_are_those_of_the_source_that_they_stand_below(chunk: int) -> None:
    for found in cases(chunk, most=5):
        document, _ = merged_of(found)
        made = {
            (cell["source"], str(cell["outputs"]), cell["execution_count"])
            for side in (found.ours, found.theirs)
            for cell in side["cells"]
            if cell["cell_type"] == "code"
        }
        for cell in document["cells"]:
            if cell["cell_type"] == "code" and cell["outputs"]:
                assert (cell["source"], str(cell["outputs"]), cell["execution_count"]) in made


@few
def test_resolving_one_way_gives_what_that_side_wrote(chunk: int) -> None:
    """Deleting the marks and the other version is all that a person has to do."""
    for found in cases(chunk, edits=("edit_line", "add_line"), most=4):
        document, merged = merged_of(found)
        if merged.clean:
            continue
        kept = [
            cell
            for cell in document["cells"]
            if TAG not in cell["metadata"].get("tags", ())
            and cell["metadata"].get(KEY, {}).get("side") != "theirs"
        ]
        notebook = ipynb.to_notebook({**document, "cells": kept})
        assert find_conflict(notebook) is None
        assert lines_of(found.ours) - lines_of(found.base) <= lines_of({"cells": kept})


@few
def test_a_generated_notebook_is_merged_as_its_script_is(chunk: int) -> None:
    """Git merges both files of a pair by themselves, in an order of its own."""
    for seed, found in enumerate(cases(chunk, edits=ON_SOURCE), chunk * CHUNK):
        scripts = [formats.write(bare(each), "py") for each in found[:3]]
        base = generate(formats.read(scripts[0], "nb.py"), None)
        sides = [generate(formats.read(text, "nb.py"), base) for text in scripts[1:]]
        script = merge_texts(*scripts, "nb.py")
        notebook = merge_texts(*map(ipynb.dumps, (base, *sides)), "nb.ipynb")
        assert script.clean == notebook.clean, f"seed {seed}"
        if script.clean:
            assert sources(script.text, "nb.py") == sources(notebook.text, "nb.ipynb")


def sources(text: str, path: str) -> list[str]:
    return [cell.source for cell in formats.read(text, path).cells]
