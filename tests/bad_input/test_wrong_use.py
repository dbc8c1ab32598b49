"""Words that make no sense: refused for people and for machines alike."""

from __future__ import annotations

import pytest

from bad_input.refusing import Folder


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["rum", "nb.py"], "octavo run"),
        (["xyzzy"], "octavo --help"),
        (["run", "nb.py", "--outptu", "x"], "--output"),
        (["run", "nb.py", "-z"], "octavo run --help"),
        (["run"], "octavo run"),
        (["run", "nb.py", "-p", "n"], "-p NAME VALUE"),
        (["run", "nb.py", "-j", "0"], "-j 1"),
        (["run", "nb.py", "-j", "many"], "octavo run --help"),
        (["run", "nb.py", "--timeout", "soon"], "octavo run --help"),
        (["run", "nb.py", "--timeout", "-5"], "octavo run --help"),
        (["run", "nb.py", "--memory", "lots"], "octavo run --help"),
        (["runs", "-n", "0"], "newest 20"),
        (["runs", "--since", "soonish"], "2h"),
        (["scraps"], "octavo scraps last"),
        (["show", "--images", "sexel"], "sixel"),
        (["sync", "nowhere"], "name"),
    ],
)
def test_wrong_use(folder: Folder, words: list[str], hint: str) -> None:
    folder.write("nb.py", "# %%\nopen('ran', 'w').close()\n")
    error = folder.refuses(*words)
    assert error.code == 2
    assert hint in error.hint
