"""Arrays and tables of numpy, pandas, polars and arrow: what they are, at little cost.

Nothing is imported for it: only a library that is loaded can have made a value. Of a class that
inherits from a library's own, the library's own object is made from the same memory, so that no
method of the notebook's is called.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from octavo_runtime import variables_classes as classes

_KINDS = (
    ("pandas", "DataFrame", "table"),
    ("pandas", "Series", "series"),
    ("pandas", "Index", "series"),
    ("numpy", "ndarray", "array"),
    ("polars", "DataFrame", "table"),
    ("polars", "Series", "series"),
    ("polars", "LazyFrame", "lazy"),
    ("pyarrow", "Table", "table"),
    ("pyarrow", "RecordBatch", "table"),
    ("pyarrow", "ChunkedArray", "series"),
    ("pyarrow", "Array", "series"),
    ("torch", "Tensor", "tensor"),
)


#: Wider tables are not measured: pandas would go through all columns.
MOST_COLUMNS = 5000
#: Most values are of these; they are found out at once.
_NEVER = {
    id(cls) for cls in (str, int, float, bool, type(None), list, tuple, dict, set, bytes, type)
}


class Known(NamedTuple):
    """A value of a library: `kind` is table, series, array, lazy or tensor."""

    library: str
    kind: str
    value: Any


def known(value: Any) -> Known | None:
    """The value as its library made it; None for what is of no library that is known here."""
    if id(type(value)) in _NEVER:
        return None
    for library, name, kind in _KINDS:
        cls = classes.library_class(library, name)
        if cls is not None and classes.is_a(value, cls):
            own = _own(library, name, cls, value)
            return Known(library, kind, own) if own is not None else None
    return None


def _own(library: str, name: str, cls: Any, value: Any) -> Any:
    """The same content as an object of the library's own class."""
    if library == "numpy":
        return cls.view(value, cls)
    if type(value) is cls or classes.comes_from(value, library):
        return value
    held = classes.attributes(value)
    if library == "pandas" and classes.comes_from(held.get("_mgr"), "pandas"):
        own = cls._from_mgr(held["_mgr"], axes=held["_mgr"].axes)
        if name == "Series":
            own._name = held.get("_name")
        return own
    if library == "polars" and name == "DataFrame":
        return cls._from_pydf(held["_df"])
    return cls._from_pyseries(held["_s"]) if library == "polars" and name == "Series" else None


def shape(found: Known) -> tuple[int, ...] | None:
    """Its extent; None where it is not known before it is computed."""
    if found.kind == "lazy":
        return None
    if found.library == "pyarrow" and found.kind == "series":
        return (len(found.value),)
    return tuple(int(each) for each in found.value.shape)


def size(found: Known) -> int | None:
    """The bytes that it holds itself; not those of the objects it only refers to."""
    value = found.value
    if found.kind == "lazy":
        return None
    if found.library == "polars":
        return int(value.estimated_size())
    if found.library == "pandas" and found.kind == "table":
        if value.shape[1] > MOST_COLUMNS:
            return None
        return int(value.memory_usage(index=True, deep=False).sum())
    if found.kind == "tensor":
        return int(value.nelement() * value.element_size())
    return int(value.nbytes)


def type_name(found: Known) -> str | None:
    """The type of the elements; None for tables, whose columns have one each."""
    if found.kind in ("table", "lazy"):
        return None
    kind = found.value.type if found.library == "pyarrow" else getattr(found.value, "dtype", "")
    return str(kind)[:80]


def columns(found: Known, count: int) -> list[tuple[str, str]]:
    """Name and type of the first columns of a table."""
    value = found.value
    if found.library == "pandas":
        types = value.iloc[:, :count].dtypes
        return [(label(name), str(kind)[:80]) for name, kind in types.items()]
    if found.library == "polars":
        some = islice(value.schema.items(), count)
        return [(label(name), str(kind)[:80]) for name, kind in some]
    fields = [value.schema.field(at) for at in range(min(count, value.num_columns))]
    return [(label(field.name), str(field.type)[:80]) for field in fields]


def label(name: Any) -> str:
    """The name of a column, which can be anything that can be hashed."""
    if classes.is_a(name, str):
        return classes.printable(classes.text(name)[:80])
    from octavo_runtime.variables_spelling import spell

    return spell(name, 80)


def in_a_word(value: Any, room: int) -> str | None:
    """A table by its extent and its columns, an array by its extent and its type."""
    found = known(value)
    if found is None:
        return None
    name = classes.name_of(type(value))
    if found.kind == "lazy":
        return f"{name}, not computed"
    extent = " × ".join(f"{each:,}" for each in shape(found) or ())
    if found.kind != "table":
        return f"{name} {extent} {type_name(found)}"
    told = ", ".join(f"{column} {kind}" for column, kind in columns(found, 8))
    return f"{name} {extent}: {told}"
