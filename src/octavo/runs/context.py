"""What a run needs from the program around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from octavo.events.types import Event
from octavo.kernels.port import Engine
from octavo.records.store import Store
from octavo.runs.stopping import Stop
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.kernels.jupyter.specs import Found
    from octavo.records.result import RunResult
    from octavo.records.run_dir import RunDir
    from octavo.runs.looking.listing import RunRow


class Happened(Value):
    """An event of one of the runs that are under way; it is in the journal already."""

    run_id: str
    path: str
    event: Event


class Said(Value):
    """A line for people about something that takes a while."""

    text: str


class RunSettings(Protocol):
    """The part of the configuration that runs look at."""

    @property
    def env(self) -> tuple[str, ...]: ...

    @property
    def env_files(self) -> tuple[str, ...]: ...

    @property
    def secrets(self) -> tuple[str, ...]: ...

    @property
    def scrapbook_shim(self) -> bool: ...


class RunContext(Protocol):
    """Handed to every operation of this room."""

    cwd: str
    environ: Mapping[str, str]
    cache: str
    python: str
    stop: Stop

    @property
    def emit(self) -> Callable[[Any], None]: ...

    @property
    def settings(self) -> RunSettings: ...

    def store(self, near: str) -> Store:
        """The store of the project around a path."""

    def finished(self, results: Sequence[RunResult]) -> None:
        """Told of runs that have ended, whose records are written."""

    def archived_rows(self, ref: str) -> Iterator[RunRow]:
        """The runs in the archive at a revision (empty: the usual one), the newest first."""

    def archived_run(self, name: str) -> RunDir | None:
        """The archived run that a part of an id means, brought here; None where there is none."""

    def expect(self, kernels: int) -> None:
        """How many kernels will be started."""

    def kernel_ended(self) -> None:
        """One of them has ended, or will not be started."""

    @property
    def forks(self) -> bool:
        """Whether kernels can be forked on this system."""

    def kernelspecs(self, root: str | None) -> Found:
        """Jupyter's kernels, those in the environment at `root` first."""

    def engine(self, name: str) -> Engine:
        """The engine of a name, made once."""
