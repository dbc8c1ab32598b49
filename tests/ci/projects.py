"""Projects with a workflow, and what a machine that runs it needs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from git_repositories import git
from proposals.desks import Desk
from servers import wheels
from servers.gitea import Gitea, Person

Found = TypeVar("Found")
NAME = "notebooks/health.py"
GOOD = """\
# %% [markdown]
# # Health

# %% tags=["parameters"]
hosts: int = 10

# %% score
import os

from octavo_runtime import glue

glue("health_score", (hosts - 1) / hosts)
glue("secrets_seen", sorted(name for name in os.environ if "TOKEN" in name))

# %% check
assert hosts > 0
"""
BROKEN = GOOD.replace("assert hosts > 0", "assert hosts > 1000, 'too few'")
OTHER = "# %%\nprint('never affected')\n"


def installing(folder: Path) -> dict[str, str]:
    """Variables by which a workflow installs this clone, and asks no index for anything."""
    folder.mkdir(parents=True)
    house = wheels.house(folder)
    return {
        "OCTAVO_SPEC": wheels.spec(house),
        "PIP_FIND_LINKS": str(house),
        "PIP_NO_INDEX": "1",
        "PIP_NO_COMPILE": "1",
        "OCTAVO_NO_RESIDENT": "1",
    }


def installed(folder: Path, variables: dict[str, str]) -> dict[str, str]:
    """The same where Octavo is installed already, for what comes after the installation."""
    uv = [sys.executable, "-m", "uv"]
    python = Path(sys.base_prefix) / "bin" / "python3"
    subprocess.run([*uv, "venv", "--quiet", "--python", str(python), str(folder)], check=True)
    links = ["--no-index", "--find-links", variables["PIP_FIND_LINKS"]]
    where = ["--quiet", "--python", str(folder)]
    command = [*uv, "pip", "install", *where, *links, variables["OCTAVO_SPEC"]]
    subprocess.run(command, check=True)
    return {**variables, "READY_ENVIRONMENT": str(folder)}


def project(folder: Path, address: str, person: Person | None, **variables: str) -> Desk:
    """A clone with notebooks in step and the workflow, pushed to the default branch."""
    git(folder, "clone", "--quiet", address, "work")
    desk = Desk(folder / "work", person.name if person else "ada", **variables)
    done = subprocess.run(
        [sys.executable, "-m", "octavo", "init", "--ci"],
        cwd=desk.folder, env={**desk.environ}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    desk.write(GOOD, NAME)
    desk.write(OTHER, "notebooks/other.py")
    desk.octavo("sync")
    push(desk, "set up [skip ci]", "main")
    return desk


def on_gitea(server: Gitea, folder: Path) -> tuple[Desk, Person, str]:
    """The same on a real Gitea, whose base asks for the status of the gate."""
    ada = server.person("ada")
    name = server.repository(ada)
    address = f"{server.address}/{ada.name}/{name}.git"
    secret = address.replace("://", f"://{ada.name}:{ada.token}@")
    desk = project(folder, secret, ada, GITEA_TOKEN=ada.token)
    rule = {
        "rule_name": "main",
        "enable_status_check": True,
        "status_check_contexts": ["octavo/check"],
    }
    ada.api.call("POST", f"repos/{ada.name}/{name}/branch_protections", rule)
    return desk, ada, name


def push(desk: Desk, message: str, branch: str) -> str:
    """Commit everything as a person does, and push it."""
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "-m", message)
    desk.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    return desk.git("rev-parse", "HEAD")


def edit(desk: Desk, text: str) -> None:
    desk.write(text, NAME)
    desk.octavo("sync")


def eventually(look: Callable[[], Found | None], what: str, trouble: Callable[[], str]) -> Found:
    """What is found in the end."""
    until = time.monotonic() + 540
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"{what} does not come:\n{trouble()}")


def document(path: Path) -> dict[str, object]:
    read: dict[str, object] = json.loads(path.read_text())
    return read
