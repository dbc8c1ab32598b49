"""From a launch to the program that is started for it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping

from octavo.environments.launch import Kernelspec, Launch
from octavo.errors import KernelFailure
from octavo.kernels.jupyter.connection import Connection, Transport
from octavo.value import Value

PYTHON = Kernelspec(
    name="python3",
    argv=("python", "-m", "ipykernel_launcher", "-f", "{connection_file}"),
    language="python",
    display_name="Python 3 (ipykernel)",
)
_OWN_PYTHON = {"python", "python3", f"python3.{sys.version_info.minor}"}
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_SPEAK_IPC = ("python", "pypy", "xpython", "xeus", "xcpp", "xsqlite", "xr")
_PROFILE = ("--profile", "--ipython-dir", "--config")


class Command(Value):
    """What is executed, with which variables. `ours` says that no kernelspec asked for it."""

    spec: Kernelspec
    program: str
    variables: Mapping[str, str]
    ours: bool

    @property
    def is_ipykernel(self) -> bool:
        """Whether this starts ipykernel itself, which gives room to a guest."""
        return any(word in ("ipykernel_launcher", "ipykernel") for word in self.spec.argv)

    @property
    def transport(self) -> Transport:
        """Kernels made with ipykernel, xeus or IRkernel speak ipc; of others it is not known."""
        if sys.platform == "win32":
            return "tcp"
        words = [os.path.basename(word).lower() for word in self.spec.argv[:2]]
        known = words[0] in ("r", "rscript") or words[0].startswith(_SPEAK_IPC)
        return "ipc" if known else "tcp"

    def arguments(self, connection: Connection) -> list[str]:
        """The words of the command line, with everything filled in."""
        filled = {"connection_file": connection.file, "resource_dir": self.spec.folder}
        words = [_fill(word, filled) for word in self.spec.argv]
        if self._without_home:
            words.append("--HistoryManager.hist_file=:memory:")
        return [self.program, *words[1:]]

    def start_variables(self, connection: Connection) -> dict[str, str]:
        """The variables at the start; the guest takes away what the launch does not name."""
        home = {"IPYTHONDIR": connection.home} if self._without_home else {}
        return {**home, **self.variables}

    @property
    def _without_home(self) -> bool:
        """Neither the home folder nor what a user has configured there is part of a run."""
        asked = any(word.startswith(_PROFILE) for word in self.spec.argv)
        return self.is_ipykernel and not asked


def resolve(launch: Launch) -> Command:
    """The command of a launch; KernelFailure where its program is not there."""
    spec = launch.kernel or PYTHON
    variables = {**launch.variables}
    for name, value in spec.variables.items():
        variables[name] = _expand(value, launch.variables)
    if not spec.argv:
        raise KernelFailure(
            "kernel-broken",
            f"the kernelspec {spec.name!r} names no program",
            place=spec.folder,
            hint=f"install the kernel again, or remove it: jupyter kernelspec remove {spec.name}",
        )
    wanted = spec.argv[0]
    if wanted in _OWN_PYTHON:
        wanted = launch.environment.python
    program = _find(wanted, variables.get("PATH", os.defpath), launch.cwd)
    if program is None:
        raise _gone(spec, wanted)
    return Command(spec, program, variables, launch.kernel is None)


def _gone(spec: Kernelspec, program: str) -> KernelFailure:
    return KernelFailure(
        "kernel-broken",
        f"the kernel {spec.name!r} is started with {program}, which is not there",
        place=os.path.join(spec.folder, "kernel.json") if spec.folder else spec.name,
        hint=f"install the kernel again, or remove it: jupyter kernelspec remove {spec.name}",
    )


def _find(program: str, path: str, cwd: str) -> str | None:
    if os.sep in program:
        program = os.path.join(cwd, program)
    return shutil.which(program, path=path)


def _fill(word: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word)


def _expand(value: str, variables: Mapping[str, str]) -> str:
    """`${NAME}` and `$NAME` as Jupyter fills them in; what is not set stays as it is."""
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], found[0]), value)
