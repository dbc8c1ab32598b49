"""Octavo runs notebooks and keeps a record of every run.

    import octavo

    result = octavo.run("report.py", parameters={"threshold": 0.9})
    result.raise_for_status()
    print(result.scraps)

Importing this package loads nothing else; names are looked up when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.errors import (
        ConflictError,
        EnvironmentFailure,
        InfrastructureError,
        KernelFailure,
        NotebookError,
        NotebookFailed,
        OctavoError,
        ParameterError,
        StorageError,
        UsageError,
    )
    from octavo.gate.verdicts import CheckReport
    from octavo.records.reading import ReadNotebook, ReadNotebooks, Scrap
    from octavo.records.result import FailedCell, RunResult
    from octavo.surfaces.python.checking import check
    from octavo.surfaces.python.executor import NotebookExecutor
    from octavo.surfaces.python.following import Progress
    from octavo.surfaces.python.jobs import Job, detach
    from octavo.surfaces.python.reading import read_notebook, read_notebooks
    from octavo.surfaces.python.running import run, run_async
    from octavo.surfaces.python.sessions import Session
    from octavo.surfaces.python.steps import (
        notebook_commit,
        notebook_create,
        notebook_edit,
        notebook_execute,
        notebook_pr,
    )

    __version__: str

__all__ = [
    "CheckReport",
    "ConflictError",
    "EnvironmentFailure",
    "FailedCell",
    "InfrastructureError",
    "Job",
    "KernelFailure",
    "NotebookError",
    "NotebookExecutor",
    "NotebookFailed",
    "OctavoError",
    "ParameterError",
    "Progress",
    "ReadNotebook",
    "ReadNotebooks",
    "RunResult",
    "Scrap",
    "Session",
    "StorageError",
    "UsageError",
    "check",
    "detach",
    "notebook_commit",
    "notebook_create",
    "notebook_edit",
    "notebook_execute",
    "notebook_pr",
    "read_notebook",
    "read_notebooks",
    "run",
    "run_async",
]

_HOMES = {
    "run": "octavo.surfaces.python.running",
    "run_async": "octavo.surfaces.python.running",
    "check": "octavo.surfaces.python.checking",
    "Job": "octavo.surfaces.python.jobs",
    "detach": "octavo.surfaces.python.jobs",
    "CheckReport": "octavo.gate.verdicts",
    "NotebookExecutor": "octavo.surfaces.python.executor",
    "Progress": "octavo.surfaces.python.following",
    "RunResult": "octavo.records.result",
    "FailedCell": "octavo.records.result",
    "ReadNotebook": "octavo.records.reading",
    "ReadNotebooks": "octavo.records.reading",
    "Scrap": "octavo.records.reading",
    "Session": "octavo.surfaces.python.sessions",
    "read_notebook": "octavo.surfaces.python.reading",
    "read_notebooks": "octavo.surfaces.python.reading",
    "notebook_commit": "octavo.surfaces.python.steps",
    "notebook_create": "octavo.surfaces.python.steps",
    "notebook_edit": "octavo.surfaces.python.steps",
    "notebook_execute": "octavo.surfaces.python.steps",
    "notebook_pr": "octavo.surfaces.python.steps",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        from octavo.version import VERSION

        found: object = VERSION
    elif name in __all__:
        found = getattr(import_module(_HOMES.get(name, "octavo.errors")), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
