"""What is to be run: documents, with the text that each of their cells must print."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

LINE = 100
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Printed:
    """A text that is one piece, repeated: 100 MB of it cost nothing until they are compared."""

    piece: str
    times: int = 1

    @property
    def size(self) -> int:
        return len(self.piece) * self.times

    @property
    def text(self) -> str:
        return self.piece * self.times


@dataclass(frozen=True)
class Document:
    """A notebook's code cells, and what each of them prints."""

    name: str
    cells: tuple[str, ...]
    prints: tuple[Printed, ...]

    def percent(self) -> str:
        """The notebook as a percent file, which plain Python can run too."""
        return "\n".join(f"# %%\n{cell}\n" for cell in self.cells)

    def ipynb(self) -> str:
        """The notebook as Jupyter writes it."""
        metadata = {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
        cells = [_code_cell(number, cell) for number, cell in enumerate(self.cells)]
        document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(document, indent=1) + "\n"


@dataclass(frozen=True)
class Work:
    """Documents to run in one command, so many at a time; none means: show your help page."""

    documents: tuple[Document, ...]
    jobs: int = 1

    def write(self, folder: Path) -> None:
        """Put every document into the folder, in both spellings."""
        for document in self.documents:
            (folder / f"{document.name}.py").write_text(document.percent())
            (folder / f"{document.name}.ipynb").write_text(document.ipynb())


HELP = Work(())


def two_cells() -> Work:
    """One notebook of two cells."""
    return Work((_two_cells("notebook", 21),))


def many_notebooks(count: int) -> Work:
    """Many notebooks of two cells each, two at a time."""
    return Work(tuple(_two_cells(f"notebook{n:03}", n) for n in range(count)), jobs=2)


def many_cells(count: int) -> Work:
    """One notebook of cells that print their number."""
    prints = tuple(Printed(f"{number}\n") for number in range(count))
    return Work((Document("notebook", tuple(f"print({n})" for n in range(count)), prints),))


def silent_cells(count: int) -> Work:
    """One notebook of cells that only count; the last one shows that all of them ran."""
    cells = ("total = 0", *["total += 1"] * (count - 2), "print(total)")
    prints = (*[Printed("")] * (count - 1), Printed(f"{count - 2}\n"))
    return Work((Document("notebook", cells, prints),))


def printing(cells: int, bytes_each: int) -> Work:
    """One notebook whose cells print lines of 100 characters, so many bytes in each cell."""
    sources, prints = [], []
    for number in range(cells):
        line = f"{number:06} ".ljust(LINE - 1, "x")
        lines = bytes_each // LINE
        sources.append(f"for _ in range({lines}):\n    print({line!r})")
        prints.append(Printed(line + "\n", lines))
    return Work((Document("notebook", tuple(sources), tuple(prints)),))


def _two_cells(name: str, value: int) -> Document:
    cells = (f"value = {value}", "print(value * 2)")
    return Document(name, cells, (Printed(""), Printed(f"{value * 2}\n")))


def _code_cell(number: int, source: str) -> dict[str, object]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": [],
        "source": source,
    }
