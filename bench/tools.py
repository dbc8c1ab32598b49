"""The contestants: how each is installed, called, and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import verification
from bench.environments import Environments
from bench.measurement import STDOUT
from bench.work import Work


@dataclass(frozen=True)
class Tool:
    """One contestant; `words` gives the command for some work.

    Where only a part of what the command does counts, it tells the `figure` itself.
    """

    name: str
    label: str
    distribution: str | None
    words: Callable[[Work], list[str]]
    check_run: Callable[[Work, Path], None]
    figure: Callable[[Path], float] | None = None

    def check(self, work: Work, folder: Path) -> None:
        """Raise JobNotDone unless the command left in the folder what was asked for."""
        if work.documents or self.name == PYTHON.name:
            self.check_run(work, folder)
        else:
            verification.check_help(folder / STDOUT)

    def install(self, environments: Environments) -> Path:
        """Build its environment if need be, and give the folder of its programs."""
        if self.distribution == OCTAVO.distribution:
            return environments.octavo(self.name, _EXTRAS.get(self.name, "[jupyter]"))
        if self.distribution is None:
            return environments.bare(self.name)
        return environments.peer(self.name, [self.distribution])

    def version(self, environments: Environments) -> str:
        """Which version is measured, for the report."""
        if self.distribution is None:
            return ""
        return environments.version(self.name, self.distribution)


def _octavo(work: Work) -> list[str]:
    if not work.documents:
        return ["octavo", "--help"]
    parallel = ["-j", str(work.jobs)] if work.jobs > 1 else []
    return ["octavo", "run", *(f"{document.name}.py" for document in work.documents), *parallel]


def _octavo_in_jupyter(work: Work) -> list[str]:
    return [*_octavo(work), "--engine", "jupyter"]


def _papermill(work: Work) -> list[str]:
    return _each(work, "papermill NAME.ipynb out/NAME.ipynb")


def _nbclient(work: Work) -> list[str]:
    return _each(work, "jupyter execute NAME.ipynb --output=out/NAME.ipynb")


def _ploomber(work: Work) -> list[str]:
    return _each(work, "ploomber-engine NAME.ipynb out/NAME.ipynb")


def _python(work: Work) -> list[str]:
    return _each(work, "python NAME.py") if work.documents else ["python", "-c", "pass"]


def _each(work: Work, command: str) -> list[str]:
    """The command for one notebook, or `xargs` around it for many; without any, its help page."""
    if not work.documents:
        return [command.split(maxsplit=1)[0], "--help"]
    if len(work.documents) == 1:
        return command.replace("NAME", work.documents[0].name).split()
    names = " ".join(document.name for document in work.documents)
    return ["sh", "-c", f"printf '%s\\n' {names} | xargs -P {work.jobs} -I NAME {command}"]


def _check_python(work: Work, folder: Path) -> None:
    verification.check_printed(work, folder / STDOUT)


def _tool(
    name: str,
    label: str,
    words: Callable[[Work], list[str]],
    check: Callable[[Work, Path], None] = verification.check_notebooks,
) -> Tool:
    return Tool(name, label, None if name == "python" else name, words, check)


#: What is installed with Octavo, by the name of an environment.
_EXTRAS = {"octavo": "", "octavo-tables": "[tables]"}
OCTAVO = _tool("octavo", "octavo", _octavo, verification.check_records)
OCTAVO_IN_JUPYTER = Tool(
    "octavo-jupyter",
    "octavo --engine jupyter",
    "octavo",
    _octavo_in_jupyter,
    verification.check_records,
)
PAPERMILL = _tool("papermill", "papermill", _papermill)
NBCLIENT = _tool("nbclient", "jupyter execute", _nbclient)
PLOOMBER = _tool("ploomber-engine", "ploomber-engine", _ploomber)
PYTHON = _tool("python", "python", _python, _check_python)
PEERS = (PAPERMILL, NBCLIENT, PLOOMBER, PYTHON)
OURS = (OCTAVO, OCTAVO_IN_JUPYTER)
