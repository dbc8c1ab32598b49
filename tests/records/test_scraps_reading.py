"""Reading scraps from notebook files that nobody vouches for."""

from __future__ import annotations

import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from octavo.errors import InfrastructureError, OctavoError
from octavo.records import unpacking
from octavo.records.reading import notebook_at
from records.test_scraps import JSON, PANDAS, payload, said


def written(folder: Path, *outputs: dict[str, Any], **rest: Any) -> str:
    """A notebook with one cell that has these outputs."""
    shown = [{"output_type": "display_data", "metadata": {}, **output} for output in outputs]
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "", "execution_count": 1}
    document = {"cells": [{**cell, "outputs": shown}], "metadata": {}, "nbformat": 4,
                "nbformat_minor": 5, **rest}  # fmt: skip
    path = folder / "nb.ipynb"
    path.write_text(json.dumps(document))
    return str(path)


def as_payload(table: pa.Table) -> dict[str, object]:
    file = BytesIO()
    parquet.write_table(table, file)
    return payload("t", b64encode(file.getvalue()).decode(), "pandas")


def test_values_parameters_and_cells(tmp_path: Path) -> None:
    metadata = {"papermill": {"parameters": {"n": 3}, "input_path": "nb.py"}}
    path = written(tmp_path, {"data": {JSON: payload("a", {"b": 1})}}, metadata=metadata)
    read = notebook_at(path)
    assert read.scraps["a"].data == {"b": 1}
    assert (read.parameters, read.source, read.filename) == ({"n": 3}, "nb.py", "nb.ipynb")
    assert [cell["cell_type"] for cell in read.cells] == ["code"]
    assert read.scraps.data_dict == {"a": {"b": 1}}


def test_json_in_text_is_read_as_scrapbook_does(tmp_path: Path) -> None:
    outputs = [{"data": {JSON: payload(name, text)}} for name, text in (("a", "[1]"), ("b", "x"))]
    assert notebook_at(written(tmp_path, *outputs)).scraps.data_dict == {"a": [1], "b": "x"}


def test_displays_have_their_lines_joined(tmp_path: Path) -> None:
    data = {"text/html": ["<b>\n", "hi</b>"], "application/json": ["a"]}
    path = written(tmp_path, {"data": data, "metadata": said("h", data=False, display=True)})
    (scrap,) = notebook_at(path).scraps.values()
    assert scrap.data is None and scrap.display is not None
    assert scrap.display["data"] == {"text/html": "<b>\nhi</b>", "application/json": ["a"]}


@pytest.mark.parametrize(
    "text",
    ["", "no", "[1]", '{"cells": 1', "[" * 100_000, '{"cells": [' + "[" * 100_000, "1" * 10_000],
)
def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text(text)
    with pytest.raises(OctavoError) as caught:
        notebook_at(str(path))
    assert (caught.value.kind, caught.value.place) == ("notebook-invalid", str(path))
    assert caught.value.hint


@pytest.mark.parametrize(
    "document",
    [{"cells": [3, {"outputs": 3}, {"outputs": [3, {"data": 3}]}]},
     {"cells": [], "metadata": {"papermill": 3, "octavo": [1]}}],
)  # fmt: skip
def test_what_is_odd_has_no_scraps(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps(document))
    read = notebook_at(str(path))
    assert (dict(read.scraps), read.parameters, read.run_id) == ({}, {}, None)


@pytest.mark.parametrize("content", ["", "UEFSMQ==", "%%", 3, {"a": 1}])
def test_a_table_that_is_none_is_told_when_it_is_asked_for(tmp_path: Path, content: Any) -> None:
    bundles = [{PANDAS: payload("t", content, "pandas")}, {JSON: payload("a", 1)}]
    read = notebook_at(written(tmp_path, *({"data": bundle} for bundle in bundles)))
    assert read.scraps["a"].data == 1
    with pytest.raises(OctavoError) as caught:
        _ = read.scraps["t"].data
    assert caught.value.kind == "scrap-unreadable"
    assert "'t'" in caught.value.message


def test_a_table_that_would_fill_the_memory_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, {"data": {PANDAS: as_payload(pa.table({"a": [0] * 1000}))}})
    assert len(notebook_at(path).scraps["t"].data) == 1000
    monkeypatch.setattr(unpacking, "MOST_CELLS", 999)
    with pytest.raises(OctavoError, match="too large to unpack: 1,000 values") as caught:
        _ = notebook_at(path).scraps["t"].data
    assert caught.value.kind == "scrap-unreadable"


@pytest.mark.parametrize("document", [{}, {"cells": 5}, {"cells": {}, "metadata": []}, {"a": []}])
def test_json_that_is_no_notebook_is_not_taken_for_an_empty_one(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    path = tmp_path / "other.ipynb"
    path.write_text(json.dumps(document))
    with pytest.raises(OctavoError, match="no list of cells") as caught:
        notebook_at(str(path))
    assert caught.value.kind == "notebook-invalid"


def test_an_encoder_that_nobody_knows(tmp_path: Path) -> None:
    mime = "application/scrapbook.scrap.pickle+json"
    read = notebook_at(written(tmp_path, {"data": {mime: payload("p", "gASV", "pickle")}}))
    assert read.scraps["p"].payload == "gASV"
    with pytest.raises(OctavoError, match="'pickle' is not known") as caught:
        _ = read.scraps["p"].data
    assert caught.value.kind == "scrap-unreadable"


def test_a_table_is_decoded_once(tmp_path: Path) -> None:
    path = written(tmp_path, {"data": {PANDAS: as_payload(pa.table({"a": [1]}))}})
    scrap = notebook_at(path).scraps["t"]
    assert isinstance(scrap.data, pd.DataFrame)
    assert scrap.data is scrap.data


def test_without_pandas_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"data": {PANDAS: as_payload(pa.table({"a": [1]}))}})
    read = notebook_at(path)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    for ask in (lambda: read.scraps["t"].data, lambda: read.scrap_dataframe):
        with pytest.raises(InfrastructureError) as caught:
            ask()
        assert caught.value.kind == "extra-missing"
        assert caught.value.hint == "pip install 'octavo[tables]'"


@pytest.mark.parametrize("file", ["../../etc/passwd", "files/../nb.ipynb", "/etc/passwd", 3, None])
def test_a_note_cannot_lead_outside_of_the_record(tmp_path: Path, file: Any) -> None:
    note = {"name": "x", "encoder": "json", "bytes": 9, "file": file, "line": 1}
    output = {"data": {"text/plain": "…"}, "metadata": {"octavo": {"left_out": note}}}
    (scrap,) = notebook_at(written(tmp_path, output)).scraps.values()
    with pytest.raises(OctavoError) as caught:
        _ = scrap.data
    assert caught.value.kind == "scrap-unreadable"
    assert "--output-cap" in caught.value.hint
