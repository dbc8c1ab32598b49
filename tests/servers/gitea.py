"""The real Gitea of a test session: one server that all workers share, users per test."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo.forges.http import Api
from servers.build import GITEA

#: What a token may do that proposes notebooks.
SCOPES = ("write:repository", "write:issue", "read:user")
_TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Person:
    """Somebody with an account and a token."""

    name: str
    token: str
    api: Api


@dataclass(frozen=True)
class Gitea:
    """A server that runs. `admin` is its API for who may do everything."""

    address: str
    pid: int
    admin: Api

    def person(self, stem: str = "ada", scopes: tuple[str, ...] = SCOPES) -> Person:
        """A new account whose name begins with `stem`."""
        name = f"{stem}-{secrets.token_hex(4)}"
        account = {"username": name, "email": f"{name}@example.org", "password": name}
        self.admin.call("POST", "admin/users", {**account, "must_change_password": False})
        return Person(name, *self._logged_in(name, scopes))

    def token(self, name: str, scopes: tuple[str, ...]) -> str:
        """Another token of somebody."""
        return self._logged_in(name, scopes)[0]

    def _logged_in(self, name: str, scopes: tuple[str, ...]) -> tuple[str, Api]:
        basic = base64.b64encode(f"{name}:{name}".encode()).decode()
        asked = {"name": secrets.token_hex(4), "scopes": list(scopes)}
        api = Api(f"{self.address}/api/v1", f"Basic {basic}")
        token = api.call("POST", f"users/{name}/tokens", asked).body["sha1"]
        return token, Api(f"{self.address}/api/v1", f"token {token}")

    def repository(self, owner: Person, *writers: Person, private: bool = False) -> str:
        """A new repository with README.md on `main`; others may write to it. Its name."""
        name = f"notebooks-{secrets.token_hex(3)}"
        made = {"name": name, "auto_init": True, "default_branch": "main", "private": private}
        self.admin.call("POST", f"admin/users/{owner.name}/repos", made)
        for writer in writers:
            right = {"permission": "write"}
            owner.api.call("PUT", f"repos/{owner.name}/{name}/collaborators/{writer.name}", right)
        return name


def running(session: str, controller: int) -> Gitea:
    """The server of a session, started by the first that asks."""
    folder = Path(tempfile.gettempdir()) / f"octavo-gitea-{os.getuid()}-{session}"
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            folder.mkdir(mode=0o700)
            _keep(folder, controller)
        told = _told(folder)
        Path(lock.name).unlink(missing_ok=True)
    return Gitea(
        told["address"], told["pid"], Api(f"{told['address']}/api/v1", f"token {told['token']}")
    )


def _keep(folder: Path, controller: int) -> None:
    subprocess.Popen(
        [sys.executable, "-m", "servers.keeper", str(folder), str(controller)],
        cwd=_TESTS,
        env={"PATH": os.environ["PATH"], **_kept(os.environ)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _kept(environ: Mapping[str, str]) -> dict[str, str]:
    names = ("HOME", "USER", "XDG_CACHE_HOME", "TMPDIR")
    return {name: environ[name] for name in names if name in environ}


def _told(folder: Path) -> dict[str, Any]:
    path, until = folder / "server.json", time.monotonic() + 120
    while time.monotonic() < until:
        if path.exists():
            told: dict[str, Any] = json.loads(path.read_text())
            assert "error" not in told, f"Gitea does not start: {told['error']}"
            return told
        time.sleep(0.02)
    raise AssertionError("Gitea does not start in time")


def is_built() -> bool:
    """Whether `make servers` has run."""
    return GITEA.program.exists()
