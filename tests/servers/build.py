"""Builds the real servers that tests talk to: `python -m servers.build`, or `make servers`.

Each is kept by name and version outside the clone, and built only when it is not there. It comes to
its place by one rename, so that a build that is killed leaves nothing that looks like a server.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Server:
    """A server that is built from a Go module; `kept` are folders that it reads when it runs."""

    name: str
    version: str
    module: str
    arguments: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return kept_in() / f"{self.name}-{self.version}"

    @property
    def program(self) -> Path:
        return self.folder / self.name


GITEA = Server(
    "gitea",
    "1.26.0",
    "code.gitea.io/gitea",
    ("-tags", "sqlite sqlite_unlock_notify", "-ldflags", "-s -w -X main.Version=1.26.0"),
    ("options", "public", "templates"),
)
#: Runs the workflows of Gitea, and those of GitHub, on the machine itself.
RUNNER = Server("gitea-runner", "1.0.8", "gitea.com/gitea/runner", ("-ldflags", "-s -w"))
ACT = Server("act", "0.2.89", "github.com/nektos/act", ("-ldflags", "-s -w"))
SERVERS = (GITEA, RUNNER, ACT)


def kept_in() -> Path:
    """Where servers are kept on this machine."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "octavo-tests" / "servers"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One build at a time; what a killed one left is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(".building-*"):
            _remove(left)
        yield


def _remove(folder: Path) -> None:
    # Modules come without the right to write.
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def build(server: Server) -> None:
    """Bring a server to its place."""
    building = server.folder.with_name(f".building-{server.folder.name}")
    source = building / "source"
    shutil.copytree(_module(server), source)
    subprocess.run(["chmod", "-R", "u+w", str(source)], check=True)
    program = building / "done" / server.name
    program.parent.mkdir()
    _go("build", "-buildvcs=false", *server.arguments, "-o", str(program), ".", cwd=source)
    for name in server.kept:
        (source / name).rename(program.parent / name)
    program.parent.rename(server.folder)
    _remove(building)


def _module(server: Server) -> Path:
    told = _go("mod", "download", "-json", f"{server.module}@v{server.version}", cwd=kept_in())
    return Path(json.loads(told)["Dir"])


def _go(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        ["go", *arguments], cwd=cwd, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"go {arguments[0]} failed: see above{done.stdout and ': ' + done.stdout}")
    return done.stdout


def main() -> None:
    for server in SERVERS:
        with alone(server.folder.parent):
            if server.program.exists():
                print(f"{server.name} {server.version} is there: {server.program}")
                continue
            if shutil.which("go") is None:
                sys.exit(f"{server.name} is built with Go, which is not here: https://go.dev/dl")
            print(f"building {server.name} {server.version}, which takes minutes once", flush=True)
            began = time.monotonic()
            build(server)
            print(f"built in {time.monotonic() - began:.0f} s: {server.program}")


if __name__ == "__main__":
    main()
