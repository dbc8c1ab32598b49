"""`octavo propose`: a change of a notebook, with evidence that it runs, offered for review."""

from __future__ import annotations

import os
from typing import Any

from octavo.authoring.documents import document_of
from octavo.errors import ConflictError, OctavoError
from octavo.forges.port import Proposal, Status, StatusState
from octavo.forges.request import ForgeRequest
from octavo.git.worktrees import remove_abandoned
from octavo.proposals.body import Facts, is_our_draft, merged_body, outcome_words, scrap_changes
from octavo.proposals.branches import Target, advance, commit_for, target_for
from octavo.proposals.change import Change, change_of
from octavo.proposals.context import ProposalContext
from octavo.proposals.evidence import (
    Evidence,
    Side,
    evidence_of,
    executed_notebook,
    for_base,
    refuse_failure,
    refuse_wrong_values,
    side_in,
)
from octavo.proposals.figures import MOST, changed_figures
from octavo.proposals.naming import title_from
from octavo.proposals.site import Site, site_for
from octavo.render.columns import one_line
from octavo.render.diff_markdown import changes_markdown
from octavo.requests import argument, option, seconds
from octavo.runs.context import Said
from octavo.runs.request import Pairs, RunRequest
from octavo.runs.rerun import REDACTED
from octavo.value import Value

STATUS = "octavo/run"
RUN = "Run"
#: A forge takes bodies up to 64 kB; the cells get the larger part of that.
_LONGEST_CHANGES = 40_000
_ATTEMPTS = 3
#: In place of a value that no record says to be harmless.
_UNTOLD = "VALUE"


class ProposeRequest(ForgeRequest):
    """Which notebook to propose, and how it is to be run."""

    path: str = argument("the notebook: .py, .md or .ipynb", metavar="NOTEBOOK")
    message: str = option(
        "-m", "--message", help="what the change does; the commit's message", default=""
    )
    title: str = option("--title", help="title (default: the message's first line)", default="")
    body: str | None = option("--body", help="text above what Octavo writes", metavar="TEXT")
    issue: int | None = option(
        "--issue", help="the issue that it refers to", metavar="N", parse=int
    )
    draft: bool = option(
        "--draft", help="not to be merged yet; proposed also when the run fails", default=False
    )
    branch: str = option(
        "--branch",
        help="the branch (default: the one that is checked out; on the base, agent/<slug>)",
        default="",
    )
    base: str = option("--base", help="the branch that it is for", default="", metavar="BRANCH")
    also: tuple[str, ...] = option(
        "--also", help="another file that belongs to the change", default=(), metavar="FILE"
    )
    parameters: Pairs = option(
        "-p",
        "--parameters",
        help="a parameter of the runs and its value",
        default=(),
        metavar=("NAME", "VALUE"),
        group=RUN,
    )
    parameter_files: tuple[str, ...] = option(
        "-f",
        "--parameters-file",
        help="parameters from a YAML or JSON file",
        default=(),
        metavar="FILE",
        group=RUN,
    )
    python: str | None = option(
        "--python", help="interpreter or environment to run in", metavar="PYTHON", group=RUN
    )
    kernel: str | None = option(
        "-k", "--kernel", help="Jupyter kernel to run in", metavar="KERNEL", group=RUN
    )
    cell_timeout: float | None = option(
        "--cell-timeout", help="longest time for a cell", metavar="TIME", parse=seconds, group=RUN
    )


class ProposeResult(Value):
    """The proposal as it is now, and the runs that speak for it.

    `opened` when there was none before; `committed` when the branch got a new commit.
    """

    proposal: Proposal
    forge: str
    commit: str
    opened: bool
    committed: bool
    facts: Facts
    left_alone: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        shown = self.proposal
        return {
            "number": shown.number,
            "url": shown.url,
            "title": shown.title,
            "branch": shown.branch,
            "base": shown.base,
            "draft": shown.draft,
            "forge": self.forge,
            "commit": self.commit,
            "opened": self.opened,
            "committed": self.committed,
            "before": _evidence_json(self.facts.before),
            "after": _evidence_json(self.facts.after),
            "scraps": [each.to_json() for each in scrap_changes(self.facts)],
            "left_alone": list(self.left_alone),
        }


def _evidence_json(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    record = evidence.record
    return {
        "commit": evidence.side.commit,
        "run_id": record.run_id if record else None,
        "status": record.status if record else "error",
        "duration_seconds": record.duration_seconds if record else None,
        "reused": evidence.reused,
        "problem": evidence.problem or None,
    }


async def propose(request: ProposeRequest, context: ProposalContext) -> ProposeResult:
    """Commit the change to its branch, run it, push it, and open or update the proposal.

    Nothing that anybody sees is changed before the notebook has run. When another process moved
    the branch meanwhile it is looked at again; the runs are there by then.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return await _proposed(request, context)
        except ConflictError as error:
            if error.kind != "branch-moved":
                raise
            context.emit(Said("the branch was moved meanwhile; looking again"))
    return await _proposed(request, context)


async def _proposed(request: ProposeRequest, context: ProposalContext) -> ProposeResult:
    folder = os.path.dirname(os.path.join(context.cwd, request.path))
    with site_for(request, context, folder) as site:
        remove_abandoned(site.repository)
        change = change_of(request.path, request.also, site.repository, context)
        target = target_for(
            site,
            change,
            branch=request.branch,
            base=site.base_branch(request.base),
            prefix=context.settings.branch_prefix,
        )
        commit = commit_for(site.repository, target, change, _message(request, change))
        before, after = await _evidence(request, site, target, commit, change, context)
        if not request.draft:
            refuse_failure(after, change.name)
        advance(site, target, commit, change)
        facts = _facts(request, site, target, commit, change, before, after)
        proposal, opened = _published(request, site, facts, context)
        return ProposeResult(
            proposal,
            site.forge.name,
            commit,
            opened,
            commit != target.here,
            facts,
            change.left_alone,
        )


def _message(request: ProposeRequest, change: Change) -> str:
    refers = f"\n\nRefs #{request.issue}" if request.issue else ""
    return f"{_words(request, change.name)}{refers}\n"


def _words(request: ProposeRequest, name: str) -> str:
    return request.message.strip() or request.title.strip() or f"Change {name}"


async def _evidence(
    request: ProposeRequest,
    site: Site,
    target: Target,
    commit: str,
    change: Change,
    context: ProposalContext,
) -> tuple[Evidence | None, Evidence]:
    repository, path = site.repository, change.source.path
    run = RunRequest(
        paths=(path,),
        parameters=request.parameters,
        parameter_files=request.parameter_files,
        python=request.python,
        kernel=request.kernel,
        cell_timeout=request.cell_timeout,
    )
    now = side_in(repository, commit, change.name, path) or Side(commit, change.source)
    refuse_wrong_values(now, run, context)
    after = await evidence_of(
        now, change.name, run, repository, context, must_run=not request.draft
    )
    name, old = _before(site, target, change)
    if old is None:
        return None, after
    run = for_base(old, run, context)
    before = await evidence_of(old, name, run, repository, context, must_run=False)
    return before, after


def _before(site: Site, target: Target, change: Change) -> tuple[str, Side | None]:
    """The notebook as it is on the base, under the name that it has there."""
    for name in filter(None, (change.name, change.formerly)):
        path = os.path.join(site.repository.top, name) if name != change.name else ""
        found = side_in(site.repository, target.fork, name, path or change.source.path)
        if found is not None:
            return name, found
    return change.name, None


def _facts(
    request: ProposeRequest,
    site: Site,
    target: Target,
    commit: str,
    change: Change,
    before: Evidence | None,
    after: Evidence,
) -> Facts:
    own = {change.name, os.path.splitext(change.name)[0] + ".ipynb"}
    name, old = _before(site, target, change)
    return Facts(
        name=change.name,
        branch=target.branch,
        base=target.base,
        commit=commit,
        changes=changes_markdown(
            document_of(old.source) if old else None,
            document_of(change.source),
            limit=_LONGEST_CHANGES,
            level=5,
            with_scraps=False,
        ),
        before=before,
        after=after,
        remote=site.remote.name if site.remote else "",
        arguments=_arguments(request, after),
        figures=changed_figures(executed_notebook(before), executed_notebook(after)),
        issue=request.issue,
        draft=request.draft,
        also=tuple(name for name in change.files if name not in own),
        formerly=name if name != change.name else "",
    )


def _arguments(request: ProposeRequest, after: Evidence) -> tuple[str, ...]:
    """What the runs were given, as it is typed; of a secret only what the record has of it."""
    recorded = after.record.parameters if after.record else {}
    words: list[str] = []
    for name, value in request.parameters:
        known = str(recorded.get(name, _UNTOLD))
        words += ["-p", name, known if known == _UNTOLD or REDACTED in known else value]
    return (*words, *(word for path in request.parameter_files for word in ("-f", path)))


def _published(
    request: ProposeRequest, site: Site, facts: Facts, context: ProposalContext
) -> tuple[Proposal, bool]:
    """Open the proposal or bring it up to date, with its figures and its status."""
    forge = site.forge
    there = forge.find(facts.branch)
    _set_status(site, facts)
    if there is None:
        title = request.title.strip() or title_from(_words(request, facts.name))
        body = merged_body("", request.body, facts)
        proposal = forge.open(facts.branch, facts.base, title, body, draft=request.draft)
    else:
        proposal = there
    facts = facts.replace(addresses=_attached(site, proposal, facts, context))
    body = merged_body(proposal.body, request.body, facts)
    draft = True if request.draft else False if is_our_draft(proposal.body) else None
    title = request.title.strip() or proposal.title
    return forge.update(proposal.number, title=title, body=body, draft=draft), there is None


def _set_status(site: Site, facts: Facts) -> None:
    assert facts.after is not None
    state: StatusState = "success" if facts.after.ok else "failure"
    status = Status(STATUS, state, one_line(outcome_words(facts.after), 140))
    if status not in site.forge.statuses(facts.commit):
        site.forge.set_status(facts.commit, status)


def _attached(
    site: Site, proposal: Proposal, facts: Facts, context: ProposalContext
) -> dict[str, str]:
    """The addresses of the figures, once they are on the forge; one that it refuses is told."""
    addresses: dict[str, str] = {}
    for figure in facts.figures[:MOST]:
        for image in filter(None, (figure.before, figure.after)):
            try:
                addresses[image.name] = site.forge.attach(
                    proposal.number, image.name, image.content, image.media_type
                )
            except OctavoError as error:
                if error.kind != "forge-refused":
                    raise
                context.emit(Said(f"a figure is not shown: {error.message}; {error.hint}"))
    return addresses
