"""Tables as Parquet, which scrapbook's readers take for pandas."""

from __future__ import annotations

import sys
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple


class Parquet(NamedTuple):
    """The content of a Parquet file, and what is in it."""

    content: bytes
    rows: int
    columns: list[str]


def is_table(data: Any) -> bool:
    """Whether a value is handed out as a table without being told to."""
    return _kind(data) is not None


def parquet(name: str, data: Any) -> Parquet:
    """A table, or a series as a table of one column, as a Parquet file."""
    kind = _kind(data)
    if kind is None:
        raise TypeError(
            f"glue({name!r}): encoder='pandas' takes a table of pandas, polars or arrow, "
            f"this is {_article(type(data).__name__)}; pandas.DataFrame(…) makes one"
        )
    if type(data).__name__ == "LazyFrame":
        raise TypeError(f"glue({name!r}): a LazyFrame holds no rows yet; collect() it first")
    try:
        written: Parquet = _WRITERS[kind](name, data)
        return written
    except ImportError as error:
        raise ImportError(
            f"glue({name!r}): a table is handed out as Parquet, and for {kind} that needs "
            f"pyarrow, which this environment lacks: pip install pyarrow"
        ) from error
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise TypeError(
            f"glue({name!r}): this {type(data).__name__} cannot be written as Parquet: {error}. "
            "Give its columns one type each and different names, or hand out text with "
            "encoder='text'"
        ) from error


def _kind(data: Any) -> str | None:
    """The library that a table is of; only one that is loaded can have made it."""
    for library, names in _TABLES:
        module = sys.modules.get(library)
        types = tuple(getattr(module, name) for name in names if hasattr(module, name))
        if types and isinstance(data, types):
            return library
    module_of = type(data).__module__.partition(".")[0]
    foreign = module_of not in ("pandas", "polars", "pyarrow")
    return "arrow" if foreign and hasattr(type(data), "__arrow_c_stream__") else None


_TABLES = (
    ("pandas", ("DataFrame", "Series")),
    ("polars", ("DataFrame", "Series", "LazyFrame")),
    ("pyarrow", ("Table", "RecordBatch", "RecordBatchReader")),
)


def _of_pandas(name: str, data: Any) -> Parquet:
    pandas: Any = sys.modules["pandas"]
    if isinstance(data, pandas.Series):
        data = data.to_frame(name if data.name is None else data.name)
    return Parquet(data.to_parquet(), len(data), _names(data.columns))


def _of_polars(name: str, data: Any) -> Parquet:
    if isinstance(data, sys.modules["polars"].Series):
        data = data.to_frame(data.name or name)
    file = BytesIO()
    data.write_parquet(file)
    return Parquet(file.getvalue(), data.height, _names(data.columns))


def _of_arrow(name: str, data: Any) -> Parquet:
    pyarrow, writer = import_module("pyarrow"), import_module("pyarrow.parquet")
    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    elif isinstance(data, pyarrow.RecordBatchReader):
        data = data.read_all()
    elif not isinstance(data, pyarrow.Table):
        data = pyarrow.table(data)
    twice = {each for each in data.column_names if data.column_names.count(each) > 1}
    if twice:  # it could be written, but nobody could read it
        raise ValueError(f"Duplicate column names found: {sorted(twice)}")
    file = BytesIO()
    writer.write_table(data, file)
    return Parquet(file.getvalue(), data.num_rows, _names(data.column_names))


_WRITERS: dict[str, Any] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
    "arrow": _of_arrow,
}


def _names(columns: Any) -> list[str]:
    return [str(column) for column in columns]


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"
