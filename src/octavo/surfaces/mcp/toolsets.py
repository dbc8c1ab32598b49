"""Which tools a server has: the loop of an agent by default, more on request."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import UsageError
from octavo.surfaces.mcp.declaring import Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.tools.more import MORE, more_tools
from octavo.surfaces.mcp.tools.notebooks import NotebookTools
from octavo.surfaces.mcp.tools.proposals import ProposalTools
from octavo.surfaces.mcp.tools.runs import RunTools
from octavo.surfaces.mcp.tools.sessions import SessionTools

#: As they stand in `tools/list`: the order of the work.
ORDER = (
    "notebook_create", "notebook_read", "notebook_edit", "notebook_execute", "notebook_diff",
    "notebook_check", "notebook_commit", "notebook_pr", "notebook_review", "runs_list",
    "run_result", "job_wait", "job_cancel", "session_start", "session_execute",
    "session_variables", "session_rewind", "session_save", "session_stop",
)  # fmt: skip
ALL = "all"


def declared_tools(
    desk: Desk, processes: Processes, jobs: JobDesk, toolsets: Sequence[str] = ()
) -> list[Declared]:
    """The usual tools, and those of more toolsets."""
    usual = [
        *NotebookTools(desk, processes, jobs).declared(),
        *RunTools(desk, jobs).declared(),
        *ProposalTools(desk, processes).declared(),
        *SessionTools(desk).declared(),
    ]
    usual.sort(key=lambda each: ORDER.index(each.method.__name__))
    return [*usual, *more_tools(desk, processes, wanted(toolsets))]


def wanted(toolsets: Sequence[str]) -> tuple[str, ...]:
    """The names of toolsets that were asked for, commas or not."""
    names = [name.strip() for each in toolsets for name in each.split(",") if name.strip()]
    for name in names:
        if name not in (*MORE, ALL):
            hint = f"there are {', '.join(MORE)} and {ALL}"
            raise UsageError("wrong-argument", f"there is no toolset {name!r}", hint=hint)
    return tuple(MORE) if ALL in names else tuple(dict.fromkeys(names))
