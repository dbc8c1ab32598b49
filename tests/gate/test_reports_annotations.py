from __future__ import annotations

import re
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from check_reports import broken, differs, hostile, huge, linted, mixed, notebook, raised
from octavo.gate.reports.annotations import annotation_lines
from octavo.gate.verdicts import CheckReport, Finding

_COMMAND = re.compile(r"::(error|warning|notice)(?: ([^:]*))?::(.*)\Z")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A line as a runner reads it: it stops at the first `::` after the properties."""
    found = _COMMAND.match(line)
    assert found, line
    given = dict(part.split("=", 1) for part in (found[2] or "").split(",") if part)
    return found[1], {name: unquote(text) for name, text in given.items()}, unquote(found[3])


def test_an_annotation_names_file_line_and_cell() -> None:
    command, given, text = read(annotation_lines(CheckReport((broken(),)))[0])
    assert command == "error"
    assert (given["file"], given["line"]) == ("notebooks/broken.py", "13")
    assert given["title"] == "cell step-1: ZeroDivisionError: division by zero"
    assert text.endswith("----> 3 a / b\nZeroDivisionError: division by zero")
    assert "\x1b" not in text


def test_warnings_and_notes_have_their_commands() -> None:
    note = Finding("unknown", "note", "a note", "n.py", 1)
    report = CheckReport((linted(), notebook("n.py", findings=(note,))))
    assert [read(line)[0] for line in annotation_lines(report)] == ["error", "warning", "notice"]


def test_no_more_than_a_forge_shows() -> None:
    many = CheckReport(tuple(linted(f"n{n}.py") for n in range(50)))
    lines = annotation_lines(many)
    assert [read(line)[0] for line in lines] == ["error"] * 10 + ["warning"] * 10
    assert read(lines[9])[2] == "41 more are in the summary of the check"


def test_a_notebook_without_lines_is_marked_as_a_file() -> None:
    report = CheckReport((notebook("n.ipynb", "failed", cells=(raised(0),)),))
    _, given, _ = read(annotation_lines(report)[0])
    assert given["file"] == "n.ipynb"
    assert "line" not in given


def test_hostile_text_stays_within_its_line() -> None:
    for report in (CheckReport((hostile(),)), huge(), mixed()):
        for line in annotation_lines(report):
            assert not set(line) & set("\r\n\x00\x1b")
            assert len(line) < 12_000
            read(line)


@given(st.text(st.characters()))
def test_any_path_comes_through(text: str) -> None:
    line = annotation_lines(CheckReport((linted(f"a{text}"),)))[0]
    _, given, _ = read(line)
    assert given["line"] == "9"
    assert given["file"].startswith("a")


def test_an_output_that_differs_says_how_it_is_accepted() -> None:
    differing, raising = annotation_lines(
        CheckReport((notebook("n.py", "failed", cells=(differs(1), raised(2))),))
    )
    assert "with --update" in differing
    assert "--update" not in raising
