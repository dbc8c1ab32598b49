"""Where a notebook runs: its engine, its kernel, and the environment of that."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.environments.choose import choose
from octavo.environments.expected import expected_version
from octavo.environments.launch import Environment, Kernelspec
from octavo.environments.packages import minor_version
from octavo.environments.request import Request as EnvironmentRequest
from octavo.environments.resolve import resolve
from octavo.errors import OctavoError, UsageError
from octavo.kernels.choice import (
    ANY_PYTHON,
    FORK,
    KernelChoice,
    Wanted,
    choose_kernel,
    interpreter_of,
)
from octavo.runs.context import RunContext, Said
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile
from octavo.value import Value


class Surroundings(Value):
    """What has been decided without building anything: `asked` is what the environment needs."""

    asked: EnvironmentRequest
    choice: KernelChoice
    noted: str | None
    #: Where nothing is run, nothing need be there, and nothing is built.
    runs: bool = True

    @property
    def engine(self) -> str:
        return self.choice.engine

    @property
    def kernel(self) -> Kernelspec | None:
        return self.choice.kernel

    def python(self) -> tuple[int, int] | None:
        """The version of the Python that the cells are going to meet, as far as files tell."""
        if self.kernel is not None:
            return minor_version(Environment(self.kernel.argv[0], "", "kernel"))
        try:
            return expected_version(choose(self.asked))
        except OctavoError:
            return None  # told where the environment is needed

    def environment(self, context: RunContext) -> Environment:
        """The environment of the kernel, built first where it is not there yet."""
        if self.kernel is not None:
            why = f"the Jupyter kernel {self.kernel.name}"
            return Environment(self.kernel.argv[0], why, "kernel")
        if not self.runs:
            return Environment(context.python, "nothing is run")
        return _python(self.asked, self.choice, self.noted, context)


def surroundings(
    source: SourceFile, path: str, request: RunRequest, context: RunContext
) -> Surroundings:
    """Decide which engine runs a notebook, in which kernel."""
    asked = _environment_request(source, path, request, context)
    notebook = source.notebook
    runs = not request.prepare_only
    if not runs and request.kernel is None:
        return Surroundings(asked, KernelChoice(FORK), notebook.kernel_name, runs)
    wanted = Wanted(notebook.language, notebook.kernel_name, request.kernel, request.engine, path)
    choice = choose_kernel(wanted, lambda: installed(asked, context), forks=context.forks)
    if request.preload and choice.engine != FORK:
        hint = "leave it out: this notebook runs in a kernel of its own"
        raise UsageError("wrong-argument", "--preload is for forked kernels", hint=hint)
    if choice.engine != FORK:
        # One that is not there or cannot be loaded is refused before there is a record.
        context.engine(choice.engine)
    return Surroundings(asked, choice, notebook.kernel_name, runs)


def installed(asked: EnvironmentRequest, context: RunContext) -> Sequence[Kernelspec]:
    """Jupyter's kernels, those in the notebook's own environment first."""
    return context.kernelspecs(_root(asked)).specs


def _environment_request(
    source: SourceFile, path: str, request: RunRequest, context: RunContext
) -> EnvironmentRequest:
    return EnvironmentRequest(
        notebook=path,
        text=source.text,
        cwd=context.cwd,
        current=context.python,
        cache=context.cache,
        environ=context.environ,
        python=request.python,
        offline=request.offline,
    )


def _python(
    asked: EnvironmentRequest, choice: KernelChoice, noted: str | None, context: RunContext
) -> Environment:
    def say(line: str) -> None:
        context.emit(Said(line))

    if choice.interpreter is not None:
        return _of_interpreter(asked, choice.interpreter, f"--kernel {choice.interpreter.name}")
    environment = resolve(asked, say=say)
    if (
        asked.python
        or noted in (None, *ANY_PYTHON)
        or environment.kind not in ("current", "active")
    ):
        return environment
    for spec in installed(asked, context):
        if spec.name == noted and interpreter_of(spec):
            why = f"the kernel {noted}, which the notebook was saved with"
            return _of_interpreter(asked, spec, why)
    return environment


def _of_interpreter(asked: EnvironmentRequest, spec: Kernelspec, why: str) -> Environment:
    """The environment whose ipykernel a kernelspec starts."""
    try:
        found = resolve(asked.replace(python=interpreter_of(spec)))
    except OctavoError as error:
        error.place = f"{why} ({spec.folder})"
        raise
    return found.replace(why=why)


def _root(asked: EnvironmentRequest) -> str | None:
    """The folder of the environment that Python would have; a broken one has no kernels."""
    try:
        return choose(asked).environment.root
    except OctavoError:
        return None
