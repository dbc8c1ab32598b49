"""`octavo.read_notebook(s)` beside the real scrapbook, each reading what the other wrote."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest

import octavo

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import scrapbook

pytestmark = pytest.mark.kernel

#: The same cells for both: `sb` is scrapbook or what stands for it.
CELLS = """\
# %% tags=["parameters"]
n = 1

# %%
import pandas as pd
from IPython.display import HTML
df = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=["p", "q"])

# %%
sb.glue("accuracy", 0.9342 * n)
sb.glue("metrics", {"precision": 0.91, "recall": [1, None, 2.5]})
sb.glue("name", "text")
sb.glue("as_json", '{"a": [1]}', "json")
sb.glue("as_text", 3.5, "text")
sb.glue("results_df", df, "pandas")

# %%
sb.glue("html", HTML("<b>hi</b>"))
sb.glue("some", df, "display", display=("text/plain",))
sb.glue("figure", object(), display=True)

# %%
sb.glue("twice", 1)
sb.glue("twice", 2)
"""
PAIR = """\
# %%
sb.glue("pair", {"a": 7}, display=True)
sb.glue("table", df, display=["text/html"])
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def by_papermill(cells: str, output: str, **parameters: Any) -> str:
    """Run percent cells with papermill and the real scrapbook."""
    Path("in.ipynb").write_text(nbformat.writes(_notebook("import scrapbook as sb", cells)))
    Path(output).parent.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        papermill.execute_notebook(
            "in.ipynb", output, parameters, kernel_name="python3", progress_bar=False
        )
    return output


def _notebook(first: str, cells: str) -> Any:
    made = [nbformat.v4.new_code_cell(first)]
    for part in cells.split("# %%")[1:]:
        head, _, source = part.partition("\n")
        cell = nbformat.v4.new_code_cell(source.strip())
        cell.metadata["tags"] = ["parameters"] if "parameters" in head else []
        made.append(cell)
    spec = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": spec})


def by_octavo(cells: str, output: str, **parameters: Any) -> str:
    """Run the same cells with octavo, `sb` being its runtime."""
    Path("nb.py").write_text(f"# %%\nimport octavo_runtime as sb\n\n{cells}")
    octavo.run("nb.py", parameters, output=output, allow_unknown=True).raise_for_status()
    return output


def read_by_scrapbook(path: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return scrapbook.read_notebook(path)


def same_frames(ours: Any, theirs: Any) -> None:
    """Compare the two tables of scraps; tables within them cell by cell."""
    assert list(ours.columns) == list(theirs.columns)
    assert len(ours) == len(theirs)
    for our, their in zip(ours.to_dict("records"), theirs.to_dict("records"), strict=True):
        for column in ours.columns:
            if hasattr(our[column], "equals"):
                assert our[column].equals(their[column])
            else:
                assert our[column] == their[column], (our["name"], column)


@pytest.mark.parametrize("run", [by_papermill, by_octavo])
def test_both_read_the_same(run: Any) -> None:
    path = run(CELLS, "out/a.ipynb", n=2)
    ours, theirs = octavo.read_notebook(path), read_by_scrapbook(path)
    assert ours.scraps["accuracy"].data == 0.9342 * 2
    assert ours.scraps["metrics"].data == {"precision": 0.91, "recall": [1, None, 2.5]}
    assert ours.scraps["as_json"].data == {"a": [1]}
    assert ours.scraps["results_df"].data.loc["q", "b"] == "y"
    assert ours.scraps["html"].display is not None
    assert ours.scraps["some"].display == theirs.scraps["some"].display
    assert ours.parameters == theirs.parameters == {"n": 2}
    same_frames(ours.scrap_dataframe, theirs.scrap_dataframe)


def test_octavo_and_scrapbook_write_the_same_outputs() -> None:
    ours, theirs = by_octavo(CELLS, "out/a.ipynb"), by_papermill(CELLS, "out/b.ipynb")

    def outputs(path: str) -> list[Any]:
        cells = nbformat.read(path, 4).cells
        shown = [output for cell in cells for output in cell.outputs]
        for output in shown:
            output.metadata.pop("octavo", None)  # rows and columns of a table: ours alone
        return [output for output in shown if output.output_type == "display_data"]

    def text(path: str) -> str:
        return re.sub(r"0x[0-9a-f]+", "0x", json.dumps(outputs(path), sort_keys=True))

    assert text(ours) == text(theirs)


def test_a_pair_of_scrapbooks_keeps_both() -> None:
    cells = CELLS.split('\n# %%\nsb.glue("accuracy"', maxsplit=1)[0] + "\n" + PAIR
    scraps = octavo.read_notebook(by_papermill(cells, "out/a.ipynb")).scraps
    assert scraps["pair"].data == {"a": 7}
    assert scraps["pair"].display is not None
    assert scraps["pair"].display["data"] == {"text/plain": "{'a': 7}"}
    assert scraps["table"].data["b"].tolist() == ["x", "y"]
    assert scraps["table"].display is not None and "text/html" in scraps["table"].display["data"]


def test_a_pair_of_ours_keeps_both_in_scrapbook_too() -> None:
    cells = CELLS.split('\n# %%\nsb.glue("accuracy"', maxsplit=1)[0] + "\n" + PAIR
    path = by_octavo(cells, "out/a.ipynb")
    ours, theirs = octavo.read_notebook(path), read_by_scrapbook(path)
    assert theirs.scraps["pair"].data == ours.scraps["pair"].data == {"a": 7}
    assert theirs.scraps["pair"].display["data"]["text/plain"] == "{'a': 7}"
    same_frames(ours.scrap_dataframe, theirs.scrap_dataframe)


def test_tables_of_polars_and_arrow_are_pandas_to_scrapbook() -> None:
    cells = (
        "# %%\nimport polars as pl, pyarrow as pa, pandas as pd, numpy as np\n"
        "sb.glue('pl', pl.DataFrame({'a': [1, 2], 'b': ['x', None]}))\n"
        "sb.glue('pa', pa.table({'a': [1, 2]}))\n"
        "sb.glue('series', pd.Series([1, 2], index=['x', 'y'], name='n'))\n"
        "sb.glue('array', np.eye(2))\n"
    )
    path = by_octavo(cells, "out/a.ipynb")
    theirs = read_by_scrapbook(path).scraps
    assert theirs["pl"].data["b"].isna().tolist() == [False, True]
    assert theirs["pa"].data["a"].tolist() == [1, 2]
    assert theirs["series"].data["n"].to_dict() == {"x": 1, "y": 2}
    assert theirs["array"].data == [[1.0, 0.0], [0.0, 1.0]]
    same_frames(octavo.read_notebook(path).scrap_dataframe, read_by_scrapbook(path).scrap_dataframe)


def test_a_null_leaves_the_notebook_readable_for_scrapbook() -> None:
    path = by_octavo("# %%\nsb.glue('nothing', None)\nsb.glue('n', 1)\n", "out/a.ipynb")
    ours = octavo.read_notebook(path)
    assert ours.scraps.data_dict == {"nothing": None, "n": 1}
    assert list(read_by_scrapbook(path).scraps) == ["n"]


def test_many_notebooks_in_a_table(project: Path) -> None:
    cells = (
        "# %% tags=['parameters']\nn = 1\n\n# %%\nsb.glue('n', n)\nsb.glue('name', f'run {n}')\n"
    )
    for n in (2, 1):
        by_octavo(cells, f"out/r{n}.ipynb", n=n)
    for given in (
        "out/",
        "out/*.ipynb",
        Path("out"),
        ["out/r1.ipynb", "out/r2.ipynb"],
        "**/r*.ipynb",
    ):
        book = octavo.read_notebooks(given)
        assert list(book) == ["r1", "r2"], given
        frame = book.scrap_dataframe
        assert list(frame.columns) == ["name", "data", "encoder", "display", "filename"]
        assert frame["filename"].tolist() == ["r1.ipynb"] * 2 + ["r2.ipynb"] * 2
        assert frame[frame["name"] == "n"]["data"].tolist() == [1, 2]
    assert book.scraps["n"].data == 2
    assert book["r1"].scraps["name"].data == "run 1"


def test_runs_are_read_too(project: Path) -> None:
    cells = "# %% tags=['parameters']\nn = 1\n\n# %%\nsb.glue('n', n)\n"
    for n in (1, 2):
        by_octavo(cells, f"out/r{n}.ipynb", n=n)
    last = octavo.read_notebook("last")
    assert (last.scraps["n"].data, last.parameters) == (2, {"n": 2})
    assert last.run_id is not None
    for name in (last.run_id, last.run_id[-8:], last.directory, last.path):
        assert octavo.read_notebook(name).scraps["n"].data == 2
    book = octavo.read_notebooks(".octavo/runs")
    assert [notebook.scraps["n"].data for notebook in book.notebooks] == [1, 2]
    assert list(book)[-1] == last.run_id
    assert book.scrap_dataframe["filename"].is_unique
    assert octavo.read_notebooks(".octavo").scrap_dataframe.equals(book.scrap_dataframe)


def test_what_was_cleared_from_the_notebook_is_still_in_the_run() -> None:
    cells = "# %%\nfrom IPython.display import clear_output\nsb.glue('n', 1)\nclear_output()\n"
    path = by_octavo(cells, "out/a.ipynb")
    assert dict(octavo.read_notebook(path).scraps) == {}
    assert octavo.read_notebook("last").scraps["n"].data == 1


def test_a_large_table_is_found_in_the_files_of_the_record() -> None:
    cells = (
        "# %%\nimport numpy as np, pandas as pd\n"
        "sb.glue('big', pd.DataFrame({'a': np.random.rand(2_000_000)}))\nsb.glue('small', 1)\n"
    )
    path = by_octavo(cells, "out/a.ipynb")
    run = octavo.read_notebook("last")
    assert len(run.scraps["big"].data) == 2_000_000
    told = run.scraps["big"].summary()
    assert (told["rows"], told["columns"]) == (2_000_000, ["a"])
    assert told["file"] == "files/cell-1-displays.jsonl" and told["bytes"] > 16_000_000
    copied = octavo.read_notebook(path)
    assert copied.scraps["small"].data == 1
    with pytest.raises(octavo.UsageError, match="larger than the cap on output") as caught:
        _ = copied.scraps["big"].data
    assert caught.value.kind == "scrap-unreadable"
    assert "--output-cap" in caught.value.hint


def test_a_large_value_is_in_the_result_as_a_description() -> None:
    Path("nb.py").write_text("# %%\nfrom octavo_runtime import glue\nglue('x', [0] * 5000)\n")
    result = octavo.run("nb.py", output_cap=1000)
    assert result.scraps["x"]["encoder"] == "json"
    assert result.scraps["x"]["file"] == "files/cell-0-displays.jsonl"
    assert octavo.read_notebook("last").scraps["x"].data == [0] * 5000


def test_two_cells_with_one_name_are_told_once_and_a_loop_is_not() -> None:
    cells = (
        "# %%\nfor n in range(3):\n    sb.glue('loop', n)\n"
        "# %%\nsb.glue('n', 1)\n# %%\nsb.glue('n', 2)\n# %%\nsb.glue('n', 3)\n"
    )
    read = octavo.read_notebook(by_octavo(cells, "out/a.ipynb"))
    text = [
        output["text"]
        for cell in read.cells
        for output in cell["outputs"]
        if output["output_type"] == "stream"
    ]
    assert text == [["octavo: two cells glue 'n'; the last value counts\n"]]
    assert (read.scraps["n"].data, read.scraps["n"].times) == (3, 3)
    assert (read.scraps["loop"].data, read.scraps["loop"].times) == (2, 3)


def test_a_scrap_that_cannot_be_encoded_fails_its_cell_and_hands_out_nothing() -> None:
    source = (
        "# %%\nfrom octavo_runtime import glue\nglue('good', 1)\n\n# %%\nglue('bad', {'a': {1}})\n"
    )
    Path("nb.py").write_text(source)
    result = octavo.run("nb.py")
    assert result.failed_cell is not None
    assert (result.failed_cell.index, result.failed_cell.ename) == (1, "TypeError")
    assert result.failed_cell.evalue == (
        "glue('bad'): this dict cannot be handed out as JSON: set is not JSON at ['a']. "
        "Convert it to numbers, text, lists and dicts, hand out its text with encoder='text', "
        "or only show it with encoder='display'"
    )
    assert result.scraps == {"good": 1}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("glue('x', df, 'json')", "glue('x'): this DataFrame cannot be handed out as JSON"),
        ("glue('x', 'no json', 'json')", "glue('x'): this str cannot be handed out as JSON"),
        ("glue('x', 1, 'arrow')", "glue('x'): unknown encoder 'arrow'; known are"),
        ("glue('', 1)", "glue(name, data): name must be a non-empty string"),
        ("glue('x', object(), display=False)", "glue('x'): this object cannot be"),
        ("glue('x', 1, 'display', False)", "glue('x'): a display that is not shown"),
    ],
)
def test_calls_that_make_no_sense(call: str, said: str) -> None:
    head = (
        "# %%\nfrom octavo_runtime import glue\nimport pandas\ndf = pandas.DataFrame({'a': [1]})\n"
    )
    Path("nb.py").write_text(head + call + "\n")
    result = octavo.run("nb.py")
    assert result.failed_cell is not None and result.failed_cell.evalue.startswith(said)
    assert result.scraps == {}


@pytest.mark.parametrize(
    ("path", "kind", "hint"),
    [
        ("nix/*.ipynb", "nothing-matches", "check the pattern"),
        ("empty", "nothing-matches", "name a folder"),
        ("nix.ipynb", "notebook-not-found", "check the path"),
        ("octavo.toml", "wrong-argument", "executed notebooks"),
        ("1234abcd", "run-not-found", "octavo run"),
    ],
)
def test_what_is_not_there(path: str, kind: str, hint: str) -> None:
    Path("empty").mkdir()
    for read in (octavo.read_notebook, octavo.read_notebooks):
        with pytest.raises(octavo.OctavoError) as caught:
            read(path)
        assert caught.value.kind == kind
        assert hint in caught.value.hint


def test_a_folder_is_not_one_notebook() -> None:
    by_octavo("# %%\n1\n", "out/a.ipynb")
    with pytest.raises(octavo.UsageError) as caught:
        octavo.read_notebook("out")
    assert "read_notebooks('out')" in caught.value.hint
