"""Environments that have no IPython, with real interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from environments.making import MakeRequest, MakeVenv, site_packages
from octavo.environments.choose import choose
from octavo.environments.find import find_interpreter
from octavo.environments.overlay import copy_distributions, overlay_folder
from octavo.environments.packages import packages
from octavo.environments.request import Request
from octavo.environments.resolve import resolve
from octavo.errors import OctavoError


def refused(request: Request) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        resolve(request)
    assert caught.value.hint
    return caught.value


@pytest.fixture
def bare(request_for: MakeRequest, make_venv: MakeVenv, shared_cache: Path) -> Request:
    """A request for a notebook beside an environment without IPython."""
    make_venv()
    return request_for(cache=str(shared_cache))


def test_ipython_comes_from_the_overlay_and_the_environment_stays_as_it_was(
    bare: Request, tmp_path: Path
) -> None:
    before = sorted(site_packages(tmp_path / ".venv").iterdir())
    environment = resolve(bare.replace(offline=True, uv="/nowhere/uv"))
    code = "import sys; sys.path.append(sys.argv[1]); import IPython; print(IPython.__file__)"
    shown = subprocess.run(
        [environment.python, "-c", code, str(environment.overlay)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.startswith(f"{environment.overlay}/IPython/")
    assert environment.python == str(tmp_path / ".venv/bin/python")
    assert sorted(site_packages(tmp_path / ".venv").iterdir()) == before
    assert packages(environment) == {}


def test_the_interpreter_is_tried_once(bare: Request) -> None:
    first = resolve(bare)
    choice = choose(bare)
    assert (choice.work, choice.environment) == ("", first)


def test_it_is_tried_again_after_a_change(bare: Request, tmp_path: Path) -> None:
    resolve(bare)
    (site_packages(tmp_path / ".venv") / "new.py").write_text("")
    assert choose(bare).work == "probe"
    resolve(bare)
    os.utime(tmp_path / ".venv/pyvenv.cfg", (1, 1))
    assert choose(bare).work == "probe"


def test_packages_of_the_environment_come_first(bare: Request, tmp_path: Path) -> None:
    site = site_packages(tmp_path / ".venv")
    (site / "traitlets").mkdir()
    (site / "traitlets/__init__.py").write_text("raise ImportError('traitlets of the user')")
    error = refused(bare)
    assert error.kind == "environment-broken"
    assert "traitlets of the user" in error.message
    command = f"uv pip install --python {tmp_path}/.venv/bin/python 'ipython>=8'"
    assert error.hint.endswith(command)
    assert choose(bare).work == "probe"


def test_an_overlay_that_was_half_made_is_made_again(tmp_path: Path, request_for: MakeRequest,
    make_venv: MakeVenv) -> None:  # fmt: skip
    make_venv()
    request = request_for(offline=True, uv="/nowhere/uv")
    left = Path(overlay_folder(request.cache, sys.implementation.cache_tag), "IPython")
    left.mkdir(parents=True)
    (left / "__init__.py").write_text("raise SystemExit('half')")
    assert resolve(request).overlay == str(left.parent)


def test_distributions_are_copied_with_all_that_they_need(tmp_path: Path) -> None:
    assert copy_distributions(str(tmp_path / "overlay"))
    names = {path.name for path in (tmp_path / "overlay").iterdir()}
    assert {"IPython", "traitlets", "pygments", "prompt_toolkit"} <= names
    assert "pytest" not in names
    source = tmp_path / "overlay/IPython/core/interactiveshell.py"
    assert list(source.parent.glob(f"__pycache__/interactiveshell.{sys.implementation.cache_tag}*"))


def test_what_is_not_installed_cannot_be_copied(tmp_path: Path) -> None:
    assert not copy_distributions(str(tmp_path / "overlay"), "no-such-distribution")
    assert not (tmp_path / "overlay").exists()


class TestInterpreters:
    def test_an_interpreter_outside_any_environment_is_asked_what_it_is(
        self, request_for: MakeRequest
    ) -> None:
        choice = choose(request_for(python=os.path.realpath(sys.executable)))
        assert (choice.work, choice.environment.kind) == ("probe", "python")

    def test_a_program_that_is_no_python(self, request_for: MakeRequest, tmp_path: Path) -> None:
        program = tmp_path / "python"
        program.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
        program.chmod(0o755)
        error = refused(request_for(python=str(program)))
        assert error.kind == "interpreter-missing"
        assert error.message == f"{program} does not start: no such version"

    def test_a_file_that_cannot_be_executed(self, request_for: MakeRequest, tmp_path: Path) -> None:
        program = tmp_path / "python"
        program.write_bytes(b"\x00\x01")
        program.chmod(0o755)
        assert "does not start" in refused(request_for(python="./python")).message

    def test_a_python_that_is_too_old_says_so_itself(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        facts = '{"executable": "x", "version": "3.9.1", "tag": "cpython-39", "prefix": "/", '
        program = tmp_path / "python"
        program.write_text(f"#!/bin/sh\necho '{facts}" + '"sites": [], "ipython": false}' + "'\n")
        program.chmod(0o755)
        error = refused(request_for(python=str(program)))
        assert error.kind == "environment-broken"
        assert "Python 3.9.1; notebooks need 3.11 or newer" in error.message

    def test_a_version_is_found_on_the_path(
        self, request_for: MakeRequest, environ: dict[str, str], tmp_path: Path
    ) -> None:
        version = sysconfig.get_python_version()
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / f"python{version}").symlink_to(os.path.realpath(sys.executable))
        request = request_for(environ={**environ, "PATH": str(tmp_path / "bin")}, uv="/nowhere")
        assert find_interpreter(request, version) == str(tmp_path / "bin" / f"python{version}")

    def test_a_version_of_pyenv_is_found(
        self, request_for: MakeRequest, environ: dict[str, str], tmp_path: Path
    ) -> None:
        folder = tmp_path / "pyenv/versions" / "{}.{}.{}".format(*sys.version_info) / "bin"
        folder.mkdir(parents=True)
        (folder / "python").symlink_to(os.path.realpath(sys.executable))
        caller = {**environ, "PATH": "", "PYENV_ROOT": str(tmp_path / "pyenv")}
        request = request_for(environ=caller, uv="/nowhere")
        version = "{}.{}".format(*sys.version_info)
        assert find_interpreter(request, version) == str(folder / "python")

    def test_a_version_that_is_not_installed(self, request_for: MakeRequest) -> None:
        error = refused(request_for(python="3.99"))
        assert (error.kind, error.place) == ("interpreter-missing", "--python 3.99")
        assert error.hint.endswith("uv python install 3.99")
