"""What is in a kernel, told without calling code of what is looked at."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import json
import pathlib
import threading
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

from octavo_runtime.variables import listing, preview
from octavo_runtime.variables_digest import digest_of


def told(value: Any) -> dict[str, Any]:
    (found,) = listing({"it": value})["variables"]
    json.dumps(found).encode("utf-8")
    return dict(found)


def looked(value: Any, path: str = "it", **bounds: Any) -> dict[str, Any]:
    found = preview({"it": value}, path, **bounds)
    json.dumps(found).encode("utf-8")
    return found


class Colour(enum.Enum):
    RED = 1


class Point:
    def __init__(self) -> None:
        self.x = 1
        self.label = "here"


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (5, "value", "5"),
        (1 << 2999, "value", "whole number of 3,000 bits"),
        (True, "value", "True"),
        (None, "value", "None"),
        (0.1, "value", "0.1"),
        ("text", "text", "'text'"),
        ("\ud800", "text", r"'\ud800'"),
        (b"ab", "text", "b'ab'"),
        ([1, "a"], "sequence", "[1, 'a']"),
        ((1,), "sequence", "(1,)"),
        (set(), "sequence", "set()"),
        ({"a": {"b": [1]}}, "mapping", "{'a': {'b': [1]}}"),
        (collections.Counter("aab"), "mapping", "Counter({'a': 2, 'b': 1})"),
        (Colour.RED, "object", "Colour.RED"),
        (Point(), "object", "<Point x=1 label='here'>"),
        (decimal.Decimal("1.50"), "object", "1.50"),
        (pathlib.PurePosixPath("/a/b"), "object", "/a/b"),
        (datetime.date(2026, 1, 2), "object", "2026-01-02"),
        (datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "object", "2026-01-02 00:00:00+00:00"),
        (pandas.Timestamp("2026-01-02"), "object", "2026-01-02 00:00:00"),
        (pandas.NaT, "object", "NaT"),
        (numpy.int32(3), "object", "3"),
        (ValueError("no", 1), "object", "ValueError('no', 1)"),
    ],
)
def test_known_values_are_told(value: Any, kind: str, shown: str) -> None:
    found = told(value)
    assert (found["kind"], found["preview"]) == (kind, shown)


def test_tables_and_arrays_have_shape_type_and_size() -> None:
    frame = pandas.DataFrame({"a": [1, 2], "b": [0.5, None]})
    assert told(frame)["shape"] == [2, 2]
    assert told(frame)["preview"] == "a int64, b float64"
    assert told(frame)["size"] >= 32
    assert told(numpy.zeros((3, 4)))["shape"] == [3, 4]
    assert told(numpy.zeros(4, "float32"))["dtype"] == "float32"
    assert told(polars.DataFrame({"a": [1]}))["preview"] == "a Int64"
    assert told(polars.LazyFrame({"a": [1]}))["kind"] == "lazy"
    assert told(pyarrow.table({"a": [1, 2]}))["shape"] == [2, 1]
    assert told(pandas.Series([1, 2], name="n"))["preview"] == "1, 2"


def test_names_of_the_shell_and_modules_are_left_out() -> None:
    namespace = {"x": 1, "_x": 2, "In": [], "Out": {}, "json": json, "exit": 1, 5: 6, "y": 2}
    found = listing(namespace)  # type: ignore[arg-type]
    assert [each["name"] for each in found["variables"]] == ["x", "y"]


def test_a_pattern_and_a_limit_choose() -> None:
    namespace = {f"df_{at}": at for at in range(10)} | {"other": 1}
    found = listing(namespace, "df_*", limit=3)
    assert [each["name"] for each in found["variables"]] == ["df_0", "df_1", "df_2"]
    assert found["total"] == 10


def test_a_frame_is_a_table_with_types_and_missing_counts() -> None:
    frame = pandas.DataFrame(
        {
            "number": [1.0, None, 3.0] * 400,
            "text": ["a", None, "c"] * 400,
            "when": pandas.date_range("2026-01-01", periods=1200),
            "mixed": numpy.array([None, {"a": 1}, float("nan")] * 400, dtype=object),
            "whole": pandas.array([1, None, 3] * 400, dtype="Int64"),
            "kind": pandas.Categorical(["x", "y", None] * 400),
        },
        index=[f"row{at}" for at in range(1200)],
    )
    found = looked(frame, rows=3)
    assert [(each["name"], each["missing"]) for each in found["columns"]] == [
        ("number", 400),
        ("text", 400),
        ("when", 0),
        ("mixed", 800),
        ("whole", 400),
        ("kind", 400),
    ]
    assert found["columns"][0]["type"] == "float64"
    assert found["rows"][0] == ["1", "a", "2026-01-01 00:00:00", "None", "1", "x"]
    assert found["rows"][1][3] == "{'a': 1}"
    assert found["labels"] == ["row0", "row1", "row1199"]
    assert (found["rows_total"], found["first"]) == (1200, 2)


@pytest.mark.parametrize(
    "table",
    [
        polars.DataFrame({"a": [1, None, 3], "b": ["x", "y", None]}),
        pyarrow.table({"a": [1, None, 3], "b": ["x", "y", None]}),
        pyarrow.record_batch({"a": [1, None, 3], "b": ["x", "y", None]}),
    ],
)
def test_other_tables_are_tables_too(table: Any) -> None:
    found = looked(table)
    assert [(each["name"], each["missing"]) for each in found["columns"]] == [("a", 1), ("b", 1)]
    assert found["rows"] == [["1", "x"], ["None", "y"], ["3", "None"]]


def test_wide_and_long_tables_are_shown_in_part() -> None:
    frame = pandas.DataFrame(numpy.zeros((5000, 300)))
    found = looked(frame, rows=6, columns=4)
    assert len(found["columns"]) == 4
    assert found["columns_total"] == 300
    assert len(found["rows"]) == 6
    assert [each["name"] for each in found["columns"]] == ["0", "1", "2", "3"]


def test_arrays_have_lowest_and_highest() -> None:
    found = looked(numpy.array([[1.5, numpy.nan], [-2.0, 4.0]]))
    assert (found["min"], found["max"], found["missing"]) == ("-2.0", "4.0", 1)
    assert found["rows"] == [["1.5", "NaN"], ["-2", "4"]]
    assert looked(numpy.arange(10), rows=3)["items"] == ["0", "1", "9"]
    assert looked(numpy.zeros((2, 3, 4)))["plane"] == "first"
    assert "min" not in looked(numpy.array([], float))
    assert looked(numpy.array(7))["items"] == ["7"]
    assert looked(numpy.array([(1, "a")], dtype="i4,U1"))["items"] == ["(1, 'a')"]
    assert looked(numpy.array(["2026-01-01"], "M8[D]"))["items"] == ["2026-01-01"]


def test_a_long_text_has_head_and_tail() -> None:
    found = looked("begin" + "x" * 100_000 + "end\ud800", characters=300)
    assert found["head"].startswith("begin")
    assert found["tail"].endswith("end\\ud800")
    assert found["omitted"] == 100_009 - 300


def test_containers_are_shown_in_part() -> None:
    found = looked({at: [at] * 5 for at in range(1000)}, rows=2)
    assert found["entries"][1] == {"key": "1", "type": "list", "text": "[1, 1, 1, 1, 1]"}
    assert found["total"] == 1000
    assert looked(list(range(1000)), rows=3)["items"] == ["0", "1", "999"]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("it['a'][0].x", "1"),
        ("it['a'][-1]['deep']", "2"),
        ("it[5]", "'five'"),
        ("it['frame']['n'] ", None),
    ],
)
def test_paths_lead_into_containers(path: str, shown: str | None) -> None:
    value = {
        "a": [Point(), {"deep": 2}],
        5: "five",
        "frame": pandas.DataFrame({"n": [1, 2]}),
    }
    found = looked(value, path)
    assert "problem" not in found
    if shown is not None:
        assert shown in (found.get("text"), repr(found.get("head")))


@pytest.mark.parametrize(
    "path",
    ["", "1 + 1", "it.keys", "it.keys()", "it[nope]", "it[1:2]", "nope", "it['b']", "it" * 900,
     "\0", "(" * 500, "it[0][0]", "lambda: 1", "it['x'", "it[[1]]"],
)  # fmt: skip
def test_a_path_that_is_none_is_refused(path: str) -> None:
    assert looked({"a": 1}, path)["problem"]


def test_a_name_that_is_nearly_right_is_offered() -> None:
    assert preview({"prices": 1}, "price")["near"] == ["prices"]
    assert looked({"column": 1}, "it['colum']")["near"] == ["column"]


def test_a_dict_that_a_thread_changes_is_told() -> None:
    shared: dict[int, int] = {}
    stop = threading.Event()

    def change() -> None:
        at = 0
        while not stop.is_set():
            shared[at % 5000] = at
            shared.pop((at * 7) % 5000, None)
            at += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            looked(shared)
            listing({"it": shared}, digest=True)
    finally:
        stop.set()
        thread.join()


def test_digests_tell_equal_from_different() -> None:
    def values(last: int) -> list[Any]:
        return [
            [1, {"a": last}],
            {1, 2, last},
            numpy.array([1, last]),
            pandas.DataFrame({"a": [1, last], "b": ["x", str(last)]}),
            polars.DataFrame({"a": [1, last]}),
            vars(Point()) | {"z": last},
            decimal.Decimal(last),
            f"{last}",
        ]

    same = [digest_of(each) for each in values(3)]
    assert None not in same
    assert same == [digest_of(each) for each in values(3)]
    assert all(a != b for a, b in zip(same, map(digest_of, values(4)), strict=True))
    assert digest_of(1) != digest_of(1.0) != digest_of(True)


def test_what_is_too_much_has_no_digest() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert digest_of(endless) is None
    assert digest_of(list(range(1_000_000))) is None
    assert digest_of(numpy.zeros(100_000_000, "u1")) is None
    assert digest_of(iter([])) is None


def test_what_was_imported_is_left_out_and_what_was_defined_is_there() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec("from math import sqrt\nfrom json import dumps, JSONDecoder", namespace)
    exec("def own(a, *, b): 'What it does.'\nclass Own: pass", namespace)
    assert [each["name"] for each in listing(namespace)["variables"]] == ["own", "Own"]
    found = preview(namespace, "own")
    assert (found["text"], found["doc"]) == ("def own(a, *, b)", "What it does.")


@pytest.mark.parametrize(
    "parameters",
    ["", "a, b=2", "a, /, b='x', *, c=None, d", "a, *rest, b=[1, 2], **more", "**more", "a=1, /"],
)
def test_of_a_function_the_signature_is_told(parameters: str) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(f"def own({parameters}): pass", namespace)
    assert preview(namespace, "own")["text"] == f"def own({parameters})"


def test_defaults_of_parameters_are_bounded_and_run_no_code() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "class Bad:\n    def __repr__(self): raise SystemExit\n"
        "def own(a='x' * 1000, b=Bad()): pass",
        namespace,
    )
    text = preview(namespace, "own")["text"]
    assert text == f"def own(a='{'x' * 18}…, b=<Bad>)"


def test_a_very_wide_table_costs_little() -> None:
    wide = pandas.DataFrame(numpy.zeros((1, 20_000), "u1"))
    assert told(wide)["shape"] == [1, 20_000]
    assert "size" not in told(wide)
    assert looked(wide, columns=3)["columns_total"] == 20_000
    assert digest_of(wide) is None
    many = polars.DataFrame({f"c{at}": [at] for at in range(5000)})
    assert looked(many, columns=2)["rows"] == [["0", "1"]]


def test_functions_differ_by_code_defaults_and_what_they_close_over() -> None:
    def made(number: int) -> list[Any]:
        def inner() -> int:
            return number

        return [inner, eval(f"lambda x={number}: x"), eval(f"lambda: (lambda: {number})")]

    assert all(digest_of(each) is not None for each in made(1))
    assert [digest_of(each) for each in made(1)] == [digest_of(each) for each in made(1)]
    for one, other in zip(made(1), made(2), strict=True):
        assert digest_of(one) != digest_of(other)


def test_what_a_list_of_its_own_class_holds_besides_counts_too() -> None:
    class Named(list):  # type: ignore[type-arg]
        pass

    one, other = Named([1]), Named([1])
    assert digest_of(one) == digest_of(other)
    other.name = "other"  # type: ignore[attr-defined]
    assert digest_of(one) != digest_of(other)


def test_whatever_is_asked_for_an_answer_is_bounded() -> None:
    frame = pandas.DataFrame({f"c{at}": ["x" * 1000] * 3000 for at in range(600)})
    found = looked(frame, rows=10**9, columns=10**9, characters=10**9)
    assert len(json.dumps(found)) < 2_000_000
    assert (len(found["rows"]), len(found["columns"])) == (1000, 20)
    assert looked(frame, rows=-5, columns=-5)["rows"] == []
