"""What differs between values, texts and outputs."""

from __future__ import annotations

import difflib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.runs.looking.differing import MOST_TOLD, output_changes, text_diff, value_changes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=12)


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def only(a: Any, b: Any) -> Any:
    [change] = value_changes({"x": a}, {"x": b})
    return change


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_a_value_does_not_differ_from_itself(values: dict[str, Any]) -> None:
    assert all(change.change == "equal" for change in value_changes(values, values))


@given(st.dictionaries(st.text(), JSON, max_size=4), st.dictionaries(st.text(), JSON, max_size=4))
def test_differences_are_the_same_from_both_sides(a: dict[str, Any], b: dict[str, Any]) -> None:
    turned = {"added": "removed", "removed": "added"}
    there = {change.name: change.change for change in value_changes(a, b)}
    back = {change.name: turned.get(c.change, c.change) for c in value_changes(b, a)
            for change in [c]}  # fmt: skip
    assert there == back


@pytest.mark.parametrize(
    ("a", "b", "difference", "percent"),
    [(0.5, 1.0, 0.5, 100.0), (-2, -1, 1, 50.0), (0, 3, 3, None), (4, 3, -1, -25.0)],
)
def test_numbers(a: float, b: float, difference: float, percent: float | None) -> None:
    change = only(a, b)
    assert (change.difference, change.percent) == (difference, percent)


def test_what_is_no_number_has_no_difference() -> None:
    for a, b in ((True, 2), (1, "1"), ("nan", 1.0), (None, 0), (float("inf"), 1.0)):
        change = only(a, b)
        assert change.change == "changed"
        assert change.difference is None
    assert only(1, 1.0).change == "equal"
    assert only({"a": 1, "b": 2}, {"b": 2, "a": 1}).change == "equal"


def test_mappings_are_told_entry_by_entry() -> None:
    changes = value_changes({"m": {"a": 1, "b": {"c": 2}}}, {"m": {"a": 1, "b": {"c": 3}, "d": 4}})
    told = [(change.name, change.change) for change in changes]
    assert told == [("m.a", "equal"), ("m.b.c", "changed"), ("m.d", "added")]


def test_tables_are_told_by_what_is_known_of_them() -> None:
    table = {"encoder": "pandas", "rows": 3, "columns": ["a"], "bytes": 9, "sha256": "1"}
    change = only(table, {**table, "sha256": "2"})
    assert (change.name, change.change, change.diff) == ("x", "changed", ())


@given(LINES, LINES)
def test_a_difference_has_all_that_went_and_came(a: list[str], b: list[str]) -> None:
    diff = text_diff("\n".join(a), "\n".join(b))
    old, new = "\n".join(a).splitlines(), "\n".join(b).splitlines()
    gone = sorted(line[1:] for line in diff if line.startswith("-"))
    came = sorted(line[1:] for line in diff if line.startswith("+"))
    kept = sorted(old)
    for line in gone:
        kept.remove(line)
    assert sorted([*kept, *came]) == sorted(new)
    assert (not diff) == (old == new)


def test_long_texts_are_not_compared_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difflib, "unified_diff", lambda *a, **k: pytest.fail("compared"))
    a = "\n".join(f"a{n}" for n in range(100_000))
    b = "\n".join(f"b{n}" for n in range(100_000))
    diff = text_diff(a, b)
    assert len(diff) <= MOST_TOLD + 1
    assert any("100,000 lines before, 100,000 now" in line for line in diff)


def test_one_line_in_a_long_text_is_found() -> None:
    lines = [str(n) for n in range(100_000)]
    assert text_diff("\n".join(lines), "\n".join([*lines[:500], "x", *lines[501:]])) == (
        " 499", "-500", "+x", " 501",
    )  # fmt: skip


def test_streams_are_joined_and_displays_are_paired() -> None:
    a = [stream("a\n"), stream("err", "stderr"), stream("b\n"), shown(**{"text/plain": "1"})]
    b = [stream("a\nb\n"), stream("err", "stderr"), shown(**{"text/plain": "2"}),
         shown(**{"text/plain": "3"})]  # fmt: skip
    told = [(each.what, each.change, each.diff) for each in output_changes(a, b)]
    assert told == [
        ("stdout", "equal", ()),
        ("stderr", "equal", ()),
        ("text/plain", "changed", ("-1", "+2")),
        ("text/plain", "added", ("+3",)),
    ]


def test_images_and_hidden_forms() -> None:
    figure = {"image/png": "AAAA", "text/plain": "<Figure size 1x1>"}
    [same] = output_changes([shown(**figure)], [shown(**{**figure, "text/plain": "<Figure>"})])
    assert (same.what, same.change) == ("image/png", "equal")
    [other] = output_changes([shown(**figure)], [shown(**{**figure, "image/png": "BBBB"})])
    assert (other.change, other.note) == ("changed", "image/png differs")
    pair = [[shown(**{"text/plain": "x", "text/html": html})] for html in ("<b>", "<i>")]
    [hidden] = output_changes(*pair)
    assert (hidden.change, hidden.note) == ("changed", "text/html differs")
    [ends] = output_changes([stream("a\n")], [stream("a")])
    assert (ends.change, ends.note) == ("changed", "only line ends differ")


def test_scraps_are_not_outputs() -> None:
    scrap = {"application/scrapbook.scrap.json+json": {"name": "n", "data": 1, "encoder": "json"}}
    assert output_changes([shown(**scrap)], []) == ()


def test_what_is_ignored() -> None:
    pattern = [re.compile("0x[0-9a-f]+")]
    a, b = ([shown(**{"text/plain": f"<object at 0x{n}>"})] for n in ("12", "ff"))
    assert output_changes(a, b, pattern)[0].change == "equal"


@pytest.mark.parametrize(
    ("a", "b"),
    [(10**400, 1), (1, -(10**400)), (10**400, 10**401), (1e308, -1e308), (1e-320, 1e300)],
)
def test_numbers_that_cannot_be_calculated_with_are_told_all_the_same(a: Any, b: Any) -> None:
    (change,) = value_changes({"n": a}, {"n": b})
    assert (change.change, change.a, change.b) == ("changed", a, b)
    assert change.percent is None
