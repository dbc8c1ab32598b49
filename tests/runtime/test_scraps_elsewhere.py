"""`octavo_runtime` in kernels that are not ours: under papermill, and in a Jupyter server."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest

import octavo

pytestmark = pytest.mark.kernel

GLUE = (
    "from octavo_runtime import glue\nimport pandas as pd\n"
    "glue('score', 0.5)\nglue('pair', {'a': 1}, display=True)\n"
    "glue('table', pd.DataFrame({'a': [1, 2]}))"
)


def executed(folder: Path, *cells: str) -> str:
    """Run cells with papermill in ipykernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    source, output = str(folder / "in.ipynb"), str(folder / "out.ipynb")
    nbformat.write(notebook, source)
    papermill.execute_notebook(source, output, kernel_name="python3", progress_bar=False)
    return output


def test_glue_under_papermill(tmp_path: Path) -> None:
    read = octavo.read_notebook(executed(tmp_path, GLUE))
    assert read.scraps["score"].data == 0.5
    assert read.scraps["pair"].data == {"a": 1}
    assert read.scraps["pair"].display is not None
    assert read.scraps["table"].data["a"].tolist() == [1, 2]
    texts = [output for cell in read.cells for output in cell["outputs"] if "text" in output]
    assert texts == [], "there is a kernel, so nothing is warned of"


def test_an_early_exit_under_papermill_is_a_success(tmp_path: Path) -> None:
    cells = ("import octavo_runtime\nfrom octavo_runtime import glue\nglue('n', 1)",
             "octavo_runtime.exit('enough')", "glue('n', 2)")  # fmt: skip
    assert octavo.read_notebook(executed(tmp_path, *cells)).scraps["n"].data == 1


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a Jupyter server of its own, and the header that lets one in."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    own = {"HOME": tmp_path, "JUPYTER_RUNTIME_DIR": tmp_path / "run", "JUPYTER_TOKEN": "secret",
           "JUPYTER_CONFIG_DIR": tmp_path / "none"}  # fmt: skip
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root",
             "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
             f"--ServerApp.root_dir={tmp_path}"],
            env={**os.environ, **{name: str(value) for name, value in own.items()}},
            stderr=log,
        )  # fmt: skip
    try:
        while not listens(port):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
                raise AssertionError((tmp_path / "log").read_text())
        yield f"http://127.0.0.1:{port}", {"Authorization": "token secret"}
    finally:
        process.terminate()
        process.wait(timeout=60)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 10).close()
    except OSError:
        return False
    return True


def ask(address: str, header: dict[str, str], method: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, header, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


@pytest.mark.slow
def test_glue_in_a_jupyter_server(server: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    """As JupyterLab does it: a kernel of the server, messages over its websocket."""
    from tornado.ioloop import IOLoop

    address, header = server
    kernel = ask(f"{address}/api/kernels", header, "POST", {"name": "python3"})
    channels = f"{address}/api/kernels/{kernel['id']}/channels".replace("http", "ws", 1)
    outputs = IOLoop().run_sync(lambda: shown(channels, header, GLUE))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(GLUE, outputs=outputs)])
    nbformat.write(notebook, str(tmp_path / "saved.ipynb"))
    scraps = octavo.read_notebook(tmp_path / "saved.ipynb").scraps
    assert scraps["score"].data == 0.5
    assert scraps["table"].data["a"].tolist() == [1, 2]
    assert [output.output_type for output in outputs] == ["display_data"] * 3


async def shown(channels: str, header: dict[str, str], code: str) -> list[Any]:
    """What a kernel shows when it executes some code."""
    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    connection = await websocket_connect(HTTPRequest(channels, headers=header))
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False,
               "user_expressions": {}, "stop_on_error": True}  # fmt: skip
    head = {"msg_id": "one", "msg_type": "execute_request", "username": "", "session": "s",
            "date": "2026-01-01T00:00:00Z", "version": "5.3"}  # fmt: skip
    message = {"header": head, "parent_header": {}, "metadata": {}, "content": content,
               "channel": "shell", "buffers": []}  # fmt: skip
    await connection.write_message(json.dumps(message))
    outputs: list[Any] = []
    while True:
        said = json.loads(await connection.read_message())
        if said["parent_header"].get("msg_id") != "one":
            continue
        if said["msg_type"] in ("display_data", "stream", "error", "execute_result"):
            outputs.append(nbformat.v4.output_from_msg({**said, "content": said["content"]}))
        if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
            connection.close()
            return outputs
