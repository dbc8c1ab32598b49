"""`octavo scraps` over runs, files, folders and patterns."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.calling import Octavo, variables
from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.parser import parse
from octavo.surfaces.cli.shape import Shape

NOTEBOOK = """\
# %% tags=["parameters"]
n: int = 1

# %%
import pandas as pd
from octavo_runtime import glue

glue("n", n)
glue("accuracy", -0.25 * n)
glue("formula", f"=SUM(A{n})")
glue("minus", "-1 mile")
glue("metrics", {"precision": [0.5, None], "note": "wörter, \\"quoted\\"\\nlines"})
glue("df", pd.DataFrame({"a": [1, 2], "b": ["x", "=y"]}, index=["p", "q"]))
glue("nothing", None)
if n == 2:
    glue("only", True)

# %%
glue("n", n)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with three runs and their notebooks in `out`."""
    home = tmp_path_factory.mktemp("scraps")
    (home / "octavo.toml").write_text("")
    (home / "nb.py").write_text(NOTEBOOK)
    (home / "out" / "deeper").mkdir(parents=True)
    (home / "empty").mkdir()
    (home / "empty" / "notes.txt").write_text("")
    for n, name in ((1, "a"), (2, "b"), (3, "deeper/c")):
        command = [sys.executable, "-m", "octavo", "run", "nb.py", "-p", "n", str(n), "-q",
                   "-o", f"out/{name}.ipynb"]  # fmt: skip
        subprocess.run(
            command, cwd=home, env=variables(home), check=True, capture_output=True, timeout=120
        )
    return home


@pytest.fixture
def in_made(made: Path, octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> Octavo:
    monkeypatch.chdir(made)
    return octavo


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


pytestmark = pytest.mark.kernel


def test_a_table_of_a_pattern(in_made: Octavo) -> None:
    code, out, err = in_made("scraps", "out/*.ipynb", "--table", "--name", "n", "--name", "only",
                             "--name", "df", "--name", "metrics")  # fmt: skip
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "notebook     n  df           metrics                       only"
    assert lines[1] == 'out/a.ipynb  1  table 2 × 2  {"note": "wörter, \\"quoted\\…'
    assert lines[2] == 'out/b.ipynb  2  table 2 × 2  {"note": "wörter, \\"quoted\\…  true'
    assert len(lines) == 3
    assert in_made("scraps", "out", "n").out == "notebook     n\nout/a.ipynb  1\nout/b.ipynb  2\n"


def test_two_stars_reach_into_folders(in_made: Octavo) -> None:
    found = in_made("scraps", "out/**/*.ipynb", "--json").json["notebooks"]
    assert [os.path.relpath(each["path"]) for each in found] == [
        "out/a.ipynb", "out/b.ipynb", "out/deeper/c.ipynb",
    ]  # fmt: skip
    assert [each["scraps"]["n"] for each in found] == [1, 2, 3]


def test_several_words_and_each_notebook_once(in_made: Octavo) -> None:
    found = in_made("scraps", "out/b.ipynb", "out", "out/deeper/c.ipynb", "--json").json
    assert [each["scraps"]["n"] for each in found["notebooks"]] == [2, 1, 3]


def test_runs_are_rows_too(in_made: Octavo) -> None:
    lines = in_made("scraps", ".octavo/runs", "n").out.splitlines()
    assert [line.split()[0] for line in lines] == ["notebook", "nb.py", "nb.py", "nb.py"]
    assert [line.split()[-1] for line in lines] == ["n", "1", "2", "3"]
    pattern = in_made("scraps", ".octavo/runs/*/*", "--json").json["notebooks"]
    assert [each["scraps"]["n"] for each in pattern] == [1, 2, 3]
    ids = [each["run_id"] for each in pattern]
    both = in_made("scraps", ids[0][-8:], ids[2][-8:], "n", "--json").json["notebooks"]
    assert [each["scraps"] for each in both] == [{"n": 1}, {"n": 3}]


def test_csv_is_whole_and_no_spreadsheet_runs_it(in_made: Octavo) -> None:
    code, out, err = in_made("scraps", "out/*.ipynb", "--csv")
    assert (code, err) == (0, "")
    first, second = rows_of(out)
    assert list(first)[:3] == ["filename", "run_id", "n"]
    assert (first["filename"], first["n"], first["accuracy"]) == ("out/a.ipynb", "1", "-0.25")
    assert json.loads(first["metrics"]) == {
        "precision": [0.5, None], "note": 'wörter, "quoted"\nlines',
    }  # fmt: skip
    assert (first["formula"], first["minus"]) == ("'=SUM(A1)", "'-1 mile")
    assert (first["nothing"], first["only"], second["only"]) == ("", "", "true")
    assert json.loads(first["df"])["columns"] == ["a", "b"]
    assert first["run_id"] != second["run_id"]


def test_json_is_whole_and_its_shape_does_not_depend_on_what_matches(in_made: Octavo) -> None:
    many = in_made("scraps", "out/a*.ipynb", "--json").json
    (only,) = many["notebooks"]
    one = in_made("scraps", "out/a.ipynb", "--json").json
    assert one == only
    assert one["scraps"]["metrics"]["precision"] == [0.5, None]
    assert one["repeated"] == {"n": 2}
    assert one["notebook"].endswith("/nb.py")


def test_one_notebook_reads_as_one_run_does(in_made: Octavo) -> None:
    out = in_made("scraps", "out/deeper/c.ipynb").out
    of_run = in_made("scraps", "last").out
    assert {*out.splitlines()} ^ {*of_run.splitlines()} == {
        line for line in (out + of_run).splitlines() if line.startswith("metrics")
    }, "a file has the keys of an object in alphabetical order"
    assert "df        table, 2 rows × 2 columns, " in out
    assert out.endswith("n was handed out 2 times, this is the last value\n")


def test_one_scrap_for_a_shell(in_made: Octavo) -> None:
    assert in_made("scraps", "last", "formula").out == "=SUM(A3)\n"
    assert in_made("scraps", "out/a.ipynb", "accuracy").out == "-0.25\n"
    assert in_made("scraps", "last", "--name", "n").out == "3\n"
    assert in_made("scraps", "last", "nothing").out == "null\n"


def test_odd_tables(octavo: Octavo) -> None:
    Path("nb.py").write_text(
        "# %%\nimport pandas as pd\nfrom octavo_runtime import glue\n"
        "glue('empty', pd.DataFrame({'a': [], 'b': []}))\n"
        "glue('same', pd.DataFrame({'a': [1 / 3, None]}, index=pd.Index([1, 2], name='a')))\n"
        "glue('when', pd.DataFrame({'t': pd.to_datetime(['2026-01-02', None])}))\n"
    )
    assert octavo("run", "nb.py").code == 0
    assert octavo("scraps", "last", "empty").out == "an empty table: a, b\n"
    assert octavo("scraps", "last", "empty", "--csv").out == "a,b\n"
    same = octavo("scraps", "last", "same", "--csv").out
    assert same == "index 0,a\n1,0.3333333333333333\n2,\n"
    assert octavo("scraps", "last", "when", "--json").json["scraps"]["when"] == [
        {"t": "2026-01-02T00:00:00"}, {"t": None},
    ]  # fmt: skip


def test_a_table_that_was_handed_out(in_made: Octavo) -> None:
    assert in_made("scraps", "last", "df").out == "index  a  b\np      1  x\nq      2  =y\n"
    assert in_made("scraps", "last", "df", "--csv").out == "index,a,b\np,1,x\nq,2,'=y\n"
    assert in_made("scraps", "last", "df", "--json").json["scraps"] == {
        "df": [{"index": "p", "a": 1, "b": "x"}, {"index": "q", "a": 2, "b": "=y"}]
    }


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (("nix/*.ipynb",), "nothing-matches", "nix/*.ipynb matches nothing"),
        (("empty/*",), "nothing-matches", "empty/* matches only 1 that are neither notebooks"),
        (("empty",), "nothing-matches", "empty has no notebooks in it"),
        (("nix.ipynb",), "notebook-not-found", "there is no such file"),
        (("out", "nix.ipynb"), "notebook-not-found", "there is no such file"),
        (("nb.py",), "wrong-argument", "nb.py: not a .ipynb file"),
        (("nope",), "run-not-found", "no run matches 'nope'"),
        (("last", "metric"), "scrap-not-found", "no scrap 'metric'"),
        (("out", "metric"), "scrap-not-found", "no scrap 'metric'"),
    ],
)
def test_what_is_not_there(in_made: Octavo, words: Any, kind: str, said: str) -> None:
    code, out, err = in_made("scraps", *words)
    assert (code, out) == (2, "")
    assert said in err and "hint: " in err
    error = in_made("scraps", *words, "--json").json["error"]
    assert error["kind"] == kind
    assert error["hint"]


def test_names_that_were_probably_meant(in_made: Octavo) -> None:
    assert "did you mean metrics?" in in_made("scraps", "last", "metric").err
    assert "did you mean metrics?" in in_made("scraps", "out", "metric").err


def test_one_way_to_show_at_a_time(in_made: Octavo) -> None:
    code, out, err = in_made("scraps", "out", "--csv", "--table")
    assert (code, out) == (2, "")
    assert "--csv and --table" in err


def test_a_broken_notebook_is_named(in_made: Octavo, tmp_path: Path) -> None:
    (tmp_path / "good.ipynb").write_text('{"cells": []}')
    (tmp_path / "bad.ipynb").write_text("{")
    code, _, err = in_made("scraps", tmp_path)
    assert code == 2
    assert "bad.ipynb: not a notebook" in err


def test_notebooks_without_scraps(in_made: Octavo, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text('{"cells": []}')
    out = in_made("scraps", tmp_path).out
    assert out.splitlines()[-1] == "none of them handed out scraps"
    assert in_made("scraps", tmp_path / "a.ipynb").out == "the run handed out no scraps\n"
    assert in_made("scraps", tmp_path, "--csv").out.startswith("filename,run_id\n")


def test_names_cannot_speak_to_the_terminal(in_made: Octavo, tmp_path: Path) -> None:
    scrap = {"name": "a\x1b]0;x\x07b", "data": "\x1b[2Jtext", "encoder": "text", "version": 1}
    data = {"application/scrapbook.scrap.text+json": scrap}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [{"outputs": [output]}]}))
    for words in ((tmp_path / "a.ipynb",), (tmp_path,), (tmp_path, "--table")):
        assert "\x1b" not in in_made("scraps", *words).out


PAGE = (Path(__file__).parents[2] / "docs" / "scraps.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("call", re.findall(r"^    (octavo .*?)(?:  +#.*)?$", PAGE, re.MULTILINE))
def test_every_command_of_the_page_is_understood(call: str) -> None:
    _, name, *words = shlex.split(call)
    entry = find(name)
    assert entry is not None
    parse(Shape(entry), words)


def test_the_page_tells_of_every_encoder_and_attribute() -> None:
    from octavo_runtime.scraps import ENCODERS

    for encoder in ENCODERS:
        assert f'`"{encoder}"`' in PAGE
    for name in ("name", "data", "encoder", "display", "payload", "times"):
        assert f"`{name}`" in PAGE
