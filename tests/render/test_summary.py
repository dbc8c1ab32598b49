"""How the end of a run reads."""

from __future__ import annotations

from octavo.records.result import FailedCell, RunResult
from octavo.render.style import PLAIN, Style
from octavo.render.summary import several, summary

GOOD = RunResult(
    status="success",
    reason=None,
    duration_seconds=4.23,
    cells_executed=9,
    failed_cell=None,
    run_id="01a1e166-f26a-766e-b23f-76934c63923f",
    notebook_path="/p/.octavo/runs/d/id/notebook.ipynb",
    record_path="/p/.octavo/runs/d/id/record.json",
    scraps={"health_score": 0.94, "alerts": ["disk"]},
)
FAILED = FailedCell(3, "1/0", "ZeroDivisionError", "division by zero", ("\x1b[31mTB\x1b[0m",), 42)
BAD = GOOD.replace(status="error", reason="cell-error", failed_cell=FAILED, scraps={})


def shown(result: RunResult, path: str = "/p/nb.py", style: Style = PLAIN, cwd: str = "/p") -> str:
    return "\n".join(summary(result, path, style=style, columns=80, cwd=cwd, project="/p"))


def test_success() -> None:
    assert (
        shown(GOOD)
        == """\
✓ success in 4.2 s, 9 cells
  health_score  0.94
  alerts        ["disk"]
  record  .octavo/runs/d/id/record.json
  next    octavo show 4c63923f"""
    )


SCHEMA = {"properties": {"health_score": {"type": "number", "x-unit": "share"}, "alerts": {}}}


def test_declared_scraps_have_their_units() -> None:
    lines = shown(GOOD.replace(scraps_schema=SCHEMA)).splitlines()
    assert lines[1:3] == ["  health_score  0.94 share", '  alerts        ["disk"]']


def test_scraps_that_are_not_as_declared_are_told_one_a_line() -> None:
    told = ({"message": "a: 2 is above 1 (declared at nb.py:7)"}, {"message": "b was not"})
    bad = GOOD.replace(
        status="error", reason="scraps", message="all in one", scraps={}, scrap_problems=told
    )
    assert (
        shown(bad)
        == """\
✗ scraps after 4.2 s, 9 cells
  a: 2 is above 1 (declared at nb.py:7)
  b was not
  record  .octavo/runs/d/id/record.json
  next    octavo show 4c63923f"""
    )


def test_what_is_known_of_the_cause_stands_below_the_traceback() -> None:
    lines = shown(BAD.replace(message="give it with --env NAME")).splitlines()
    assert lines[-3] == "  hint: give it with --env NAME"


def test_failure_names_the_line_that_the_author_wrote() -> None:
    assert (
        shown(BAD)
        == """\
✗ cell-error after 4.2 s, 9 cells
  nb.py:42  ZeroDivisionError: division by zero

TB

  record  .octavo/runs/d/id/record.json
  next    octavo show 4c63923f --errors"""
    )


def test_in_a_notebook_file_the_cell_is_named() -> None:
    inside = FAILED.replace(line=2)
    text = shown(BAD.replace(failed_cell=inside), "/p/nb.ipynb")
    assert "nb.ipynb, cell 3, line 2  Zero" in text


def test_colours_of_the_traceback_are_kept_on_a_terminal() -> None:
    assert "\x1b[31mTB\x1b[0m" in shown(BAD, style=Style(colour=True))


def test_a_long_traceback_loses_its_beginning() -> None:
    long = FAILED.replace(traceback=tuple(f"line {n}" for n in range(100)))
    text = shown(BAD.replace(failed_cell=long))
    assert "… 40 lines left out" in text
    assert "line 39" not in text
    assert "line 99" in text


def test_an_interruption_needs_no_traceback() -> None:
    assert "TB" not in shown(BAD.replace(reason="interrupted"))


def test_infrastructure_tells_its_message() -> None:
    text = shown(BAD.replace(reason="infrastructure", failed_cell=None, message="disk gone\nhelp"))
    assert "  disk gone\n  help" in text


def test_early_exit_and_a_named_output() -> None:
    text = shown(GOOD.replace(reason="exited-early", notebook_path="/p/out.ipynb"))
    assert "ended early by the notebook" in text
    assert "notebook  out.ipynb" in text


def test_a_run_of_another_project_is_named_by_its_folder() -> None:
    assert "octavo show /p/.octavo/runs/d/id" in "\n".join(
        summary(GOOD, "/p/nb.py", style=PLAIN, columns=80, cwd="/q", project="/q")
    )


def test_several_runs_show_failures_and_a_count() -> None:
    lines = several(
        [GOOD, BAD], ["/p/a.py", "/p/b.py"], style=PLAIN, columns=80, cwd="/p", project="/p"
    )
    text = "\n".join(lines)
    assert text.startswith("b.py\n✗ cell-error")
    assert lines[-1] == "✗ 2 runs: 1 succeeded, 1 failed, 8.5 s together"


def test_a_name_of_a_thousand_letters_does_not_push_the_values_away() -> None:
    from octavo.render.summary import scrap_lines

    lines = scrap_lines({"n" * 1000: 1, "b": 2}, style=PLAIN, columns=80)
    assert [line.split()[-1] for line in lines] == ["1", "2"]
    assert max(map(len, lines)) <= 80
