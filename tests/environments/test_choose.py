from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from environments.making import MakeRequest, MakeVenv
from octavo.environments.choose import choose
from octavo.environments.launch import Environment
from octavo.environments.request import Request
from octavo.errors import EnvironmentFailure, OctavoError, UsageError

BLOCK = '# /// script\n# dependencies = ["rich"]\n# ///\n'
THIS = "{}.{}".format(*sys.version_info)


def chosen(request: Request) -> Environment:
    choice = choose(request)
    assert not choice.work
    return choice.environment


def refused(request: Request) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        choose(request)
    assert caught.value.hint
    return caught.value


class TestOrder:
    def test_the_current_interpreter_when_there_is_nothing_else(
        self, request_for: MakeRequest
    ) -> None:
        environment = chosen(request_for())
        assert (environment.python, environment.kind) == (sys.executable, "current")
        assert "no --python, no script block, no .venv" in environment.why

    def test_a_venv_beside_the_notebook_comes_before_the_current_one(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        root = make_venv(ipython="9.1.0")
        environment = chosen(request_for())
        assert environment.python == str(root / "bin/python")
        assert (environment.kind, environment.root) == ("venv", str(root))
        assert environment.why == f"the .venv in {root.parent}"
        assert not environment.managed

    def test_a_script_block_comes_before_a_venv(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        make_venv(ipython="9.1.0")
        choice = choose(request_for(BLOCK))
        assert (choice.work, choice.environment.kind) == ("build", "script")
        assert choice.environment.why.endswith("nb.py:1")
        assert choice.environment.managed

    def test_what_is_asked_for_comes_before_a_script_block(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        root = make_venv("other", ipython="9.1.0")
        environment = chosen(request_for(BLOCK, python="other"))
        assert environment.python == str(root / "bin/python")
        assert environment.why == "--python other"

    def test_a_version_is_a_wish_that_a_script_block_is_built_with(
        self, request_for: MakeRequest
    ) -> None:
        choice = choose(request_for(BLOCK, python="3.12"))
        plain = choose(request_for(BLOCK))
        assert (choice.work, choice.version) == ("build", "3.12")
        assert choice.environment.root != plain.environment.root


class TestNearest:
    def test_the_nearest_venv_above_the_notebook(
        self, request_for: MakeRequest, make_venv: MakeVenv, tmp_path: Path
    ) -> None:
        make_venv(ipython="9.1.0")
        inner = make_venv("a/.venv", ipython="9.1.0")
        (tmp_path / "a/b/c").mkdir(parents=True)
        assert chosen(request_for(notebook="a/b/c/nb.py")).root == str(inner)

    def test_the_search_ends_at_home(
        self, request_for: MakeRequest, make_venv: MakeVenv, environ: dict[str, str], tmp_path: Path
    ) -> None:
        make_venv(ipython="9.1.0")
        environ["HOME"] = str(tmp_path / "home")
        (tmp_path / "home/work").mkdir(parents=True)
        assert chosen(request_for(notebook="home/work/nb.py")).kind == "current"

    def test_a_uv_project_is_called_one(
        self, request_for: MakeRequest, make_venv: MakeVenv, tmp_path: Path
    ) -> None:
        make_venv(ipython="9.1.0")
        (tmp_path / "uv.lock").write_text("version = 1\n")
        environment = chosen(request_for())
        assert (environment.kind, environment.why) == ("project", f"the uv project in {tmp_path}")

    def test_a_uv_project_without_environment_is_passed_over_and_said(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        (tmp_path / "uv.lock").write_text("version = 1\n")
        environment = chosen(request_for())
        assert environment.kind == "current"
        assert f"{tmp_path} has no environment yet: `uv sync` makes it" in environment.why

    def test_a_uv_project_may_keep_its_environment_elsewhere(
        self, request_for: MakeRequest, make_venv: MakeVenv, environ: dict[str, str], tmp_path: Path
    ) -> None:
        root = make_venv("elsewhere", ipython="9.1.0")
        (tmp_path / "uv.lock").write_text("version = 1\n")
        environ["UV_PROJECT_ENVIRONMENT"] = str(root)
        assert chosen(request_for()).root == str(root)

    def test_a_folder_that_is_no_environment_is_passed_over(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        (tmp_path / ".venv").mkdir()
        assert chosen(request_for()).kind == "current"

    def test_the_active_environment_stands_in_for_a_tool_installation(
        self,
        request_for: MakeRequest,
        make_venv: MakeVenv,
        environ: dict[str, str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        active = make_venv("active", ipython="9.1.0")
        environ["VIRTUAL_ENV"] = str(active)
        assert chosen(request_for()).kind == "current"
        (tmp_path / "tool").mkdir()
        (tmp_path / "tool/uv-receipt.toml").write_text("")
        monkeypatch.setattr(sys, "prefix", str(tmp_path / "tool"))
        environment = chosen(request_for())
        assert (environment.kind, environment.root) == ("active", str(active))


class TestAskedFor:
    @pytest.mark.parametrize("spelling", ["env", "./env", "env/", "env/bin/python", "proj"])
    def test_a_folder_or_an_interpreter(
        self, request_for: MakeRequest, make_venv: MakeVenv, tmp_path: Path, spelling: str
    ) -> None:
        root = make_venv("proj/.venv" if spelling == "proj" else "env", ipython="9.1.0")
        environment = chosen(request_for(python=spelling))
        assert (environment.root, environment.kind) == (str(root), "python")

    def test_a_command_is_looked_for_on_the_path(
        self, request_for: MakeRequest, make_venv: MakeVenv, environ: dict[str, str]
    ) -> None:
        root = make_venv("env", ipython="9.1.0")
        (root / "bin/mypython").symlink_to(root / "bin/python")
        environ["PATH"] = str(root / "bin")
        assert chosen(request_for(python="mypython")).root == str(root)

    def test_a_version_that_the_nearest_venv_has(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        root = make_venv(ipython="9.1.0")
        environment = chosen(request_for(python=THIS))
        assert environment.root == str(root)
        assert environment.why.startswith(f"--python {THIS}: the .venv in")

    def test_a_version_that_only_the_current_interpreter_has(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        config = make_venv(ipython="9.1.0") / "pyvenv.cfg"
        config.write_text("home = /usr/bin\nversion = 3.99.1\n")
        assert chosen(request_for(python=THIS)).kind == "current"

    def test_a_version_that_nobody_near_has_is_to_be_found(self, request_for: MakeRequest) -> None:
        choice = choose(request_for(python="3.99"))
        assert (choice.work, choice.version) == ("find", "3.99")

    def test_a_name_that_is_nothing(self, request_for: MakeRequest) -> None:
        error = refused(request_for(python="nothing-like-it"))
        assert (type(error), error.kind) == (UsageError, "wrong-argument")
        assert "nothing-like-it" in error.message

    def test_a_folder_that_is_no_environment(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        (tmp_path / "empty").mkdir()
        error = refused(request_for(python="empty"))
        assert error.kind == "wrong-argument"
        assert "is not an environment" in error.message

    def test_an_interpreter_that_is_not_there(self, request_for: MakeRequest) -> None:
        assert refused(request_for(python="./bin/python")).kind == "interpreter-missing"


class TestGone:
    def test_a_venv_whose_interpreter_was_removed(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        python = make_venv(ipython="9.1.0") / "bin/python"
        python.unlink()
        python.symlink_to("/nowhere/python3.12")
        error = refused(request_for())
        assert (type(error), error.kind) == (EnvironmentFailure, "interpreter-missing")
        assert "/nowhere/python3.12, which is gone" in error.message
        assert f"uv venv --clear {python.parent.parent}" in error.hint

    def test_a_uv_project_is_to_be_synced_again(
        self, request_for: MakeRequest, make_venv: MakeVenv, tmp_path: Path
    ) -> None:
        (make_venv(ipython="9.1.0") / "bin/python").unlink()
        (tmp_path / "uv.lock").write_text("")
        assert f"uv sync --project {tmp_path}" in refused(request_for()).hint

    def test_a_venv_that_is_a_link_to_nothing(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        (tmp_path / ".venv").symlink_to("/nowhere")
        assert refused(request_for()).kind == "interpreter-missing"


class TestPackages:
    def test_an_ipython_that_is_too_old(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        root = make_venv(ipython="7.34.0")
        error = refused(request_for())
        assert error.kind == "environment-broken"
        assert "IPython 7.34.0; notebooks need 8 or newer" in error.message
        assert error.hint.endswith(f"uv pip install --python {root}/bin/python 'ipython>=8'")

    def test_a_python_that_is_too_old(self, request_for: MakeRequest, make_venv: MakeVenv) -> None:
        config = make_venv() / "pyvenv.cfg"
        config.write_text("home = /usr/bin\nversion_info = 3.8.2.final.0\n")
        error = refused(request_for())
        assert error.kind == "environment-broken"
        assert "Python 3.8; notebooks need 3.11 or newer" in error.message

    def test_an_ipython_of_the_system_counts_where_the_venv_sees_it(
        self, request_for: MakeRequest, make_venv: MakeVenv, tmp_path: Path
    ) -> None:
        system = make_venv("usr", ipython="8.5.0")
        config = make_venv() / "pyvenv.cfg"
        text = f"home = {system}/bin\nversion = {THIS}.0\n"
        config.write_text(text)
        assert choose(request_for()).work == "probe"
        config.write_text(f"{text}include-system-site-packages = true\n")
        assert not choose(request_for()).work

    def test_a_venv_without_ipython_has_to_be_tried_first(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        root = make_venv()
        choice = choose(request_for())
        assert (choice.work, choice.environment.root) == ("probe", str(root))


class TestScriptEnvironment:
    def root(self, request: Request) -> str | None:
        return choose(request).environment.root

    def test_the_same_block_has_the_same_environment_in_any_notebook(
        self, request_for: MakeRequest
    ) -> None:
        first = self.root(request_for(BLOCK))
        assert self.root(request_for(f"# %%\n{BLOCK}", notebook="other.py")) == first
        assert self.root(request_for(BLOCK.replace("rich", "attrs"))) != first

    def test_a_lock_is_part_of_what_is_declared(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        unlocked = self.root(request_for(BLOCK))
        (tmp_path / "nb.py.lock").write_text("version = 1\n")
        locked = self.root(request_for(BLOCK))
        (tmp_path / "nb.py.lock").write_text("version = 2\n")
        assert len({unlocked, locked, self.root(request_for(BLOCK))}) == 3

    def test_paths_in_a_block_are_relative_to_its_notebook(
        self, request_for: MakeRequest, tmp_path: Path
    ) -> None:
        (tmp_path / "sub").mkdir()
        block = BLOCK.replace("# ///\n", '# [tool.uv.sources]\n# rich = {path = "x"}\n# ///\n')
        assert self.root(request_for(block)) != self.root(request_for(block, notebook="sub/nb.py"))

    def test_it_is_ready_only_when_built_to_the_end_and_its_interpreter_is_there(
        self, request_for: MakeRequest, make_venv: MakeVenv
    ) -> None:
        request = request_for(BLOCK)
        root = Path(self.root(request) or "")
        shutil.copytree(make_venv("env"), root, symlinks=True)
        assert choose(request).work == "build"
        (root / "octavo-ready").write_text("{}")
        assert choose(request).work == ""
        (root / "bin/python").unlink()
        (root / "bin/python").symlink_to("/nowhere/python")
        assert choose(request).work == "build"
