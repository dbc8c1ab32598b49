"""Real environments to choose from, and one cache for all workers."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest

from environments.making import MakeRequest, MakeVenv, site_packages
from octavo.environments.request import Request


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The caller's variables, with a home of its own and no environment that is active."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PYTHONPATH")
    }
    return {**kept, "HOME": str(tmp_path)}


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all workers share, so that what is slow to build is built once."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    return base / "octavo-cache"


@pytest.fixture
def request_for(tmp_path: Path, environ: dict[str, str]) -> MakeRequest:
    """A request for a notebook in the temporary folder, with a fresh cache."""

    def make(text: str = "# %%\n1\n", **given: object) -> Request:
        values: dict[str, object] = {
            "notebook": str(tmp_path / "nb.py"),
            "text": text,
            "cwd": str(tmp_path),
            "current": sys.executable,
            "cache": str(tmp_path / "cache"),
            "environ": environ,
        }
        request = Request(**{**values, **given})  # type: ignore[arg-type]
        Path(tmp_path, request.notebook).write_text(request.text)
        return request

    return make


@pytest.fixture
def make_venv(tmp_path: Path) -> MakeVenv:
    """Make a real environment without packages; `ipython` pretends that one is installed."""

    def make(root: Path | str = ".venv", ipython: str | None = None) -> Path:
        folder = tmp_path / root
        venv.create(folder, with_pip=False, symlinks=True)
        if ipython:
            site = site_packages(folder)
            (site / "IPython").mkdir()
            (site / "IPython" / "__init__.py").write_text("")
            (site / f"ipython-{ipython}.dist-info").mkdir()
        return folder

    return make
