"""What can be asked of sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.requests import Request, argument, option, seconds
from octavo.runs.request import CWD, ENGINE, ENV, KERNEL, PYTHON, Pairs
from octavo.value import EMPTY

SERVER = "A kernel of a Jupyter server"
WAITING = "Waiting"
#: How long a session lives without a call, in seconds.
LEASE = 3600.0


class StartRequest(Request):
    """A new session. `values` are parameters that are not text; `owner` is whose it is."""

    notebook: str | None = argument(
        "the notebook whose cells it begins with; none of them is run yet",
        metavar="NOTEBOOK",
        default=None,
    )
    parameters: Pairs = option(
        "-p",
        "--parameters",
        help="a parameter of the notebook and its value",
        default=(),
        metavar=("NAME", "VALUE"),
    )
    name: str = option("--name", help="a name, for people", default="", metavar="NAME")
    lease: float = option(
        "--lease",
        help="how long it lives without a call (default: 1h)",
        default=LEASE,
        metavar="TIME",
        parse=seconds,
    )
    no_snapshots: bool = option(
        "--no-snapshots",
        help="keep no copies to go back to; cells are executed again instead",
        default=False,
    )
    python: str | None = PYTHON
    kernel: str | None = KERNEL
    engine: str | None = ENGINE
    cwd: str | None = CWD
    env: tuple[str, ...] = ENV
    server: str | None = option(
        "--server", help="the address of a Jupyter server", metavar="URL", group=SERVER
    )
    kernel_id: str | None = option(
        "--kernel-id",
        help="the kernel there; also --kernel ID",
        metavar="ID",
        group=SERVER,
    )
    values: Mapping[str, Any] = EMPTY
    owner: str = ""


class SessionRequest(Request):
    """Something that is asked of one session."""

    session: str = argument("the session: its id, or the last letters of it", metavar="SESSION")


class ExecutingRequest(SessionRequest):
    """Something that executes code. A second request with the same id joins the first."""

    detach: bool = option(
        "--detach", help="return at once with the job's id", default=False, group=WAITING
    )
    wait: float | None = option(
        "--wait",
        help="return after this time, with the job's id; the work goes on",
        metavar="TIME",
        parse=seconds,
        group=WAITING,
    )
    timeout: float | None = option(
        "--timeout",
        help="interrupt a cell that takes longer",
        metavar="TIME",
        parse=seconds,
        group=WAITING,
    )
    request_id: str | None = option(
        "--request-id",
        help="an id of yours: asked twice, it is executed once",
        metavar="ID",
        group=WAITING,
    )
    budget: int | None = option(
        "--budget", help="about so many tokens of output", metavar="TOKENS", parse=int
    )


class ExecRequest(ExecutingRequest):
    """Execute code as a new cell at the end of the state."""

    code: str = argument("the code; - reads it from standard input", metavar="CODE")
    scratch: bool = option(
        "--scratch", help="in a copy that is thrown away: leaves no trace", default=False
    )


class RunCellRequest(ExecutingRequest):
    """Execute a cell of the document, in the state before it."""

    cell: str = argument("the cell: its index, key, name or handle", metavar="CELL")
    only_affected: bool = option(
        "--only-affected", help="in the live state, without going back", default=False
    )


class RunAllRequest(ExecutingRequest):
    """Execute what has not been executed yet, or with `fresh` all of it from the top."""

    only_affected: bool = option(
        "--only-affected", help="only cells that depend on what was edited", default=False
    )
    fresh: bool = option("--fresh", help="from the top, in a new kernel", default=False)


class EditCellRequest(ExecutingRequest):
    """Change the document of a session, and with `run` execute what was changed."""

    cell: str = argument("the cell: its index, key, name or handle", metavar="CELL")
    source: str = argument(
        "its new source; - reads it from standard input", metavar="SOURCE", default=""
    )
    expect: str | None = option(
        "--expect",
        help="the cell has this handle; a stale edit is refused",
        metavar="HANDLE",
    )
    insert: str = option(
        "--insert",
        help="put a new cell beside CELL",
        metavar="SIDE",
        choices=("before", "after"),
        default="",
    )
    delete: bool = option("--delete", help="take the cell away", default=False)
    kind: str = option(
        "--kind",
        help="--insert: what the new cell holds",
        metavar="KIND",
        choices=("code", "markdown", "raw"),
        default="code",
    )
    run: bool = option("--run", help="and execute it", default=False)
    only_affected: bool = option(
        "--only-affected",
        help="and execute it with the cells that depend on it, in the live state",
        default=False,
    )


class ShowRequest(SessionRequest):
    """The cells of a session and their statuses."""


class VarsRequest(SessionRequest):
    """The variables of a session, or the packages of its environment."""

    pattern: str = argument("only names like this: df*", metavar="PATTERN", default="")
    packages: bool = option(
        "--packages", help="the packages of the environment instead", default=False
    )
    limit: int = option("-n", "--limit", help="at most so many", default=200, metavar="N")


class PreviewRequest(SessionRequest):
    """One variable of a session, in part."""

    variable: str = argument("its name; items as in config['path']", metavar="NAME")
    rows: int = option("--rows", help="at most so many rows", default=10, metavar="N")
    columns: int = option("--columns", help="at most so many columns", default=20, metavar="N")


class InterruptRequest(SessionRequest):
    """End what a session executes, as Ctrl-C does; its state stays."""


class RestartRequest(SessionRequest):
    """A new kernel for a session; its document stays."""


class StopRequest(SessionRequest):
    """End a session and its kernel; its record stays."""


class ListRequest(Request):
    """The sessions of this project; with `all` also those of others, and those that ended."""

    all: bool = option(
        "--all", help="also those of other projects, and those that have ended", default=False
    )
    owner: str | None = None


class SaveRequest(SessionRequest):
    """Write the document of a session as a notebook."""

    path: str | None = argument(
        "where (.py percent, .md or .ipynb; default: the session's notebook)",
        metavar="PATH",
        default=None,
    )
    force: bool = option(
        "--force", help="also over a file that was changed meanwhile", default=False
    )


class RestoreRequest(SessionRequest):
    """A new session from the record of one that ended: its cells are executed again."""

    lease: float = option(
        "--lease",
        help="how long it lives without a call (default: 1h)",
        default=LEASE,
        metavar="TIME",
        parse=seconds,
    )
    wait: float | None = option(
        "--wait",
        help="return after this time; the cells go on being executed",
        metavar="TIME",
        parse=seconds,
    )
    owner: str = ""


class RewindRequest(SessionRequest):
    """Go back to the state before a cell."""

    cell: str = argument(
        "the cell before which the state is wanted; -1 is the last", metavar="CELL"
    )
    restore_files: bool = option(
        "--restore-files",
        help="also bring back files of the working directory",
        default=False,
    )


class BranchRequest(SessionRequest):
    """A second session that goes on from the state of this one."""

    cell: str | None = argument(
        "from the state before this cell (default: as it stands)", metavar="CELL", default=None
    )
    name: str = option("--name", help="a name, for people", default="", metavar="NAME")


class DiffRequest(SessionRequest):
    """What differs between the variables of two states."""

    before: str = argument("before this cell, or another session", metavar="A")
    after: str = argument(
        "before this cell, or another session (default: as it stands)", metavar="B", default=""
    )


class PromoteRequest(SessionRequest):
    """Turn a session into a parameterized notebook, proved by a fresh run. `values` are those of
    the proof that are not text.
    """

    path: str = argument("where the notebook is written", metavar="PATH")
    parameter: tuple[str, ...] = option(
        "--parameter",
        help="a constant that becomes a parameter",
        metavar="NAME",
        default=(),
    )
    parameters: Pairs = option(
        "-p",
        "--parameters",
        help="a value for the proof; a secret one of the session has to be given again",
        default=(),
        metavar=("NAME", "VALUE"),
    )
    env: tuple[str, ...] = option(
        "--env", help="a variable for the proof: NAME or NAME=VALUE", default=(), metavar="NAME"
    )
    force: bool = option("--force", help="also over a file that is there", default=False)
    values: Mapping[str, Any] = EMPTY


class FromRunRequest(Request):
    """The live session of a run that was held (`octavo run --hold`)."""

    run: str = argument("the run: its id, or the last letters of it", metavar="RUN")


class AttachRequest(SessionRequest):
    """Work in a session from the terminal, or with `jupyter` from Jupyter's own programs."""

    jupyter: bool = option(
        "--jupyter", help="serve it as a kernel for `jupyter console --existing`", default=False
    )
