"""A check as SARIF 2.1.0, which code scanning and editors read."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from octavo.gate.preflight.rules import RULES as LINT_RULES
from octavo.gate.reports.places import RULES, Problem, address, problems
from octavo.gate.verdicts import CheckReport
from octavo.render.columns import one_line
from octavo.version import VERSION

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: More results of a run no forge shows.
_MOST = 5000


def sarif(report: CheckReport) -> str:
    """The report as a document: findings and cells that failed, each with its file and line."""
    found = problems(report)
    shown = found[:_MOST]
    names = list(dict.fromkeys(_rule_id(each) for each in shown))
    run: dict[str, Any] = {
        "tool": {"driver": _driver(names)},
        "invocations": [{"executionSuccessful": report.exit_code in (0, 1)}],
        "columnKind": "unicodeCodePoints",
        "results": _results(shown, {name: at for at, name in enumerate(names)}),
    }
    if len(found) > len(shown):
        run["properties"] = {"leftOut": len(found) - len(shown)}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _driver(names: list[str]) -> dict[str, Any]:
    return {"name": "octavo", "version": VERSION, "rules": [_rule(name) for name in names]}


def _rule(name: str) -> dict[str, Any]:
    found = LINT_RULES.get(name)
    told = found.about if found else RULES.get(name, name.replace("-", " "))
    return {"id": name, "shortDescription": {"text": told}}


def _rule_id(problem: Problem) -> str:
    return one_line(problem.rule, 100) or "notebook"


def _results(found: list[Problem], at: dict[str, int]) -> list[dict[str, Any]]:
    """Results, each with a fingerprint by which it is known again when lines move."""
    seen: dict[str, int] = {}
    results = []
    for problem in found:
        same = "\0".join((_rule_id(problem), problem.path, problem.values, problem.name,
                          problem.message))  # fmt: skip
        seen[same] = seen.get(same, 0) + 1
        known = sha256(f"{same}\0{seen[same]}".encode("utf-8", "replace")).hexdigest()[:32]
        results.append(_result(problem, at, known))
    return results


def _result(problem: Problem, at: dict[str, int], fingerprint: str) -> dict[str, Any]:
    name = _rule_id(problem)
    values = f" [{problem.values}]" if problem.values else ""
    first = f"{problem.name}{values}: {problem.message}"
    text = "\n".join(filter(None, (first, problem.hint, problem.details)))
    return {
        "ruleId": name,
        "ruleIndex": at[name],
        "level": problem.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(problem)}],
        "partialFingerprints": {"octavo/v1": fingerprint},
    }


def _location(problem: Problem) -> dict[str, Any]:
    file = {"uri": address(problem.path), "uriBaseId": "%SRCROOT%"}
    place: dict[str, Any] = {"artifactLocation": file}
    # Code scanning shows nothing that has no line.
    place["region"] = {"startLine": problem.line or 1}
    return place
