"""`--cov`: how much of the project's own code the kernels of a check ran.

The `coverage` package of a notebook's environment measures in each kernel; what all of them
measured is put together here, as `.coverage` in the project, with the configuration that the
project has for it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from octavo.errors import EnvironmentFailure, InfrastructureError
from octavo.records.store import FOLDER

#: Where the configuration of `coverage` may stand, and by what it is known there.
_CONFIGURATIONS = (
    (".coveragerc", "["),
    (".coveragerc.toml", "["),
    ("setup.cfg", "[coverage:"),
    ("tox.ini", "[coverage:"),
    ("pyproject.toml", "[tool.coverage"),
)
#: What `coverage` says where no line of the project was there to be run.
_NOTHING = "No data to report."


class Coverage:
    """Measures the kernels of one check. `notebooks` are no modules, and are left out."""

    def __init__(
        self, project: Path, environ: Mapping[str, str], notebooks: Iterable[Path] = ()
    ) -> None:
        if find_spec("coverage") is None:
            raise InfrastructureError(
                "extra-missing",
                "--cov needs the package coverage",
                hint="pip install 'octavo[cov]'",
            )
        self._project = project
        self._environ = environ
        self._omit = [str(path) for path in notebooks]
        parent = project / FOLDER / "gate"
        parent.mkdir(parents=True, exist_ok=True)
        self._folder = Path(mkdtemp(prefix="coverage-", dir=parent))

    def launch_fields(self) -> dict[str, Any]:
        """What a `RunRequest` needs besides, for its kernel to be measured."""
        source = [self._project, self._project / "src"]
        settings = {
            "project": str(self._project),
            "data_file": str(self._folder / "data"),
            "config": self._configuration(),
            "source": [str(folder) for folder in source if folder.is_dir()],
            "omit": self._omit,
        }
        return {"coverage": settings}

    def combine(self) -> float:
        """Write what was measured to the project, and give the share that ran, in percent."""
        try:
            self._refuse_failures()
            parts = sorted(map(str, self._folder.glob("data.*")))
            if not parts:
                return 0.0
            self._call("combine", "-q", *parts)
            total = self._call("report", "--format=total", "--precision=2", "--fail-under=0")
            return 0.0 if total == _NOTHING else float(total)
        except ValueError:
            raise _failed("its report is no number") from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Take away what was measured, after a check that did not come to its end."""
        rmtree(self._folder, ignore_errors=True)

    def _refuse_failures(self) -> None:
        for file in sorted(self._folder.glob("data-failure-*")):
            kind, python, why = file.read_text("utf-8").split("\n", 2)
            if kind != "missing":
                raise _failed(f"{python}: {why}")
            raise EnvironmentFailure(
                "extra-missing",
                f"--cov: the environment of a notebook has no coverage: {why}",
                place=python,
                hint=f"uv pip install --python {python} coverage",
            )

    def _configuration(self) -> str | None:
        for name, mark in _CONFIGURATIONS:
            path = self._project / name
            with suppress(OSError, UnicodeDecodeError):
                if mark in path.read_text("utf-8"):
                    return str(path)
        return None

    def _call(self, *words: str) -> str:
        """Run `coverage` in the project, as its own users do: it reads its configuration there."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "coverage", *words],
            cwd=self._project,
            env={**self._environ, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        told = done.stdout.strip()
        if done.returncode and told != _NOTHING:
            lines = (done.stderr.strip() or told or f"exit code {done.returncode}").splitlines()
            raise _failed(lines[-1])
        return told


def _failed(why: str) -> InfrastructureError:
    return InfrastructureError(
        "coverage",
        f"coverage could not measure: {why}",
        hint="check the configuration of coverage; without --cov the check goes on",
    )
