from __future__ import annotations

import pytest

from check_reports import good, hostile, huge, linted, mixed, notebook, raised
from octavo.gate.verdicts import CheckReport
from octavo.render.checks import CheckView
from octavo.render.columns import width
from octavo.render.style import Style


def view(columns: int = 100, *, colour: bool = False, cwd: str = "/p") -> CheckView:
    return CheckView(style=Style(colour=colour), columns=columns, cwd=cwd, project="/p")


def test_failures_come_first_with_cell_line_and_diff() -> None:
    text = "\n".join(view().lines(mixed()))
    assert text.startswith(
        "✗ notebooks/broken.py  cell-error\n"
        "  notebooks/broken.py:13  cell step-1  ZeroDivisionError: division by zero\n"
        "    │ Cell In[2], line 3\n"
    )
    assert "    │   a\n    │ - 12.5\n    │ + 13.5\n    │   c\n" in text
    assert "  then failed too: step-3 (NameError: name 'df' is not defined)\n" in text
    assert "  1 cell was not run\n" in text
    assert text.index("✗ notebooks/linted.py") < text.index("✓ notebooks/good.py")


def test_findings_name_their_place_and_what_to_do() -> None:
    text = "\n".join(view().lines(CheckReport((linted(),))))
    told = "  error   notebooks/linted.py:9  `frame` is not defined  undefined-name\n"
    assert f"{told}          define it first\n" in text
    assert text.index("error ") < text.index("warning ")


def test_a_reused_verdict_names_its_run() -> None:
    lines = view().lines(good(2))
    assert lines[0] == "✓ notebooks/n000.py  unchanged since it passed in run 1a2b3c4d"
    assert lines[1] == "✓ notebooks/n001.py  1.5 s"
    assert lines[-1] == "✓ 2 notebooks passed, 1 unchanged, 0.4 s"


def test_many_that_passed_are_counted() -> None:
    assert view().lines(good(97)) == ["✓ 97 notebooks passed, 49 unchanged, 0.4 s"]


def test_frames_of_our_own_code_are_left_out() -> None:
    ours = "File /x/octavo_runtime/interrupts.py:62, in handle(self)\n  60 a\n---> 62 b"
    lines = ("Cell In[1], line 5", "----> 5 time.sleep(30)", ours, "KeyboardInterrupt: ")
    report = CheckReport((notebook(outcome="failed", cells=(raised(0, traceback=lines),)),))
    text = "\n".join(view().lines(report))
    assert "│ ----> 5 time.sleep(30)\n    │ KeyboardInterrupt:\n" in text


def test_quietly_only_what_failed_is_told() -> None:
    assert view().lines(good(3), quiet=True) == []
    assert "good.py" not in "\n".join(view().lines(mixed(), quiet=True))


def test_paths_are_those_of_the_current_folder() -> None:
    assert view(cwd="/p/notebooks").lines(good(1))[0].startswith("✓ n000.py")


def test_nothing_to_check_is_no_success() -> None:
    (line,) = view().lines(CheckReport((), since="main"))
    assert line.startswith("○ no notebook is affected since main")


def test_accepted_outputs_are_told() -> None:
    lines = view().lines(CheckReport((notebook("n.py", updated=(1, 2)),)))
    assert lines[0] == "✓ n.py  1.5 s, accepted the output of 2 cells"


@pytest.mark.parametrize("colour", [False, True])
def test_hostile_text_is_not_obeyed_by_terminal_or_runner(colour: bool) -> None:
    lines = view(colour=colour).lines(CheckReport((hostile(),)))
    for line in lines:
        assert "\n" not in line
        assert "\x1b]" not in line
        assert not set(line) & set("\x00\x07\u202e")
        assert not line.lstrip().startswith("::")


def test_the_first_lines_fit_and_a_huge_report_is_bounded() -> None:
    lines = view(80).lines(huge())
    assert len(lines) < 1500
    assert max(width(line) for line in lines if "│" in line) <= 80
    assert lines[-1].startswith("✗ 12 of 2,012 notebooks failed, 2,000 passed, 1,000 unchanged")
