from __future__ import annotations

import hashlib
import sys
from importlib import metadata
from pathlib import Path

from environments.making import MakeVenv, site_packages
from octavo.environments.launch import Environment
from octavo.environments.packages import lock, packages


def of(root: Path, **given: str) -> Environment:
    return Environment(str(root / "bin/python"), "a test", root=str(root), **given)  # type: ignore[arg-type]


def test_versions_are_those_of_the_installed_metadata() -> None:
    found = packages(Environment(sys.executable, "a test", root=sys.prefix))
    assert found["ipython"] == metadata.version("ipython")
    assert found["hypothesis"] == metadata.version("hypothesis")
    assert list(found) == sorted(found)


def test_names_are_normalised_and_odd_entries_left_out(make_venv: MakeVenv) -> None:
    root = make_venv()
    for name in ("Typing_Extensions-4.1.dist-info", "old-1.0-py3.11.egg-info", "x.dist-info", "y"):
        (site_packages(root) / name).mkdir()
    assert packages(of(root)) == {"old": "1.0", "typing-extensions": "4.1"}


def test_of_two_the_one_that_is_imported_is_listed(make_venv: MakeVenv) -> None:
    system, root = make_venv("usr"), make_venv()
    version = "{}.{}.0".format(*sys.version_info)
    (root / "pyvenv.cfg").write_text(
        f"home = {system}/bin\nversion = {version}\ninclude-system-site-packages = true\n"
    )
    (site_packages(system) / "a-1.0.dist-info").mkdir()
    (site_packages(system) / "b-1.0.dist-info").mkdir()
    (site_packages(root) / "a-2.0.dist-info").mkdir()
    assert packages(of(root)) == {"a": "2.0", "b": "1.0"}


def test_the_lock_of_a_project_and_of_a_script(make_venv: MakeVenv, tmp_path: Path) -> None:
    root = make_venv()
    notebook = str(tmp_path / "nb.py")
    assert lock(of(root), notebook) is None
    (tmp_path / "uv.lock").write_text("version = 1\n")
    (tmp_path / "nb.py.lock").write_text("version = 2\n")
    digest = hashlib.sha256(b"version = 1\n").hexdigest()
    assert lock(of(root), notebook) == {"path": str(tmp_path / "uv.lock"), "sha256": digest}
    script = lock(of(root, kind="script"), notebook)
    assert script is not None
    assert script["path"] == f"{notebook}.lock"
