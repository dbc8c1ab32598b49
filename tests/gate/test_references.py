"""References: where they are, what is in them, and how changes are accepted."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged_notebooks import JudgedProject
from octavo.errors import OctavoError
from octavo.gate.comparing.outputs import compare
from octavo.gate.comparing.rules import Rules
from octavo.gate.references.entries import Entry, matched, stable
from octavo.gate.references.reading import read_reference
from octavo.gate.references.toml_text import string
from octavo.gate.references.writing import accept
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell, Notebook
from octavo.records.record import CellRecord
from octavo.sources import SourceFile, read_source


def code(source: str, name: str = "") -> Cell:
    return Cell("code", source, {"name": name} if name else {})


def entries(cells: list[Cell]) -> list[Entry]:
    handles = ["", *map(handle, cells), ""]
    return [
        Entry(handle(cell), (), cell.name or "", (handles[at], handles[at + 2]))
        for at, cell in enumerate(cells)
    ]


A, B, C, D = code("a = 1"), code("b = 2"), code("c = 3", "third"), code("d = 4")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([A, B, C, D], {0: 0, 1: 1, 2: 2, 3: 3}),
        ([D, A, C], {0: 3, 1: 0, 2: 2}),
        ([A, Cell("markdown", "text"), B], {0: 0, 2: 1}),
        ([A, code("new"), B], {0: 0, 2: 1}),
        ([A, code("b = 5"), C], {0: 0, 1: 1, 2: 2}),
        ([code("a = 7"), B], {0: 0, 1: 1}),
        ([A, B, C, code("d = 9")], {0: 0, 1: 1, 2: 2, 3: 3}),
        ([A, B, code("x"), code("d = 9")], {0: 0, 1: 1}),
        ([D, code("c = 8", "third")], {0: 3, 1: 2}),
        ([A, C], {0: 0, 1: 2}),
        ([], {}),
    ],
)
def test_cells_are_known_again(after: list[Cell], expected: dict[int, int]) -> None:
    assert matched(entries([A, B, C, D]), after) == expected


def test_copies_are_told_apart_by_what_they_follow() -> None:
    before = entries([A, D, B, D])
    assert matched([before[1], before[3]], [A, B, D]) == {2: 1}
    assert matched([before[1], before[3]], [A, D, B, D]) == {1: 0, 3: 1}


@given(st.text(), st.booleans())
def test_every_text_is_read_back_as_it_was(text: str, lines: bool) -> None:
    whole = text.encode("utf-8", "ignore").decode()
    whole = f"{whole}\n[[cell]]\n{whole}" if lines else whole
    spelled = string(whole)
    assert tomllib.loads(f"a = {spelled}\nb = 1") == {"a": whole, "b": 1}
    assert not any(line.startswith("[[cell") for line in spelled.split("\n"))
    assert not any(line != line.rstrip(" \t") for line in spelled.split("\n"))


@pytest.mark.parametrize("text", ["it's\n'", "'''\n", 'a\\b\n"""', "x \ny\t\n", "\r\n", "a\rb\n\n"])
def test_texts_that_need_care(text: str) -> None:
    assert tomllib.loads(f"a = {string(text)}") == {"a": text}


NOTEBOOK = """\
# %%
import sys

# %% name="sums"
print("one")
1 + 1

# %%
print("two ")
print("[[cell]]", file=sys.stderr)

# %%
object()

# %% tags=["raises-exception"]
{}["key"]
"""


@pytest.fixture
def project(tmp_path: Path) -> JudgedProject:
    return JudgedProject(tmp_path)


pytest_kernel = pytest.mark.kernel


@pytest_kernel
def test_outputs_are_accepted_once_and_then_expected(project: JudgedProject) -> None:
    first = project.run(NOTEBOOK)
    assert first.outcomes() == ["passed", *["failed"] * 4]
    assert {each.message for each in first.verdicts() if each.outcome == "failed"} == {
        "there is no reference for this output yet"
    }
    assert first.accept() == (1, 2, 3, 4)
    again = project.run()
    assert again.outcomes() == ["passed"] * 5
    before = (project.root / "nb.expected.toml").read_bytes()
    assert again.accept() == ()
    assert (project.root / "nb.expected.toml").read_bytes() == before


@pytest_kernel
def test_the_file_is_small_and_readable(project: JudgedProject) -> None:
    judged = project.run(NOTEBOOK)
    judged.accept()
    text = (project.root / "nb.expected.toml").read_text()
    assert text.startswith("# The outputs that `octavo check` expects of the cells of nb.py.\n")
    assert "octavo check nb.py --update" in text
    assert 'data."text/plain" = "<object at 0x…>"' in text
    assert "traceback" not in text
    assert "execution_count" not in text
    cells = tomllib.loads(text)["cell"]
    assert [cell.get("name") for cell in cells] == ["sums", None, None, None]
    assert cells[1]["output"] == [
        {"type": "stream", "name": "stdout", "text": "two \n"},
        {"type": "stream", "name": "stderr", "text": "[[cell]]\n"},
    ]
    assert cells[3]["output"] == [{"type": "error", "ename": "KeyError", "evalue": "'key'"}]


@pytest_kernel
def test_only_what_differs_is_changed(project: JudgedProject) -> None:
    project.run(NOTEBOOK).accept()
    path = project.root / "nb.expected.toml"
    by_hand = path.read_text().replace("[[cell]]  # object()", "# a note\n\n\n[[cell]]  # mine")
    path.write_text(by_hand)
    changed = project.run(NOTEBOOK.replace('print("one")', 'print("uno")'))
    assert [each.index for each in changed.verdicts() if each.outcome == "failed"] == [1]
    assert changed.accept() == (1,)
    after = path.read_text()
    marker = '[[cell]]  # print("two ")'
    assert after[after.index(marker) :].partition("# a note")[2] == by_hand.partition("# a note")[2]
    assert 'text = "uno\\n"' in after or "uno" in after
    assert project.run().outcomes() == ["passed"] * 5


@pytest_kernel
def test_a_cell_that_failed_or_did_not_run_keeps_its_reference(project: JudgedProject) -> None:
    project.run("# %%\nprint(1)\n\n# %%\nprint(2)\n").accept()
    path = project.root / "nb.expected.toml"
    before = path.read_text()
    failing = project.run("# %%\nprint(1)\n\n# %%\nprint(2)\n1 / 0\n")
    assert failing.accept() == ()
    assert before.count("[[cell]]") == path.read_text().count("[[cell]]") == 2
    assert failing.outcomes() == ["passed", "failed"]


@pytest_kernel
def test_lax_keeps_only_the_cells_that_are_marked(project: JudgedProject) -> None:
    judged = project.run("# %%\nprint(1)\n\n# %%\n# NBVAL_CHECK_OUTPUT\nprint(2)\n")
    assert judged.outcomes(strict=False) == ["passed", "failed"]
    assert judged.accept(strict=False) == (1,)
    assert judged.outcomes(strict=False) == ["passed", "passed"]
    assert (project.root / "nb.expected.toml").read_text().count("[[cell]]") == 1


@pytest_kernel
def test_sets_of_values_have_references_of_their_own(project: JudgedProject) -> None:
    judged = project.run('# %% tags=["parameters"]\nn = 1\n\n# %%\nprint(n)\n')
    judged.accept(values="small")
    assert [each.outcome for each in judged.verdicts(values="small")] == ["passed", "passed"]
    assert [each.outcome for each in judged.verdicts(values="large")] == ["passed", "failed"]
    judged.accept(values="large")
    judged.accept()
    read = tomllib.loads((project.root / "nb.expected.toml").read_text())["cell"]
    assert [cell.get("values") for cell in read] == [None, "small", "large"]


PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)


@pytest_kernel
def test_images_are_files_beside_the_reference(project: JudgedProject) -> None:
    rules = Rules(image_threshold=0.0)
    source = f'# %% name="plot"\ndisplay({{"image/png": "{PIXEL}"}}, raw=True)\n'
    judged = project.run(source)
    assert judged.outcomes(rules) == ["failed"]
    judged.accept(rules)
    (image,) = (project.root / "nb.expected").iterdir()
    assert image.name.startswith("plot-")
    assert image.suffix == ".png"
    assert judged.outcomes(rules) == ["passed"]
    image.write_bytes(b"another")
    with pytest.raises(OctavoError) as caught:
        judged.verdicts(rules)
    assert caught.value.kind == "reference"
    assert "is not the image that was accepted" in caught.value.message
    image.unlink()
    with pytest.raises(OctavoError, match="cannot be read"):
        judged.verdicts(rules)


@pytest_kernel
def test_an_image_that_is_no_longer_expected_goes(project: JudgedProject) -> None:
    rules = Rules(image_threshold=0.0)
    project.run(f'# %%\ndisplay({{"image/png": "{PIXEL}"}}, raw=True)\n').accept(rules)
    project.run("# %%\nprint(1)\n").accept(rules)
    assert not (project.root / "nb.expected").exists()


def ipynb(*cells: dict[str, Any]) -> str:
    plain = {
        "cells": [
            {"cell_type": "code", "id": f"id-{at}", "metadata": {}, **cell}
            for at, cell in enumerate(cells)
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(plain, indent=3, sort_keys=True) + "\n"


def ran(source: str, text: str | None = None, count: int | None = 1) -> dict[str, Any]:
    stream = {"output_type": "stream", "name": "stdout", "text": [text]}
    outputs = [] if text is None else [stream]
    return {"execution_count": count, "outputs": outputs, "source": [source]}


@pytest_kernel
def test_a_notebook_with_outputs_is_its_own_reference(project: JudgedProject) -> None:
    text = ipynb(ran("print('ä')", "\u00e4\n"), ran("print(2)", "3\n"), ran("print(3)", None, None))
    judged = project.run(text, "nb.ipynb")
    assert judged.outcomes() == ["passed", "failed", "passed"]
    assert judged.accept() == (1, 2)
    after = (project.root / "nb.ipynb").read_text()
    assert after.split('"execution_count"')[:2] == text.split('"execution_count"')[:2]
    document = json.loads(after)
    assert document["cells"][1]["outputs"][0]["text"] == ["2\n"]
    assert document["cells"][2]["execution_count"] == 3
    assert not (project.root / "nb.expected.toml").exists()
    assert project.run(name="nb.ipynb").outcomes() == ["passed"] * 3


@pytest_kernel
def test_only_the_outputs_of_that_cell_change(project: JudgedProject) -> None:
    text = ipynb(ran("print(1)", "1\n"), ran("print(2)", "3\n"), ran("print(3)", "3\n"))
    project.run(text, "nb.ipynb").accept()
    after = (project.root / "nb.ipynb").read_text()
    changed = list(zip(text.split("\n"), after.split("\n"), strict=True))
    assert [one.strip() for one, other in changed if one != other] == [
        '"execution_count": 1,',
        '"3\\n"',
    ]


@pytest_kernel
def test_outputs_of_the_paired_notebook_serve_until_there_is_a_file(
    project: JudgedProject,
) -> None:
    (project.root / "nb.ipynb").write_text(ipynb(ran("print(1)", "1\n"), ran("print(2)", "5\n")))
    judged = project.run("# %%\nprint(1)\n\n# %%\nprint(2)\n")
    assert judged.outcomes() == ["passed", "failed"]
    before = (project.root / "nb.ipynb").read_bytes()
    assert judged.accept() == (1,)
    assert (project.root / "nb.ipynb").read_bytes() == before
    assert (project.root / "nb.expected.toml").read_text().count("[[cell]]") == 2
    assert judged.outcomes() == ["passed", "passed"]


@pytest_kernel
def test_a_notebook_that_was_changed_meanwhile_is_not_overwritten(project: JudgedProject) -> None:
    judged = project.run(ipynb(ran("print(2)", "3\n")), "nb.ipynb")
    path = project.root / "nb.ipynb"
    path.write_text(ipynb(ran("print(4)", "4\n")))
    before = path.read_bytes()
    with pytest.raises(OctavoError) as caught:
        judged.accept()
    assert caught.value.kind == "conflict"
    assert path.read_bytes() == before


GOOD = 'version = 1\n\n[[cell]]\nhandle = "12345678"\n\n[[cell.output]]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version = 2\n", "is of version 2"),
        ("version = '1'\n", "is of version '1'"),
        ("version = true\n", "is of version True"),
        ("", "does not say its version"),
        ("version = 1\n[[cell]\n", "does not parse"),
        ("version = 1\ncell = 3\n", "something else than cells"),
        ("version = 1\ncell = [3]\n", "something else than cells"),
        ("version = 1\nother = 3\n", "something else than cells"),
        ("version = 1\n[[cell]]\n", "needs a handle"),
        ("version = 1\n[[cell]]\nhandle = 3\n", "needs a handle"),
        ('version = 1\n[[cell]]\nhandle = "a"\nmine = 3\n', "unknown key 'mine'"),
        ('version = 1\n[[cell]]\nhandle = "a"\noutput = 3\n', "no list"),
        ('version = 1\n[[cell]]\nhandle = "a"\nbetween = ["b"]\n', "between two handles"),
        (f'{GOOD}type = "stream"\nname = "stdout"\n', "has name and text"),
        (f'{GOOD}type = "stream"\nname = "stdout"\ntext = "a"\nmore = 1\n', "has name and text"),
        (f'{GOOD}type = "picture"\n', "has the type 'picture'"),
        (f'{GOOD}type = "display_data"\ndata = 3\n', "has the type"),
        (f'{GOOD}type = "display_data"\ndata."text/plain" = 3\n', "neither text nor JSON"),
        (f'{GOOD}type = "display_data"\ndata."a/json".json = "{{"\n', "is not JSON"),
        (f'{GOOD}type = "display_data"\ndata."image/png".file = "../x.png"\n', "outside of"),
        (f'{GOOD}type = "display_data"\ndata."image/png".file = "nb.expected/.."\n', "outside of"),
        (f'{GOOD}type = "display_data"\ndata."image/png".file = "/etc/passwd"\n', "outside of"),
    ],
)
def test_a_file_that_makes_no_sense_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "nb.py").write_text("# %%\nprint(1)\n")
    (tmp_path / "nb.expected.toml").write_text(text)
    with pytest.raises(OctavoError) as caught:
        read_reference(read_source(tmp_path / "nb.py"))
    assert caught.value.kind == "reference"
    assert told in caught.value.message
    assert "nb.expected.toml" in caught.value.place
    assert caught.value.hint
    assert (tmp_path / "nb.expected.toml").read_text() == text


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "nb.py").write_text("# %%\nprint(1)\n")
    (tmp_path / "nb.expected.toml").write_bytes(b"version = 1\xff\n")
    with pytest.raises(OctavoError) as caught:
        read_reference(read_source(tmp_path / "nb.py"))
    assert caught.value.kind == "reference"


def test_a_file_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    cell = Cell("code", "print(1)")
    text = f'version = 1\n\n[[cell]]\nhandle = "{handle(cell)}"\n\n[[cell.output]]\n'
    text += "type = 'stream'\nname = 'stdout'\ntext = '''\n1\n2\n'''\n"
    (tmp_path / "nb.py").write_text("# %%\nprint(1)\n")
    (tmp_path / "nb.expected.toml").write_bytes(text.replace("\n", "\r\n").encode())
    reference = read_reference(read_source(tmp_path / "nb.py"))
    assert reference.cells[0].outputs[0]["text"] == "1\n2\n"


def texts() -> st.SearchStrategy[str]:
    return st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
        ["a \nb\n", "[[cell]]\nhandle = 1\n", "'''\n\"\"\"\n\\", "\r\n", "at 0x7f00aa00bb11"]
    )


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | texts()
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts(), inner))


def outputs() -> st.SearchStrategy[list[dict[str, Any]]]:
    stream = st.builds(
        lambda name, text: {"output_type": "stream", "name": name, "text": text},
        st.sampled_from(["stdout", "stderr"]),
        texts(),
    )
    error = st.builds(
        lambda name, value: {
            "output_type": "error", "ename": name, "evalue": value, "traceback": [],
        },
        texts(),
        texts(),
    )  # fmt: skip
    data = st.fixed_dictionaries(
        {"text/plain": texts()},
        optional={"text/html": texts(), "application/json": json_values(), "x/ü \"'": texts()},
    )
    shown = st.builds(
        lambda kind, data: {"output_type": kind, "data": data, "metadata": {}},
        st.sampled_from(["display_data", "execute_result"]),
        data,
    )
    return st.lists(stream | error | shown, max_size=4)


@settings(max_examples=25, deadline=None)
@given(outputs(), outputs(), texts())
def test_what_was_accepted_is_what_is_expected(
    first: list[dict[str, Any]], second: list[dict[str, Any]], name: str
) -> None:
    cells = (Cell("code", "a\n# \x00 not printable", {"name": name}), Cell("code", "b"))
    with TemporaryDirectory() as folder:
        source = SourceFile(f"{folder}/nb.py", "", Notebook(cells))
        for values in ("", "some set"):
            for one, other in ((first, second), (second, second), (second, first)):
                taken: Any = SimpleNamespace(cells=(_succeeded(0), _succeeded(1)))
                executed = {"cells": [{"outputs": one}, {"outputs": other}]}
                before = read_reference(source, values)
                accept(source, taken, executed, before, Rules(), strict=True)
                after = read_reference(source, values)
                for at, wanted in enumerate((one, other)):
                    known = after.cells.get(at)
                    expected = known.outputs if known is not None else ()
                    assert compare(expected, stable(wanted), Rules()) == ()


def _succeeded(at: int) -> CellRecord:
    return CellRecord(at, at, f"id-{at}", "code", "succeeded", execution_count=1)
