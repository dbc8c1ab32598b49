"""`octavo export`: what is written where, from runs and from files."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from cli.calling import variables
from octavo.app.context import Context
from octavo.authoring.exporting.operation import export
from octavo.authoring.exporting.request import Exported, ExportRequest
from octavo.errors import OctavoError
from render.page_notebooks import PNG, code, markdown, notebook, shown, stream

SOURCE = """\
# %% [markdown]
# # Report
# ![logo](logo.png) ![secret](../outside.png)

# %% tags=["parameters"]
n = 1

# %% name="double"
from octavo_runtime import glue
print("twice", n * 2)
glue("twice", n * 2)

# %%
from IPython.display import Image, display
import base64
display(Image(base64.b64decode("PNG")))

# %%
1 / (n - 5)
""".replace("PNG", PNG)


def exported(root: Path, *what: str, **how: Any) -> tuple[Exported, ...]:
    context = Context(cwd=str(root), environ=dict(os.environ))
    return asyncio.run(export(ExportRequest(tuple(what), **how), context)).files


def refused(root: Path, *what: str, **how: Any) -> OctavoError:
    """The error of a call, which must have left everything as it was."""
    before = files(root)
    with pytest.raises(OctavoError) as caught:
        exported(root, *what, **how)
    assert files(root) == before
    assert caught.value.hint
    return caught.value


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project with two runs: the second failed."""
    import base64

    root = tmp_path_factory.mktemp("around") / "project"
    (root / "notebooks").mkdir(parents=True)
    (root / "octavo.toml").write_text("")
    (root / "notebooks" / "report.py").write_text(SOURCE)
    for place in (root / "notebooks" / "logo.png", root.parent / "outside.png"):
        place.write_bytes(base64.b64decode(PNG))
    for n in ("2", "5"):
        words = [sys.executable, "-m", "octavo", "run", "notebooks/report.py", "-p", "n", n, "-q"]
        subprocess.run(words, cwd=root, env=variables(root), capture_output=True, timeout=120)
    yield root


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with an executed notebook and a script."""
    (tmp_path / "octavo.toml").write_text("")
    document = notebook(
        markdown("# Title\n\n![a](attachment:a.png)", attachments={"a.png": {"image/png": PNG}}),
        code("x = 1\nx", stream("written\n"), shown(image_png=PNG), shown(text_plain="1")),
    )
    (tmp_path / "nb.ipynb").write_text(json.dumps(document))
    (tmp_path / "script.py").write_text("# %% [markdown]\n# Words.\n\n# %%\nx = 1\n")
    return tmp_path


@pytest.mark.kernel
def test_a_run_becomes_a_page_in_the_current_folder(project: Path) -> None:
    [file] = exported(project, "last~1", output="one.html")
    html = (project / "one.html").read_text("utf-8")
    assert file.output == "one.html" and file.form == "html" and not file.notes
    for told in ("succeeded", "notebooks/report.py", "twice 4", ">twice</td>", "<figure"):
        assert told in html
    assert str(project) not in html


@pytest.mark.kernel
def test_images_of_the_project_are_in_the_page_and_others_are_not(project: Path) -> None:
    [file] = exported(project, "last", output="-")
    assert file.text is not None
    assert 'alt="logo"' in file.text
    assert 'alt="secret"' not in file.text


@pytest.mark.kernel
def test_a_failed_run_names_the_line_of_the_author(project: Path) -> None:
    [file] = exported(project, "last", output="-")
    assert file.text is not None
    assert "ZeroDivisionError: division by zero" in file.text
    line = SOURCE.splitlines().index("1 / (n - 5)") + 1
    assert f"(report.py:{line})" in file.text


@pytest.mark.kernel
def test_runs_of_one_notebook_get_names_of_their_own(project: Path) -> None:
    made = exported(project, "last~1", "last", output="pages/")
    names = [Path(file.output).name for file in made]
    assert len(set(names)) == 2
    assert all(name.startswith("report-") and name.endswith(".html") for name in names)
    assert all((project / "pages" / name).is_file() for name in names)


@pytest.mark.kernel
def test_the_executed_notebook_of_a_run(project: Path) -> None:
    exported(project, "last~1", to="ipynb", output="run.ipynb")
    kept = {path.read_bytes() for path in project.glob(".octavo/runs/*/*/notebook.ipynb")}
    assert (project / "run.ipynb").read_bytes() in kept
    document = nbformat.read(project / "run.ipynb", as_version=4)
    nbformat.validate(document)
    assert document.metadata.octavo.status == "success"
    # It says itself what it is, so that it can be exported again.
    [file] = exported(project, "run.ipynb", output="-")
    assert file.text is not None
    assert "succeeded" in file.text and ">twice</td>" in file.text


@pytest.mark.kernel
def test_a_script_of_a_run_has_its_parameters(project: Path) -> None:
    [file] = exported(project, "last~1", to="script", output="-")
    assert file.text is not None
    done = subprocess.run([sys.executable, "-c", file.text], capture_output=True, text=True)
    assert done.stdout.startswith("twice 4\n")


@pytest.mark.kernel
def test_a_run_as_markdown_with_figures_beside_it(project: Path) -> None:
    [file] = exported(project, "last", to="md", output="text/report.md")
    text = (project / "text" / "report.md").read_text("utf-8")
    assert "![figure 1](report_files/figure-1.png)" in text
    assert (project / "text" / "report_files" / "figure-1.png").read_bytes().startswith(b"\x89PNG")
    assert file.figures == ("figure-1.png",)
    assert "| `twice` | `10` |" in text


def test_a_file_is_taken_as_it_is_and_that_is_said(folder: Path) -> None:
    [file] = exported(folder, "nb.ipynb")
    assert file.output == "nb.html"
    assert file.notes == ("taken as the file has it: nothing was redacted",)
    assert "written" in (folder / "nb.html").read_text("utf-8")
    [plain] = exported(folder, "script.py")
    assert plain.notes == ()


def test_what_is_there_is_overwritten_by_force_only(folder: Path) -> None:
    (folder / "nb.html").write_text("mine")
    assert refused(folder, "nb.ipynb").kind == "output-exists"
    exported(folder, "nb.ipynb", force=True)
    assert "written" in (folder / "nb.html").read_text("utf-8")


def test_files_in_the_place_of_images_are_left_alone(folder: Path) -> None:
    (folder / "a_files").mkdir()
    (folder / "a_files" / "figure-1.png").write_bytes(b"mine")
    assert refused(folder, "nb.ipynb", output="a.md").kind == "output-exists"
    exported(folder, "nb.ipynb", output="a.md", embed=True)
    exported(folder, "nb.ipynb", output="a.md", force=True)
    assert (folder / "a_files" / "figure-1.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_is_written_if_one_of_several_cannot_be(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "script.html").write_text("mine")
    assert refused(folder, "nb.ipynb", "script.py", output="out/").kind == "output-exists"
    assert refused(folder, "nb.ipynb", "missing.py").kind == "notebook-not-found"


def test_a_notebook_is_never_its_own_export(folder: Path) -> None:
    assert refused(folder, "script.py", to="script", force=True).kind == "output-exists"
    assert refused(folder, "nb.ipynb", to="ipynb", force=True).kind == "output-exists"


def test_the_name_of_the_output_tells_the_form(folder: Path) -> None:
    assert exported(folder, "nb.ipynb", output="a.md")[0].form == "md"
    assert exported(folder, "nb.ipynb", output="a.py")[0].form == "script"
    assert exported(folder, "nb.ipynb", output="sub/a.html")[0].output == "sub/a.html"
    assert refused(folder, "nb.ipynb", output="b.md", to="html").kind == "wrong-argument"


@pytest.mark.parametrize("how", [
    {"embed": True}, {"browser": "x"}, {"no_code": True, "to": "script"},
    {"output": "-", "to": "pdf"}, {"browser": "/no/such/chromium", "to": "pdf"},
])  # fmt: skip
def test_options_that_make_no_sense_are_refused(folder: Path, how: dict[str, Any]) -> None:
    assert refused(folder, "nb.ipynb", **how).kind == "wrong-argument"


def test_several_do_not_go_into_one_place(folder: Path) -> None:
    assert refused(folder, "nb.ipynb", "script.py", output="-").kind == "wrong-argument"
    assert refused(folder, "nb.ipynb", "script.py", output="a.html").kind == "wrong-argument"


def test_a_run_that_is_not_there(folder: Path) -> None:
    assert refused(folder, "last").kind == "run-not-found"
    assert refused(folder).kind == "run-not-found"


def test_a_place_that_cannot_be_written(folder: Path) -> None:
    (folder / "file").write_text("")
    assert refused(folder, "nb.ipynb", output="file/a.html").kind == "output-unwritable"


def test_markdown_may_hold_its_images(folder: Path) -> None:
    [file] = exported(folder, "nb.ipynb", to="md", embed=True, output="-")
    assert file.text is not None
    assert file.text.count(f"(data:image/png;base64,{PNG})") == 2


def test_markdown_without_code(folder: Path) -> None:
    [file] = exported(folder, "nb.ipynb", to="md", no_code=True, output="-")
    assert file.text is not None
    assert "x = 1" not in file.text and "written" in file.text


def test_outputs_cannot_close_their_fences(folder: Path) -> None:
    document = notebook(
        code("x", stream("```\n# not a heading\n")), markdown("```\nopen"), code("y")
    )
    (folder / "nb.ipynb").write_text(json.dumps(document))
    [file] = exported(folder, "nb.ipynb", to="md", output="-")
    from markdown_it import MarkdownIt

    tokens = MarkdownIt().parse(file.text or "")
    assert [token.type for token in tokens] == ["fence"] * 4


def test_a_table_becomes_one_of_markdown(folder: Path) -> None:
    import pandas as pd

    table = pd.DataFrame({"a|b": ["x | y", "<b>"], "n": [1, 2]})
    document = notebook(code("t", shown(text_html=table._repr_html_(), text_plain="t")))
    (folder / "nb.ipynb").write_text(json.dumps(document))
    [file] = exported(folder, "nb.ipynb", to="md", output="-")
    assert file.text is not None
    assert "| 0 | x \\| y | 1 |" in file.text
    assert "| 1 | \\<b\\> | 2 |" in file.text


def test_a_page_of_ten_thousand_cells(folder: Path) -> None:
    cells = [code(f"x = {at}", stream(f"{at}\n")) for at in range(10_000)]
    (folder / "nb.ipynb").write_text(json.dumps(notebook(*cells)))
    exported(folder, "nb.ipynb")
    html = (folder / "nb.html").read_text("utf-8")
    assert 'id="cell-9999"' in html


def test_a_name_with_a_number_is_nobody_elses(folder: Path) -> None:
    for each in ("a/x", "b/x", "c/x-2"):
        (folder / each).parent.mkdir()
        (folder / f"{each}.py").write_text(f"# %%\n'{each}'\n")
    exported(folder, "a/x.py", "b/x.py", "c/x-2.py", to="md", output="out/")
    assert len(list((folder / "out").iterdir())) == 3
    assert "c/x-2" in (folder / "out" / "x-2.md").read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_device_is_written_to_and_stays(folder: Path) -> None:
    path = folder / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        exported(folder, "nb.ipynb", to="md", output="pipe", embed=True, force=True)
        assert os.read(reader, 65536)
    finally:
        os.close(reader)
    assert path.is_fifo()
