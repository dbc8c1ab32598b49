"""Parameters in other languages."""

from __future__ import annotations

import json
import math
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import ParameterError, UsageError
from octavo.notebook.translation import assignments, translatable

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("R", 'name = "a"'),
        ("julia", 'name = "a"'),
        ("scala", 'val name = "a"'),
        ("bash", "name=a"),
        ("c#", 'var name = "a";'),
        ("powershell", '$name = "a"'),
        ("TypeScript", 'var name = "a";'),
        ("javascript", 'var name = "a";'),
    ],
)
def test_a_value_is_assigned_as_the_language_writes_it(language: str, line: str) -> None:
    assert line in assignments({"name": "a"}, language, None, "Parameters").splitlines()
    assert translatable(language)


@pytest.mark.parametrize(
    ("language", "literal"), [("julia", '"\\$(run(`ls`))"'), ("powershell", '"`$(ls)"')]
)
def test_text_is_never_evaluated(language: str, literal: str) -> None:
    inside = "$(run(`ls`))" if language == "julia" else "$(ls)"
    assert literal in assignments({"x": inside}, language, None, "")


ODD_TEXT = 'é🦉 "q" it\'s \\ $x\n\t\x1b\x85'


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("R", '"é🦉 \\"q\\" it\'s \\\\ $x\\n\\t\\u001b\\u0085"'),
        ("scala", '"é🦉 \\"q\\" it\'s \\\\ $x\\n\\t\\u001b\\u0085"'),
        ("c#", '"é🦉 \\"q\\" it\'s \\\\ $x\\n\\t\\u001b\\u0085"'),
        ("julia", '"é🦉 \\"q\\" it\'s \\\\ \\$x\\n\\t\\u001b\\u0085"'),
        ("powershell", '"é🦉 `"q`" it\'s \\ `$x\n\t\x1b\x85"'),
        ("matlab", '("é🦉 ""q"" it\'s \\ $x" + char([10 9 27 133]) + "")'),
    ],
)
def test_text_is_written_as_the_language_reads_it(language: str, written: str) -> None:
    assert f"x = {written}" in assignments({"x": ODD_TEXT}, language, None, "")


@pytest.mark.parametrize(
    ("language", "written"),
    [("R", "NaN, Inf, -Inf, 1.5"), ("julia", "NaN, Inf, -Inf, 1.5"), ("scala", "Double.NaN, ")],
)
def test_numbers_that_are_none_have_their_names(language: str, written: str) -> None:
    values = [math.nan, math.inf, -math.inf, 1.5]
    assert written in assignments({"x": values}, language, None, "")


@given(TEXT)
def test_the_shell_gets_the_very_text(text: str) -> None:
    cell = assignments({"x": text}, "bash", "bash", "Parameters")
    ran = subprocess.run(
        ["bash"], input=f'{cell}\nprintf %s "$x"'.encode(), capture_output=True, check=True
    )
    assert ran.stdout == text.encode()


@pytest.mark.parametrize("text", ["a\tb", "\x1b[31m", "\u2028", "it's \\ !!\r\n", "\x7f\x85"])
def test_no_character_of_a_shell_parameter_is_a_command_of_the_terminal(text: str) -> None:
    cell = assignments({"x": [text, None, "z"]}, "bash", "bash", "")
    assert all(each == "\n" or each.isprintable() for each in cell)
    show = 'printf "%s|" "${x[@]}"'
    ran = subprocess.run(["bash", "-c", f"{cell}\n{show}"], capture_output=True, check=True)
    assert ran.stdout == f"{text}||z|".encode()


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("", "var x = 1;"),
        ("var x = 0", "var x = 1;"),
        ("let x = 0;", "x = 1;"),
        ("let x: number = 0", "x = 1;"),
        ("let y = 2, x", "x = 1;"),
        ("  export const x = 0", "const x = 1;"),
        ("let xx = 0", "var x = 1;"),
        ('let y = "a, x = 3"\nvar x = 0', "var x = 1;"),
    ],
)
def test_scripts_may_have_declared_a_name(above: str, line: str) -> None:
    cell = assignments({"x": 1}, "typescript", "deno", "", above)
    assert cell.splitlines()[1] == line


@given(JSON)
def test_scripts_get_json(value: Any) -> None:
    cell = assignments({"x": value}, "typescript", "deno", "Parameters")
    assert json.loads(cell.split(" = ", 1)[1].rstrip().removesuffix(";")) == value


@pytest.mark.parametrize(
    ("value", "written"), [(math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN")]
)
def test_scripts_get_numbers_that_json_lacks(value: float, written: str) -> None:
    assert f"[{written}]" in assignments({"x": [value]}, "javascript", None, "")


def test_a_language_that_nobody_translates_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        assignments({"x": 1}, "ruby", "ruby", "Parameters")
    assert refused.value.kind == "language"
    assert "--env" in refused.value.hint
    assert translatable("ruby") is False


def test_a_value_that_a_language_cannot_write_is_refused() -> None:
    with pytest.raises(ParameterError) as refused:
        assignments({"x": {"a": 1}}, "bash", "bash", "Parameters")
    assert refused.value.kind == "parameter-type"


def test_what_papermill_translates_is_known_without_loading_it() -> None:
    from papermill.translators import papermill_translators

    from octavo.notebook.translation import _PAPERMILL_KNOWS

    assert set(papermill_translators._translators) == _PAPERMILL_KNOWS
