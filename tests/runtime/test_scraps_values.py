"""What `glue` makes of values before they are handed out."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo_runtime.plain import NotPlain, plain
from octavo_runtime.tables import is_table, parquet

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_values_stay_as_they_are(value: Any) -> None:
    assert plain(value) == value
    assert json.loads(json.dumps(plain(value))) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (np.array(["2026-01-02"], dtype="datetime64[ns]"), ["2026-01-02T00:00:00.000000000"]),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        ({"a": (np.float64("nan"), float("-inf"))}, {"a": ["nan", "-inf"]}),
        ({np.int64(3): 1}, {"3": 1}),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (pd.Timestamp("2026-01-02 03:04"), "2026-01-02T03:04:00"),
        (pd.Index([1, 2]), [1, 2]),
        (pa.array([1, None]), [1, None]),
        (pa.scalar(7), 7),
    ],
)
def test_numbers_and_dates_of_libraries(value: Any, expected: Any) -> None:
    assert plain(value) == expected


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"a": [1, {2}]}, "set is not JSON at ['a'][1]"),
        (b"x", "bytes is not JSON"),
        (np.array([1j]), "numpy's complex128 is not JSON"),
        ({(1, 2): 3}, "a tuple is a key"),
    ],
)
def test_what_has_no_json_form_is_told_with_its_place(value: Any, what: str) -> None:
    with pytest.raises(NotPlain) as caught:
        plain(value)
    assert str(caught.value).startswith(what)


TABLES = [
    pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=["p", "q"]),
    pl.DataFrame({"a": [1, 2], "b": ["x", None]}),
    pa.table({"a": [1, 2], "b": ["x", None]}),
    pa.record_batch({"a": [1, 2], "b": ["x", None]}),
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{type(table)}")
def test_tables_are_parquet_that_pandas_reads(table: Any) -> None:
    assert is_table(table)
    written = parquet("t", table)
    assert (written.rows, written.columns) == (2, ["a", "b"])
    read = pd.read_parquet(BytesIO(written.content), engine="pyarrow")
    assert read["a"].tolist() == [1, 2]
    assert read["b"].isna().tolist() == [False, True]


def test_the_index_of_a_series_is_kept() -> None:
    counts = pd.Series(["x", "y", "x"], name="kind").value_counts()
    read = pd.read_parquet(BytesIO(parquet("t", counts).content))
    assert read["count"].to_dict() == {"x": 2, "y": 1}
    unnamed = pd.read_parquet(BytesIO(parquet("named", pd.Series([1])).content))
    assert list(unnamed.columns) == ["named"]
    polars = pd.read_parquet(BytesIO(parquet("named", pl.Series([1.5])).content))
    assert polars["named"].tolist() == [1.5]


@pytest.mark.parametrize("value", [1, "text", [1], {"a": 1}, None, np.arange(3), pa.array([1])])
def test_what_is_no_table(value: Any) -> None:
    assert not is_table(value)
    with pytest.raises(TypeError, match=r"glue\('t'\): encoder='pandas' takes a table"):
        parquet("t", value)


def test_a_table_that_parquet_cannot_hold() -> None:
    with pytest.raises(TypeError, match=r"glue\('t'\): this DataFrame cannot be written") as caught:
        parquet("t", pd.DataFrame({"a": [1, "x", object()]}))
    assert "columns one type each" in str(caught.value)
    with pytest.raises(TypeError, match="collect"):
        parquet("t", pl.LazyFrame({"a": [1]}))


WITHOUT_PYARROW = """\
import sys
sys.modules["pyarrow"] = sys.modules["fastparquet"] = None
from octavo_runtime import glue
import pandas, polars
try:
    glue("report", pandas.DataFrame({"a": [1]}))
except ImportError as error:
    print(error)
from octavo_runtime.tables import parquet
print(parquet("report", polars.DataFrame({"a": [1]})).rows)
"""


def test_without_pyarrow_the_package_is_named() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=True
    )
    error, rows = ran.stdout.splitlines()
    assert error == (
        "glue('report'): a table is handed out as Parquet, and for pandas that needs pyarrow, "
        "which this environment lacks: pip install pyarrow"
    )
    assert rows == "1", "polars writes Parquet by itself"


PLAIN_PYTHON = """\
from octavo_runtime import glue
glue("score", 0.5)
glue("shown", {"a": 1}, display=True)
try:
    glue("bad", object())
except TypeError as error:
    print(error)
"""


def test_in_plain_python_nothing_is_printed_and_that_is_told() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PLAIN_PYTHON], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("glue('bad'): this object cannot be handed out as JSON")
    assert "glue('score'): there is no kernel here, so nothing keeps it" in ran.stderr


def test_leaving_plain_python_early_is_a_success() -> None:
    code = "import octavo_runtime\noctavo_runtime.exit(3)\nprint('not reached')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "value", [{1: "a", "1": "b"}, {None: 1, "null": 2}, {"x": [{True: 1, "true": 2}]}]
)
def test_keys_that_would_be_one_in_json_lose_nothing(value: Any) -> None:
    with pytest.raises(NotPlain, match="one of two keys"):
        plain(value)


def test_keys_are_spelled_as_json_does() -> None:
    value = {1: 1, None: 2, 1.5: 3, False: 4, "a": 5, np.int64(7): 6}
    assert plain(value) == {"1": 1, "null": 2, "1.5": 3, "false": 4, "a": 5, "7": 6}


def test_an_arrow_table_that_nobody_could_read_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Duplicate column names.*different names"):
        parquet("t", pa.table([[1], [2]], names=["a", "a"]))


def test_floats_that_python_has_no_type_for() -> None:
    assert plain(np.longdouble("1.5")) == 1.5
    assert plain(np.array([1, np.inf], dtype=np.longdouble)) == [1.0, "inf"]
