"""The index pages in Markdown: one for all notebooks, one for the runs of each."""

from __future__ import annotations

from octavo.archive import wording
from octavo.archive.entries import Entry
from octavo.archive.indexes import NotebookIndex, RootIndex
from octavo.archive.layout import PAGE, TOP
from octavo.render.figures import counted
from octavo.render.marks import code_span, table

_MOST_NOTEBOOKS = 200
#: The newest runs show so many thumbnails each, so wide.
_WITH_FIGURES, _FIGURES, _WIDTH = 10, 3, 120
_MOST_DAYS = 60


def root_page(index: RootIndex) -> str:
    """The page of the branch: every notebook and its newest run."""
    known = sorted(index.notebooks.items(), key=lambda each: each[1].newest.run_id, reverse=True)
    shown = known[:_MOST_NOTEBOOKS]
    newest = [each.newest for _, each in shown]
    names, more = wording.columns(newest)
    head = ("", "notebook", "newest run (UTC)", "took", "runs", *_titles(names))
    rows = [
        (
            wording.outcome(each.newest),
            wording.link(code_span(each.newest.notebook, 100), f"{folder}/{PAGE}"),
            wording.link(wording.when(each.newest), each.newest.place),
            wording.took(each.newest),
            f"{each.runs:,}",
            *wording.scrap_cells(each.newest, names),
        )
        for folder, each in shown
    ]
    notes = [_more_columns(more)]
    if len(known) > len(shown):
        notes.append(f"and {counted(len(known) - len(shown), 'more notebook')} in `{TOP}/`")
    return _joined("# Executed notebooks", table(head, rows), *notes, _about())


def notebook_page(folder: str, index: NotebookIndex) -> str:
    """The page of a notebook: its newest runs, and where the others are."""
    names, more = wording.columns(index.runs)
    head = ("", "run (UTC)", "took", "parameters", *_titles(names), "figures", "notebook", "commit")
    rows = [_row(at, each, folder, names) for at, each in enumerate(index.runs)]
    up = "../" * (folder.count("/") + 1)
    newest = index.runs[0] if index.runs else None
    return _joined(
        f"# {code_span(newest.notebook if newest else folder, 200)}",
        wording.link("all notebooks", f"{up}{PAGE}"),
        _table(head, rows),
        _more_columns(more),
        _older(index),
    )


def _row(at: int, entry: Entry, folder: str, names: list[str]) -> tuple[str, ...]:
    place = entry.place.removeprefix(f"{folder}/")
    return (
        wording.outcome(entry),
        wording.link(wording.when(entry), place),
        wording.took(entry),
        wording.values(entry.parameters),
        *wording.scrap_cells(entry, names),
        _thumbnails(entry, place) if at < _WITH_FIGURES else str(len(entry.figures) or ""),
        wording.link(code_span(entry.run_id[-8:]), f"{place}/notebook.ipynb"),
        wording.commit(entry),
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Without the columns that no run has anything in."""
    filled = [at for at in range(len(head)) if any(row[at] for row in rows)]
    return table(
        tuple(head[at] for at in filled), [tuple(row[at] for at in filled) for row in rows]
    )


def _thumbnails(entry: Entry, place: str) -> str:
    shown = [wording.image(f"{place}/{each}", _WIDTH) for each in entry.figures[:_FIGURES]]
    more = len(entry.figures) - len(shown)
    return " ".join([*shown, f"+ {more}"] if more > 0 else shown)


def _titles(names: list[str]) -> list[str]:
    return [code_span(name, 40) for name in names]


def _more_columns(more: int) -> str:
    return f"{counted(more, 'more scrap')} in the records" if more else ""


def _older(index: NotebookIndex) -> str:
    """The days on which older runs began than are listed."""
    older = index.total - len(index.runs)
    if older <= 0:
        return ""
    last = index.runs[-1].place.split("/")[-2] if index.runs else ""
    days = [date for date in sorted(index.days, reverse=True) if date <= last or not last]
    links = [wording.link(date, date) for date in days[:_MOST_DAYS]]
    rest = f" and {counted(len(days) - _MOST_DAYS, 'more day')}" if len(days) > _MOST_DAYS else ""
    return f"{counted(older, 'older run')}, by day: {', '.join(links)}{rest}"


def _about() -> str:
    return "Written by `octavo archive`; `octavo runs --archived` lists what is here."


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"
