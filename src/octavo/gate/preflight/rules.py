"""The rules of `octavo lint`: what each is about, and how grave it is."""

from __future__ import annotations

from octavo.gate.verdicts import Finding, Severity
from octavo.value import Value


class Rule(Value):
    """A rule. `about` is what it finds, `instead` what is to be done then."""

    id: str
    severity: Severity
    about: str
    instead: str


_ALL = (
    Rule(
        "undefined-name",
        "error",
        "a name is used that no cell before has defined; "
        "a warning where that depends on a branch or a call",
        "define or import it in a cell above",
    ),
    Rule(
        "defined-later",
        "error",
        "a name is used that only a later cell defines",
        "move the cell that defines it above",
    ),
    Rule(
        "missing-import",
        "error",
        "a module is imported that the notebook's environment does not have",
        "install it there, or declare it in the notebook's script block",
    ),
    Rule(
        "unused-parameter",
        "warning",
        "a parameter is declared and never used",
        "use it, or take it out of the parameters cell",
    ),
    Rule(
        "unreachable",
        "warning",
        "cells stand after a line that always ends the run",
        "take out what ends the run, or the cells after it",
    ),
    Rule("syntax", "error", "a cell does not parse", "correct the line"),
    Rule(
        "invalid-notebook",
        "error",
        "the file is no sound notebook, or its parameters cannot be read",
        "octavo read shows what can be read; save it anew, or restore it from git",
    ),
    Rule(
        "out-of-step",
        "error",
        "a text notebook and its .ipynb do not say the same",
        "octavo sync",
    ),
    Rule(
        "merge-conflict",
        "error",
        "both sides of a merge that nobody finished are in the notebook",
        "keep the cells that are right, and delete the others and the marks",
    ),
    Rule(
        "secret",
        "error",
        "a password, token or private key is in a source or an output",
        "take it out and revoke it; give it to the run as a variable of the environment",
    ),
    Rule(
        "unused-ignore",
        "note",
        "a comment or a tag silences something that is not there",
        "take it out",
    ),
)
RULES = {rule.id: rule for rule in _ALL}


def finding(
    rule: str,
    message: str,
    path: str,
    *,
    line: int | None = None,
    cell: int | None = None,
    hint: str = "",
    severity: Severity | None = None,
) -> Finding:
    """What a rule found; with its own severity and hint where none are given."""
    known = RULES[rule]
    return Finding(
        rule, severity or known.severity, message, path, line, cell, hint or known.instead
    )
