"""The things that happen in a run: a closed, versioned union.

Every event is one line of a run's journal. `cell` is the index in the bound notebook (with the
injected parameters); times are seconds since the epoch, stamped by the runner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

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
]


@dataclass(frozen=True, slots=True)
class BoundCell:
    """A cell as it is handed to the kernel, and where its author wrote it.

    `origin` is the index in the author's notebook, None for an injected cell; `line` is where the
    source begins in the author's file.
    """

    kind: str
    source: str
    id: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Mapping[str, Any] | None = None
    origin: int | None = None
    line: int = 1


@dataclass(frozen=True, slots=True)
class RunStarted:
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


@dataclass(frozen=True, slots=True)
class Provenance:
    """Facts that are gathered while the kernel starts: git, packages, lock."""

    type: ClassVar[str] = "provenance"
    git: Mapping[str, Any] | None
    packages: Mapping[str, str]
    lock: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class KernelReady:
    """The kernel answers. `facts` are what it says of itself."""

    type: ClassVar[str] = "kernel-ready"
    time: float
    pid: int
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CellStarted:
    type: ClassVar[str] = "cell-started"
    cell: int
    time: float


@dataclass(frozen=True, slots=True)
class CellSkipped:
    type: ClassVar[str] = "cell-skipped"
    cell: int
    time: float
    why: str


@dataclass(frozen=True, slots=True)
class Stream:
    """Text that a cell wrote to standard output or standard error."""

    type: ClassVar[str] = "stream"
    cell: int
    name: StreamName
    text: str


@dataclass(frozen=True, slots=True)
class Spilled:
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


@dataclass(frozen=True, slots=True)
class Display:
    """A MIME bundle that was displayed, or with `update` a new content for an earlier one."""

    type: ClassVar[str] = "display"
    cell: int
    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    display_id: str | None = None
    update: bool = False


@dataclass(frozen=True, slots=True)
class ExecuteResult:
    """The value of a cell's last expression."""

    type: ClassVar[str] = "execute-result"
    cell: int
    execution_count: int
    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorRaised:
    """An exception that reached the top of a cell.

    `line` counts within the cell's source; it is None where the error has no place in it.
    """

    type: ClassVar[str] = "error"
    cell: int
    ename: str
    evalue: str
    traceback: tuple[str, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class OutputCleared:
    type: ClassVar[str] = "clear-output"
    cell: int
    wait: bool


@dataclass(frozen=True, slots=True)
class CommMessage:
    """A message of a widget: `action` is open, msg or close; buffers are base64."""

    type: ClassVar[str] = "comm"
    cell: int
    action: Literal["open", "msg", "close"]
    comm_id: str
    data: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    target_name: str = ""
    buffers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExitRequested:
    """Code asked to end the run here, as a success. `value` is what it handed out."""

    type: ClassVar[str] = "exit-requested"
    cell: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class LimitExceeded:
    """A watched limit was passed, and the kernel was stopped for it."""

    type: ClassVar[str] = "limit-exceeded"
    cell: int
    limit: str
    allowed: float
    used: float


@dataclass(frozen=True, slots=True)
class CellFinished:
    type: ClassVar[str] = "cell-finished"
    cell: int
    time: float
    status: CellStatus
    execution_count: int | None = None
    memory_peak: int | None = None
    cpu_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class KernelDied:
    """The kernel's process is gone although nobody asked for it."""

    type: ClassVar[str] = "kernel-died"
    time: float
    exit_code: int | None
    signal: str | None
    message: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    type: ClassVar[str] = "run-finished"
    time: float
    status: RunStatus
    reason: Reason | None = None
    message: str = ""


Event = (
    RunStarted
    | Provenance
    | KernelReady
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
    | CellFinished
    | KernelDied
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
)

EVENT_TYPES: tuple[type, ...] = (
    RunStarted,
    Provenance,
    KernelReady,
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
    CellFinished,
    KernelDied,
    RunFinished,
)
