from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from check_reports import cell, good, hostile, huge, mixed, notebook, raised
from octavo.gate.reports.junit import junit
from octavo.gate.verdicts import CheckReport

#: What CI servers know: the elements within each, and the attributes that we give it.
_USUAL = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name", "tests", "failures", "errors", "skipped", "time", "file"},
    ),
    "properties": ({"property"}, set[str]()),
    "property": (set[str](), {"name", "value"}),
    "testcase": ({"failure", "error", "skipped"}, {"name", "classname", "time"}),
    **{name: (set[str](), {"type", "message"}) for name in ("failure", "error", "skipped")},
}


def read(report: CheckReport) -> ElementTree.Element:
    root = ElementTree.fromstring(junit(report).encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        children, attributes = _USUAL[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.attrib) == attributes
        if "time" in element.attrib:
            assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for name in ("failure", "error"):
            assert suite.get(f"{name}s") == str(sum(case.find(name) is not None for case in cases))
    return root


def outcomes(suite: ElementTree.Element) -> dict[str | None, str]:
    return {
        case.get("name"): case[0].tag if len(case) else "passed" for case in suite.iter("testcase")
    }


def test_a_suite_is_a_notebook_and_a_case_is_a_cell() -> None:
    root = read(mixed())
    broken = root[1]
    assert broken.get("name") == "notebooks/broken.py"
    assert outcomes(broken) == {
        "Cell 0 (step-0)": "passed",
        "Cell 1 (step-1)": "failure",
        "Cell 2 (step-2)": "failure",
        "Cell 3 (step-3)": "failure",
        "Cell 4 (step-4)": "skipped",
        "Cell 5 (step-5)": "skipped",
    }
    text = broken.findall("testcase")[2][0].text or ""
    assert "notebooks/broken.py:21" in text
    assert "- 12.5\n+ 13.5" in text


def test_sets_of_values_are_suites_of_their_own() -> None:
    names = [suite.get("name") for suite in read(mixed())]
    assert {"notebooks/grid.py [small]", "notebooks/grid.py [large]"} <= set(names)


def test_what_is_not_the_codes_fault_is_an_error() -> None:
    causes = ("error", "output", "timeout", "died", "limit", "interrupted")
    cells = tuple(cell(n, "failed", cause=cause) for n, cause in enumerate(causes))
    (suite,) = read(CheckReport((notebook(outcome="failed", cells=cells),)))
    assert list(outcomes(suite).values()) == ["failure"] * 2 + ["error"] * 4


def test_a_notebook_that_never_began_has_a_case_that_says_why() -> None:
    lost = next(suite for suite in read(mixed()) if suite.get("name") == "notebooks/lost.py")
    (case,) = lost.findall("testcase")
    assert case[0].tag == "error"
    assert case[0].get("message") == "the kernel process did not start"
    assert "octavo doctor" in (case[0].text or "")


def test_findings_that_are_errors_fail() -> None:
    linted = next(suite for suite in read(mixed()) if suite.get("name") == "notebooks/linted.py")
    assert outcomes(linted) == {"lint undefined-name 9": "failure", "notebook": "passed"}


def test_a_reused_verdict_names_its_run() -> None:
    first = read(good(1))[0]
    assert first.find("properties/property[@name='reused-run']") is not None


def test_characters_that_xml_forbids_are_spelled_out() -> None:
    text = "NUL \x00 bell \x07 half \ud800 none \ufffe end"
    report = CheckReport((notebook(outcome="failed", cells=(raised(0, traceback=(text,)),)),))
    (told,) = (each.text or "" for each in read(report).iter("failure"))
    assert "NUL ␀ bell ␇ half \\ud800 none #xFFFE end" in told


@given(st.text(st.characters()))
def test_any_text_gives_a_document_that_can_be_read(text: str) -> None:
    cells = (raised(0, name=text, message=text, traceback=(text,)),)
    read(CheckReport((notebook(text, "failed", values=text, reason=text, cells=cells),)))


def test_hostile_and_huge_ones_are_documents_too() -> None:
    read(CheckReport((hostile(),)))
    assert len(junit(huge())) < 5_000_000
    read(huge())


def test_nothing_checked_is_a_document() -> None:
    assert len(read(CheckReport(()))) == 0
