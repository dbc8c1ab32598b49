"""Parameters in the paths of notebooks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.errors import ParameterError, UsageError
from octavo.runs.path_templates import fill, is_template

PLAIN = st.text(st.characters(blacklist_characters="{}", blacklist_categories=("Cs",)))


@settings(deadline=None)
@given(PLAIN)
def test_a_path_without_braces_is_left_alone(path: str) -> None:
    assert fill(path, {"a": 1}) == path


@settings(deadline=None)
@given(PLAIN, PLAIN)
def test_doubled_braces_stand_for_braces(before: str, within: str) -> None:
    assert fill(f"{before}{{{{{within}}}}}", {}) == f"{before}{{{within}}}"


@settings(deadline=None)
@given(PLAIN, st.integers() | PLAIN)
def test_a_name_stands_for_its_value(before: str, value: object) -> None:
    assert fill(before + "{n}", {"n": value}) == f"{before}{value}"


def test_formats_items_and_built_in_values() -> None:
    assert fill("{n:03}-{m[k]}", {"n": 7, "m": {"k": "v"}}) == "007-v"
    assert len(fill("{pm[run_uuid]}", {})) == 36
    assert fill("{pm[current_datetime_utc]:%Y}", {}).startswith("20")
    assert fill("{pm}", {"pm": "mine"}) == "mine"


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(ParameterError) as told:
        fill("out/{nmae}.ipynb", {"name": 1, "day": 2})
    assert told.value.kind == "parameter-missing"
    assert "`nmae`" in told.value.message
    assert "name, day" in told.value.hint


@pytest.mark.parametrize(
    "path",
    [
        "a{",
        "a}",
        "{0}",
        "{}",
        "{a.b}",
        "{a!z}",
        "{a:q}",
        "{a[0]}",
        "{a:9999}",
        "{a:9999999999999}",
        "{a:99999999999999999999}",
    ],
)
def test_braces_that_make_no_sense_are_refused(path: str) -> None:
    assert is_template(path)
    with pytest.raises(UsageError) as told:
        fill(path, {"a": 1})
    assert told.value.hint
