"""Errors: the author's own lines stay, libraries are told in a word."""

from __future__ import annotations

import pytest

from octavo.render.compact import compact


def lines_of(traceback: str, name: str = "KeyError", value: str = "'b'") -> tuple[str, ...]:
    output = {"output_type": "error", "ename": name, "evalue": value,
              "traceback": traceback.split("\n")}  # fmt: skip
    found = compact(output)
    assert found.about == f"{name}: {value}"
    return found.lines


def test_frames_of_the_author_stay_and_those_of_libraries_are_folded() -> None:
    assert lines_of(
        "\x1b[31m---------------------------------------------------------------------------\x1b[39m\n"
        "KeyError                                  Traceback (most recent call last)\n"
        "Cell In[2], line 3 (report.py:12)\n"
        "      1 x = 1\n"
        "----> 3 frame[x]\n"
        "      4 y = 2\n"
        "\n"
        "File /srv/env/lib/python3.11/site-packages/pandas/core/frame.py:4102, in get(self)\n"
        "   4101     return 1\n"
        "-> 4102 self.columns.get_loc(key)\n"
        "\n"
        "File pandas/_libs/index.pyx:167, in pandas._libs.index.get_loc()\n"
        "\n"
        "File ~/project/tools.py:7, in helper(x)\n"
        "      6 def helper(x):\n"
        "----> 7     return x['b']\n"
        "\n"
        "KeyError: 'b'"
    ) == (
        "Cell In[2], line 3 (report.py:12)",
        "> 3 frame[x]",
        "… 2 frames in pandas",
        "File ~/project/tools.py:7, in helper(x)",
        "> 7     return x['b']",
    )


def test_a_chain_of_errors_keeps_its_links() -> None:
    found = lines_of(
        "Cell In[1], line 1\n----> 1 a()\n\nValueError: first\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Cell In[1], line 2\n----> 2 b()\n\nKeyError: 'b'"
    )
    assert found == (
        "Cell In[1], line 1", "> 1 a()", "ValueError: first",
        "During handling of the above exception, another exception occurred:",
        "Cell In[1], line 2", "> 2 b()",
    )  # fmt: skip


def test_a_mistake_in_syntax_is_shown_with_its_place() -> None:
    found = lines_of(
        "  Cell In[1], line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax",
        "SyntaxError", "invalid syntax",
    )  # fmt: skip
    assert found == ("Cell In[1], line 1", "    x = = 1", "        ^")


@pytest.mark.parametrize(
    ("name", "value", "last"),
    [
        ("SyntaxError", "bad input (<ipython-input-6>, line 1)", "SyntaxError: bad input"),
        ("KeyboardInterrupt", "", "KeyboardInterrupt: "),
        ("StopIteration", "", "StopIteration"),
    ],
)  # fmt: skip
def test_an_error_is_not_told_twice(name: str, value: str, last: str) -> None:
    traceback = ["Cell In[1], line 1", "----> 1 a()", last]
    output = {"output_type": "error", "ename": name, "evalue": value, "traceback": traceback}
    assert compact(output).lines == ("Cell In[1], line 1", "> 1 a()")


def test_other_languages_are_left_as_they_are() -> None:
    text = "Error in f(1) : no such thing\nTraceback:\n1. f(1)"
    assert lines_of(text, "Error", "no such thing") == tuple(text.split("\n"))


def test_an_error_without_a_traceback_is_a_line() -> None:
    found = compact({"output_type": "error", "ename": "E", "evalue": "", "traceback": []})
    assert (found.about, found.lines) == ("E", ())
