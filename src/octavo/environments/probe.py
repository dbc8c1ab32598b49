"""Asking an interpreter, once, what it is and whether a kernel can start in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from octavo.errors import EnvironmentFailure

SECONDS = 60
"""After which an interpreter that says nothing is taken for one that does not start."""


def script() -> str:
    """The path of the file that the interpreter is given to run."""
    import octavo_runtime

    assert octavo_runtime.__file__
    return os.path.join(os.path.dirname(octavo_runtime.__file__), "probe.py")


def probe(
    python: str, environ: Mapping[str, str], overlay: str | None = None, *, boot: bool = False
) -> dict[str, Any]:
    """What an interpreter says about itself; with `boot`, whether a kernel's shell can be made."""
    command = [python, script(), overlay or "", "boot" if boot else ""]
    variables = {name: value for name, value in environ.items() if name != "PYTHONHOME"}
    try:
        answer = subprocess.run(
            command,
            env=variables,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except OSError as error:
        raise _does_not_start(python, error.strerror or str(error)) from None
    except subprocess.TimeoutExpired:
        raise _does_not_start(python, f"it said nothing for {SECONDS} seconds") from None
    try:
        facts = json.loads(answer.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
        return dict(facts)
    except (ValueError, IndexError, TypeError):
        said = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        raise _does_not_start(python, said[-1] if said else f"exit {answer.returncode}") from None


def _does_not_start(python: str, reason: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        "interpreter-missing",
        f"{python} does not start: {reason}",
        hint="choose another interpreter with --python",
    )
