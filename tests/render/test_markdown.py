"""Markdown on a terminal."""

from __future__ import annotations

from octavo.render.markdown import markdown_lines
from octavo.render.style import PLAIN, Style

TEXT = """\
# Title

A paragraph with **bold**, *soft* and `code`,
on two lines with a [link](https://example.org/x).


- first
- second item that is long enough to be broken
  1. inner

> quoted
> more

```python
x = 1
```

---
| a | b |
|---|---|
"""


def test_plain() -> None:
    assert markdown_lines(TEXT, PLAIN, 40) == [
        "Title",
        "",
        "A paragraph with bold, soft and code, on",
        "two lines with a link",
        "(https://example.org/x).",
        "",
        "• first",
        "• second item that is long enough to be",
        "  broken",
        "  1. inner",
        "",
        "│ quoted more",
        "",
        "    x = 1",
        "",
        "─" * 40,
        "a  b",
        "",
    ]


def test_colours_survive_a_line_break() -> None:
    lines = markdown_lines("**one two**", Style(colour=True), 4)
    assert lines == ["\x1b[1mone\x1b[0m", "\x1b[1mtwo\x1b[0m"]


def test_ascii_terminals_get_ascii() -> None:
    assert markdown_lines("- a\n\n> b", Style(unicode=False), 40) == ["- a", "", "| b"]


def test_an_unclosed_fence_and_names_with_underscores_stay_whole() -> None:
    assert markdown_lines("```\na_b_c", PLAIN, 40) == ["    a_b_c"]
    assert markdown_lines("some_long_name and 2*3*4", PLAIN, 40) == ["some_long_name and 2*3*4"]


def test_escape_sequences_in_the_source_are_not_obeyed() -> None:
    assert markdown_lines("a\x1b[2Jb", PLAIN, 40) == ["ab"]


def test_tables_are_aligned() -> None:
    text = "before\n\n| name | n | mid |\n|:--|--:|:-:|\n| `a\\|b` | 1 | x |\n| 中文 | 22 |\nafter"
    assert markdown_lines(text, PLAIN, 40) == [
        "before",
        "",
        "name   n  mid",
        "─────────────",
        "a|b    1   x",
        "中文  22",
        "after",
    ]


def test_what_only_looks_like_a_table_or_a_tag_stays() -> None:
    text = "a | b\n\nif x<y and y>z: `<b>`"
    assert markdown_lines(text, PLAIN, 60) == ["a | b", "", "if x<y and y>z: <b>"]


def test_headings_with_a_line_below_boxes_and_html() -> None:
    text = "Title\n=====\n- [x] done &amp; <b>dusted</b>\n- [ ] to do"
    assert markdown_lines(text, PLAIN, 40) == ["Title", "☑ done & dusted", "☐ to do"]
    assert markdown_lines("- [ ] a", Style(unicode=False), 40) == ["[ ] a"]


def test_long_code_and_text_without_spaces_fit() -> None:
    from octavo.render.columns import width

    text = "```\n" + "x" * 100 + "\n```\n" + "日本語" * 30
    assert max(map(width, markdown_lines(text, PLAIN, 40))) <= 40


def test_marks_that_are_never_closed_take_no_longer_than_other_text() -> None:
    """Without a bound each of them is looked for to the end: hours for these."""
    for mark in ("[", "[a](", "**a ", "_a ", "<!--"):
        lines = markdown_lines(mark * (40_000 // len(mark)), PLAIN, 80)
        assert "".join(lines).replace(" ", "").startswith(mark.strip() * 3)
