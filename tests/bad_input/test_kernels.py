"""Kernels that are not there, or not what they say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from bad_input.refusing import Folder
from cli.jupyter_kernels import BASH, Kernels


@pytest.fixture
def kernels(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Kernels:
    folder = tmp_path_factory.mktemp("jupyter")
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    return Kernels(folder)


def fence(language: str) -> str:
    return f"```{language}\nhello\n```\n"


def test_an_unknown_kernel_names_the_closest(folder: Folder, kernels: Kernels) -> None:
    kernels.add("bash", "bash", BASH)
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--kernel", "bahs")
    assert (error.code, error.kind) == (2, "kernel-unknown")
    assert "did you mean bash?" in error.hint


def test_no_kernel_for_a_language_names_the_command_that_installs_one(
    folder: Folder, kernels: Kernels
) -> None:
    folder.write("nb.md", fence("julia"))
    error = folder.refuses("run", "nb.md")
    assert (error.code, error.kind) == (3, "kernel-missing")
    assert "IJulia" in error.hint


def test_parameters_for_a_language_that_nobody_translates(folder: Folder, kernels: Kernels) -> None:
    kernels.add("ruby", "ruby", BASH)
    folder.write("nb.md", fence("ruby"))
    error = folder.refuses("run", "nb.md", "-p", "x", "1")
    assert (error.code, error.kind, error.place) == (2, "language", "x")


def test_a_value_that_the_language_cannot_write(folder: Folder, kernels: Kernels) -> None:
    kernels.add("bash", "bash", BASH)
    folder.write("nb.md", fence("bash"))
    error = folder.refuses("run", "nb.md", "-y", "x: {a: 1}")
    assert error.kind == "parameter-type"


def test_an_unknown_engine_names_the_closest(folder: Folder) -> None:
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--engine", "jupiter")
    assert (error.code, error.kind) == (2, "wrong-argument")
    assert "did you mean jupyter?" in error.hint


def test_forking_another_language(folder: Folder, kernels: Kernels) -> None:
    folder.write("nb.md", fence("bash"))
    assert folder.refuses("run", "nb.md", "--engine", "fork").kind == "wrong-argument"


def test_modules_for_a_kernel_that_is_not_forked(folder: Folder) -> None:
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--engine", "jupyter", "--preload", "json")
    assert error.kind == "wrong-argument"


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("/no/such/program", "{connection_file}"), "/no/such/program"),
        ((sys.executable, "-c", "raise SystemExit('no licence')"), "no licence"),
    ],
)
def test_a_kernel_that_cannot_be_started_is_told(
    folder: Folder, kernels: Kernels, argv: tuple[str, ...], told: str
) -> None:
    kernels.add("odd", "ruby", argv)
    folder.write("nb.md", fence("ruby"))
    code, out, err = folder("run", "nb.md")
    assert code == 3
    assert told in out + err
    assert "Traceback" not in out + err


def test_an_engine_that_cannot_be_loaded(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = _site(tmp_path_factory.mktemp("site"), "broken = no_such_module:Engine")
    monkeypatch.syspath_prepend(site)
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--engine", "broken")
    assert (error.code, error.kind) == (3, "plugin")
    assert "no_such_module" in error.message


def test_an_engine_that_is_none(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = _site(tmp_path_factory.mktemp("site"), "list = builtins:list")
    monkeypatch.syspath_prepend(site)
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--engine", "list")
    assert (error.kind, "it has no start" in error.message) == ("plugin", True)


def _site(folder: Path, entry: str) -> str:
    """A folder of packages with one that brings an engine."""
    info = folder / "odd-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[octavo.kernels]\n{entry}\n")
    return str(folder)


def test_jupyters_client_is_an_extra(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    absent = ("jupyter_client", "zmq")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in absent else find(name)
    )
    folder.write("nb.py", "# %%\n1\n")
    error = folder.refuses("run", "nb.py", "--engine", "jupyter")
    assert (error.code, error.kind) == (3, "extra-missing")
    assert "octavo[jupyter]" in error.hint
