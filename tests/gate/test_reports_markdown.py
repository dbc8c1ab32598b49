from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from check_reports import (
    HOSTILE,
    broken,
    cell,
    good,
    hostile,
    huge,
    infrastructure,
    mixed,
    notebook,
)
from octavo.gate.reports.markdown import LONGEST, MARKER, Links, markdown
from octavo.gate.verdicts import CheckReport, Difference, Finding

_FENCE = re.compile(r"^(`{3,})(\w*)\n.*?^\1$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def outside_of_code(text: str) -> str:
    """What a forge reads as Markdown or HTML: blocks and spans of code are left out."""
    return _CODE.sub("", _FENCE.sub("", text))


def test_the_verdict_comes_first_then_what_failed() -> None:
    text = markdown(mixed())
    assert text.startswith("### ❌ octavo check: 3 of 8 checks failed\n")
    first_rows = [line for line in text.split("\n") if line.startswith("| `")][:4]
    assert [row.split(" | ")[0] for row in first_rows] == [
        "| `notebooks/broken.py:13`",
        "| `notebooks/linted.py`",
        "| `notebooks/grid.py:13` `[large]`",
        "| `notebooks/lost.py`",
    ]
    assert text.index("notebooks/good.py") > text.index("notebooks/lost.py")
    assert text.endswith(f"\n{MARKER}\n")


def test_details_have_a_small_diff_and_the_end_of_the_traceback() -> None:
    text = markdown(CheckReport((broken(),)))
    assert "```diff\ntext/plain: 1 of 3 lines differs\n  a\n- 12.5\n+ 13.5\n  c\n```" in text
    assert "----> 3 a / b\nZeroDivisionError: division by zero\n```" in text
    assert text.count("<details>") == text.count("</details>") == 1


def test_what_passed_is_folded_with_scraps_and_the_run_it_rests_on() -> None:
    text = markdown(mixed())
    assert "`rows` = `120`, `share` = `0.5`" in text
    assert "unchanged since it passed in run `20261116-080000-1a2b3c4d`" in text
    assert "81% covered" in text
    assert "since `main`" in text


def test_all_is_well() -> None:
    text = markdown(good(2))
    assert text.startswith("### ✅ octavo check: 2 notebooks passed\n")


def test_nothing_to_check_is_told() -> None:
    text = markdown(CheckReport((), since="main"))
    assert "no notebook is affected since main" in text
    assert text.endswith(f"\n{MARKER}\n")


def test_links_lead_to_the_lines() -> None:
    links = Links(source="https://forge.example/o/r/src/commit/abc", commit="abcdef0123456789")
    text = markdown(CheckReport((broken("a b/n.py"),)), links=links)
    address = "https://forge.example/o/r/src/commit/abc/a%20b/n.py#L13"
    assert f"[`a b/n.py:13`]({address})" in text
    assert "at `abcdef0123`" in text


def test_images_stand_side_by_side() -> None:
    difference = Difference("image/png", "4% differ", expected_file="e.png", got_file="g.png")
    cells = (cell(0, "failed", cause="output", differences=(difference,)),)
    report = CheckReport((notebook("n.py", "failed", cells=cells),))
    links = Links(images={"e.png": "https://forge.example/1", "g.png": "https://forge.example/2"})
    row = "| ![expected](https://forge.example/1) | ![got](https://forge.example/2) |"
    assert row in markdown(report, links=links)
    assert "![" not in markdown(report)


def test_an_address_that_is_none_is_not_linked() -> None:
    links = Links(source="javascript:alert(1)", run="https://a b")
    text = markdown(CheckReport((infrastructure(),)), links=links)
    assert "](" not in text


def test_hostile_text_does_not_break_out() -> None:
    text = markdown(CheckReport((hostile(), notebook(HOSTILE, scraps={HOSTILE: HOSTILE}))))
    outside = outside_of_code(text)
    for mark in ("@everyone", "gotcha", "<b>", "\x00", "\x1b", "\u202e", "stop-commands"):
        assert mark not in re.sub(r"<code>[^<]*</code>", "", outside)
    assert outside.count("</details>") == outside.count("<details>")
    assert outside.count(MARKER) == 1
    assert text.encode()


@given(st.text(st.characters()))
def test_any_text_stays_in_its_code(text: str) -> None:
    difference = Difference(text, text, text, f"{text}x")
    cells = (cell(0, "failed", name=text, cause="output", message=text, traceback=(text,),
                  differences=(difference,)),)  # fmt: skip
    shown = markdown(CheckReport((notebook("n.py", "failed", cells=cells, reason="outputs"),)))
    outside = outside_of_code(shown)
    assert outside.count("<") == 9  # of details, summary and code, and of the marker
    assert shown.endswith(f"\n{MARKER}\n")
    assert shown.encode()


def test_it_is_never_longer_than_a_comment_may_be() -> None:
    text = markdown(huge())
    assert len(text) <= LONGEST
    assert text.count("<details>") == text.count("</details>") >= 2
    assert "do not fit here" in text
    assert text.endswith(f"\n{MARKER}\n")
    assert "2,012 notebooks" not in text.split("\n")[0] or "12 of 2,012" in text


def test_findings_of_cells_say_which_one() -> None:
    found = tuple(Finding("unproven-output", "warning", "m", "c.ipynb", cell=at) for at in (2, 3))
    text = markdown(CheckReport((notebook("c.ipynb", findings=found),)))
    assert "| `c.ipynb`, cell 2 | warning" in text
    assert "| `c.ipynb`, cell 3 | warning" in text
