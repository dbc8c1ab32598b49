"""All rules on one notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.environments.launch import Environment
from octavo.environments.packages import minor_version
from octavo.gate.nbval.markers import marked
from octavo.gate.preflight.modules import import_findings
from octavo.gate.preflight.naming import (
    Looked,
    name_findings,
    parameter_findings,
    unreachable_findings,
)
from octavo.gate.preflight.secrets import hidden, secret_findings
from octavo.gate.preflight.silencing import unsilenced
from octavo.gate.preflight.structure import structure_findings
from octavo.gate.verdicts import Finding
from octavo.notebook.names import analyse
from octavo.sources import SourceFile


def examine(
    source: SourceFile,
    shown: str,
    environment: Environment | None,
    paths: Sequence[str] = (),
    python: tuple[int, int] | None = None,
) -> tuple[Finding, ...]:
    """What is wrong with a notebook, in the order of its lines; nothing is run.

    `shown` is what findings call its file. Without an environment imports are not looked at;
    `paths` are further folders that modules may come from, `python` the version that runs it.
    """
    notebook = marked(source.notebook)
    looked = Looked(notebook, analyse(notebook), shown)
    found = unsilenced(_all(looked, source, environment, paths, python), source.notebook, shown)
    told = (each.replace(message=hidden(each.message), hint=hidden(each.hint)) for each in found)
    return tuple(sorted(dict.fromkeys(told), key=_order))


def _all(
    looked: Looked,
    source: SourceFile,
    environment: Environment | None,
    paths: Sequence[str],
    python: tuple[int, int] | None,
) -> Iterator[Finding]:
    if python is None and environment is not None:
        python = minor_version(environment)
    yield from structure_findings(source, looked.path, python)
    yield from secret_findings(looked, source)
    if not source.notebook.is_python:
        return
    yield from name_findings(looked)
    yield from unreachable_findings(looked)
    yield from parameter_findings(looked)
    if environment is not None:
        yield from import_findings(looked, source, environment, paths)


def _order(found: Finding) -> tuple[int, int, str]:
    return (
        -1 if found.cell is None else found.cell,
        -1 if found.line is None else found.line,
        found.rule,
    )
