"""An environment for each contestant, built once in `.bench/` with compiled bytecode."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STAMP = "octavo-bench.stamp"


class Unavailable(Exception):
    """The environment could not be built, or what is in it does not answer."""


@dataclass(frozen=True)
class Environments:
    """Where the environments live, and the project whose installed form is measured."""

    project: Path

    @property
    def cache(self) -> Path:
        return self.project / ".bench"

    def bin(self, name: str) -> Path:
        return self.cache / name / "bin"

    def peer(self, name: str, requirements: Sequence[str]) -> Path:
        """Its folder of programs; built when absent or when the requirements changed."""
        wanted = _digest([" ".join(requirements), sys.version])
        if not self._is_ready(name, wanted):
            self._create(name)
            self._install(name, [*requirements, "ipykernel"])
            python = str(self.bin(name) / "python")
            _call([python, "-m", "ipykernel", "install", "--sys-prefix", "--name", "python3"])
            self._mark(name, wanted)
        return self.bin(name)

    def bare(self, name: str) -> Path:
        """Nothing but the interpreter that all the others are made of."""
        wanted = _digest([sys.version])
        if not self._is_ready(name, wanted):
            self._create(name)
            self._mark(name, wanted)
        return self.bin(name)

    def octavo(self, name: str = "octavo", extra: str = "") -> Path:
        """The project as a user installs it: not editable; renewed when it changed."""
        sources = sorted((self.project / "src").rglob("*.py"))
        texts = [path.read_text() for path in (self.project / "pyproject.toml", *sources)]
        wanted = _digest([*texts, sys.version])
        if not self._is_ready(name, wanted):
            self._create(name)
            what = f"octavo{extra} @ {self.project.as_uri()}"
            self._install(name, ["--reinstall-package", "octavo", what])
            self._mark(name, wanted)
        return self.bin(name)

    def version(self, name: str, distribution: str) -> str:
        """The installed version of a distribution, as the environment itself tells."""
        code = f"import importlib.metadata as m; print(m.version({distribution!r}))"
        return _call([str(self.bin(name) / "python"), "-c", code]).strip()

    def _is_ready(self, name: str, wanted: str) -> bool:
        stamp = self.cache / name / STAMP
        return stamp.is_file() and stamp.read_text() == wanted

    def _mark(self, name: str, wanted: str) -> None:
        (self.cache / name / STAMP).write_text(wanted)

    def _create(self, name: str) -> None:
        folder = self.cache / name
        if folder.exists():
            shutil.rmtree(folder)
        base = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
        _call([_uv(), "venv", "-q", "--python", base, str(folder)])

    def _install(self, name: str, what: Sequence[str]) -> None:
        python = str(self.bin(name) / "python")
        _call([_uv(), "pip", "install", "-q", "--python", python, *what])


def _uv() -> str:
    beside = Path(sys.prefix) / "bin" / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise Unavailable("uv is not installed; `make setup` brings it")
    return found


def _call(words: Sequence[str]) -> str:
    environment = {**os.environ, "UV_COMPILE_BYTECODE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.pop("VIRTUAL_ENV", None)
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        raise Unavailable(f"{Path(words[0]).name}: {error.strerror}") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise Unavailable(f"{Path(words[0]).name}: {lines[-1].strip()[:160]}")
    return done.stdout


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
