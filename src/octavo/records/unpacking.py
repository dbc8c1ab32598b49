"""How large the table in a Parquet file is when it is unpacked.

A file of a few hundred bytes can hold gigabytes: a long text that is kept once and meant a
million times, or a column of zeros. What a file says of itself is believed; whoever forges that
too is not stopped here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from octavo.value import Value

#: A table with more cells than this, or larger than this when unpacked, is not loaded.
MOST_CELLS = 100_000_000
MOST_BYTES = 2_000_000_000


class Extent(Value):
    """What a table takes in memory; `size` is in bytes."""

    cells: int
    size: int

    @property
    def is_too_much(self) -> bool:
        return self.cells > MOST_CELLS or self.size > MOST_BYTES


def extent(content: bytes) -> Extent:
    """How large a table is. Texts are only looked at where they could be too much."""
    from io import BytesIO

    from pyarrow import parquet  # type: ignore[import-untyped,unused-ignore]

    file = parquet.ParquetFile(BytesIO(content))
    facts = file.metadata
    groups = [facts.row_group(at) for at in range(facts.num_row_groups)]
    rows = max(facts.num_rows, sum(group.num_rows for group in groups))
    chunks = [group.column(at) for group in groups for at in range(group.num_columns)]
    cells = max(rows * facts.num_columns, sum(chunk.num_values for chunk in chunks))
    size = sum(max(0, chunk.total_uncompressed_size) for chunk in chunks) + _fixed(file, rows)
    found = Extent(cells, size)
    paths = list(dict.fromkeys(filter(None, map(_suspicious, chunks))))
    if paths and not found.is_too_much:
        found = found.replace(size=size + _texts(content, paths))
    return found


def _fixed(file: Any, rows: int) -> int:
    """The bytes of columns whose values have one length, which the file may hold only once."""
    columns = (file.schema.column(at) for at in range(file.metadata.num_columns))
    return sum(rows * max(0, column.length or 0) for column in columns)


def _suspicious(chunk: Any) -> str | None:
    """The path of a column of texts that are too much if each of them is the longest possible."""
    longest = max(0, chunk.total_uncompressed_size)
    if chunk.physical_type != "BYTE_ARRAY" or chunk.num_values * longest <= MOST_BYTES:
        return None
    return str(chunk.path_in_schema)


def _texts(content: bytes, paths: list[str]) -> int:
    """The bytes of all texts of some columns; each different one is unpacked only once."""
    from io import BytesIO

    from pyarrow import parquet

    file = parquet.ParquetFile(BytesIO(content), read_dictionary=paths)
    columns = (file.read(columns=[path]).column(0) for path in paths)
    leaves = (leaf for column in columns for chunk in column.chunks for leaf in _leaves(chunk))
    return sum(map(_text_bytes, leaves))


def _leaves(array: Any) -> Iterator[Any]:
    """The arrays in a nested one that hold values."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind) or types.is_map(kind) or types.is_nested(kind):
        parts = array.flatten()
        for part in parts if isinstance(parts, list) else [parts]:
            yield from _leaves(part)
    else:
        yield array


def _text_bytes(array: Any) -> int:
    from pyarrow import compute, types

    if not types.is_dictionary(array.type):
        return 0
    lengths = compute.binary_length(array.dictionary)
    return int(compute.sum(compute.cast(lengths.take(array.indices), "int64")).as_py() or 0)
