"""The real act: runs a workflow of GitHub on this machine, without a container."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from servers.build import ACT
from servers.runner import environ

_WORKFLOW = ".github/workflows/notebook-ci.yml"


def is_built() -> bool:
    """Whether `make servers` has run."""
    return ACT.program.exists()


def act(
    folder: Path,
    event: str,
    payload: Mapping[str, Any],
    token: str,
    given: Mapping[str, str],
    home: Path,
) -> subprocess.CompletedProcess[str]:
    """Run the workflow of a folder for an event; `given` are variables of the machine."""
    path = home / "event.json"
    variables = environ(home)
    path.write_text(json.dumps(payload))
    told = [word for name, value in given.items() for word in ("--env", f"{name}={value}")]
    asked = [event, "--workflows", _WORKFLOW, "--eventpath", str(path)]
    bare = ["--platform", "ubuntu-latest=-self-hosted", "--no-cache-server", "--pull=false"]
    places = ["--action-cache-path", str(home / "act"), "--secret", "GITHUB_TOKEN"]
    return subprocess.run(
        [str(ACT.program), *asked, *bare, *places, *told],
        cwd=folder,
        env={**variables, "GITHUB_TOKEN": token, "XDG_CONFIG_HOME": str(home / "config")},
        capture_output=True,
        text=True,
        check=False,
    )
