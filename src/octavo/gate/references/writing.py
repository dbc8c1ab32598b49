"""`octavo check --update`: outputs that changed are accepted as the new reference.

Only the cells that are compared, came to their end and differ are written; every other byte of the
notebook or of the reference file stays. A file that somebody else changed meanwhile is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo.authoring.files import ChangedMeanwhile, replace_file
from octavo.gate.comparing.outputs import by_kind, compare
from octavo.gate.comparing.rules import Rules
from octavo.gate.nbval.markers import expectation
from octavo.gate.references.entries import Entry, entry_of, matched, stable
from octavo.gate.references.file import VERSION, ReferenceFile, read_file
from octavo.gate.references.images import Images
from octavo.gate.references.reading import expected_path
from octavo.gate.references.reference import Reference
from octavo.gate.references.toml_text import comment, string
from octavo.notebook.formats.ipynb.rewrite import with_results
from octavo.notebook.formats.ipynb.text import encode
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell
from octavo.records.record import RunRecord
from octavo.sources import SourceFile
from octavo.value import Value

_ATTEMPTS = 5
_HEAD = """\
# The outputs that `octavo check` expects of the cells of {name}.
# Accept changed ones with: octavo check {name} --update
version = {version}
"""


class _Ran(Value):
    """A cell that came to its end, and what it has put out."""

    at: int
    outputs: Sequence[Mapping[str, Any]]
    count: int | None
    checked: bool


def accept(
    source: SourceFile,
    record: RunRecord,
    executed: Mapping[str, Any],
    reference: Reference,
    rules: Rules,
    *,
    strict: bool,
) -> tuple[int, ...]:
    """Take over the outputs of a run that differ from the reference; the cells that changed."""
    ran = list(_ran(source, record, executed, strict))
    if reference.kind == "own" and not reference.values:
        return _into_notebook(source, ran, reference, rules)
    changed = tuple(each.at for each in ran if each.checked and _differs(each, reference, rules))
    if not changed and reference.kind != "file":
        return ()
    # Where another notebook served until now, all cells have to be in the new file.
    taken = changed if reference.kind == "file" else tuple(e.at for e in ran if e.checked)
    fresh = {each.at: each for each in ran if each.at in taken}
    _into_file(source, fresh, reference.values, rules)
    return changed


def _ran(
    source: SourceFile, record: RunRecord, executed: Mapping[str, Any], strict: bool
) -> Iterator[_Ran]:
    for ran in record.cells:
        if ran.origin is None or ran.kind != "code" or ran.status != "succeeded":
            continue
        wanted = expectation(source.notebook.cells[ran.origin], strict=strict)
        outputs = executed["cells"][ran.index].get("outputs", ())
        yield _Ran(ran.origin, outputs, ran.execution_count, wanted.check and not wanted.skip)


def _differs(ran: _Ran, reference: Reference, rules: Rules) -> bool:
    outputs = stable(ran.outputs) if reference.kind == "file" else ran.outputs
    expected = reference.cells.get(ran.at)
    return bool(compare(expected.outputs if expected else (), outputs, rules))


def _into_notebook(
    source: SourceFile, ran: Sequence[_Ran], reference: Reference, rules: Rules
) -> tuple[int, ...]:
    results = {}
    for each in ran:
        expected = reference.cells[each.at]
        unrun = not expected.ran and bool(expected.outputs or (each.checked and each.outputs))
        wanted = unrun or (each.checked and _differs(each, reference, rules))
        if each.count is not None and wanted:
            results[each.at] = {"execution_count": each.count, "outputs": each.outputs}
    if results:
        text = with_results(source.text, source.path, results)
        replace_file(Path(source.path), encode(text), source.text.encode())
    return tuple(results)


def _into_file(source: SourceFile, fresh: Mapping[int, _Ran], values: str, rules: Rules) -> None:
    path = expected_path(source.path)
    for attempt in range(_ATTEMPTS):
        before = read_file(path) if path.exists() else None
        images = Images(path)
        text = _updated(source, fresh, values, rules, before, images)
        if before is not None and text == before.text:
            return
        try:
            images.write()
            expected = before.text.encode() if before is not None else None
            replace_file(path, text.encode(), expected)
        except ChangedMeanwhile:
            if attempt + 1 == _ATTEMPTS:
                raise
        else:
            images.remove_others(text, before.text if before is not None else "")
            return


def _updated(
    source: SourceFile,
    fresh: Mapping[int, _Ran],
    values: str,
    rules: Rules,
    before: ReferenceFile | None,
    images: Images,
) -> str:
    """The text of the reference file with these cells; those of other sets stay as they are."""
    cells = source.notebook.cells
    known = before.of_set(values) if before is not None else []
    places = matched(known, cells)
    blocks: dict[int, str] = {}
    for at, number in places.items():
        if at not in fresh:
            blocks[at] = _kept(known[number], cells, at, before, images)
    for at, ran in fresh.items():
        outputs = _compared(stable(ran.outputs), rules)
        if outputs:
            blocks[at] = _block(entry_of(cells, at, outputs, values), cells[at], images)
    ours = [blocks[at] for at in sorted(blocks)]
    return _joined(source, before, values, ours, images)


def _kept(
    entry: Entry, cells: Sequence[Cell], at: int, before: ReferenceFile | None, images: Images
) -> str:
    """The text of a cell that stays; only an edited cell is put down under its new handle."""
    if before is not None and before.blocks and entry.handle == handle(cells[at]):
        return before.blocks[before.entries.index(entry)]
    return _block(entry_of(cells, at, entry.outputs, entry.values), cells[at], images)


def _joined(
    source: SourceFile,
    before: ReferenceFile | None,
    values: str,
    ours: Sequence[str],
    images: Images,
) -> str:
    head = before.head if before is not None and before.blocks else ""
    head = head or _HEAD.format(name=Path(source.path).name, version=VERSION)
    others: list[str] = []
    if before is not None:
        for number, entry in enumerate(before.entries):
            if entry.values != values:
                text = before.blocks[number] if before.blocks else _block(entry, None, images)
                others.append(text)
    blocks = [*others, *ours] if values else [*ours, *others]
    return _in_lines([head, *blocks], before.text if before is not None else "")


def _in_lines(parts: Sequence[str], before: str) -> str:
    """One below the other, an empty line between two; what stood there already stays as it was."""
    newline = "\r\n" if "\r\n" in before else "\n"
    parts = [part if part in before else part.replace("\n", newline) for part in parts]
    text = ""
    for part in parts:
        while text and not text.endswith(newline * 2):
            text += newline
        text += part
    if before.endswith(parts[-1]):
        return text
    return text.rstrip("\r\n") + newline


def _compared(outputs: Sequence[Mapping[str, Any]], rules: Rules) -> list[Mapping[str, Any]]:
    """What a comparison looks at; the rest has no place in a reference."""
    kept: list[Mapping[str, Any]] = []
    for output in outputs:
        if "data" in output:
            kinds = by_kind([output], rules)
            data = {mime: value for mime, value in output["data"].items() if mime in kinds}
            if data:
                kept.append({**output, "data": data})
        else:
            kept.append(output)
    return kept


def _block(entry: Entry, cell: Cell | None, images: Images) -> str:
    told = f"  # {shown}" if (shown := _first_line(cell)) else ""
    lines = [f"[[cell]]{told}", f"handle = {string(entry.handle)}"]
    for key in ("name", "values"):
        if getattr(entry, key):
            lines.append(f"{key} = {string(getattr(entry, key))}")
    lines.append(f"between = [{', '.join(map(string, entry.between))}]")
    for output in entry.outputs:
        lines += ["", "[[cell.output]]", f'type = "{output["output_type"]}"']
        lines += _output_lines(output, entry, images)
    return "\n".join(lines) + "\n"


def _first_line(cell: Cell | None) -> str:
    if cell is None:
        return ""
    lines = (line.strip() for line in cell.source.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return comment(first[:60])


def _output_lines(output: Mapping[str, Any], entry: Entry, images: Images) -> Iterator[str]:
    for key in ("name", "text", "ename", "evalue"):
        if key in output:
            yield f"{key} = {string(output[key])}"
    for mime, value in output.get("data", {}).items():
        key = f"data.{string(mime)}"
        if not isinstance(value, str):
            text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            yield f"{key}.json = {string(text)}"
        elif images.holds(mime):
            yield f"{key} = {images.add(mime, value, entry.name or entry.handle)}"
        else:
            yield f"{key} = {string(value)}"
