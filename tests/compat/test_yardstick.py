"""What Papermill's documentation promises, asked of Papermill and of `octavo run` alike."""

from __future__ import annotations

import base64
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest

from compat.conftest import Program
from compat.notebooks import code, read, text, write

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

DECLARED = 'a = 1\nb = 0.5\nc = "x"\nd = None'
SHOWN = "import os\nprint([a, b, c, d], os.path.basename(os.getcwd()))"
YAML = "{a: 7, b: 1.5, c: yes please}"
ENCODED = base64.b64encode(b"a: 8\nc: 2020-01-31\n").decode()

#: Words for Papermill after the two paths, and words for `octavo run` after `-o out.ipynb`.
SAME: dict[str, tuple[list[str], list[str]]] = {
    "defaults": ([], []),
    "typed": (
        ["-p", "a", "-3", "-p", "b", "2.5", "-p", "c", "a b", "-p", "d", "True"],
        ["-p", "a", "-3", "-p", "b", "2.5", "-p", "c", "a b", "-p", "d", "True"],
    ),
    "raw": (["-r", "c", "007"], ["-r", "c", "007"]),
    "file": (["-f", "values.yaml"], ["-f", "values.yaml"]),
    "yaml": (["-y", YAML], ["-y", YAML]),
    "base64": (["-b", ENCODED], ["-b", ENCODED]),
    "later-wins": (
        ["-r", "c", "r", "-p", "a", "3", "-y", YAML, "-f", "values.yaml", "-b", ENCODED],
        ["-r", "c", "r", "-p", "a", "3", "-y", YAML, "-f", "values.yaml", "-b", ENCODED],
    ),
    "folder": (["--cwd", "sub"], ["--cwd", "sub"]),
    "kernel": (["-k", "python3"], ["-k", "python3"]),
}


def outcome(path: Path) -> dict[str, Any]:
    """What a reader sees of an executed notebook."""
    notebook = read(path)
    return {
        "sources": [cell.source for cell in notebook.cells],
        "tags": [cell.metadata.get("tags", []) for cell in notebook.cells],
        "outputs": [cell.get("outputs") for cell in notebook.cells],
        "counts": [cell.get("execution_count") for cell in notebook.cells],
        "parameters": notebook.metadata.papermill.parameters,
    }


@pytest.fixture
def notebook(folder: Path) -> Path:
    (folder / "sub").mkdir()
    (folder / "values.yaml").write_text("a: 5\nd: [1, two]\n")
    return write(folder / "in.ipynb", text("# T"), code(DECLARED, "parameters"), code(SHOWN))


@pytest.mark.parametrize("case", SAME)
def test_parameters_and_surroundings(
    case: str, notebook: Path, folder: Path, program: Program
) -> None:
    theirs, ours = SAME[case]
    done = program("papermill", "in.ipynb", "theirs.ipynb", "--no-progress-bar", *theirs)
    assert done.code == 0, done.err
    done = program("octavo", "run", "in.ipynb", "-o", "ours.ipynb", "-q", *ours)
    assert done.code == 0, done.err
    assert outcome(folder / "ours.ipynb") == outcome(folder / "theirs.ipynb")


def test_parameters_go_to_the_top_where_none_are_declared(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", text("# T"), code("print(z)"))
    program("papermill", "in.ipynb", "theirs.ipynb", "-p", "z", "1")
    words = ("-p", "z", "1", "--allow-unknown", "-q")
    program("octavo", "run", "in.ipynb", "-o", "ours.ipynb", *words)
    assert outcome(folder / "ours.ipynb") == outcome(folder / "theirs.ipynb")


def test_an_output_can_be_run_again(notebook: Path, folder: Path, program: Program) -> None:
    """The injected cell is replaced, not added; each reads what the other has written."""
    program("papermill", "in.ipynb", "one.ipynb", "-p", "a", "2")
    program("octavo", "run", "one.ipynb", "-o", "two.ipynb", "-p", "a", "3", "-q")
    program("papermill", "two.ipynb", "three.ipynb", "-p", "a", "4")
    found = read(folder / "three.ipynb")
    assert [cell.source for cell in found.cells][2] == "# Parameters\na = 4\n"
    assert len(found.cells) == 4
    assert found.cells[3].outputs[0].text.startswith("[4,")


def test_report_mode(notebook: Path, folder: Path, program: Program) -> None:
    program("papermill", "in.ipynb", "theirs.ipynb", "--report-mode", "-p", "a", "2")
    program("octavo", "run", "in.ipynb", "-o", "ours.ipynb", "--report-mode", "-p", "a", "2", "-q")

    def hidden(name: str) -> list[Any]:
        return [cell.metadata.get("jupyter") for cell in read(folder / name).cells]

    assert hidden("ours.ipynb") == hidden("theirs.ipynb")


def test_prepare_only(notebook: Path, folder: Path, program: Program) -> None:
    program("papermill", "in.ipynb", "theirs.ipynb", "--prepare-only", "-p", "a", "2")
    program("octavo", "run", "in.ipynb", "-o", "ours.ipynb", "--prepare-only", "-p", "a", "2")
    theirs, ours = read(folder / "theirs.ipynb"), read(folder / "ours.ipynb")
    assert [cell.source for cell in ours.cells] == [cell.source for cell in theirs.cells]
    assert all(cell.get("outputs", []) == [] for cell in ours.cells)


def test_stream_files(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("import sys\nprint(1)"), code("print(2, file=sys.stderr)"))
    for name, words in {
        "theirs": ("papermill", "in.ipynb", "t.ipynb"),
        "ours": ("octavo", "run", "in.ipynb", "-q"),
    }.items():
        files = (f"--stdout-file={name}.out", f"--stderr-file={name}.err")
        assert program(*words, *files).code == 0
    assert (folder / "ours.out").read_text() == (folder / "theirs.out").read_text() == "1\n"
    assert (folder / "ours.err").read_text() == (folder / "theirs.err").read_text() == "2\n"


def test_standard_input_and_output(notebook: Path, folder: Path, program: Program) -> None:
    content = notebook.read_text()
    theirs = program("papermill", "-", "-", "-p", "a", "2", stdin=content)
    ours = program("octavo", "run", "-", "-o", "-", "-p", "a", "2", stdin=content)
    for name, done in (("theirs", theirs), ("ours", ours)):
        assert done.code == 0, done.err
        (folder / f"{name}.ipynb").write_text(done.out)
    assert outcome(folder / "ours.ipynb") == outcome(folder / "theirs.ipynb")


def test_papermill_pipes_through_our_engine(notebook: Path, program: Program) -> None:
    done = program("papermill", "--engine", "octavo", stdin=notebook.read_text())
    assert nbformat.reads(done.out, as_version=4).cells[2].outputs[0].text.startswith("[1, 0.5")


def test_parameters_in_paths(notebook: Path, folder: Path, program: Program) -> None:
    notebook.rename(folder / "in-5.ipynb")
    program("papermill", "in-{a}.ipynb", "theirs-{c}.ipynb", "-p", "a", "5", "-p", "c", "y")
    words = ("in-{a}.ipynb", "-o", "ours-{c}.ipynb", "-p", "a", "5", "-p", "c", "y", "-q")
    assert program("octavo", "run", *words).code == 0
    assert outcome(folder / "ours-y.ipynb") == outcome(folder / "theirs-y.ipynb")
    theirs = program("papermill", "in-5.ipynb", "out-{zz}.ipynb")
    ours = program("octavo", "run", "in-5.ipynb", "-o", "out-{zz}.ipynb")
    assert theirs.code and ours.code
    assert "zz" in theirs.err and "zz" in ours.err


def test_injected_paths(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("print(PAPERMILL_INPUT_PATH, PAPERMILL_OUTPUT_PATH)"))
    program("papermill", "in.ipynb", "out.ipynb", "--inject-paths")
    theirs = outcome(folder / "out.ipynb")
    assert program("octavo", "run", "in.ipynb", "-o", "out.ipynb", "--inject-paths", "-q").code == 0
    assert outcome(folder / "out.ipynb") == theirs


def test_notebooks_from_the_web(notebook: Path, folder: Path, program: Program) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/in.ipynb"
        program("papermill", address, "theirs.ipynb", "-p", "a", "2")
        done = program("octavo", "run", address, "-o", "ours.ipynb", "-p", "a", "2", "-q")
        server.shutdown()
    assert done.code == 0, done.err
    assert outcome(folder / "ours.ipynb") == outcome(folder / "theirs.ipynb")


def test_a_cell_that_takes_too_long(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("1"), code("while True: pass"), code("2"))
    theirs = program("papermill", "in.ipynb", "t.ipynb", "--execution-timeout", "1")
    ours = program("octavo", "run", "in.ipynb", "-o", "o.ipynb", "--cell-timeout", "1")
    assert theirs.code == ours.code == 1
    assert read(folder / "o.ipynb").cells[0].outputs == read(folder / "t.ipynb").cells[0].outputs


def test_a_cell_that_raises(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("print('kept')"), code("1/0"), code("2"))
    theirs = program("papermill", "in.ipynb", "t.ipynb")
    ours = program("octavo", "run", "in.ipynb", "-o", "o.ipynb")
    assert theirs.code == ours.code == 1
    for done in (theirs, ours):
        assert "ZeroDivisionError: division by zero" in done.err + done.out
    found = read(folder / "o.ipynb")
    assert found.cells[0].outputs[0].text == "kept\n"
    assert found.cells[1].metadata.papermill.status == "failed"
    assert found.metadata.papermill.exception is True


def test_a_dead_kernel_has_an_exit_code_of_its_own(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("import os; os._exit(1)"))
    for engine in ("nbclient", "octavo"):
        done = program("papermill", "in.ipynb", "out.ipynb", "--engine", engine)
        assert done.code == 138
        assert "DeadKernelError" in done.err


def test_help_notebook(notebook: Path, program: Program) -> None:
    theirs = program("papermill", "--help-notebook", "in.ipynb")
    ours = program("octavo", "run", "--help-notebook", "in.ipynb")
    assert theirs.code == ours.code == 0
    for name in "abcd":
        assert f"  {name}: " in theirs.out
        assert f"\n{name} " in ours.out


def test_output_is_logged(folder: Path, program: Program) -> None:
    write(folder / "in.ipynb", code("print('said')"))
    for engine in ("nbclient", "octavo"):
        words = ("in.ipynb", "out.ipynb", "--log-output", "--no-progress-bar", "--engine", engine)
        assert "said" in program("papermill", *words).err
    assert "said" in program("octavo", "run", "in.ipynb", "--log-output").err


def test_what_papermill_wrote_is_shown_and_read(
    notebook: Path, folder: Path, program: Program
) -> None:
    program("papermill", "--engine", "octavo", "in.ipynb", "out.ipynb", "-p", "a", "2")
    done = program("octavo", "show", "last")
    assert done.code == 0 and "[2, 0.5" in done.out
    runs = json.loads(program("octavo", "runs", "--json").out)["runs"]
    assert [run["parameters"] for run in runs] == [{"a": 2}]
