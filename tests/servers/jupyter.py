"""Real Jupyter servers of the tests' own: plain, JupyterLab, and with jupyter-collaboration.

The last one lives in an environment of its own, built once per machine (`make servers`).
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from browser import first_line
from servers import collaboration

TOKEN = "a-token-for-tests"
GRACE_SECONDS = 15
#: Every cell is in the page at once, and nobody asks the network for news.
_SETTINGS: dict[str, dict[str, Any]] = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


class JupyterServer:
    """A server that runs, and what a person's page would ask of it."""

    def __init__(self, url: str, root: Path, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.root = root
        self.token = TOKEN
        self.process = process

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
        request = Request(f"{self.url}/api/{path}", data, headers, method=method)
        with urlopen(request, timeout=60) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def start_kernel(self) -> str:
        return str(self.call("POST", "kernels", {})["id"])

    def open_notebook(self, path: str) -> str:
        """Open a notebook as a page does; the id of its kernel."""
        body = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        return str(self.call("POST", "sessions", body)["kernel"]["id"])

    def kernels(self) -> list[str]:
        return [each["id"] for each in self.call("GET", "kernels")]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def jupyter_server(
    root: Path, home: Path, *words: str, program: str = "server", python: Path | None = None
) -> Iterator[JupyterServer]:
    """A server on loopback with a token; it and its kernels end with the block."""
    bin_folder = (python or Path(sys.executable)).parent
    command = [
        str(bin_folder / "python"), "-m", "jupyter", program, "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={root}", "--ServerApp.terminals_enabled=False", *words,
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        cwd=root,
        env=_variables(home, bin_folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = first_line(process, "http://127.0.0.1:")
        port = line.partition("http://127.0.0.1:")[2].split("/")[0]
        _wait_for(int(port))
        yield JupyterServer(f"http://127.0.0.1:{port}", root, process)
    finally:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:  # a room that failed to open keeps it from ending
            process.kill()
            process.wait()


def _wait_for(port: int) -> None:
    """A server tells its address a moment before it listens there."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 60).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError(f"nobody listens at port {port}")


def _variables(home: Path, bin_folder: Path) -> dict[str, str]:
    settings = home / "settings"
    for name, values in _SETTINGS.items():
        file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    env = {"PATH": os.pathsep.join((str(bin_folder), os.environ["PATH"])), "LANG": "C.UTF-8"}
    env |= {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env |= {"HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    env |= {"JUPYTERLAB_SETTINGS_DIR": str(settings)}
    return env | {"JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}


def collaboration_python() -> Path:
    """The Python of an environment with jupyter-collaboration; the test is skipped without it."""
    if not collaboration.is_built():
        pytest.skip("needs jupyter-collaboration: run `make servers` once")
    return collaboration.PYTHON
