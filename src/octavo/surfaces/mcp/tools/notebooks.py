"""Tools on notebooks: make, read, edit, compare, check."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any, Literal

from pydantic import Field

from octavo.errors import UsageError
from octavo.surfaces.mcp.declaring import ADDS, READS, RUNS_CODE, Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.results import Checked, Compared, Created, EditedNotebook, Read
from octavo.surfaces.mcp.running import Running
from octavo.surfaces.mcp.tools.verdicts import checked

#: Characters of a diff in one answer.
_DIFF = 20_000
_MOST_SOURCE = 2_000_000
_DIGEST = re.compile(r"^sha256 [0-9a-f]{64}\n?", re.MULTILINE)

Path = Annotated[str, Field(description="Notebook, relative to the project")]
Cell = Annotated[
    int | str,
    Field(description="Index from 0 (-1: last), name, tag, handle, or a variable that it makes"),
]
Handle = Annotated[str, Field(description="Handle that the cell must have; else refused as stale")]
Budget = Annotated[int, Field(ge=300, le=20_000, description="Most tokens of the answer")]


class NotebookTools:
    """What is done to files of the project."""

    def __init__(self, desk: Desk, processes: Processes, jobs: JobDesk) -> None:
        self._desk = desk
        self._processes = processes
        self._running = Running(desk, jobs)

    def declared(self) -> list[Declared]:
        return [
            Declared(self.notebook_create, ADDS),
            Declared(self.notebook_read, READS),
            Declared(self.notebook_edit, RUNS_CODE),
            Declared(self.notebook_diff, READS),
            Declared(self.notebook_check, RUNS_CODE),
        ]

    async def notebook_create(
        self,
        task_description: Annotated[str, Field(max_length=10_000)],
        path: Annotated[str, Field(description="New file (default: named after the task)")] = "",
    ) -> Created:
        """Make a new notebook for a task from the usual template: parameters, steps, results
        (scraps) and a check. It runs as it is; replace its cells by the work."""
        from octavo.authoring.creating.request import CreateRequest

        where = self._desk.path(path) if path else ""
        request = CreateRequest(task_description, where, format="" if where else "py")
        made = await self._desk.operate("create", request)
        outline = await self._read(made.path, "", "", 1500)
        following = f'notebook_edit(path="{made.path}", …), then notebook_execute'
        return Created(path=made.path, beside=made.beside, text=outline.text, next=following)

    async def notebook_read(
        self,
        path: Path,
        cells: Annotated[str, Field(description='"3-7,load"; empty: the outline')] = "",
        search: Annotated[str, Field(description="Only lines with this text or /pattern/")] = "",
        budget: Budget = 4000,
    ) -> Read:
        """Read a notebook within a budget: first its outline (cells with index, handle, tokens),
        then the cells you need."""
        return await self._read(self._desk.path(path), cells, search, budget)

    async def _read(self, path: str, cells: str, search: str, budget: int) -> Read:
        from octavo.authoring.reading.read import ReadRequest

        refuse_missing(self._desk, path)
        request = ReadRequest(
            path, cells=(cells,) if cells.strip() else (), search=search or None, budget=budget
        )
        reading = await self._desk.operate("read", request)
        return Read(text=without_digest(reading.text))

    async def notebook_edit(
        self,
        path: Path,
        cell_index: Cell,
        new_source: Annotated[str, Field(max_length=_MOST_SOURCE)],
        expect: Handle = "",
        how: Annotated[
            Literal["replace", "insert_before", "insert_after", "delete"],
            Field(description="insert_*: a new cell beside it"),
        ] = "replace",
        kind: Annotated[
            Literal["code", "markdown"] | None, Field(description="Kind of a new cell")
        ] = None,
        execute: Annotated[
            bool, Field(description="Then run the notebook, as notebook_execute does")
        ] = False,
    ) -> EditedNotebook:
        """Change one cell; every other byte of the file stays. Answers the lines that went
        and the new handle. A source that does not parse is refused. execute: run it at once, and
        tell what this cell puts out."""
        from octavo.authoring.editing.request import EditRequest

        where = self._desk.path(path)
        refuse_missing(self._desk, where)
        edit = _edit(cell_index, new_source, expect, how, kind)
        edited = await self._desk.operate("edit", EditRequest(where, given=(edit,)))
        cell = edited.cells[0]
        told: dict[str, Any] = {
            "changed": edited.changed,
            "merged": edited.merged or None,
            "cell": {"index": cell.index, "handle": cell.handle},
            "removed": _removed(edited.diff),
            "diff": _cut(edited.diff)[0] if edited.merged else None,
        }
        if execute:
            show = () if cell.index is None else (cell.index,)
            told |= await self._running.run(where, {}, self._desk.patience, show=show)
        return EditedNotebook(**told)

    async def notebook_diff(
        self,
        path: Annotated[str, Field(description="Notebook; empty: all that changed")] = "",
        against: Annotated[
            str, Field(description="Revision, range (main..branch), or another notebook")
        ] = "",
    ) -> Compared:
        """What changed in notebooks, cell by cell: as they are now against git (HEAD), another
        revision or another notebook."""
        from octavo.authoring.diffing import DiffRequest

        words, paths = self._sides(path, against)
        compared = await self._desk.operate("diff", DiffRequest(words, paths))
        text = _markdown(compared.files) if compared.files else ""
        shown, omitted = _cut(text)
        changed = any(each.problem is None and each.differs for each in compared.files)
        return Compared(
            changed=changed,
            files=[each.title for each in compared.files if each.problem or each.differs],
            markdown=shown if changed or any(each.problem for each in compared.files) else None,
            omitted=omitted or None,
        )

    def _sides(self, path: str, against: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        where = self._desk.path(path) if path else ""
        if against.startswith("-") or "://" in against or "\0" in against:
            raise UsageError(
                "wrong-argument", "against is no revision", place=against[:80], hint="HEAD~1, main"
            )
        if not against:
            return ((where,) if where else ()), ()
        if os.path.exists(os.path.join(self._desk.project, against)):
            other = self._desk.path(against, "against")
            return (other, where) if where else (other,), ()
        return (against,), (where,) if where else ()

    async def notebook_check(
        self,
        paths: Annotated[list[str], Field(description="Notebooks; empty: all")] = [],  # noqa: B006
        strict: Annotated[bool, Field(description="Compare all outputs")] = False,
    ) -> Checked:
        """Judge whether notebooks still hold: lint, then a run in a clean kernel, outputs against
        the reference. Do this before notebook_commit."""
        where = [self._desk.path(each) for each in paths]
        words = ["check", *["--strict"] * strict, "--json", "--", *where]
        return checked(await self._processes.run("check", words))


def refuse_missing(desk: Desk, path: str) -> None:
    """A name that is no file might be taken for a run, which others may own."""
    if not os.path.isfile(os.path.join(desk.project, path)):
        hint = "paths are relative to the project; notebook_create makes a new one"
        raise UsageError("notebook-not-found", "there is no such file", place=path, hint=hint)


def _edit(cell: int | str, source: str, expect: str, how: str, kind: Any) -> Any:
    from octavo.authoring.editing.sources import clean
    from octavo.notebook.edits import Edit

    if how == "delete":
        return Edit("delete", cell, expect=expect)
    if how == "replace":
        return Edit("replace", cell, clean(source), expect=expect)
    side: Any = how.removeprefix("insert_")
    return Edit("insert", source=clean(source), kind=kind, side=side, anchor=cell, expect=expect)


def _markdown(files: Any) -> str:
    from octavo.render.diff_markdown import changes_markdown, code_span

    texts = []
    for file in files:
        if file.problem is not None:
            told = f"It cannot be compared: {file.problem.message}\n"
        elif not file.differs:
            continue
        else:
            told = changes_markdown(file.old, file.new, limit=_DIFF, ignore=file.ignore)
        texts.append(f"## {code_span(file.title)} {code_span(file.sides)}\n\n{told}")
    return "\n".join(texts)


def without_digest(text: str) -> str:
    """What was read without the digest of the file, which no tool takes."""
    head, blank, rest = text.partition("\n\n")
    return f"{_DIGEST.sub('', head, count=1)}{blank}{rest}"


def _removed(diff: str) -> str:
    """The lines that are gone; those that came were sent by whoever asked."""
    lines = [line[1:] for line in diff.splitlines()[2:] if line.startswith("-")]
    return _cut("\n".join(lines))[0]


def _cut(text: str) -> tuple[str, int]:
    if len(text) <= _DIFF:
        return text, 0
    half = _DIFF // 2
    return f"{text[:half]}\n…\n{text[-half:]}", len(text) - _DIFF
