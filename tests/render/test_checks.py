from __future__ import annotations

import pytest

from check_reports import differs, good, hostile, huge, linted, mixed, notebook, raised
from octavo.gate.verdicts import CheckReport, Difference, Finding
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


def bad_notebook(*cells: object, **more: object) -> CheckReport:
    return CheckReport((notebook("n.ipynb", "failed", cells=cells, **more),))


def test_an_output_that_differs_is_accepted_by_the_next_command() -> None:
    text = "\n".join(view().lines(bad_notebook(differs(1)).replace(mode="strict")))
    assert "  next  octavo check n.ipynb --strict --update  accepts the output\n" in text
    assert "\n        octavo show 1a2b3c4d                    shows the run\n" in text
    assert "--update" not in "\n".join(view().lines(bad_notebook(differs(1), raised(2))))
    narrow = view(50).lines(bad_notebook(differs(1)))
    assert "  next  octavo check n.ipynb --update" in narrow, "no remark where there is no room"


def test_an_image_is_accepted_by_a_command_that_compares_images() -> None:
    report = bad_notebook(differs(1, Difference("image/png", "differs")))
    text = "\n".join(view().lines(report))
    assert "  next  octavo check n.ipynb --image-threshold 0 --update  accepts" in text


def test_a_cell_without_a_name_is_told_once() -> None:
    text = "\n".join(view().lines(bad_notebook(differs(1).replace(name="2"))))
    assert "\n  n.ipynb, cell 2  1 of 3 lines differs\n" in text


def test_what_ended_the_run_is_told_whatever_differed_before() -> None:
    ended = raised(9, cause="limit", message="memory: 26 MB used", traceback=())
    report = bad_notebook(*(differs(number) for number in range(1, 5)), ended)
    text = "\n".join(view().lines(report))
    assert "n.ipynb, cell 18  cell step-9  memory: 26 MB used\n" in text
    assert "  also failed: step-3, step-4 (" in text


def test_long_words_of_a_cell_stay_in_the_window() -> None:
    report = bad_notebook(raised(1, message="ModuleNotFoundError: No module named 'salestool'"))
    assert max(map(width, view(50).lines(report))) <= 50


def test_the_same_finding_of_several_cells_is_told_once() -> None:
    found = tuple(
        Finding("unproven-output", "warning", "no known run", "n.ipynb", cell=at, hint="archive it")
        for at in (2, 3)
    )
    lines = view().lines(CheckReport((notebook("n.ipynb", findings=found),)))
    assert lines[1:3] == [
        "  warning n.ipynb, cells 2, 3  no known run  unproven-output",
        "          archive it",
    ]
