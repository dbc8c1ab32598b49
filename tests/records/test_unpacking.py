"""Small Parquet files that hold a lot."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from octavo.records.unpacking import extent

LONG = "x" * 1_000_000


def written(values: Any, **options: Any) -> bytes:
    file = BytesIO()
    parquet.write_table(pa.table({"a": values}), file, compression="zstd", **options)
    return file.getvalue()


def meant(times: int, text: str = LONG) -> pa.Array:
    """One text that is kept once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), pa.array([text]))


def lists(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


@pytest.mark.parametrize(
    "values",
    [
        meant(3000),
        lists(meant(3000)),
        pa.StructArray.from_arrays([meant(3000)], ["b"]),
        lists(pa.StructArray.from_arrays([meant(3000)], ["b"])),
    ],
    ids=["flat", "in a list", "in a struct", "in structs in a list"],
)
def test_a_text_that_is_meant_often_counts_each_time(values: pa.Array) -> None:
    content = written(values, store_schema=False)
    assert len(content) < 2000
    found = extent(content)
    assert found.is_too_much
    assert found.size > 3_000_000_000


def test_a_column_of_one_number_counts_each_row() -> None:
    content = written(pa.nulls(100_000_001, pa.int8()))
    assert extent(content).is_too_much


def test_a_list_counts_what_is_in_it() -> None:
    values = lists(pa.nulls(100_000_001, pa.int8()))
    assert extent(written(values)).is_too_much


def test_bytes_of_one_length_count_each_time() -> None:
    values = pa.array([b"x" * 100_000], pa.binary(100_000)).take(pa.array([0] * 100))
    assert extent(written(values)).size >= 10_000_000


@pytest.mark.parametrize(
    "values",
    [
        pa.array([], pa.string()),
        pa.array(["a", None, "b"]),
        pa.array([["a"], None, []]),
        pa.array([{"b": "c"}, None]),
        meant(100_000, "a" * 50),
        pa.array([f"text {number}" for number in range(100_000)]),
        pa.array([1.5] * 100_000),
    ],
    ids=["no rows", "texts", "lists", "structs", "one text", "many texts", "numbers"],
)
def test_ordinary_tables_are_not_too_much(values: pa.Array) -> None:
    assert not extent(written(values)).is_too_much
