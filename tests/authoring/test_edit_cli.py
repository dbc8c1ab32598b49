"""`octavo create` and `octavo edit` as people and agents call them, and the same from Python."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import octavo
from cli.calling import Answer, variables
from octavo.app.table import find as find_operation
from octavo.surfaces.cli.commands import COMMANDS, find
from octavo.surfaces.cli.main import main

SCRIPT = '# %% [markdown]\n# # Title\n\n# %% name="load"\nx = 1\n\n# %%\ny = 2\n'
Call = Callable[..., Answer]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(SCRIPT)
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    def called(*words: str, given: str | bytes = "") -> Answer:
        data = given if isinstance(given, bytes) else given.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main([*words])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return called


def test_an_edit_is_shown_as_a_diff(call: Call) -> None:
    code, out, err = call("edit", "nb.py", "load", "-s", "x = 3")
    assert (code, err) == (0, "")
    assert out.startswith("✓ nb.py  cell 1 replaced  ")
    assert '\n@@ -2,7 +2,7 @@\n # # Title\n \n # %% name="load"\n-x = 1\n+x = 3\n' in out


def test_the_last_cell_by_its_number(call: Call) -> None:
    assert call("edit", "nb.py", "-1", "--source", "y = 3").code == 0
    assert Path("nb.py").read_text() == SCRIPT.replace("y = 2", "y = 3")


def test_the_source_from_standard_input(call: Call) -> None:
    assert call("edit", "nb.py", "1", "-", given="x = 4\n").code == 0
    assert call("edit", "nb.py", "2", "--file", "-", given="y = 5\r\n").code == 0
    assert Path("nb.py").read_text() == SCRIPT.replace("x = 1", "x = 4").replace("y = 2", "y = 5")
    assert call("edit", "nb.py", "1", "-", given=b"\xff").code == 2


def test_many_edits_from_standard_input(call: Call) -> None:
    edits = [{"op": "delete", "cell": "load"}, {"op": "insert", "source": "z = 3"}]
    answer = call("edit", "nb.py", "--edits", "-", "--json", given=json.dumps(edits))
    assert [cell["op"] for cell in answer.json["cells"]] == ["delete", "insert"]
    assert Path("nb.py").read_text().endswith("# %%\ny = 2\n\n# %%\nz = 3\n")


def test_a_stale_edit_answers_with_what_is_there(call: Call) -> None:
    answer = call("edit", "nb.py", "load", "-s", "x = 2", "--expect", "0000aaaa", "--json")
    error = answer.json["error"]
    assert (answer.code, error["kind"]) == (2, "stale")
    assert error["details"]["current"]["source"] == "x = 1"
    told = call("edit", "nb.py", "load", "-s", "x = 2", "--expect", "0000aaaa")
    assert "  x = 1\n" in told.err and Path("nb.py").read_text() == SCRIPT
    known = error["details"]["current"]["handle"]
    assert call("edit", "nb.py", known, "-s", "x = 2", "--expect", known).code == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--replace", "1", "9"), "x = 9"),
        (("--name", "read"), '# %% name="read"'),
        (("--name", ""), "# %%\nx = 1"),
        (("--tag", "a", "--tag", "b"), '# %% name="load" tags=["a", "b"]'),
        (("--kind", "raw"), '# %% [raw] name="load"\n# x = 1'),
        (("--move-before", "0"), '# %% name="load"\nx = 1\n\n# %% [markdown]\n'),
        (("--move-after", "-1"), "y = 2\n\n# %% name"),
        (("--insert", "before", "-s", "w = 0"), "# %%\nw = 0\n\n# %% name"),
        (("--insert", "after", "-s", "## T", "--kind", "markdown"), "1\n\n# %% [markdown]\n# ## T"),
        (("-s", "x = 7", "--name", "n", "--tag", "t"), '# %% name="n" tags=["t"]\nx = 7'),
    ],
)  # fmt: skip
def test_what_can_be_done(words: tuple[str, ...], line: str, call: Call) -> None:
    assert call("edit", "nb.py", "load", *words).code == 0
    assert line in Path("nb.py").read_text()


def test_deleting_and_a_dry_run(call: Call) -> None:
    assert "would be deleted" in call("edit", "nb.py", "load", "--delete", "--dry-run").out
    assert Path("nb.py").read_text() == SCRIPT
    assert "deleted" in call("edit", "nb.py", "load", "--delete").out
    assert "x = 1" not in Path("nb.py").read_text()
    assert "is so already" in call("edit", "nb.py", "0", "-s", "# Title").out


def test_terminal_escapes_in_a_notebook_do_nothing(call: Call) -> None:
    Path("nb.py").write_text("# %%\nx = '\x1b[2J'\n")
    assert "\x1b" not in call("edit", "nb.py", "0", "-s", "x = '\x1b]0;t\x07'").out


def test_create_and_its_list(call: Call) -> None:
    answer = call("create", "Count\x1b[31m the hosts", "--json")
    assert answer.json == {
        "path": "notebooks/count_31m_the_hosts.py", "template": "task", "beside": None,
    }  # fmt: skip
    assert call("create", "Other").out.startswith("✓ notebooks/other.py")
    listed = call("create", "--list")
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == [
        "task", "check", "data", "report",
    ]  # fmt: skip
    assert call("create").code == 2
    printed = call("create", "Printed", "-").out
    assert printed.startswith("# %% [markdown]\n# # Printed\n")


def test_dashes_and_underlines_are_the_same(call: Call) -> None:
    for entry in COMMANDS:
        assert find(entry.name.replace("_", "-")) is entry
        assert find(entry.name.replace("-", "_")) is entry
    made = call("notebook-create", "Count them", "--json").json["path"]
    assert call("notebook-edit", made, "-1", "assert True").code == 0
    assert call("notebook_edit", made, "-1", "-", given="assert 1").code == 0
    assert Path(made).read_text().endswith('# %% name="check"\nassert 1\n')


def test_from_python(call: Call) -> None:
    path = octavo.notebook_create("Count the hosts")
    assert path == "notebooks/count_the_hosts.py"
    answer = octavo.notebook_edit(path, -1, "-1")
    assert answer.changed and Path(path).read_text().endswith('# %% name="check"\n-1\n')
    with pytest.raises(octavo.NotebookError, match="syntax"):
        octavo.notebook_edit(Path(path), "check", "-")
    with pytest.raises(octavo.OctavoError):
        octavo.notebook_edit(path, 99, "x = 1")


def test_from_python_within_an_event_loop(call: Call) -> None:
    async def work() -> str:
        return octavo.notebook_create("Count")

    assert asyncio.run(work()) == "notebooks/count.py"


@pytest.mark.parametrize("name", ["create", "edit", "notebook_create", "notebook_edit"])
def test_agents_see_it(name: str) -> None:
    entry: Any = find_operation(name)
    assert entry.agents and entry.examples
