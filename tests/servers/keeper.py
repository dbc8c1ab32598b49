"""Keeps a real Gitea for one test session: `python -m servers.keeper FOLDER PID`.

It starts the server, writes FOLDER/server.json when the server answers, and ends both when the
process PID ends, however that happens. Its folder goes with it.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from servers.build import GITEA

ADMIN = "keeper"
#: Lists come in pages that are shorter than Gitea's own, so that tests need fewer items.
PAGE = 5
_SECONDS = 60
_CONFIGURATION = """\
APP_NAME = tests
RUN_MODE = prod
RUN_USER = {user}
WORK_PATH = {folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = http://127.0.0.1:{port}/
STATIC_ROOT_PATH = {static}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = {folder}/gitea.db
SQLITE_JOURNAL_MODE = WAL
SQLITE_TIMEOUT = 20000
[security]
INSTALL_LOCK = true
SECRET_KEY = {secret}
INTERNAL_TOKEN = {secret}
PASSWORD_HASH_ALGO = pbkdf2$1$8
PASSWORD_COMPLEXITY = off
MIN_PASSWORD_LENGTH = 1
SUCCESSFUL_TOKENS_CACHE_SIZE = 5000
[oauth2]
ENABLED = false
JWT_SECRET = {jwt}
[actions]
ENABLED = true
[repository]
DEFAULT_BRANCH = main
DISABLE_STARS = true
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[session]
PROVIDER = memory
[api]
MAX_RESPONSE_ITEMS = {page}
[attachment]
MAX_SIZE = 4
[service]
DISABLE_REGISTRATION = true
[mailer]
ENABLED = false
[log]
MODE = file
LEVEL = Warn
ROOT_PATH = {folder}/log
"""


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _environ(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GITEA_WORK_DIR": str(folder),
        # Each push starts the program four times, for moments in which nothing need be collected.
        "GOGC": "400",
        "GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT": "true",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _configure(folder: Path, port: int) -> Path:
    configuration = folder / "app.ini"
    configuration.write_text(
        _CONFIGURATION.format(
            user=os.environ.get("USER") or _user(),
            folder=folder,
            port=port,
            page=PAGE,
            static=GITEA.folder,
            secret=secrets.token_hex(32),
            jwt=secrets.token_urlsafe(32),
        )
    )
    return configuration


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def dies_with_its_parent() -> None:
    """On Linux the server ends even when its keeper is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _gitea(configuration: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(GITEA.program), *arguments, "-c", str(configuration)],
        env=_environ(configuration.parent),
        cwd=configuration.parent,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=dies_with_its_parent,
    )
    if done.returncode != 0:
        raise RuntimeError(f"gitea {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def _serve(configuration: Path) -> subprocess.Popen[bytes]:
    with (configuration.parent / "web.log").open("wb") as log:
        return subprocess.Popen(
            [str(GITEA.program), "web", "-c", str(configuration)],
            env=_environ(configuration.parent),
            cwd=configuration.parent,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=dies_with_its_parent,
        )


def _answers(server: subprocess.Popen[bytes], address: str) -> None:
    until = time.monotonic() + _SECONDS
    while server.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{address}/api/v1/version", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.02)
    raise RuntimeError("the server does not answer")


def _start(folder: Path) -> subprocess.Popen[bytes]:
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    configuration = _configure(folder, port)
    _gitea(configuration, "migrate")
    server = _serve(configuration)
    create = ("admin", "user", "create", "--admin", "--must-change-password=false")
    who = ("--username", ADMIN, "--password", "keeper", "--email", "keeper@example.org")
    _gitea(configuration, *create, *who)
    token = ("admin", "user", "generate-access-token", "--scopes", "all", "--raw")
    secret = _gitea(configuration, *token, "--username", ADMIN).split()[-1]
    _answers(server, address)
    told = {"address": address, "token": secret, "pid": server.pid, "keeper": os.getpid()}
    _write(folder, told)
    return server


def _write(folder: Path, told: dict[str, object]) -> None:
    waiting = folder / "server.json.new"
    waiting.write_text(json.dumps(told))
    waiting.rename(folder / "server.json")


def _until_ended(pid: int) -> None:
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        select.select([descriptor], [], [])
        return
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.5)


def main() -> None:
    folder, pid = Path(sys.argv[1]), int(sys.argv[2])
    server: subprocess.Popen[bytes] | None = None
    try:
        server = _start(folder)
        _until_ended(pid)
    except (RuntimeError, OSError) as error:
        _write(folder, {"error": str(error)})
        _until_ended(pid)
    finally:
        if server is not None:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
