"""The verdicts of a check, in the few words that an agent needs to act on them."""

from __future__ import annotations

from typing import Any

from octavo.surfaces.mcp.results import Checked

_DIFFERENCE = ("key", "message", "expected", "got")


def checked(plain: dict[str, Any]) -> Checked:
    """The verdicts of a check, without what passed in silence."""
    return Checked(
        status="success" if plain.get("passed") else "error",
        passed=bool(plain.get("passed")),
        seconds=plain.get("duration_seconds"),
        verdicts=[_verdict(each) for each in plain.get("verdicts", ())[:50]],
    )


def _verdict(plain: dict[str, Any]) -> dict[str, Any]:
    wanted = ("path", "values", "outcome", "reason", "message", "hint", "run_id")
    told = {name: plain[name] for name in wanted if plain.get(name)}
    if "run_id" in told:
        told["run_id"] = told["run_id"][-8:]
    findings = [each for each in plain.get("findings", ()) if each.get("severity") != "note"]
    wrong = [each for each in plain.get("cells", ()) if each.get("outcome") == "failed"]
    if findings:
        told["findings"] = findings[:20]
    if wrong:
        told["cells"] = [_wrong_cell(each) for each in wrong[:10]]
    return told


def _wrong_cell(plain: dict[str, Any]) -> dict[str, Any]:
    wanted = ("index", "name", "line", "cause", "message", "failed_line")
    told = {name: plain[name] for name in wanted if plain.get(name) not in (None, "")}
    shown = [
        {name: str(each[name])[:500] for name in _DIFFERENCE if each.get(name)}
        for each in plain.get("differences", ())[:5]
    ]
    return {**told, "differences": shown} if shown else told
