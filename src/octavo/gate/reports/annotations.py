"""A check as the commands that the runners of GitHub and Gitea read from standard output.

They show them beside the lines of the files in a pull request.
"""

from __future__ import annotations

from octavo.gate.reports.places import Problem, problems
from octavo.gate.verdicts import CheckReport, Severity
from octavo.render.columns import one_line, plain

#: A forge shows so many of each kind for a step.
MOST = 10
_LONGEST = 3000
_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def annotation_lines(report: CheckReport) -> list[str]:
    """The lines to print, at most ten of each kind; the last one tells of those left out."""
    lines: list[str] = []
    everything = problems(report)
    for severity, command in _COMMANDS.items():
        found = [each for each in everything if each.severity == severity]
        shown = found if len(found) <= MOST else found[: MOST - 1]
        lines += [_line(command, each) for each in shown]
        if len(found) > len(shown):
            more = f"{len(found) - len(shown):,} more are in the summary of the check"
            lines.append(f"::{command} title=octavo check::{_data(more)}")
    return lines


def _line(command: str, problem: Problem) -> str:
    values = f" [{problem.values}]" if problem.values else ""
    told = f"{problem.name}{values}: {problem.message}"
    properties = {
        "file": problem.path,
        "line": str(problem.line) if problem.line else "",
        "title": one_line(told, 120),
    }
    given = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
    text = "\n".join(filter(None, (problem.message, problem.hint, problem.details)))
    return f"::{command} {given}::{_data(text)}"


def _data(text: str) -> str:
    bounded = plain(text)[:_LONGEST]
    return bounded.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
