"""Environments that notebooks declare, built by the real `uv`."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from environments.making import MakeRequest, site_packages
from octavo.environments.choose import choose
from octavo.environments.launch import Environment
from octavo.environments.packages import lock, packages
from octavo.environments.request import Request
from octavo.environments.resolve import resolve
from octavo.environments.uv import find_uv
from octavo.errors import OctavoError

BLOCK = '# /// script\n# dependencies = ["six<1.17"]\n# ///\n'
UV = find_uv(None, sys.executable, os.environ["PATH"])

pytestmark = pytest.mark.skipif(UV is None, reason="uv is not installed")
network = pytest.mark.network


def block(*lines: str) -> str:
    return "".join(f"# {line}\n" for line in ("/// script", *lines, "///"))


def real(environ: dict[str, str]) -> dict[str, str]:
    """Variables with the caller's home, where uv keeps what it has downloaded before."""
    return {**environ, "HOME": os.environ["HOME"]}


def refused(request: Request) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        resolve(request)
    return caught.value


def run(environment: Environment, code: str) -> str:
    done = subprocess.run(
        [environment.python, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def shared(request_for: MakeRequest, environ: dict[str, str], shared_cache: Path) -> Request:
    """A request whose environment is built once for all tests."""
    return request_for(BLOCK, cache=str(shared_cache), environ=real(environ))


@network
class TestBuilt:
    def test_declared_packages_and_ipython_can_be_imported(self, shared: Request) -> None:
        environment = resolve(shared)
        versions = run(environment, "import six, IPython; print(six.__version__)")
        assert versions == "1.16.0"
        assert packages(environment)["six"] == "1.16.0"
        assert "ipython" in packages(environment)
        assert (environment.kind, environment.managed, environment.overlay) == (
            "script",
            True,
            None,
        )

    def test_bytecode_is_compiled(self, shared: Request) -> None:
        site = site_packages(Path(resolve(shared).root or ""))
        assert list((site / "IPython" / "__pycache__").glob("*.pyc"))

    def test_the_second_use_needs_neither_uv_nor_network(self, shared: Request) -> None:
        first = resolve(shared)
        lines: list[str] = []
        again = shared.replace(environ={"PATH": ""}, uv="/nowhere/uv", offline=True)
        assert resolve(again, lines.append) == first
        assert lines == []


PROGRAM = """
import os, sys
from octavo.environments.request import Request
from octavo.environments.resolve import resolve
notebook, cache = sys.argv[1:]
with open(notebook) as file:
    request = Request(notebook, file.read(), "/", sys.executable, cache, dict(os.environ))
resolve(request, lambda line: print(line, flush=True))
"""


@network
def test_two_runs_that_need_the_same_environment_build_it_once(
    tmp_path: Path, request_for: MakeRequest, environ: dict[str, str]
) -> None:
    request = request_for(BLOCK, environ=real(environ))
    # What a killed build has left must not be taken for an environment.
    left = Path(choose(request).environment.root or "") / "bin"
    left.mkdir(parents=True)
    (left / "python").symlink_to(sys.executable)
    command = [sys.executable, "-c", PROGRAM, request.notebook, request.cache]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        for _ in range(2)
    ]
    said = [process.communicate()[0] for process in runs]
    assert [process.returncode for process in runs] == [0, 0]
    assert "".join(said).count("building the environment") == 1
    assert run(resolve(request), "import six; print(six.__version__)") == "1.16.0"


def wheel(folder: Path) -> Path:
    """The smallest package that can be installed from a file."""
    file = folder / "ours-1.0-py3-none-any.whl"
    info = "ours-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ours.py", "there = 42\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return file


@network
def test_a_lock_is_kept_and_paths_are_found(
    tmp_path: Path, request_for: MakeRequest, environ: dict[str, str]
) -> None:
    name = wheel(tmp_path).name
    text = block(
        'dependencies = ["six<1.17", "ours"]', f'tool.uv.sources.ours = {{path = "{name}"}}'
    )
    request = request_for(text, environ=real(environ))
    subprocess.run([str(UV), "lock", "-q", "--script", request.notebook], check=True)
    environment = resolve(request)
    assert run(environment, "import six, ours; print(six.__version__, ours.there)") == "1.16.0 42"
    facts = lock(environment, request.notebook)
    assert facts is not None
    assert facts["path"] == f"{request.notebook}.lock"


@network
def test_a_lock_that_is_older_than_the_block_is_refused(
    request_for: MakeRequest, environ: dict[str, str]
) -> None:
    request = request_for(block('dependencies = ["six<1.17"]'), environ=real(environ))
    subprocess.run([str(UV), "lock", "-q", "--script", request.notebook], check=True)
    error = refused(request_for(block('dependencies = ["six>=1.17"]'), environ=real(environ)))
    assert error.kind == "environment-unresolved"
    assert error.place == f"{request.notebook}.lock"
    assert error.hint.endswith(f"uv lock --script {request.notebook}")


@network
@pytest.mark.parametrize(
    ("dependency", "kind", "reason"),
    [
        ("six>1.17,<1.17.1", "environment-unresolved", "six"),
        ("octavo-has-no-such-package-9", "environment-unresolved", "package-9 was not found"),
        ("six &&", "environment-block", "found `&`"),
    ],
)
def test_what_cannot_be_resolved_is_explained_by_uv(
    request_for: MakeRequest, environ: dict[str, str], dependency: str, kind: str, reason: str
) -> None:
    request = request_for(block(f'dependencies = ["{dependency}"]'), environ=real(environ))
    error = refused(request)
    assert error.kind == kind
    assert reason in error.message
    assert "\n" not in error.message
    assert error.place == f"{request.notebook}:1"
    assert choose(request).work == "build"


def test_no_network_and_a_cold_cache(
    tmp_path: Path, request_for: MakeRequest, environ: dict[str, str]
) -> None:
    cold = {**environ, "UV_CACHE_DIR": str(tmp_path / "uv-cache")}
    error = refused(request_for(BLOCK, environ=cold, offline=True))
    assert (error.kind, error.retryable) == ("environment-offline", True)
    assert "network" in error.hint


def test_a_python_that_is_not_there(request_for: MakeRequest) -> None:
    error = refused(request_for(block('requires-python = ">=3.99"'), offline=True))
    assert error.kind == "interpreter-missing"
    assert "3.99" in error.message


def test_a_version_that_the_block_does_not_allow(request_for: MakeRequest) -> None:
    version = "{}.{}".format(*sys.version_info)
    error = refused(request_for(block('requires-python = ">=3.99"'), python=version, offline=True))
    assert error.kind == "environment-unresolved"
    assert "requires >=3.99" in error.message


def test_a_block_that_does_not_parse(request_for: MakeRequest) -> None:
    error = refused(request_for(block("dependencies = [")))
    assert (error.kind, error.exit_code) == ("environment-block", 2)


def test_without_uv_the_extra_is_named(request_for: MakeRequest, tmp_path: Path) -> None:
    error = refused(request_for(BLOCK, uv=str(tmp_path / "uv")))
    assert error.kind == "extra-missing"
    assert "octavo[uv]" in error.hint


def test_a_cache_that_cannot_be_written(request_for: MakeRequest, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = refused(request_for(BLOCK, cache=str(tmp_path / "file")))
    assert error.kind == "storage"
