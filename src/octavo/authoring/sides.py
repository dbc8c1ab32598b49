"""The two sides of a pair: what they have in common, and one made from the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook import formats
from octavo.notebook.formats import ipynb, markdown
from octavo.notebook.formats.markdown.myst import held_text
from octavo.notebook.formats.percent import LAYOUT, VOLATILE, options_in
from octavo.notebook.formats.percent.header import select
from octavo.notebook.formats.percent.rewrite import held_source
from octavo.notebook.formats.percent.rewrite import rewrite as in_script
from octavo.notebook.identity import assign_ids
from octavo.notebook.model import Cell, Notebook

#: Metadata that a text tells by its own means, or not at all.
_UNSHARED = ("jupytext", "language_info")
_REGION = "region_name"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def portable(notebook: Notebook, script: Notebook) -> Notebook:
    """What both formats hold of a notebook, by the rules in the header of `script`.

    Of the metadata those keys remain that the header of the script has. Ids stay.
    """
    told = options_in(script.metadata).get("cell_metadata_filter")
    stripped = markdown.is_myst(script.metadata)
    cells = tuple(
        Cell(
            cell.kind,
            _source(cell, stripped),
            _held(cell.metadata, told),
            cell.id,
            line=cell.line,
        )
        for cell in notebook.cells
        if not (stripped and cell.kind == "markdown" and not cell.source.strip())
    )
    shared = [key for key in script.metadata if key not in _UNSHARED]
    metadata = {k: notebook.metadata[k] for k in shared if k in notebook.metadata}
    told, kernel = script.metadata.get("kernelspec"), metadata.get("kernelspec")
    if isinstance(told, Mapping) and isinstance(kernel, Mapping):
        metadata["kernelspec"] = {k: v for k, v in kernel.items() if k in told}
    return Notebook(cells, metadata)


def _source(cell: Cell, stripped: bool) -> str:
    if stripped and cell.kind == "markdown":
        return held_text(cell.source)
    return held_source(cell.kind, cell.source)


def _held(metadata: Mapping[str, Any], told: Any) -> dict[str, Any]:
    held = select(metadata, told, None, VOLATILE)
    hidden = (*LAYOUT, _REGION)
    return {k: v for k, v in held.items() if k not in hidden and (k != "tags" or v)}


def same_content(one: Notebook, other: Notebook) -> bool:
    """Whether two portable notebooks say the same; ids do not count."""
    return one.metadata == other.metadata and [_content(cell) for cell in one.cells] == [
        _content(cell) for cell in other.cells
    ]


def _content(cell: Cell) -> tuple[str, str, Mapping[str, Any]]:
    return cell.kind, cell.source, cell.metadata


def usual_metadata(script: Notebook) -> dict[str, Any]:
    """What an `.ipynb` has besides the metadata of its text: language, and Python's kernel."""
    if script.is_python:
        return {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return {"language_info": {"name": script.language}}


def with_whole_kernel(
    metadata: Mapping[str, Any], before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Metadata whose kernel has the name for people that Jupyter wants and authors leave out."""
    kernel, known = metadata.get("kernelspec"), (before or {}).get("kernelspec")
    if not isinstance(kernel, Mapping) or "name" not in kernel:
        return dict(metadata)
    known = known if isinstance(known, Mapping) and known.get("name") == kernel["name"] else {}
    return {**metadata, "kernelspec": {"display_name": kernel["name"], **known, **kernel}}


def respelled(notebook: Notebook, suffix: str) -> Notebook:
    """The notebook without Jupytext's note on a spelling that belongs to another kind of file."""
    options = dict(options_in(notebook.metadata))
    told = options.get("text_representation")
    if not isinstance(told, Mapping) or told.get("extension", ".md") == f".{suffix}":
        return notebook
    del options["text_representation"]
    metadata = {**notebook.metadata, "jupytext": options}
    if not options:
        del metadata["jupytext"]
    return notebook.replace(metadata=metadata)


def rewrite(
    text: str,
    path: str,
    cells: Sequence[Cell],
    metadata: Mapping[str, Any] | None = None,
    origins: Mapping[int, int] | None = None,
) -> str:
    """The file with these cells instead of its own; only those that differ are written anew.

    `origins` tells which cell of the file each one is, where that is known.
    """
    if formats.suffix_of(path) == ".md":
        from octavo.notebook.formats.markdown.rewrite import rewrite as in_markdown

        return in_markdown(text, path, cells, metadata, origins)
    return in_script(text, path, cells, metadata, origins)


def sort_of_text(path_or_format: str) -> str:
    """What people call a file of this name."""
    return "document" if formats.suffix_of(path_or_format) == ".md" else "script"


def unwritable_hint(path_or_format: str) -> str:
    """The usual reason why a cell does not fit into a file of this name."""
    if formats.suffix_of(path_or_format) == ".md":
        return "a line in it that ends a raw cell or starts another one is the usual reason"
    return "a string in triple quotes that is never closed is the usual reason"


def generate(script: Notebook, previous: Mapping[str, Any] | None) -> dict[str, Any]:
    """The `.ipynb` dictionary of a script.

    From the one before (a checked dictionary) come ids, attachments, metadata that scripts do
    not hold, and the outputs of cells whose source did not change.
    """
    before = ipynb.to_notebook(previous) if previous else Notebook(())
    told = options_in(script.metadata).get("cell_metadata_filter")
    bare = tuple(cell.replace(metadata=_held(cell.metadata, told)) for cell in script.cells)
    named = assign_ids(Notebook(bare), before)
    known = {cell.id: cell for cell in before.cells}
    cells = tuple(_carry_over(cell, known.get(cell.id), told) for cell in named.cells)
    metadata = _metadata(script, before.metadata)
    return ipynb.to_document(Notebook(cells, metadata), _results(cells, previous))


def _carry_over(cell: Cell, before: Cell | None, told: Any) -> Cell:
    if before is None:
        return cell
    held = _held(before.metadata, told)
    rest = {k: v for k, v in before.metadata.items() if k not in held and k not in LAYOUT}
    rest.pop("tags", None)
    unchanged = held_source(cell.kind, before.source) == cell.source
    return cell.replace(
        metadata={**cell.metadata, **rest},
        attachments=before.attachments if cell.kind != "code" else None,
        source=before.source if unchanged and before.kind == cell.kind else cell.source,
    )


def _results(cells: tuple[Cell, ...], previous: Mapping[str, Any] | None) -> dict[str, Any]:
    """Outputs of the cells that are as they were, by id."""
    before = {cell.get("id"): cell for cell in (previous or {}).get("cells", ())}
    return {
        str(cell.id): before[cell.id]
        for cell in cells
        if cell.id in before
        and cell.kind == before[cell.id]["cell_type"] == "code"
        and cell.source == before[cell.id]["source"]
    }


def _metadata(script: Notebook, before: Mapping[str, Any]) -> dict[str, Any]:
    options = dict(options_in(script.metadata))
    options.pop("text_representation", None)
    formats = options_in(before).get("formats")
    if formats:
        options.setdefault("formats", formats)
    merged = {**usual_metadata(script), **before, **script.metadata}
    known = before.get("language_info")
    if isinstance(known, Mapping) and known.get("name") == script.language:
        merged["language_info"] = known
    merged["jupytext"] = options
    if not options:
        del merged["jupytext"]
    return with_whole_kernel(merged, before)
