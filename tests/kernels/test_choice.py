"""Which engine and which kernel a notebook gets."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from octavo.environments.launch import Kernelspec
from octavo.errors import InfrastructureError, UsageError
from octavo.kernels.choice import KernelChoice, Wanted, choose_kernel, interpreter_of

IPYKERNEL = ("-m", "ipykernel_launcher", "-f", "{connection_file}")
MINE = Kernelspec("mine", ("/envs/mine/bin/python", "-Xfrozen_modules=off", *IPYKERNEL), "python")
XEUS = Kernelspec("xpython", ("/usr/bin/xpython", "-f", "{connection_file}"), "python")
BASH = Kernelspec("bash", ("/usr/bin/python3", "-m", "bash_kernel", "-f", "{}"), "bash")
DENO = Kernelspec("deno", ("deno", "jupyter", "--kernel"), "typescript")
ALL = (MINE, XEUS, BASH, DENO)


def chosen(forks: bool = True, specs: Sequence[Kernelspec] = ALL, **wanted: str) -> KernelChoice:
    return choose_kernel(Wanted(**{"language": "python", **wanted}), lambda: specs, forks=forks)


def _never() -> Sequence[Kernelspec]:
    raise AssertionError("installed kernels were looked for")


@pytest.mark.parametrize("kernel", [None, "python3", "python"])
def test_python_is_forked_without_a_look_at_jupyter(kernel: str | None) -> None:
    wanted = Wanted("python", noted="anything", kernel=kernel)
    assert choose_kernel(wanted, _never, forks=True) == KernelChoice("fork")


def test_python_runs_in_jupyters_kernel_where_forking_is_absent() -> None:
    assert chosen(forks=False) == KernelChoice("jupyter")


def test_python_runs_in_jupyters_kernel_when_asked() -> None:
    assert chosen(engine="jupyter") == KernelChoice("jupyter")
    assert chosen(engine="jupyter", kernel="mine") == KernelChoice("jupyter", MINE)


def test_a_kernel_that_stands_for_an_interpreter_is_forked_from_that() -> None:
    assert chosen(kernel="mine") == KernelChoice("fork", interpreter=MINE)
    assert chosen(kernel="mine", forks=False) == KernelChoice("jupyter", MINE)
    assert interpreter_of(MINE) == "/envs/mine/bin/python"


def test_another_kernel_for_python_is_started_as_it_is() -> None:
    assert chosen(kernel="xpython") == KernelChoice("jupyter", XEUS)


def test_another_language_gets_the_kernel_it_was_saved_with() -> None:
    other = BASH.replace(name="bash-5")
    specs = (*ALL, other)
    assert chosen(language="bash", noted="bash-5", specs=specs).kernel == other
    assert chosen(language="bash", noted="gone", specs=specs).kernel == BASH


@pytest.mark.parametrize(
    ("language", "kernel"), [("TypeScript", DENO), ("js", DENO), ("shell", BASH), ("Bash", BASH)]
)
def test_languages_have_several_names(language: str, kernel: Kernelspec) -> None:
    assert chosen(language=language) == KernelChoice("jupyter", kernel)


def test_no_kernel_for_a_language_names_the_command_that_installs_one() -> None:
    with pytest.raises(InfrastructureError) as refused:
        chosen(language="R")
    assert refused.value.kind == "kernel-missing"
    assert "IRkernel::installspec()" in refused.value.hint


def test_an_unknown_kernel_names_the_closest() -> None:
    with pytest.raises(UsageError) as refused:
        chosen(kernel="bsh")
    assert (refused.value.kind, refused.value.message) == (
        "kernel-unknown",
        "no kernel 'bsh' is installed",
    )
    assert "did you mean bash?" in refused.value.hint


def test_an_unknown_kernel_where_none_is_installed() -> None:
    with pytest.raises(UsageError) as refused:
        chosen(kernel="bash", specs=())
    assert "none is installed" in refused.value.hint


def test_the_fork_engine_is_not_asked_for_another_language() -> None:
    with pytest.raises(UsageError):
        chosen(language="bash", engine="fork")


def test_an_engine_of_another_package_decides_by_itself() -> None:
    wanted = Wanted("sql", engine="sqlite")
    assert choose_kernel(wanted, _never, forks=True) == KernelChoice("sqlite")
