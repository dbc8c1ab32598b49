"""Reading notebooks: outlines, parts of them, and what is told of the rest."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from octavo.authoring.reading.read import ReadRequest, read
from octavo.authoring.reading.reading import Reading
from octavo.errors import OctavoError
from octavo.notebook.identity import handle
from octavo.records.store import Store
from octavo.render.tokens import tokens
from octavo.sources import read_source
from octavo.surfaces.cli.main import main

NOTEBOOK = """\
# %% [markdown]
# # Disks
# How full they are.

# %% tags=["parameters"]
threshold: float = 0.9  # share in use
host: str = "web-1"

# %% [markdown]
# ## Load the data
#
# ```
# # this is no heading
# ```

# %% name="load"
import shutil

disk = shutil.disk_usage("/")

# %%
share = disk.used / disk.total

# %% [markdown]
# ## Tell
# ### In words

# %% tags=["report", "last"]
print(f"{host}: {share:.0%}")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "disk.py").write_text(NOTEBOOK)
    return tmp_path


def reading(folder: Path, *what: str, **how: Any) -> Reading:
    context: Any = SimpleNamespace(cwd=str(folder), project=folder)
    name, *which = what
    return asyncio.run(read(ReadRequest(name, which=tuple(which), **how), context))


def test_an_outline_tells_what_there_is(folder: Path) -> None:
    path = folder / "disk.py"
    cells = read_source(path).notebook.cells
    sizes = [tokens(cell.source) for cell in cells]
    names = [handle(cell) for cell in cells]
    assert reading(folder, "disk.py").text.split("\n") == [
        f"disk.py: py, python, 7 cells, {sum(sizes)} tokens of source",
        f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}",
        'parameters: threshold: float = 0.9, host: str = "web-1"',
        "",
        f"1 [0-6] {names[0]} {sum(sizes)} tokens  Disks",
        f"  [1] {names[1]} #parameters 2 lines, {sizes[1]} tokens  "
        "threshold: float = 0.9 # share in use",
        f"  1.1 [2-4] {names[2]} {sum(sizes[2:5])} tokens  Load the data",
        f"    [3] {names[3]} load 3 lines, {sizes[3]} tokens  import shutil",
        f"    [4] {names[4]} 1 line, {sizes[4]} tokens  share = disk.used / disk.total",
        f"  1.2 [5-6] {names[5]} {sum(sizes[5:])} tokens  Tell",
        f"    1.2.1 [5-6] {names[5]} {sum(sizes[5:])} tokens  In words",
        f"      [6] {names[6]} #report #last 1 line, {sizes[6]} tokens  "
        'print(f"{host}: {share:.0%}")',
        "",
    ]


def indices(found: Reading) -> list[int]:
    return [cell["index"] for cell in found.to_json()["cells"]]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        (("3",), [3]), (("3-4",), [3, 4]), (("3..4",), [3, 4]), (("5..",), [5, 6]),
        (("..1",), [0, 1]), (("load",), [3]), (("report",), [6]), (("1,load,last",), [1, 3, 6]),
        (("6", "0"), [0, 6]), (("load..report",), [3, 4, 5, 6]), (("4-99",), [4, 5, 6]),
        (("parameters",), [1]), (("-1",), [6]), (("3-",), [3, 4, 5, 6]), (("..",), list(range(7))),
    ],
)  # fmt: skip
def test_cells_are_named_in_many_ways(
    folder: Path, which: tuple[str, ...], expected: list[int]
) -> None:
    assert indices(reading(folder, "disk.py", *which)) == expected
    assert indices(reading(folder, "disk.py", cells=which)) == expected


def test_a_cell_is_named_by_its_handle(folder: Path) -> None:
    name = handle(read_source(folder / "disk.py").notebook.cells[4])
    assert indices(reading(folder, "disk.py", name)) == [4]
    assert indices(reading(folder, "disk.py", name[:6])) == [4]
    assert indices(reading(folder, "disk.py", f"{name}..")) == [4, 5, 6]


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("1.1", [2, 3, 4]), ("Load the data", [2, 3, 4]), ("## load", [2, 3, 4]),
        ("In words", [5, 6]), ("1", [0, 1, 2, 3, 4, 5, 6]),
    ],
)  # fmt: skip
def test_a_section_is_all_below_a_heading(folder: Path, section: str, expected: list[int]) -> None:
    assert indices(reading(folder, "disk.py", section=(section,))) == expected


def test_sources_are_given_as_they_are(folder: Path) -> None:
    found = reading(folder, "disk.py", "load")
    assert '\n    import shutil\n\n    disk = shutil.disk_usage("/")\n' in found.text
    assert found.to_json()["cells"][0]["source"] == 'import shutil\n\ndisk = shutil.disk_usage("/")'
    assert found.to_json()["left_out"] is None


def test_a_search_shows_lines_with_their_neighbours(folder: Path) -> None:
    text = reading(folder, "disk.py", search="DISK_USAGE").text
    assert '    2-\n    3: disk = shutil.disk_usage("/")\n' in text.replace("2- \n", "2-\n")
    assert indices(reading(folder, "disk.py", search="/^share/")) == [4]
    assert indices(reading(folder, "disk.py", search="nowhere")) == []
    assert indices(reading(folder, "disk.py", "0..3", search="share")) == [1]


@pytest.mark.parametrize(
    ("how", "kind", "told"),
    [
        ({"which": ("nothing",)}, "cell-not-found", "there is no cell 'nothing'"),
        ({"which": ("77",)}, "cell-not-found", "there is no cell '77'"),
        ({"section": ("Nowhere",)}, "cell-not-found", "there is no section 'Nowhere'"),
        ({"section": ("o",)}, "wrong-argument", "2 sections fit 'o'"),
        ({"budget": 20}, "wrong-argument", "--budget 20: at least 300"),
        ({"search": "/(/"}, "wrong-argument", "--search /(/"),
        ({"search": " "}, "wrong-argument", "--search needs a text"),
        ({"outputs": True, "no_outputs": True}, "wrong-argument", "exclude each other"),
        ({"outline": True, "search": "x"}, "wrong-argument", "exclude each other"),
    ],
)
def test_what_cannot_be_found_is_told(
    folder: Path, how: dict[str, Any], kind: str, told: str
) -> None:
    context: Any = SimpleNamespace(cwd=str(folder), project=folder)
    with pytest.raises(OctavoError) as caught:
        asyncio.run(read(ReadRequest("disk.py", **how), context))
    assert caught.value.kind == kind
    assert told in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("what", "kind"),
    [("missing.py", "notebook-not-found"), ("folder", "notebook-unreadable"),
     ("notes.txt", "format-unknown"), ("nosuchrun", "run-not-found")],
)  # fmt: skip
def test_what_is_no_notebook_is_told(folder: Path, what: str, kind: str) -> None:
    (folder / "folder").mkdir()
    (folder / "notes.txt").write_text("x")
    context: Any = SimpleNamespace(
        cwd=str(folder), store=lambda near: Store(folder), archived_run=lambda name: None
    )
    with pytest.raises(OctavoError) as caught:
        asyncio.run(read(ReadRequest(what), context))
    assert caught.value.kind == kind


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code", "source": source, "metadata": {}, "execution_count": 1,
        "outputs": list(outputs),
    }  # fmt: skip


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def raised(name: str, value: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": []}


def saved(folder: Path, *cells: dict[str, Any]) -> None:
    document = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (folder / "nb.ipynb").write_text(json.dumps(document))


def long_notebook(folder: Path, count: int = 200) -> None:
    cells = [code(f"value_{at} = {at}\n" * 5, printed(f"printed {at}\n" * 40))
             for at in range(count)]  # fmt: skip
    cells[150]["outputs"] = [raised("ValueError", "the one that failed")]
    saved(folder, *cells)


def test_what_failed_comes_before_everything_else(folder: Path) -> None:
    long_notebook(folder)
    for found in (
        reading(folder, "nb.ipynb", "0..", budget=600),
        reading(folder, "nb.ipynb", budget=600),
    ):
        assert "the one that failed" in found.text
        assert "[150]" in found.text


def test_code_comes_before_outputs(folder: Path) -> None:
    saved(folder, *(code(f"x_{at} = 1\n" * 9, printed("many words\n" * 9)) for at in range(9)))
    texts = [reading(folder, "nb.ipynb", "0..", budget=b).text for b in range(300, 2000, 50)]
    seen = {("x_8 = 1" in text, "many words" in text) for text in texts}
    assert seen == {(False, False), (True, False), (True, True)}


def test_of_a_long_text_beginning_and_end_are_given(folder: Path) -> None:
    saved(folder, code("run()", printed("".join(f"step {at}\n" for at in range(1000)))))
    found = reading(folder, "nb.ipynb", "0")
    lines = found.text.split("\n")
    assert "    step 0" in lines
    assert "    step 999" in lines
    assert "… 988 lines left out" in lines
    output = found.to_json()["cells"][0]["outputs"][0]
    assert output["lines_left_out"] == {"count": 988, "after": 8}
    assert output["text"].split("\n")[8] == "step 996"


def told_commands(found: Reading) -> list[list[str]]:
    lines = [line for line in found.text.split("\n") if line.startswith("octavo read ")]
    return [shlex.split(line)[1:] for line in lines]


def answer(words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_was_left_out_can_be_had_by_the_commands_told(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    long_notebook(folder)
    seen: set[int] = set()
    words = ["read", "nb.ipynb", "--cells", "0..", "--no-outputs", "--budget", "3000"]
    while words:
        found = answer(words, folder, capsys)
        now = {cell["index"] for cell in found["cells"]}
        assert now - seen
        seen |= now
        left = found["left_out"]
        words = shlex.split(left["commands"][0])[1:] if left else []
    assert seen == set(range(200))


def test_the_budget_that_is_told_is_enough(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    saved(folder, code("a\n" * 400, printed("words and words\n" * 500)), code("b"))
    found = reading(folder, "nb.ipynb", "0..", budget=400)
    (command,) = told_commands(found)
    assert main(command) == 0
    text = capsys.readouterr().out
    assert text.count("    words and words\n") == 500
    assert text.count("    a\n") == 400
    assert "left out" not in text
    assert tokens(text) <= int(command[-1])


def test_names_of_files_are_quoted(folder: Path) -> None:
    long_notebook(folder)
    odd = "it's a $(notebook) -x.ipynb"
    (folder / "nb.ipynb").rename(folder / odd)
    (command, *_) = told_commands(reading(folder, odd, budget=500))
    assert command[:2] == ["read", odd]


def test_outputs_are_short_unless_asked_for(folder: Path) -> None:
    saved(folder, code("x", printed("row\n" * 100)))
    assert reading(folder, "nb.ipynb", "0").text.count("    row\n") == 12
    assert reading(folder, "nb.ipynb", "0", outputs=True).text.count("    row\n") == 100
    assert "row" not in reading(folder, "nb.ipynb", "0", no_outputs=True).text


def test_an_empty_notebook_can_be_read(folder: Path) -> None:
    saved(folder)
    assert "0 cells" in reading(folder, "nb.ipynb").text
    assert "0 cells" in reading(folder, "nb.ipynb", search="x").text


def test_old_notebooks_can_be_read(folder: Path) -> None:
    cells = [{"cell_type": "code", "input": "1 + 1", "language": "python", "outputs": [
        {"output_type": "pyout", "text": "2", "prompt_number": 1}]}]  # fmt: skip
    document = {"worksheets": [{"cells": cells}], "metadata": {"name": ""}, "nbformat": 3,
                "nbformat_minor": 0}  # fmt: skip
    (folder / "nb.ipynb").write_text(json.dumps(document))
    assert "    1 + 1\nout text\n    2\n" in reading(folder, "nb.ipynb", "0").text


def test_cells_are_looked_at_in_proportion(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten times as many cells no more outputs are looked at, if the budget is the same."""
    from octavo.authoring.reading import blocks

    looked_at = []
    whole = blocks.compact
    monkeypatch.setattr(blocks, "compact", lambda output: looked_at.append(1) or whole(output))
    counts = []
    for count in (200, 2000):
        looked_at.clear()
        long_notebook(folder, count)
        assert reading(folder, "nb.ipynb", "0..", budget=2000).text
        counts.append(len(looked_at))
    assert counts[1] <= counts[0] < 100
