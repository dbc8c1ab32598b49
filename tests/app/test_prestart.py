"""The kernel's interpreter is started before anything heavy is loaded, and is then used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernel

LISTED = """
import sys
words = sys.argv[1].split("|")
before = set(sys.modules)
from octavo.app.prestart import prestart
zygote = prestart(words)
loaded = sorted(set(sys.modules) - before)
import json
print(json.dumps({"loaded": loaded, "started": zygote is not None}))
zygote and zygote.end()
"""

COUNTED = """
import json, sys
words = sys.argv[1].split("|")
from octavo.kernels.fork import engine, zygote
spawned = []
spawn = zygote.spawn
def counting(*arguments):
    spawned.append(arguments[0])
    return spawn(*arguments)
zygote.spawn = engine.spawn = counting
from octavo.surfaces.cli.main import main
code = main(words)
print(json.dumps({"code": code, "spawned": len(spawned)}), file=sys.stderr)
"""

HEAVY = {"asyncio", "dataclasses", "inspect", "json", "re", "typing", "socket", "subprocess"}


def _python(program: str, *words: str, cwd: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", program, "|".join(words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    told: dict[str, object] = json.loads((done.stdout + done.stderr).strip().splitlines()[-1])
    return told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text('# %% tags=["parameters"]\na = 1\n\n# %%\nprint(a)\n')
    return tmp_path


def test_nothing_heavy_is_loaded_before_the_kernel_is_started(folder: Path) -> None:
    told = _python(LISTED, "nb.py", "-p", "a", "2", cwd=folder)
    assert told["started"] is True
    loaded = set(told["loaded"])  # type: ignore[call-overload]
    assert not loaded & HEAVY
    light = {"octavo", "__future__", "_socket", "zlib"}
    assert {name.partition(".")[0] for name in loaded} <= light


@pytest.mark.parametrize(
    "words",
    [
        ("run", "nb.py", "-q"),
        ("run", "-q", "-p", "a", "2", "nb.py"),
        ("run", "nb.py", "-q", "--python", sys.executable),
        ("run", "nb.py", "-q", "--env", "MY_OWN=1"),
        ("run", "nb.py", "-q", "--preload", "csv,decimal"),
    ],
)
def test_what_was_started_is_what_is_used(folder: Path, words: tuple[str, ...]) -> None:
    assert _python(COUNTED, *words, cwd=folder) == {"code": 0, "spawned": 1}


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        (),
        ("missing.py",),
        ("nb.py", "--prepare-only"),
        ("-o", "x.ipynb"),
        ("nb.py", "--engine", "jupyter"),
        ("--engine=jupyter", "nb.py"),
    ],
)
def test_in_doubt_nothing_is_started(folder: Path, words: tuple[str, ...]) -> None:
    assert _python(LISTED, *words, cwd=folder)["started"] is False
