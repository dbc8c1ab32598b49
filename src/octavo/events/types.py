"""The things that happen in a run: a closed, versioned union.

Every event is one line of a run's journal. `cell` is the index in the bound notebook (with the
injected parameters); times are seconds since the epoch, stamped by the runner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from octavo.value import EMPTY, Value

SCHEMA_VERSION = 1

StreamName = Literal["stdout", "stderr"]

CellStatus = Literal[
    "pending",
    "running",
    "succeeded",
    "failed",
    "timed-out",
    "interrupted",
    "kernel-died",
    "skipped",
    "not-run",
]

RunStatus = Literal["success", "error"]

Reason = Literal[
    "cell-error",
    "cell-timeout",
    "run-timeout",
    "silence-timeout",
    "kernel-died",
    "out-of-memory",
    "limit-exceeded",
    "interrupted",
    "runner-died",
    "infrastructure",
    "exited-early",
    "scraps",
]


class BoundCell(Value):
    """A cell as it is handed to the kernel, and where its author wrote it.

    `origin` is the index in the author's notebook, None for an injected cell; `line` is where the
    source begins in the author's file, 0 where that holds another source.
    """

    kind: str
    source: str
    id: str
    metadata: Mapping[str, Any] = EMPTY
    attachments: Mapping[str, Any] | None = None
    origin: int | None = None
    line: int = 1


class RunStarted(Value):
    """First event: all that is needed to rebuild the record from the journal alone."""

    type: ClassVar[str] = "run-started"
    schema: int
    run_id: str
    time: float
    source: Mapping[str, Any]
    cells: tuple[BoundCell, ...]
    metadata: Mapping[str, Any]
    parameters: Mapping[str, Any]
    defaults: Mapping[str, Any]
    engine: str
    environment: Mapping[str, Any]
    options: Mapping[str, Any]
    host: Mapping[str, Any]
    output_path: str | None = None
    parent_run: str | None = None
    scraps_schema: Mapping[str, Any] | None = None


class Provenance(Value):
    """Facts that are gathered while the kernel starts: git, packages, lock."""

    type: ClassVar[str] = "provenance"
    git: Mapping[str, Any] | None
    packages: Mapping[str, str]
    lock: Mapping[str, Any] | None = None


class KernelReady(Value):
    """The kernel answers. `facts` are what it says of itself."""

    type: ClassVar[str] = "kernel-ready"
    time: float
    pid: int
    facts: Mapping[str, Any] = EMPTY


class CellBound(Value):
    """A session is about to execute a cell, which becomes the next of its record.

    `role` is `cell` for a cell of its document, `scratch` for an attempt that leaves no trace in
    the state, `again` for one that is executed to come back to a state. `key` names the cell of
    the document for as long as the session lives, `request` is the id that the client gave.
    """

    type: ClassVar[str] = "cell-bound"
    cell: int
    time: float
    bound: BoundCell
    role: Literal["cell", "scratch", "again"] = "cell"
    key: str = ""
    request: str | None = None


class StateRestored(Value):
    """A session went back: its state is now what these cells of its record left, in this order."""

    type: ClassVar[str] = "state-restored"
    time: float
    line: tuple[int, ...]
    how: Literal["snapshot", "executed-again", "restarted"]


class CellStarted(Value):
    type: ClassVar[str] = "cell-started"
    cell: int
    time: float


class CellSkipped(Value):
    type: ClassVar[str] = "cell-skipped"
    cell: int
    time: float
    why: str


class Stream(Value):
    """Text that a cell wrote to standard output or standard error."""

    type: ClassVar[str] = "stream"
    cell: int
    name: StreamName
    text: str


class Spilled(Value):
    """Text that went over the cap: it lies in a file of the record, not in the journal.

    `length` bytes were appended to `file` at `offset`. What lies before the first offset is what
    the cell had written until then, so the file holds the whole. `tail` is how many bytes of what
    was spilled are shown at the end of the cell.
    """

    type: ClassVar[str] = "spilled"
    cell: int
    name: StreamName
    file: str
    offset: int
    length: int
    tail: int = 5_000_000


class Display(Value):
    """A MIME bundle that was displayed, or with `update` a new content for an earlier one."""

    type: ClassVar[str] = "display"
    cell: int
    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = EMPTY
    display_id: str | None = None
    update: bool = False


class ExecuteResult(Value):
    """The value of a cell's last expression."""

    type: ClassVar[str] = "execute-result"
    cell: int
    execution_count: int
    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = EMPTY


class ErrorRaised(Value):
    """An exception that reached the top of a cell.

    `line` counts within the cell's source; it is None where the error has no place in it.
    """

    type: ClassVar[str] = "error"
    cell: int
    ename: str
    evalue: str
    traceback: tuple[str, ...]
    line: int | None = None


class OutputCleared(Value):
    type: ClassVar[str] = "clear-output"
    cell: int
    wait: bool


class CommMessage(Value):
    """A message of a widget: `action` is open, msg or close; buffers are base64."""

    type: ClassVar[str] = "comm"
    cell: int
    action: Literal["open", "msg", "close"]
    comm_id: str
    data: Mapping[str, Any] = EMPTY
    metadata: Mapping[str, Any] = EMPTY
    target_name: str = ""
    buffers: tuple[str, ...] = ()


class ExitRequested(Value):
    """Code asked to end the run here, as a success. `value` is what it handed out."""

    type: ClassVar[str] = "exit-requested"
    cell: int
    value: Any = None


class LimitExceeded(Value):
    """A watched limit was passed, and the kernel was stopped for it."""

    type: ClassVar[str] = "limit-exceeded"
    cell: int
    limit: str
    allowed: float
    used: float


class FilesSeen(Value):
    """What a kernel was seen to use: files it read, wrote, folders it listed, modules it loaded.

    `missing` are files that it wanted to read and that were not there.
    `facts` are `network`, `subprocess` and `native:NAME`: what went on there nobody saw. Without
    `complete` there was more than is kept count of. Processes that a kernel forked tell their own;
    `final` is the word of the kernel itself, when it ends.
    """

    type: ClassVar[str] = "files-seen"
    cell: int
    read: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    complete: bool = True
    final: bool = False


class CellFinished(Value):
    type: ClassVar[str] = "cell-finished"
    cell: int
    time: float
    status: CellStatus
    execution_count: int | None = None
    memory_peak: int | None = None
    cpu_seconds: float | None = None


class KernelDied(Value):
    """The kernel's process is gone although nobody asked for it."""

    type: ClassVar[str] = "kernel-died"
    time: float
    exit_code: int | None
    signal: str | None
    message: str


class ScrapsChecked(Value):
    """What was handed out has been held against what the notebook declares.

    A problem has a `name`, a `problem` (missing, type or bounds), a `message` and a `place`.
    """

    type: ClassVar[str] = "scraps-checked"
    time: float
    problems: tuple[Mapping[str, Any], ...] = ()


class RunFinished(Value):
    type: ClassVar[str] = "run-finished"
    time: float
    status: RunStatus
    reason: Reason | None = None
    message: str = ""


Event = (
    RunStarted
    | Provenance
    | KernelReady
    | CellBound
    | StateRestored
    | CellStarted
    | CellSkipped
    | Stream
    | Spilled
    | Display
    | ExecuteResult
    | ErrorRaised
    | OutputCleared
    | CommMessage
    | ExitRequested
    | LimitExceeded
    | FilesSeen
    | CellFinished
    | KernelDied
    | ScrapsChecked
    | RunFinished
)

#: What a kernel may emit; everything else is the runner's own word.
KernelEvent = (
    Stream
    | Display
    | ExecuteResult
    | ErrorRaised
    | OutputCleared
    | CommMessage
    | ExitRequested
    | LimitExceeded
    | FilesSeen
)

EVENT_TYPES: tuple[type[Value], ...] = (
    RunStarted,
    Provenance,
    KernelReady,
    CellBound,
    StateRestored,
    CellStarted,
    CellSkipped,
    Stream,
    Spilled,
    Display,
    ExecuteResult,
    ErrorRaised,
    OutputCleared,
    CommMessage,
    ExitRequested,
    LimitExceeded,
    FilesSeen,
    CellFinished,
    KernelDied,
    ScrapsChecked,
    RunFinished,
)
