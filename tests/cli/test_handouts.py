"""Declared scraps on the command line: what is promised, and what became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.calling import NOTEBOOK, Octavo

DECLARATION = """
# %% tags=["scraps"]
n: int  # [..2 hosts] how many there were
words: list[str]
"""


@pytest.fixture
def declaring(octavo: Octavo) -> Octavo:
    Path("nb.py").write_text(NOTEBOOK.replace("\n# %% Double it", DECLARATION + "\n# %% Double it"))
    return octavo


def test_help_shows_what_is_handed_out(declaring: Octavo) -> None:
    out = declaring("run", "--help-notebook", "nb.py").out
    assert (
        out.partition("how many\n")[2]
        == """
hands out  type       bounds
n          int        ..2 hosts  how many there were
words      list[str]
"""
    )
    assert declaring("inspect", "nb.py").out == out
    told = declaring("inspect", "nb.py", "--json").json["x-notebook"]["scraps"]
    assert told["properties"]["n"]["x-unit"] == "hosts"


@pytest.mark.kernel
def test_a_broken_promise_is_a_failed_notebook(declaring: Octavo) -> None:
    code, out, _ = declaring("run", "nb.py", "-p", "n", "3")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("✗ scraps after")
    assert lines[1:4] == [
        "  n: 3 is above 2 hosts (declared at nb.py:8)",
        "  n      3 hosts",
        '  words  ["a", "b"]',
    ]
    assert "n: 3 is above 2 hosts" in declaring("show", "last").out
    assert declaring("runs", "--status", "scraps", "--json").json["runs"]


@pytest.mark.kernel
def test_a_kept_promise_is_a_success(declaring: Octavo) -> None:
    code, out, _ = declaring("run", "nb.py")
    assert code == 0
    assert "  n      1 hosts\n" in out


def test_a_declaration_that_makes_no_sense_is_refused(declaring: Octavo) -> None:
    text = Path("nb.py").read_text().replace("[..2 hosts]", "[at most 2..]")
    Path("nb.py").write_text(text)
    code, _, err = declaring("run", "nb.py")
    assert code == 2
    assert "nb.py:8: n: [at most 2..] are no bounds" in err
    assert not Path(".octavo").exists()
