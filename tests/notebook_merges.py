"""Generated three-way merges: a notebook, and what two people made of it.

Every line is there once, so that each of them can be looked for in the outcome.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, NamedTuple

Document = dict[str, Any]
WORDS = (  # noqa: SIM905
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
).split()


class Case(NamedTuple):
    """Three documents, and the names of the edits of both sides."""

    base: Document
    ours: Document
    theirs: Document
    our_edits: tuple[str, ...]
    their_edits: tuple[str, ...]


class Writer:
    """Makes lines, cells and outputs that nobody has made before."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._count = 0

    def number(self) -> int:
        self._count += 1
        return self._count

    def line(self) -> str:
        one, other = self.random.choice(WORDS), self.random.choice(WORDS)
        return f"{one}_{self.number()} = {other}({self.random.randrange(100)})"

    def outputs(self) -> list[Document]:
        text = "".join(f"out {self.number()}\n" for _ in range(self.random.randrange(3)))
        return [{"output_type": "stream", "name": "stdout", "text": text}] if text else []

    def cell(self) -> Document:
        lines = [self.line() for _ in range(self.random.randrange(1, 7))]
        shared = {"id": f"cell-{self.number()}", "metadata": {}, "source": "\n".join(lines)}
        if self.random.random() < 0.3:
            return {"cell_type": "markdown", **shared}
        return {
            "cell_type": "code",
            **shared,
            "execution_count": self.number(),
            "outputs": self.outputs(),
        }

    def document(self) -> Document:
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        return {
            "cells": [self.cell() for _ in range(self.random.randrange(2, 7))],
            "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }


Edit = Callable[[Writer, Document], None]


def _any(writer: Writer, document: Document) -> Document | None:
    return writer.random.choice(document["cells"]) if document["cells"] else None


def edit_line(writer: Writer, document: Document) -> None:
    if cell := _any(writer, document):
        lines = cell["source"].split("\n")
        lines[writer.random.randrange(len(lines))] = writer.line()
        cell["source"] = "\n".join(lines)


def add_line(writer: Writer, document: Document) -> None:
    if cell := _any(writer, document):
        lines = cell["source"].split("\n")
        lines.insert(writer.random.randrange(len(lines) + 1), writer.line())
        cell["source"] = "\n".join(lines)


def delete_line(writer: Writer, document: Document) -> None:
    if (cell := _any(writer, document)) and "\n" in cell["source"]:
        lines = cell["source"].split("\n")
        del lines[writer.random.randrange(len(lines))]
        cell["source"] = "\n".join(lines)


def insert_cell(writer: Writer, document: Document) -> None:
    at = writer.random.randrange(len(document["cells"]) + 1)
    document["cells"].insert(at, writer.cell())


def delete_cell(writer: Writer, document: Document) -> None:
    if document["cells"]:
        del document["cells"][writer.random.randrange(len(document["cells"]))]


def move_cell(writer: Writer, document: Document) -> None:
    cells = document["cells"]
    if cells:
        cell = cells.pop(writer.random.randrange(len(cells)))
        cells.insert(writer.random.randrange(len(cells) + 1), cell)


def run_again(writer: Writer, document: Document) -> None:
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = writer.number()
            cell["outputs"] = writer.outputs()


def tag(writer: Writer, document: Document) -> None:
    if cell := _any(writer, document):
        tags = [*cell["metadata"].get("tags", ()), writer.random.choice(WORDS)]
        cell["metadata"] = {**cell["metadata"], "tags": [*dict.fromkeys(tags)]}


def set_key(writer: Writer, document: Document) -> None:
    if cell := _any(writer, document):
        key = writer.random.choice(("name", "width", "editable"))
        cell["metadata"] = {**cell["metadata"], key: f"value {writer.number()}"}


def set_notebook_key(writer: Writer, document: Document) -> None:
    key = writer.random.choice(("title", "custom"))
    document["metadata"] = {**document["metadata"], key: f"value {writer.number()}"}


EDITS: dict[str, Edit] = {
    each.__name__: each
    for each in (
        edit_line, edit_line, add_line, delete_line, insert_cell, delete_cell, move_cell, run_again,
        tag, set_key, set_notebook_key,
    )
}  # fmt: skip
ON_SOURCE = ("edit_line", "add_line", "delete_line", "insert_cell", "delete_cell", "move_cell")


def case(seed: int, *, most: int = 3, edits: tuple[str, ...] = tuple(EDITS)) -> Case:
    """The case of a seed. Sometimes both sides make the same edit first."""
    writer = Writer(seed)
    base = writer.document()
    shared = copy.deepcopy(base)
    both: list[str] = []
    if writer.random.random() < 0.2:
        both = [writer.random.choice(edits)]
        EDITS[both[0]](writer, shared)
    sides = []
    for _ in range(2):
        document = copy.deepcopy(shared)
        chosen = [writer.random.choice(edits) for _ in range(writer.random.randrange(1, most + 1))]
        for name in chosen:
            EDITS[name](writer, document)
        sides.append((document, (*both, *chosen)))
    (ours, our_edits), (theirs, their_edits) = sides
    return Case(base, ours, theirs, our_edits, their_edits)


def without_ids(document: Document) -> Document:
    """The document as nbformat 4.4 has it."""
    cells = [{k: v for k, v in cell.items() if k != "id"} for cell in document["cells"]]
    return {**document, "cells": cells, "nbformat_minor": 4}


def lines_of(document: Document) -> set[str]:
    """All lines of all sources."""
    return {line for cell in document["cells"] for line in cell["source"].split("\n") if line}
