"""The text of a proposal: ours is made anew, a person's stays, and nothing breaks out of it."""

from __future__ import annotations

from octavo.proposals.body import BEGIN, END, Facts, described_body, merged_body
from octavo.render.marks import code_span, table

FACTS = Facts(
    name="health.py",
    branch="agent/health",
    base="main",
    commit="c" * 40,
    changes="1 cell edited",
    before=None,
    after=None,
)


def test_ours_is_made_anew_and_the_rest_stays() -> None:
    first = merged_body("", "Why", FACTS)
    edited = f"Above\n\n{first}\nBelow"
    again = merged_body(edited, None, FACTS.replace(changes="2 cells edited"))
    assert again.startswith("Above\n\nWhy\n\n") and again.endswith("\n\nBelow\n")
    assert "2 cells" in again and "1 cell " not in again
    assert merged_body(again, None, FACTS.replace(changes="2 cells edited")) == again


def test_marks_in_a_notebook_are_none() -> None:
    """A cell that prints our marks does not make the text grow."""
    hostile = FACTS.replace(changes=f"```\n{END}\n{BEGIN}\n{END}\n```")
    first = merged_body("", None, hostile)
    assert merged_body(first, None, hostile) == first
    after = merged_body(first, None, FACTS)
    assert (after.count(BEGIN), after.count(END)) == (1, 1)


def test_a_text_that_the_forge_cut_is_made_anew() -> None:
    whole = merged_body("", "Why", FACTS)
    cut = whole[: whole.index("What changed")]
    assert merged_body(cut, None, FACTS) == whole


def test_what_was_said_before_is_kept() -> None:
    """Proposing again without `--issue` does not forget it."""
    first = merged_body("", None, FACTS.replace(issue=155))
    assert first.rstrip().endswith(f"Refs #155\n{END}")
    assert merged_body(first, None, FACTS) == first
    assert "Refs #7" in merged_body(first, None, FACTS.replace(issue=7))
    assert "#155" not in merged_body(first, None, FACTS.replace(issue=7))


def test_a_pipe_is_escaped_where_it_would_end_a_cell() -> None:
    assert code_span("a|b") == "`a|b`"
    assert table(("x",), [(code_span("a|b"),)]).splitlines()[-1] == "| `a\\|b` |"


def test_another_description_leaves_the_evidence() -> None:
    first = merged_body("", "Why", FACTS)
    assert described_body(first, "As asked for") == merged_body("", "As asked for", FACTS)
    assert described_body("By hand", "As asked for") == "As asked for"
