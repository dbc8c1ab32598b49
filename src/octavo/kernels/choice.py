"""Which engine runs a notebook, and in which of Jupyter's kernels.

Python runs in the fork engine where that is possible, whatever name of a Python kernel was asked
for; another language runs in the kernel that the notebook names, else in the first one that is
installed for its language. What is asked for by name is never replaced by something else.
"""

from __future__ import annotations

from octavo.environments.launch import Kernelspec
from octavo.errors import InfrastructureError, UsageError
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Installed = Callable[[], Sequence[Kernelspec]]

FORK = "fork"
JUPYTER = "jupyter"
#: Names that Jupyter gives to the Python of whichever environment it runs in.
ANY_PYTHON = ("python3", "python")


class Wanted(Value):
    """What is known of a notebook: its language, the kernel it was saved with, and what the user
    asked for by `--kernel` and `--engine`.
    """

    language: str
    noted: str | None = None
    kernel: str | None = None
    engine: str | None = None
    place: str = ""

    @property
    def is_python(self) -> bool:
        return "python" in self.language.lower()


class KernelChoice(Value):
    """An engine, and the kernel that it starts.

    Without `kernel` it is Python in the notebook's own environment; `interpreter` is the Python
    that a kernel of Jupyter's stands for, with its `variables`.
    """

    engine: str
    kernel: Kernelspec | None = None
    interpreter: Kernelspec | None = None


def choose_kernel(wanted: Wanted, installed: Installed, *, forks: bool) -> KernelChoice:
    """The engine and the kernel of a notebook. `installed` is asked only where names matter."""
    if wanted.engine not in (None, FORK, JUPYTER):
        return KernelChoice(str(wanted.engine))
    if wanted.kernel is not None and wanted.kernel not in ANY_PYTHON:
        return _by_name(wanted, installed(), forks)
    if wanted.is_python or wanted.kernel is not None:
        return KernelChoice(wanted.engine or (FORK if forks else JUPYTER))
    _refuse_fork(wanted, wanted.language)
    return KernelChoice(JUPYTER, _for_language(wanted, installed()))


def _by_name(wanted: Wanted, specs: Sequence[Kernelspec], forks: bool) -> KernelChoice:
    spec = next((each for each in specs if each.name == wanted.kernel), None)
    if spec is None:
        raise UsageError(
            "kernel-unknown",
            f"no kernel {wanted.kernel!r} is installed",
            hint=_names_hint(str(wanted.kernel), specs),
        )
    if interpreter_of(spec) and wanted.engine != JUPYTER and forks:
        return KernelChoice(FORK, interpreter=spec)
    _refuse_fork(wanted, spec.language)
    return KernelChoice(JUPYTER, spec)


def _for_language(wanted: Wanted, specs: Sequence[Kernelspec]) -> Kernelspec:
    from octavo.kernels.languages import install_hint, same_language

    able = [each for each in specs if same_language(each.language, wanted.language)]
    named = [each for each in specs if each.name == wanted.noted]
    for spec in (*named, *able):
        return spec
    raise InfrastructureError(
        "kernel-missing",
        f"the notebook is written in {wanted.language}, and no kernel for it is installed",
        place=wanted.place,
        hint=install_hint(wanted.language),
    )


def _refuse_fork(wanted: Wanted, language: str) -> None:
    if wanted.engine == FORK:
        raise UsageError(
            "wrong-argument",
            f"--engine fork runs Python, and this is {language}",
            place=wanted.place,
            hint="leave --engine out, or use --engine jupyter",
        )


def interpreter_of(spec: Kernelspec) -> str | None:
    """The Python whose ipykernel a kernelspec starts; None for any other program."""
    modules = [
        word
        for flag, word in zip(spec.argv, spec.argv[1:], strict=False)
        if flag == "-m" and word in ("ipykernel_launcher", "ipykernel")
    ]
    return spec.argv[0] if modules and "python" in spec.argv[0].rpartition("/")[2] else None


def _names_hint(name: str, specs: Sequence[Kernelspec]) -> str:
    from octavo.kernels.jupyter.specs import closest

    close = closest(name, specs)[:3]
    if close:
        return f"did you mean {' or '.join(close)}? `octavo kernels` lists all"
    if specs:
        names = ", ".join(each.name for each in specs[:8])
        return f"installed are {names}; `octavo kernels` lists all"
    return "none is installed; Python notebooks run without --kernel"
