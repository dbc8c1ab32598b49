from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from check_reports import broken, hostile, huge, linted, mixed
from forges.github_packages import published
from octavo.gate.reports.sarif import sarif
from octavo.gate.verdicts import CheckReport, Finding

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_LEVELS = {"enum": ["none", "note", "warning", "error"]}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [name for name in properties if not name.startswith("_")],
        "properties": {name.removeprefix("_"): each for name, each in properties.items()},
    }


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_STRING = {"type": "string", "minLength": 1}
_PLACE = _object(
    artifactLocation={**_object(uri={**_STRING, "pattern": r"^[A-Za-z0-9/._~%-]+$"}, uriBaseId={})},
    region=_object(startLine={"type": "integer", "minimum": 1}),
)
_RESULT = _object(
    ruleId=_STRING,
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVELS,
    message=_TEXT,
    locations={**_array(_object(physicalLocation=_PLACE)), "minItems": 1},
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
)
_RULE = _object(id=_STRING, shortDescription=_TEXT)
#: What the standard requires of what we write, and code scanning on top.
_NEEDED = _object(
    version={"const": "2.1.0"},
    runs=_array(
        _object(
            tool=_object(driver=_object(name=_STRING, version=_STRING, rules=_array(_RULE))),
            results=_array(_RESULT),
            invocations=_array(_object(executionSuccessful={"type": "boolean"})),
        )
    ),
)
_NEEDED["properties"]["$schema"] = {"type": "string", "format": "uri"}


def read(report: CheckReport) -> dict[str, Any]:
    document = json.loads(sarif(report))
    jsonschema.validate(document, _NEEDED)
    (run,) = document["runs"]
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(names) == len(set(names))
    assert all(names[each["ruleIndex"]] == each["ruleId"] for each in run["results"])
    known = [each["partialFingerprints"]["octavo/v1"] for each in run["results"]]
    assert len(known) == len(set(known))
    return dict(run)


def places(run: dict[str, Any]) -> list[tuple[str, str, int]]:
    found = []
    for each in run["results"]:
        place = each["locations"][0]["physicalLocation"]
        line = place["region"]["startLine"]
        found.append((each["ruleId"], place["artifactLocation"]["uri"], line))
    return found


@pytest.mark.network
def test_it_is_valid_by_the_official_schema() -> None:
    package, file = "@microsoft/jest-sarif@1.0.0-beta.0", "lib/schemas/sarif-2.1.0-rtm.5.json"
    schema = published(package, file, lambda whole: whole, "sarif")
    check = jsonschema.Draft7Validator(schema)
    for report in (mixed(), CheckReport((hostile(),)), CheckReport(())):
        check.validate(json.loads(sarif(report)))
    wrong = json.loads(sarif(mixed()))
    wrong["runs"][0]["results"][0]["level"] = "grave"
    assert not check.is_valid(wrong)


def test_findings_and_cells_have_their_lines() -> None:
    run = read(CheckReport((broken(), linted())))
    assert places(run) == [
        ("cell-error", "notebooks/broken.py", 13),
        ("cell-output", "notebooks/broken.py", 21),
        ("cell-error", "notebooks/broken.py", 33),
        ("undefined-name", "notebooks/linted.py", 9),
        ("unused-parameter", "notebooks/linted.py", 4),
    ]
    assert [each["level"] for each in run["results"]] == ["error"] * 4 + ["warning"]


def test_rules_of_lint_are_told_as_lint_tells_them() -> None:
    run = read(CheckReport((broken(), linted())))
    rules = run["tool"]["driver"]["rules"]
    told = {rule["id"]: rule["shortDescription"]["text"] for rule in rules}
    assert told["cell-error"] == "A cell raised an error"
    assert told["unused-parameter"] == "a parameter is declared and never used"


def test_a_notebook_that_never_began_is_a_result() -> None:
    run = read(mixed())
    told = [
        each["message"]["text"] for each in run["results"] if each["ruleId"] == "infrastructure"
    ]
    assert told == ["notebook: the kernel process did not start\noctavo doctor"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_a_result_is_known_again_when_lines_move() -> None:
    path = "n.py"
    marks = []
    for line in (4, 9):
        finding = Finding("unused-parameter", "error", "`rows` is never used", path, line, 1)
        run = read(CheckReport((linted(path, findings=(finding,)),)))
        marks.append(run["results"][0]["partialFingerprints"])
    assert marks[0] == marks[1]


@given(st.text(st.characters(), min_size=1))
def test_any_text_gives_a_valid_document(text: str) -> None:
    finding = Finding(text, "error", text, text, 1, 1, text)
    read(CheckReport((linted(text, findings=(finding, finding)),)))


def test_hostile_and_huge_ones_are_valid_too() -> None:
    read(CheckReport((hostile(),)))
    assert len(sarif(huge())) < 8_000_000
    many = tuple(linted(f"n{n}.py") for n in range(4000))
    run = read(CheckReport(many))
    assert len(run["results"]) == 5000
    assert run["properties"] == {"leftOut": 3000}
