"""nbdime, jupytext, papermill, scrapbook and Gitea's renderer read every executed notebook."""

from __future__ import annotations

import configparser
import re
import textwrap
from pathlib import Path
from typing import Any

import jupytext
import nbdime
import nbformat
import papermill
import pytest
import scrapbook
from nbdime.patching import patch
from papermill.iorw import load_notebook_node

from ecosystem.making import Executed, command

pytestmark = pytest.mark.kernel

PAGE = (Path(__file__).parents[2] / "docs" / "ecosystem.md").read_text("utf-8")


def source_of(executed: Executed) -> Path:
    path = executed.source.parent / "sources" / f"{executed.name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        return path
    done = command("octavo", "convert", executed.source, "-o", path, cwd=executed.source.parent)
    assert path.exists(), done.stderr
    return path


def test_nbdime_tells_what_a_run_added(executed: Executed) -> None:
    base = nbformat.read(source_of(executed), as_version=4)
    run = nbformat.read(executed.path, as_version=4)
    difference = nbdime.diff_notebooks(base, run)
    assert patch(base, difference) == run
    (cells,) = (entry["diff"] for entry in difference if entry["key"] == "cells")
    touched = {entry["key"] for cell in cells if cell["op"] == "patch" for entry in cell["diff"]}
    assert {entry["op"] for entry in cells} == {"patch"}, "a run neither adds nor removes a cell"
    assert touched <= {"execution_count", "metadata", "outputs"}


def test_nbdiff_and_nbshow_show_it(run_by_octavo: Any) -> None:
    executed = run_by_octavo("gallery")
    shown = command("nbshow", executed.path, cwd=executed.path.parent)
    assert (shown.returncode, "Traceback" in shown.stderr) == (0, False), shown.stderr
    assert "execution_count: 2" in shown.stdout
    told = command("nbdiff", source_of(executed), executed.path, cwd=executed.path.parent)
    assert (told.returncode, "Traceback" in told.stderr) == (0, False), told.stderr
    assert re.search(r"inserted before /cells/1/outputs/0", told.stdout)
    assert "told on stderr" in told.stdout


def test_jupytext_gives_the_source_back(executed: Executed) -> None:
    run = nbformat.read(executed.path, as_version=4)
    script = jupytext.writes(run, fmt="py:percent")
    back = jupytext.reads(script, fmt="py:percent")
    assert [(cell.cell_type, cell.source) for cell in back.cells] == [
        (cell.cell_type, cell.source) for cell in run.cells
    ]


def test_papermill_reads_it_and_its_parameters(executed: Executed) -> None:
    notebook = load_notebook_node(str(executed.path))
    assert notebook.metadata.papermill["version"].startswith("octavo ")
    inferred = papermill.inspect_notebook(str(executed.path))
    if executed.name.startswith("agent_task"):
        assert inferred["threshold"]["default"] == "0.9"
        assert inferred["threshold"]["inferred_type_name"] == "float"
    elif executed.name.startswith("fleet"):
        assert "agent_id" in inferred


def test_scrapbook_reads_what_was_handed_out(executed: Executed) -> None:
    notebook = scrapbook.read_notebook(str(executed.path))
    scraps = notebook.scraps.data_dict
    if executed.name == "gallery":
        assert {name: scraps[name] for name in ("score", "words", "note")} == {
            "score": 0.75,
            "words": ["a", "b"],
            "note": "as text",
        }
    else:
        assert {"health_score", "alert_count"} <= set(scraps)
        assert isinstance(scraps["health_score"], float)
    assert set(notebook.scrap_dataframe["name"]) == set(scraps)
    assert set(notebook.cell_timing) and notebook.execution_counts


def test_scrapbook_reads_a_folder_of_runs(run_by_octavo: Any) -> None:
    names = ["fleet_health_check-success", "agent_task_system_health-success"]
    paths = [run_by_octavo(name).path for name in names]
    book = scrapbook.read_notebooks(str(paths[0].parent))
    assert set(names) <= set(book.notebook_scraps)
    assert book.scraps.data_dict["health_score"] in [
        scraps["health_score"].data
        for name, scraps in book.notebook_scraps.items()
        if name != "gallery"
    ]


def test_papermill_runs_an_executed_notebook_again(tmp_path: Path, run_by_octavo: Any) -> None:
    executed = run_by_octavo("fleet_health_check-success")
    words = ("papermill", executed.path, tmp_path / "again.ipynb", "--cwd", executed.source.parent)
    done = command(*words, "-p", "load_threshold", "0.1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = scrapbook.read_notebook(str(tmp_path / "again.ipynb"))
    before = scrapbook.read_notebook(str(executed.path))
    assert again.scraps["alert_count"].data > before.scraps["alert_count"].data


def test_the_command_that_gitea_calls_gives_a_page(tmp_path: Path, run_by_octavo: Any) -> None:
    settings = configparser.ConfigParser()
    settings.read_string(
        textwrap.dedent(PAGE[PAGE.index("    [markup.jupyter]") :].split("\n\n")[0])
    )
    words = settings["markup.jupyter"]["RENDER_COMMAND"].split()
    text = run_by_octavo("gallery").path.read_text("utf-8")
    done = command(*words, cwd=tmp_path, text=text)
    assert done.returncode == 0, done.stderr
    assert "data:image/png;base64," in done.stdout
    assert "<html" not in done.stdout, "Gitea puts it into a page of its own"
