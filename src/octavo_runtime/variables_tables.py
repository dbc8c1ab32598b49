"""A look into arrays and tables: some rows, the types of columns, and how many values are missing.

All work is bounded, and counted in values: what was looked at in part says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes
from octavo_runtime.variables_spelling import clip, spell

#: Values that are looked at to count what is missing, of one table; and of one that holds objects.
MOST_VALUES, MOST_OBJECTS = 20_000_000, 200_000
_CHUNK = 1_000_000
WIDEST, NARROWEST = 60, 8


class Column(NamedTuple):
    """One column of a table, or a series."""

    library: str
    name: str
    type: str
    data: Any
    length: int


def table(found: arrays.Known, rows: int, columns: int, characters: int) -> dict[str, Any]:
    """Columns with name, type and missing, and the first and last rows as texts."""
    total = arrays.shape(found) or (0, 0)
    shown = _columns(found, columns)
    at = positions(total[0], rows)
    width = max(NARROWEST, min(WIDEST, characters // max(1, (len(at) + 1) * len(shown))))
    cells = [_cells(column, at, width) for column in shown]
    limit = MOST_VALUES // max(1, len(shown))
    return {
        "columns": [_described(column, limit) for column in shown],
        "columns_total": total[1] if len(total) > 1 else 1,
        "rows": [list(row) for row in zip(*cells)] if shown else [],  # noqa: B905 (same length)
        "labels": _labels(found, at),
        "rows_total": total[0],
        "first": head_of(total[0], rows),
    }


def _described(column: Column, limit: int) -> dict[str, Any]:
    told: dict[str, Any] = {"name": column.name, "type": column.type}
    seen = min(column.length, limit)
    try:
        told["missing"], seen = _missing(column, seen)
    except Exception:
        told["missing"] = None
    if seen < column.length:
        told["missing_of"] = seen
    return told


def head_of(total: int, rows: int) -> int:
    """How many of the rows that are shown are the first ones."""
    return total if total <= rows else (rows * 2 + 2) // 3


def positions(total: int, rows: int) -> list[int]:
    head = head_of(total, rows)
    return [*range(head), *range(max(head, total - (rows - head)), total)]


def _columns(found: arrays.Known, count: int) -> list[Column]:
    library, kind, value = found
    length = (arrays.shape(found) or (0,))[0]
    if kind == "series":
        name = getattr(value, "name", None) if library != "pyarrow" else None
        told = "" if name is None else arrays.label(name)
        return [Column(library, told, str(arrays.type_name(found)), value, length)]
    return [
        Column(library, name, kind, _column(library, value, at), length)
        for at, (name, kind) in enumerate(arrays.columns(found, count))
    ]


def _column(library: str, value: Any, at: int) -> Any:
    if library == "pandas":
        return value.iloc[:, at]
    return value.to_series(at) if library == "polars" else value.column(at)


def _cells(column: Column, at: list[int], width: int) -> list[str]:
    try:
        return [cell(value, width) for value in _values(column, at)]
    except Exception:
        return ["?"] * len(at)


def _values(column: Column, at: list[int]) -> list[Any]:
    data = column.data
    if column.library == "pandas":
        array = data.array
        if not classes.comes_from(array, "pandas"):
            return [Unknown()] * len(at)
        return [array[each] for each in at]
    if column.library == "pyarrow":
        extension = classes.library_class("pyarrow", "ExtensionType")
        if extension is not None and classes.is_a(data.type, extension):
            return [Unknown()] * len(at)
        return [data[each].as_py() for each in at]
    return [data[each] for each in at]


class Unknown:
    """Stands for a value that only code of the notebook could give."""


def cell(value: Any, width: int) -> str:
    """A value of a table: text without quotes, as tables are read."""
    if type(value) is Unknown:
        return "?"
    if classes.is_a(value, str):
        text = classes.text(str.__getitem__(value, slice(0, width * 4)))
        return clip(" ".join(text.split()), width)
    if classes.is_a(value, float):
        number = float.__add__(value, 0.0)
        return "NaN" if number != number else f"{number:.6g}"
    return spell(value, width)


def _missing(column: Column, limit: int) -> tuple[int, int]:
    """How many values are missing among the first, and how many were looked at."""
    if column.library != "pandas":
        return int(_attribute(column.data, "null_count")), column.length
    array = column.data.array
    if not classes.comes_from(array, "pandas"):
        raise TypeError("another library's array")
    numbers = _numpy_of(array)
    if numbers is not None and numbers.dtype.kind == "O":
        limit = min(limit, MOST_OBJECTS)
        return missing_objects(numbers[:limit].tolist()), limit
    found = 0
    for start in range(0, limit, _CHUNK):
        end = min(start + _CHUNK, limit)
        if numbers is not None:
            found += _missing_numbers(numbers[start:end])
        else:
            found += int(array[start:end].isna().sum())
    return found, limit


def _attribute(data: Any, name: str) -> Any:
    """Arrow has as an attribute what polars has as a method."""
    value = getattr(data, name)
    return value() if callable(value) else value


def _numpy_of(array: Any) -> Any:
    """The numpy array within a plain pandas array; None for those of another kind."""
    plain = classes.library_class("pandas.arrays", "NumpyExtensionArray")
    is_plain = plain is not None and type(array) is plain
    return array.to_numpy() if is_plain else None


def _missing_numbers(numbers: Any) -> int:
    numpy: Any = sys.modules["numpy"]
    kind = numbers.dtype.kind
    if kind in "fc":
        return int(numpy.isnan(numbers).sum())
    return int(numpy.isnat(numbers).sum()) if kind in "mM" else 0


def missing_objects(values: Iterable[Any]) -> int:
    """None, NaN and pandas' own words for a missing value; nothing is compared by its own code."""
    pandas = sys.modules.get("pandas")
    marks = [getattr(pandas, name, None) for name in ("NaT", "NA")]
    count = 0
    for value in values:
        if value is None or (type(value) is float and value != value):
            count += 1
        else:
            count += any(value is mark for mark in marks)
    return count


def _labels(found: arrays.Known, at: list[int]) -> list[str] | None:
    """The index of rows in pandas, where it says more than their numbers."""
    index_class = classes.library_class("pandas", "Index")
    if found.library != "pandas" or classes.is_a(found.value, index_class or Unknown):
        return None
    index = found.value.index
    if not classes.comes_from(index, "pandas") or type(index).__name__ == "RangeIndex":
        return None
    try:
        return [clip(cell(index[each], WIDEST), WIDEST) for each in at]
    except Exception:
        return None


def glance(found: arrays.Known, room: int) -> str:
    """The columns of a table, or the first values of an array, on a line."""
    if found.kind == "table":
        count = (arrays.shape(found) or (0, 0))[1]
        told = [f"{name} {kind}" for name, kind in arrays.columns(found, 8)]
        return clip(", ".join([*told, *(["…"] if count > len(told) else [])]), room)
    length = (arrays.shape(found) or (0,))[:1]
    if found.kind == "series":
        at = list(range(min(6, length[0])))
        values = _cells(_columns(found, 1)[0], at, 30)
    elif found.kind == "array" and found.value.ndim == 1:
        values = [cell(each, 30) for each in _plain(found.value[:6])]
    else:
        return arrays.in_a_word(found.value, room) or ""
    more = ["…"] if length and length[0] > len(values) else []
    return clip(", ".join([*values, *more]), room)


def array(value: Any, rows: int, columns: int, characters: int) -> dict[str, Any]:
    """The lowest and the highest value of an array, and a part of it, as lists of texts."""
    numpy: Any = sys.modules["numpy"]
    told: dict[str, Any] = {}
    in_memory = not classes.is_a(value.base, numpy.memmap)
    if value.dtype.kind in "biufmM" and 0 < value.size <= MOST_VALUES and in_memory:
        told["min"] = spell(numpy.fmin.reduce(value, axis=None), 40)
        told["max"] = spell(numpy.fmax.reduce(value, axis=None), 40)
        told["missing"] = _missing_numbers(value)
    while value.ndim > 2:
        value = value[0] if len(value) else value.reshape(-1)
        told["plane"] = "first"
    if value.ndim == 2:
        shown = value[positions(value.shape[0], rows)][:, :columns]
        width = max(NARROWEST, min(WIDEST, characters // max(1, shown.size)))
        told["rows"] = [[cell(each, width) for each in row] for row in _plain(shown)]
        told["first"] = head_of(value.shape[0], rows)
        return told
    flat = value.reshape(-1)
    at = positions(flat.shape[0], rows)
    told["items"] = [cell(each, WIDEST) for each in _plain(flat[at])]
    told["first"] = head_of(flat.shape[0], rows)
    return told


def _plain(part: Any) -> Any:
    """The elements as Python holds them; moments as they are written."""
    return part.astype(str).tolist() if part.dtype.kind in "mM" else part.tolist()
