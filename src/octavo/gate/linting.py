"""`octavo lint`: what is wrong with notebooks, told without running anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from octavo.authoring.pairs import is_text_notebook
from octavo.environments.choose import choose
from octavo.environments.expected import expected_version
from octavo.environments.request import Choice
from octavo.environments.request import Request as EnvironmentRequest
from octavo.errors import OctavoError, UsageError
from octavo.gate.preflight.examine import examine
from octavo.gate.preflight.rules import RULES
from octavo.gate.preflight.structure import unreadable
from octavo.gate.selection import SelectionSettings, notebooks_in, selected
from octavo.gate.verdicts import Finding
from octavo.git.repository import Repository
from octavo.requests import Request, argument, option
from octavo.sources import read_source
from octavo.value import Value

#: Files that are not there, or no notebooks at all: no findings, but errors.
_NOT_THERE = ("notebook-not-found", "notebook-unreadable", "format-unknown")


class LintContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str
    environ: Mapping[str, str]
    cache: str
    python: str

    @property
    def project(self) -> Path: ...

    @property
    def settings(self) -> SelectionSettings: ...


class LintRequest(Request):
    """Which notebooks to look at, and which rules count."""

    paths: tuple[str, ...] = argument(
        "notebooks or folders (default: the configured notebooks, else all that git tracks here)",
        metavar="PATH",
        default=(),
    )
    rule: tuple[str, ...] = option(
        "--rule", help="only this rule (may be given many times)", metavar="RULE", default=()
    )
    ignore: tuple[str, ...] = option(
        "--ignore", help="all but this rule (may be given many times)", metavar="RULE", default=()
    )
    errors_only: bool = option("--errors-only", help="leave out warnings and notes", default=False)


class LintResult(Value):
    """What was found in so many notebooks."""

    findings: tuple[Finding, ...]
    notebooks: int

    @property
    def errors(self) -> int:
        return sum(found.severity == "error" for found in self.findings)

    @property
    def exit_code(self) -> int:
        return 1 if self.errors else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": not self.errors,
            "notebooks": self.notebooks,
            "findings": [found.to_json() for found in self.findings],
        }


async def lint(request: LintRequest, context: LintContext) -> LintResult:
    """Look at notebooks without running them: names, imports, parameters, format, secrets."""
    for name in (*request.rule, *request.ignore):
        _refuse_unknown(name)
    paths = _paths(request.paths, context)
    findings = [found for path in paths for found in _in_file(path, context)]
    return LintResult(tuple(_wanted(findings, request)), len(paths))


def _refuse_unknown(name: str) -> None:
    if name not in RULES:
        hint = f"the rules are {', '.join(RULES)}"
        raise UsageError("wrong-argument", f"there is no rule {name!r}", hint=hint)


def _wanted(findings: Iterable[Finding], request: LintRequest) -> list[Finding]:
    return [
        found
        for found in findings
        if (not request.rule or found.rule in request.rule)
        and found.rule not in request.ignore
        and (not request.errors_only or found.severity == "error")
    ]


def _paths(named: tuple[str, ...], context: LintContext) -> list[Path]:
    """The notebooks that were named; else the configured ones; else what git tracks here."""
    configured = any((context.project / name).exists() for name in context.settings.notebooks)
    if named or configured:
        return selected(named, context)
    folder = Path(context.cwd)
    try:
        git = Repository.around(folder, context.environ).git
        names = git.lines("ls-files", "-z", "--", "*.ipynb", "*.py", "*.md")
    except OctavoError:
        return [*notebooks_in(folder)]
    tracked = [path for name in names if (path := folder / name).is_file()]
    texts = {path for path in tracked if is_text_notebook(path, path.read_bytes())}
    pairs = {path.with_suffix("") for path in texts}
    return [
        path
        for path in tracked
        if path in texts or (path.suffix == ".ipynb" and path.with_suffix("") not in pairs)
    ]


def _in_file(path: Path, context: LintContext) -> tuple[Finding, ...]:
    shown = shown_path(path, context.cwd)
    try:
        source = read_source(path)
    except OctavoError as error:
        if error.kind in _NOT_THERE:
            raise
        return (unreadable(error, shown),)
    added = context.environ.get("PYTHONPATH", "").split(os.pathsep)
    choice = _choice(str(path), source.text, context)
    python = expected_version(choice) if choice is not None else None
    environment = choice.environment if choice and choice.work in ("", "build") else None
    return examine(source, shown, environment, [folder for folder in added if folder], python)


def shown_path(path: Path, cwd: str) -> str:
    """A path as people type it: from the current folder where it lies below."""
    near = os.path.relpath(path, cwd)
    return str(path) if near.startswith("..") else near


def _choice(path: str, text: str, context: LintContext) -> Choice | None:
    """Where the notebook would run, as far as can be told without starting anything."""
    asked = EnvironmentRequest(
        path, text, context.cwd, context.python, context.cache, context.environ
    )
    try:
        return choose(asked)
    except OctavoError:
        return None  # a run says why
