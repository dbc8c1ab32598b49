"""One real Gitea for all, and nothing of it is left behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from servers.gitea import Gitea, is_built

_TESTS = Path(__file__).parents[1]
_SESSION = """
import json, os, sys
from concurrent.futures import ThreadPoolExecutor
from servers.gitea import running
with ThreadPoolExecutor(4) as workers:
    asked = [workers.submit(running, f"t{os.getpid()}", os.getpid()) for _ in range(4)]
print(json.dumps(sorted({each.result().pid for each in asked})), flush=True)
sys.stdin.read()
"""


def test_the_server_is_the_version_that_was_built(gitea: Gitea) -> None:
    assert gitea.admin.get("version") == {"version": "1.26.0"}


def test_everybody_has_an_account_and_a_repository(gitea: Gitea) -> None:
    ada, ben = gitea.person("ada"), gitea.person("ben")
    name = gitea.repository(ada, ben)
    assert ben.api.get("user")["login"] == ben.name
    assert ben.api.get(f"repos/{ada.name}/{name}")["permissions"]["push"]


@pytest.mark.fault
def test_workers_share_a_server_which_ends_when_the_session_is_killed() -> None:
    if not is_built():
        pytest.skip("needs a real Gitea: run `make servers` once")
    session = subprocess.Popen(
        [sys.executable, "-c", _SESSION],
        cwd=_TESTS,
        env={**os.environ, "PYTHONPATH": f"{_TESTS}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert session.stdout is not None
    (server,) = json.loads(session.stdout.readline())
    folder = Path(tempfile.gettempdir()) / f"octavo-gitea-{os.getuid()}-t{session.pid}"
    keeper = json.loads((folder / "server.json").read_text())["keeper"]
    watched = [os.pidfd_open(server), os.pidfd_open(keeper)]
    session.send_signal(signal.SIGKILL)
    session.communicate()
    for descriptor in watched:
        assert select.select([descriptor], [], [], 60)[0], "a process is left behind"
        os.close(descriptor)
    assert not folder.exists()
    assert not folder.with_name(f"{folder.name}.lock").exists()
