"""`octavo session promote`: a session as a notebook with parameters, proved by a fresh run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from octavo.authoring.files import replace_file
from octavo.errors import ConflictError, NotebookError, UsageError
from octavo.events.types import RunStarted
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.formats.ipynb.rewrite import with_results
from octavo.notebook.parameters import declared
from octavo.records.result import RunResult
from octavo.runs.given import given_values
from octavo.runs.operation import run
from octavo.runs.request import RunRequest
from octavo.runs.rerun import refuse_redacted
from octavo.sessions.context import SessionContext
from octavo.sessions.fetching import Fetched, Results, fetch
from octavo.sessions.requests import PromoteRequest
from octavo.sessions.values import Answer
from octavo.sessions.writing.distilling import Distilled, distil, with_parameters
from octavo.sessions.writing.proving import differing, handed_out
from octavo.sessions.writing.saving import document_text, place
from octavo.sources import SourceFile, read_text

#: What a session was begun with that its notebook is run with too.
_CHOSEN = ("python", "kernel", "engine", "env", "env_files", "cwd", "preload")


class Promoted(Answer):
    """A notebook that stands on its own. `run` is the record of its proof, `scraps` are the names
    of what session and run agree on, `dropped` the cells that were left out, and why.
    """

    session: str
    path: str
    run: str
    cells: int
    parameters: tuple[str, ...]
    scraps: tuple[str, ...]
    dropped: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""


async def promote(request: PromoteRequest, context: SessionContext) -> Promoted:
    """Write a session as a notebook, once a fresh run of it hands out what the session did."""
    fetched = await fetch(context, request.session)
    path = os.path.normpath(os.path.join(context.cwd, request.path))
    there = _refuse_overwriting(path, request.force)
    distilled = distil(fetched.cells, fetched.infos, fetched.position)
    source = _source(fetched, distilled, request.parameter, path)
    with Results(fetched.record) as results:
        wanted = handed_out(results, distilled.record_cells)
        started = results.run.started
    asked = _asked(source, started, request)
    refuse_redacted(given_values(asked, context.cwd), asked.env)
    proof = (await run(asked, context)).results[0]
    _refuse_failed(proof, fetched)
    _refuse_differing(wanted, proof, context, fetched)
    expected = None if there is None else there.encode("utf-8")
    replace_file(Path(path), ipynb.encode(source.text), expected)
    return _answer(fetched, source, distilled, proof, tuple(wanted), context.cwd)


def _refuse_overwriting(path: str, force: bool) -> str | None:
    formats.format_for(path)
    if not os.path.isdir(os.path.dirname(path)):
        message, hint = "the folder is not there", "make it first, or choose another"
        raise UsageError("output-unwritable", message, place=path, hint=hint)
    if not os.path.lexists(path):
        return None
    if not force:
        hint = "choose another name, or --force to write over it"
        raise ConflictError("output-exists", "there is a file already", place=path, hint=hint)
    return read_text(path)


def _source(
    fetched: Fetched, distilled: Distilled, parameters: tuple[str, ...], path: str
) -> SourceFile:
    cells = with_parameters(distilled.cells, parameters)
    if not any(each.runs for each in cells):
        raise NotebookError(
            "notebook-empty",
            "nothing in the state of this session is worth a notebook yet",
            place=fetched.short,
            hint=f"octavo session run-all {fetched.short} executes its cells",
        )
    base = fetched.base
    text = document_text(place(cells, base), base, fetched.metadata, path)
    text = _without_outputs(text, path)
    return SourceFile(path, text, formats.read(text, path))


def _without_outputs(text: str, path: str) -> str:
    """A source holds no outputs; those of the proof are in its record."""
    if formats.suffix_of(path) != ".ipynb":
        return text
    code = [at for at, cell in enumerate(ipynb.read(text, path).cells) if cell.kind == "code"]
    nothing: dict[str, Any] = {"outputs": [], "execution_count": None}
    return with_results(text, path, dict.fromkeys(code, nothing))


def _asked(source: SourceFile, started: RunStarted | None, request: PromoteRequest) -> RunRequest:
    """A run of the notebook as everybody would run it, with the values of the session. Those that
    are secret are not in its record; they, and any other, may be given again.
    """
    options = dict(started.options) if started is not None else {}
    chosen = {name: options[name] for name in _CHOSEN if name in options}
    chosen = {name: tuple(v) if isinstance(v, list) else v for name, v in chosen.items()}
    known = {each.name for each in declared(source.notebook, source.path)}
    given = dict(started.parameters) if started is not None else {}
    values = {name: value for name, value in given.items() if name in known}
    named = {each.partition("=")[0] for each in request.env}
    kept = [each for each in chosen.pop("env", ()) if each.partition("=")[0] not in named]
    return RunRequest(
        paths=(source.path,),
        source=source,
        values={**values, **request.values},
        parameters=request.parameters,
        env=(*kept, *request.env),
        **chosen,
    )


def _refuse_failed(proof: RunResult, fetched: Fetched) -> None:
    if proof.ok:
        return
    failed = proof.failed_cell
    what = f"{failed.ename}: {failed.evalue}" if failed else proof.message
    where = f" in cell {failed.index}" if failed and failed.index is not None else ""
    usual = "a cell that failed and was left out, or one of another state, is the usual reason"
    record = f"octavo show {proof.run_id[-8:]} has the run"
    raise ConflictError(
        "not-proven",
        f"a fresh run of it fails{where}: {what[:200]}; nothing was written",
        place=fetched.short,
        hint=f"{record}; {usual}" if failed else record,
        details={"run": proof.run_id, "reason": proof.reason},
    )


def _refuse_differing(
    wanted: Any, proof: RunResult, context: SessionContext, fetched: Fetched
) -> None:
    record = Path(proof.record_path).parent
    with Results(record) as results:
        found = differing(wanted, handed_out(results, sorted(results.run.cells)))
    if not found:
        return
    told = "\n".join(f"  {each}" for each in found)
    raise ConflictError(
        "not-proven",
        f"a fresh run does not hand out what the session did; nothing was written\n{told}",
        place=fetched.short,
        hint=f"octavo show {proof.run_id[-8:]} has the run; what depends on the time, on chance"
        " or on files that cells changed differs from run to run",
        details={"run": proof.run_id, "scraps": [each.to_dict() for each in found]},
    )


def _answer(
    fetched: Fetched,
    source: SourceFile,
    distilled: Distilled,
    proof: RunResult,
    scraps: tuple[str, ...],
    cwd: str,
) -> Promoted:
    shown = os.path.relpath(source.path, cwd)
    names = tuple(each.name for each in declared(source.notebook, source.path))
    notes = () if scraps else ("nothing was handed out, so the proof is that it runs to its end",)
    example = f" -p {names[0]} …" if names else ""
    return Promoted(
        session=fetched.short,
        path=shown,
        run=proof.run_id,
        cells=len(source.notebook.cells),
        parameters=names,
        scraps=scraps,
        dropped=tuple(each.to_dict() for each in distilled.dropped),
        notes=notes,
        lease_ends=fetched.lease_ends,
        next=f"octavo run {shown}{example}",
    )
