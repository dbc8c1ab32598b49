"""Gitea's real runner for one repository: it runs workflows on the machine itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from servers.build import RUNNER
from servers.gitea import Gitea, Person
from servers.keeper import dies_with_its_parent

_CONFIGURATION = """\
log: {{level: info}}
runner:
  file: {folder}/registration
  capacity: 1
  envs: {{{envs}}}
  fetch_interval: 200ms
  fetch_interval_max: 500ms
  log_report_interval: 1s
  log_report_max_latency: 500ms
  state_report_interval: 1s
  labels: ["ubuntu-latest:host"]
cache: {{enabled: false}}
host: {{workdir_parent: {folder}/work}}
"""


#: A machine's Python: where a ready environment is named, a new one is that.
_PYTHON = """\
#!/bin/sh
if [ -n "$READY_ENVIRONMENT" ] && [ "$1 $2 $3" = "-m venv --clear" ]; then
  rm -rf "$4"
  exec ln -s "$READY_ENVIRONMENT" "$4"
fi
exec "{python}" "$@"
"""


def is_built() -> bool:
    """Whether `make servers` has run."""
    return RUNNER.program.exists()


def environ(home: Path) -> dict[str, str]:
    """The variables of a machine that runs workflows: its Python is the one of the tests."""
    python = home / "bin" / "python3"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(_PYTHON.format(python=Path(sys.base_prefix) / "bin" / "python3"))
    python.chmod(0o755)
    return {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@contextmanager
def runner(
    gitea: Gitea, owner: Person, name: str, folder: Path, envs: Mapping[str, str]
) -> Iterator[Path]:
    """A runner of a repository, until the block ends; gives the file of its log."""
    folder.mkdir(parents=True)
    configuration, log = folder / "config.yml", folder / "runner.log"
    told = ", ".join(f'{key}: "{value}"' for key, value in envs.items())
    configuration.write_text(_CONFIGURATION.format(folder=folder, envs=told))
    path = f"repos/{owner.name}/{name}/actions/runners/registration-token"
    token = owner.api.call("POST", path).body["token"]
    program = [str(RUNNER.program), "--config", str(configuration)]
    variables = environ(folder / "home")
    who = ["--instance", gitea.address, "--token", token, "--name", f"host-{name}"]
    subprocess.run(
        [*program, "register", "--no-interactive", *who, "--labels", "ubuntu-latest:host"],
        cwd=folder,
        env=variables,
        check=True,
        capture_output=True,
    )
    with log.open("wb") as file:
        daemon = subprocess.Popen(
            [*program, "daemon"],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            preexec_fn=dies_with_its_parent,
        )
    try:
        yield log
    finally:
        daemon.terminate()
        daemon.wait()
