"""Which cells are meant: by index, range, name, tag, handle, variable or section, or by what they
contain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from octavo.authoring.reading.material import Material, ReadCell
from octavo.authoring.reading.sections import Section
from octavo.errors import UsageError
from octavo.notebook.addresses import binds
from octavo.render.compact_text import short

#: As many digits of a handle are enough.
SHORTEST_HANDLE = 4

_BACK = re.compile(r"-([1-9]\d{0,7})")
_RANGE = re.compile(r"(\d+)-(\d*)|(\d*)\.\.(\d*)")


def chosen(
    material: Material,
    sections: Sequence[Section],
    words: Sequence[str],
    titles: Sequence[str],
) -> list[int]:
    """The positions that are meant, in the order of the notebook; all where nothing is said."""
    if not words and not titles:
        return list(range(len(material.cells)))
    found: set[int] = set()
    for word in words:
        found.update(_addressed(word, material))
    for title in titles:
        section = _section(title, sections)
        found.update(range(section.cell, section.last + 1))
    return sorted(found)


def _addressed(text: str, material: Material) -> list[int]:
    whole = _one(text, material.cells)
    if whole:
        return whole
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found: list[int] = []
    for part in parts:
        matches = _one(part, material.cells) or _range(part, material.cells)
        if not matches:
            raise _no_cell(part, material)
        found += matches
    if not found:
        raise _no_cell(text, material)
    return found


def _one(word: str, cells: Sequence[ReadCell]) -> list[int]:
    """The cells of a word, looked up in the order in which `edit` does: as a whole handle or id,
    an index, a name, title or tag, the beginning of a handle, or a variable that they make.
    """
    label = _label(word, cells)
    tests: tuple[Callable[[ReadCell], bool], ...] = (
        lambda cell: word in (cell.handle, cell.id),
        lambda cell: cell.label == label,
        lambda cell: word in (cell.name, cell.metadata.get("title"), *cell.tags),
        lambda cell: len(word) >= SHORTEST_HANDLE and cell.handle.startswith(word),
        lambda cell: binds(cell.kind, "\n".join(cell.lines), word),
    )
    for test in tests:
        if found := [at for at, cell in enumerate(cells) if test(cell)]:
            return found
    return []


def _label(word: str, cells: Sequence[ReadCell]) -> str:
    """The index that is meant; a negative one counts from the end."""
    known = [cell.label for cell in cells if cell.index is not None]
    back = _BACK.fullmatch(word)
    return known[-int(back[1])] if back and int(back[1]) <= len(known) else word


def _range(word: str, cells: Sequence[ReadCell]) -> list[int]:
    """`3-7`, `3..7`, `3..`, `..7`; with names or handles only `load..plot`."""
    numbers = _RANGE.fullmatch(word)
    if numbers and word != "..":
        first = _number(numbers[1] or numbers[3], 0)
        last = _number(numbers[2] or numbers[4], len(cells))
        known = [at for at, cell in enumerate(cells)
                 if cell.index is not None and first <= cell.index <= last]  # fmt: skip
        return list(range(known[0], known[-1] + 1)) if known else []
    start, dots, end = word.partition("..")
    if not dots:
        return []
    begins = _one(start, cells) if start else [0]
    ends = _one(end, cells) if end else [len(cells) - 1]
    return list(range(begins[0], ends[-1] + 1)) if begins and ends else []


def _number(digits: str | None, usual: int) -> int:
    return int(digits[:9]) if digits else usual


def _section(wanted: str, sections: Sequence[Section]) -> Section:
    """By number, by title, or by a part of it that only one has."""
    plain = wanted.strip().lstrip("#").strip().casefold()
    tests: tuple[Callable[[Section], bool], ...] = (
        lambda each: each.number == plain.rstrip("."),
        lambda each: each.title.casefold() == plain,
        lambda each: plain in each.title.casefold(),
    )
    for test in tests:
        found = [section for section in sections if test(section)] if plain else []
        if len(found) == 1:
            return found[0]
        if found:
            raise _which(wanted, found)
    raise _no_section(wanted, sections)


def _no_cell(wanted: str, material: Material) -> UsageError:
    indices = [cell.index for cell in material.cells if cell.index is not None]
    names = [short(cell.name, 40) for cell in material.cells if cell.name]
    hint = f"the cells are numbered {indices[0]} to {indices[-1]}" if indices else "it has no cells"
    if names:
        hint += f"; names are: {', '.join(names[:8])}"
    message = f"there is no cell {short(wanted, 60)!r}"
    return UsageError("cell-not-found", message, place=material.what, hint=hint)


def _no_section(wanted: str, sections: Sequence[Section]) -> UsageError:
    listed = "; ".join(f"{each.number} {short(each.title, 40)}" for each in sections[:8])
    hint = f"sections are: {listed}" if sections else "it has no headings; name cells with --cells"
    message = f"there is no section {short(wanted, 60)!r}"
    return UsageError("cell-not-found", message, hint=hint)


def _which(wanted: str, found: Sequence[Section]) -> UsageError:
    listed = "; ".join(f"{each.number} {short(each.title, 40)}" for each in found[:8])
    message = f"{len(found)} sections fit {short(wanted, 60)!r}"
    return UsageError("wrong-argument", message, hint=f"give the number of one: {listed}")


def pattern(text: str) -> re.Pattern[str]:
    """What is searched for: a text in any case, or a regular expression between slashes."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        try:
            return re.compile(text[1:-1])
        except re.error as error:
            hint = "leave out the slashes to search for a text as it is"
            message = f"--search {text}: {error}"
            raise UsageError("wrong-argument", message, hint=hint) from error
    if not text.strip():
        hint = "--search TEXT, or --search '/regular expression/'"
        raise UsageError("wrong-argument", "--search needs a text", hint=hint)
    return re.compile(re.escape(text), re.IGNORECASE)


def ranges(indices: Sequence[int], most: int) -> str:
    """Indices as `--cells` takes them: `3-7,9`; where that is long, from the first to the last."""
    parts: list[tuple[int, int]] = []
    for index in indices:
        if parts and index == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], index)
        else:
            parts.append((index, index))
    if len(parts) > most:
        parts = [(parts[0][0], parts[-1][1])]
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
