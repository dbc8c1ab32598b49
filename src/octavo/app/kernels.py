"""`octavo kernels`: what notebooks can run in, and which notebooks each kernel is for."""

from __future__ import annotations

import os
from typing import Any, Protocol

from octavo import plugins
from octavo.environments.launch import Kernelspec
from octavo.environments.uv import on_path
from octavo.kernels.choice import ANY_PYTHON, FORK, JUPYTER, interpreter_of
from octavo.kernels.jupyter.specs import Found
from octavo.kernels.languages import plain_name
from octavo.notebook.translation import translatable
from octavo.requests import Request
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class KernelsRequest(Request):
    """Which kernels there are."""


class KernelRow(Value):
    """A kernel. `serves` says in words which notebooks run in it, `problem` why none can.

    `parameters` says whether they can be given values; None where only the engine knows.
    """

    name: str
    engine: str
    language: str
    display_name: str
    serves: str
    parameters: bool | None
    program: str = ""
    folder: str = ""
    problem: str | None = None


class KernelsResult(Value):
    """The kernels, what forks first; those of Jupyter in the order in which they are found."""

    kernels: tuple[KernelRow, ...]

    def to_json(self) -> dict[str, Any]:
        return {"kernels": [row.to_dict() for row in self.kernels]}


class KernelsContext(Protocol):
    """What this operation looks at."""

    python: str
    environ: Mapping[str, str]

    @property
    def forks(self) -> bool: ...

    @property
    def environment_root(self) -> str | None: ...

    def kernelspecs(self, root: str | None) -> Found: ...


async def kernels(request: KernelsRequest, context: KernelsContext) -> KernelsResult:
    """Every kernel that is known around the current folder, broken ones too."""
    found = context.kernelspecs(context.environment_root)
    rows = [_python(context)]
    served: set[str] = set()
    for spec in found.specs:
        rows.append(_of_spec(spec, served, context))
    rows += [_broken(problem.name, problem.message, problem.folder) for problem in found.problems]
    rows += [_of_plugin(each.name, each.value) for each in plugins.engines()]
    return KernelsResult(tuple(rows))


def _python(context: KernelsContext) -> KernelRow:
    return KernelRow(
        name="python3",
        engine=FORK if context.forks else JUPYTER,
        language="python",
        display_name="Python of the notebook's own environment",
        serves="every Python notebook",
        parameters=True,
    )


def _of_spec(spec: Kernelspec, served: set[str], context: KernelsContext) -> KernelRow:
    """A kernelspec; the first one of a language serves the notebooks that name no kernel."""
    problem = _program_problem(spec, context)
    return KernelRow(
        name=spec.name,
        engine=_engine(spec, context),
        language=spec.language,
        display_name=spec.display_name or spec.name,
        serves="" if problem else _serves(spec, served),
        parameters=translatable(spec.language, spec.name),
        program=spec.argv[0],
        folder=spec.folder,
        problem=problem,
    )


def _engine(spec: Kernelspec, context: KernelsContext) -> str:
    """A kernel that stands for an interpreter is forked from that, unless it is the usual one,
    which is only ever started when somebody asks for `--engine jupyter`.
    """
    forked = interpreter_of(spec) is not None and spec.name not in ANY_PYTHON and context.forks
    return FORK if forked else JUPYTER


def _serves(spec: Kernelspec, served: set[str]) -> str:
    language = plain_name(spec.language)
    if language == "python":
        return "--engine jupyter" if spec.name in ANY_PYTHON else f"--kernel {spec.name}"
    if language in served:
        return f"--kernel {spec.name}, notebooks saved with it"
    served.add(language)
    return f"every {spec.language} notebook"


def _program_problem(spec: Kernelspec, context: KernelsContext) -> str | None:
    program = spec.argv[0]
    if os.sep in program:
        there = os.access(program, os.X_OK)
    else:
        there = on_path(program, context.environ.get("PATH", "")) is not None
    return None if there or "{" in program else f"there is no program {program}"


def _broken(name: str, message: str, folder: str) -> KernelRow:
    return KernelRow(name, JUPYTER, "", "", "", False, folder=folder, problem=message)


def _of_plugin(name: str, value: str) -> KernelRow:
    return KernelRow(name, name, "", value, f"--engine {name}", None)
