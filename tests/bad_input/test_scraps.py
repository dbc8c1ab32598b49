"""Scraps that cannot be handed out, and notebooks that cannot be read for theirs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bad_input.refusing import Folder

GLUE = "from octavo_runtime import glue\n"
JSON = "application/scrapbook.scrap.json+json"
PANDAS = "application/scrapbook.scrap.pandas+json"


def executed(*scraps: tuple[str, str, Any], metadata: dict[str, Any] | None = None) -> str:
    """A notebook that handed out something: media type, name, payload."""
    outputs = [
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {mime: {"name": name, "data": data, "encoder": mime.split(".")[2][:-5]}},
        }
        for mime, name, data in scraps
    ]
    cell = {"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "source": "1"}
    document = {"cells": [{**cell, "outputs": outputs}], "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**document, "metadata": metadata or {}})


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("glue('s', {1, 2})", "set is not JSON"),
        ("glue('s', {'a': [b'x']})", "bytes is not JSON at ['a'][0]"),
        ("glue('s', {1: 'a', '1': 'b'})", "both '1' in JSON"),
        ("glue('s', 1, encoder='pickle')", "unknown encoder 'pickle'"),
        ("glue('s', [1], encoder='pandas')", "takes a table"),
        ("x = []; x.append(x); glue('s', x)", "nested too deeply"),
    ],
)
def test_a_scrap_that_cannot_be_encoded(folder: Folder, code: str, said: str) -> None:
    """The cell fails with the name of the scrap, and what was handed out before is kept."""
    folder.write("nb.py", f"# %%\n{GLUE}glue('before', 1)\n\n# %%\n{code}\n")
    code_, out, err = folder("run", "nb.py", "--json")
    result = json.loads(out)
    assert (code_, result["reason"], err) == (1, "cell-error", "")
    assert result["scraps"] == {"before": 1}
    assert "glue('s')" in result["failed_cell"]["evalue"]
    assert said in result["failed_cell"]["evalue"]
    assert result["failed_cell"]["index"] == 1


@pytest.mark.kernel
def test_a_scrap_name_used_twice(folder: Folder) -> None:
    folder.write("nb.py", f"# %%\n{GLUE}glue('s', 1)\n\n# %%\nglue('s', 2)\n")
    code, out, _ = folder("run", "nb.py", "--json")
    assert (code, json.loads(out)["scraps"]) == (0, {"s": 2})
    shown = folder("show", "last")[1]
    assert "two cells glue 's'; the last value counts" in shown
    assert "handed out 2 times" in folder("scraps", "last")[1]
    assert json.loads(folder("scraps", "last", "--json")[1])["repeated"] == {"s": 2}


@pytest.mark.kernel
def test_a_table_without_pyarrow_names_the_package(folder: Folder) -> None:
    hide = "import sys\n\nimport pandas\n\nsys.modules['pyarrow'] = None\n"
    folder.write("nb.py", f"# %%\n{GLUE}{hide}glue('t', pandas.DataFrame({{'a': [1]}}))\n")
    code, out, _ = folder("run", "nb.py", "--json")
    failed = json.loads(out)["failed_cell"]
    assert (code, failed["ename"]) == (1, "ImportError")
    assert "glue('t')" in failed["evalue"]
    assert "pip install pyarrow" in failed["evalue"]


def test_reading_a_table_without_pyarrow_names_the_extra(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    folder.write("nb.ipynb", executed((PANDAS, "t", "UEFSMQ=="), (JSON, "a", 1)))
    error = folder.refuses("scraps", "nb.ipynb", "t")
    assert (error.code, error.kind) == (3, "extra-missing")
    assert "octavo[tables]" in error.hint
    assert folder("scraps", "nb.ipynb", "a")[:2] == (0, "1\n")


@pytest.mark.parametrize("pattern", ["*.ipynb", "out/**/*.ipynb", "nb.*", "empty"])
def test_a_pattern_or_folder_that_matches_nothing(folder: Folder, pattern: str) -> None:
    folder.write("nb.py", "# %%\n1\n")
    (folder.path / "empty").mkdir()
    error = folder.refuses("scraps", pattern)
    assert (error.code, error.kind) == (2, "nothing-matches")
    assert pattern in error.message


@pytest.mark.parametrize(
    ("name", "content", "kind", "said"),
    [
        ("nb.ipynb", "", "notebook-invalid", "not JSON"),
        ("nb.ipynb", "{}", "notebook-invalid", "no list of cells"),
        ("nb.ipynb", '{"cells": 5}', "notebook-invalid", "no list of cells"),
        ("nb.ipynb", "[" * 100_000, "notebook-invalid", "nested too deeply"),
        ("nb.ipynb", b"\xff\xfe\x00", "notebook-encoding", "UTF-16"),
    ],
)
def test_a_file_that_is_no_notebook(
    folder: Folder, name: str, content: str | bytes, kind: str, said: str
) -> None:
    path = folder.write(name, content)
    error = folder.refuses("scraps", name)
    assert (error.code, error.kind, error.place) == (2, kind, str(path))
    assert said in error.message


@pytest.mark.parametrize("words", [["scraps"], ["show"], ["compare", "pipe.ipynb"], ["run"]])
def test_nobody_waits_at_a_pipe(folder: Folder, words: list[str]) -> None:
    os.mkfifo(folder.path / "pipe.ipynb")
    error = folder.refuses(*words, "pipe.ipynb")
    assert (error.code, error.kind) == (2, "notebook-unreadable")
    assert error.place.endswith("pipe.ipynb")


@pytest.mark.parametrize("payload", ["!!!", "UEFSMQ==", 5, None, ["a"], "é"])
def test_a_table_that_is_none(folder: Folder, payload: Any) -> None:
    path = folder.write("nb.ipynb", executed((PANDAS, "t", payload)))
    error = folder.refuses("scraps", "nb.ipynb", "t")
    assert (error.code, error.kind, error.place) == (2, "scrap-unreadable", str(path))
    assert "'t'" in error.message


def test_json_that_is_nested_too_deeply_to_be_told(folder: Folder) -> None:
    deep = "[" * 900 + "]" * 900
    folder.write("nb.ipynb", executed((JSON, "d", "@")).replace('"@"', deep))
    code, out, _ = folder("scraps", "nb.ipynb", "--json")
    error = json.loads(out)["error"]
    assert (code, error["kind"]) == (2, "notebook-invalid")
    assert "nested too deeply" in error["message"]


def test_of_very_many_names_some_are_told(folder: Folder) -> None:
    scraps = [(JSON, f"s{number}", number) for number in range(200)]
    folder.write("nb.ipynb", executed(*scraps))
    error = folder.refuses("scraps", "nb.ipynb", "quite different")
    assert error.kind == "scrap-not-found"
    assert "s19, …" in error.hint
    assert "s20" not in error.hint


@pytest.mark.parametrize("duration", [10**400, float("inf"), float("nan"), -1, "x", None, True])
def test_a_comparison_with_a_file_that_claims_odd_things(folder: Folder, duration: Any) -> None:
    told = {"papermill": {"duration": duration, "start_time": ["x"], "parameters": {"n": 10**400}}}
    folder.write("a.ipynb", executed((JSON, "s", 10**400), metadata=told))
    folder.write("b.ipynb", executed((JSON, "s", 1)))
    for more in ([], ["--json"], ["--full"]):
        code, out, err = folder("compare", "a.ipynb", "b.ipynb", *more)
        assert (code, err) == (0, ""), out


@pytest.mark.parametrize("size", [10**400, -1, "x", None])
def test_a_note_that_claims_an_odd_size_is_no_scrap(folder: Folder, size: Any) -> None:
    note = {"name": "s", "encoder": "json", "bytes": size, "file": "x", "line": 1}
    output = {"output_type": "display_data", "data": {}, "metadata": {"octavo": {"left_out": note}}}
    document = json.loads(executed())
    document["cells"][0]["outputs"] = [output]
    folder.write("nb.ipynb", json.dumps(document))
    assert folder("scraps", "nb.ipynb", "--json")[0] == 0
    assert json.loads(folder("scraps", "nb.ipynb", "--json")[1])["scraps"] == {}


def test_a_folder_that_cannot_be_read_is_not_called_empty(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = folder.path / "closed"
    closed.mkdir()
    listed = os.listdir

    def refused(path: Any = ".") -> list[str]:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "listdir", refused)  # a mode of 0 does not stop root
    error = folder.refuses("scraps", "closed")
    assert (error.code, error.kind, error.place) == (2, "notebook-unreadable", str(closed))
    assert "permission denied" in error.message


def test_names_that_are_not_utf8(folder: Folder) -> None:
    path = os.fsencode(folder.path) + b"/\xff.ipynb"
    Path(os.fsdecode(path)).write_text(executed((JSON, "a", 1)))
    for more in ([], ["--csv"], ["--json"], ["--table"]):
        code, out, err = folder("scraps", ".", *more)
        assert (code, err) == (0, "")
        assert "1" in out
