"""`import scrapbook` where scrapbook is not installed."""

from __future__ import annotations

import venv
from pathlib import Path
from typing import Any

import pytest

import octavo

pytestmark = pytest.mark.kernel

NOTEBOOK = """\
# %%
import scrapbook as sb
from scrapbook import glue, read_notebook

sb.glue("n", 3)
glue("where", sb.__spec__.origin)

# %%
{more}
"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose environment has no packages, and that asks for the stand-in."""
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)
    (tmp_path / "octavo.toml").write_text("scrapbook_shim = true\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return tmp_path


def run(more: str = "", **given: Any) -> octavo.RunResult:
    Path("nb.py").write_text(NOTEBOOK.format(more=more))
    return octavo.run("nb.py", **given)


def test_glue_works_without_the_package(bare: Path) -> None:
    result = run()
    assert result.raise_for_status().scraps == {"n": 3, "where": "octavo"}
    assert octavo.read_notebook("last").scraps["n"].data == 3


def test_it_is_off_unless_asked_for(bare: Path) -> None:
    (bare / "octavo.toml").write_text("")
    failed = run().failed_cell
    assert failed is not None
    assert (failed.ename, failed.evalue) == ("ModuleNotFoundError", "No module named 'scrapbook'")


def test_what_it_does_not_have_is_told(bare: Path) -> None:
    failed = run('read_notebook("a.ipynb")').failed_cell
    assert failed is not None and failed.ename == "NotImplementedError"
    assert "octavo.read_notebook" in failed.evalue and "Install scrapbook" in failed.evalue
    failed = run("sb.encoders").failed_cell
    assert failed is not None and failed.ename == "AttributeError"
    assert failed.evalue.startswith("scrapbook.encoders: this is Octavo's stand-in")


def test_a_scrapbook_that_is_there_is_the_one_that_is_used(bare: Path) -> None:
    (bare / "scrapbook.py").write_text(
        "def read_notebook(): ...\ndef glue(name, value): print(name)\n"
    )
    result = run()
    assert result.raise_for_status().scraps == {}


def test_the_real_one_is_used_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.octavo]\nscrapbook-shim = true\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    scraps = run().raise_for_status().scraps
    assert scraps["n"] == 3
    assert scraps["where"].endswith("scrapbook/__init__.py")


def test_it_must_be_true_or_false(bare: Path) -> None:
    (bare / "octavo.toml").write_text('scrapbook_shim = "yes"\n')
    with pytest.raises(octavo.UsageError, match="must be true or false") as caught:
        run()
    assert (caught.value.kind, caught.value.hint) == ("configuration", "scrapbook_shim = true")
