"""`octavo doctor`: what is amiss in this repository and on this machine, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from octavo.errors import OctavoError
from octavo.git.program import Git, no_repository
from octavo.git.repository import Repository
from octavo.kernels.jupyter.specs import Found
from octavo.repository.context import RepositoryContext
from octavo.repository.finding import PROBLEM, Finding, advice, problem
from octavo.repository.machine_checks import machine_findings
from octavo.requests import Request
from octavo.value import Value


class DoctorRequest(Request):
    """Nothing needs to be said."""


class DoctorContext(RepositoryContext, Protocol):
    """Besides the rest, the kernels that are known here."""

    environ: Mapping[str, str]

    @property
    def environment_root(self) -> str | None: ...

    def kernelspecs(self, root: str | None) -> Found: ...


class DoctorResult(Value):
    """Findings about the repository and about the machine."""

    repository: tuple[Finding, ...]
    machine: tuple[Finding, ...]
    place: str = ""

    @property
    def problems(self) -> tuple[Finding, ...]:
        return tuple(each for each in (*self.repository, *self.machine) if each.level == PROBLEM)

    @property
    def exit_code(self) -> int:
        return 1 if self.problems else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "healthy": not self.problems,
            "place": self.place or None,
            "repository": [each.to_json() for each in self.repository],
            "machine": [each.to_json() for each in self.machine],
        }


async def doctor(request: DoctorRequest, context: DoctorContext) -> DoctorResult:
    """Look at everything; change nothing, and ask nothing of a network."""
    machine = machine_findings(context.cwd, context.environ, context.python)
    machine += _kernels(context)
    try:
        repository = Repository.around(context.cwd, context.environ)
    except OctavoError as error:
        return DoctorResult((_no_repository(context, error),), tuple(machine))
    from octavo.repository.content_checks import content_findings
    from octavo.repository.setup_checks import setup_findings

    try:
        folders = context.settings_at(str(repository.top)).notebooks
    except OctavoError as error:
        found = [problem("configuration", f"{error.place}: {error.message}", error.hint)]
        return DoctorResult(tuple(found), tuple(machine), str(repository.top))
    found = setup_findings(repository, folders, context.python)
    found += content_findings(repository, folders, context.cwd)
    return DoctorResult(tuple(found), tuple(machine), str(repository.top))


def _no_repository(context: DoctorContext, error: OctavoError) -> Finding:
    if error.kind != "not-a-repository":
        return problem("repository", error.message, error.hint)
    said = Git(context.cwd, context.environ).call("rev-parse", "--show-toplevel")[2]
    for line in said.splitlines():
        if "safe.directory" in line:
            return problem("repository", "the repository belongs to another user", line.strip())
    if error.message != no_repository("").message:
        return advice("repository", error.message, error.hint)
    return advice("repository", error.message, "git init && octavo init")


def _kernels(context: DoctorContext) -> list[Finding]:
    try:
        found = context.kernelspecs(context.environment_root)
    except OctavoError as error:
        return [problem("kernels", error.message, error.hint)]
    return [
        advice(
            "kernels", f"the kernel {each.name} cannot be used: {each.message}", "octavo kernels"
        )
        for each in found.problems
    ]
