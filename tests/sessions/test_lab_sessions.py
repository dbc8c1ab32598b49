"""A session in a kernel of somebody's JupyterLab, from the command line; the person looks on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from browser import chromium
from cli.calling import variables
from servers.jupyter import TOKEN, JupyterServer, collaboration_python, jupyter_server

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


class Desk:
    """A project that a Jupyter server shows, and Octavo in it."""

    def __init__(self, server: JupyterServer, home: Path) -> None:
        self.server = server
        self.project = server.root
        self.home = home
        self.env = {**variables(home / "user"), "OCTAVO_NO_RESIDENT": "1"}
        self.env |= {"JUPYTER_TOKEN": server.token, "XDG_RUNTIME_DIR": str(home / "run")}

    def octavo(self, *words: str, code: int = 0, **env: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", *words, "--json"],
            cwd=self.project,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def start(self, *words: str) -> str:
        told = self.octavo("session", "start", *words, "--server", self.server.url)
        return str(told["id"])[-8:]

    def records(self) -> str:
        """All that is kept of what was done."""
        found = self.project.glob(".octavo/runs/**/*")
        return "".join(path.read_text(errors="replace") for path in found if path.is_file())


def write(root: Path, name: str, *sources: str) -> None:
    cells = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": source}
        | {"outputs": [], "execution_count": None}
        for i, source in enumerate(sources)
    ]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": spec}}
    (root / name).write_text(json.dumps(content | {"nbformat": 4, "nbformat_minor": 5}))


@contextmanager
def desk_with(
    factory: pytest.TempPathFactory, python: Path | None, program: str = "server", *words: str
) -> Iterator[Desk]:
    root, home = factory.mktemp("project"), factory.mktemp("home")
    (root / ".octavo").mkdir()
    (home / "run").mkdir(mode=0o700)
    (home / "user").mkdir()
    with jupyter_server(root, home, *words, program=program, python=python) as server:
        yield Desk(server, home)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_with(tmp_path_factory, None) as made:
        yield made


def test_a_session_works_in_the_kernel_of_an_open_notebook(plain: Desk) -> None:
    write(plain.project, "report.ipynb", "a = 20", "b = a * 2", "print(b)")
    kernel = plain.server.open_notebook("report.ipynb")
    session = plain.start("report.ipynb")
    ran = plain.octavo("session", "run-all", session)
    assert [each["status"] for each in ran["executed"]] == ["succeeded"] * 3
    edited = plain.octavo("session", "edit", session, "1", "b = a * 3", "--run")
    assert edited["status"] == "succeeded"
    assert any("unproven" in note for note in edited["notes"])
    assert any("report.ipynb" in note for note in edited["notes"])
    saved = json.loads((plain.project / "report.ipynb").read_text())
    assert "".join(saved["cells"][1]["source"]) == "b = a * 3"
    told = plain.octavo("session", "vars", session)
    assert {each["name"] for each in told["variables"]} >= {"a", "b"}
    assert plain.octavo("session", "list")["sessions"][0]["engine"] == "remote"
    plain.octavo("session", "stop", session)
    assert kernel in plain.server.kernels()
    assert TOKEN not in plain.records()
    assert plain.records()


def test_a_cell_that_the_person_changed_meanwhile(plain: Desk) -> None:
    write(plain.project, "changed.ipynb", "a = 1", "b = 2", "a = 1")
    plain.server.open_notebook("changed.ipynb")
    session = plain.start("changed.ipynb")
    write(plain.project, "changed.ipynb", "a = 'of the person'", "b = 2", "a = 1")
    error = plain.octavo("session", "edit", session, "0", "a = 'ours'", code=2)["error"]
    assert error["kind"] == "stale"
    assert "of the person" in error["message"]
    saved = (plain.project / "changed.ipynb").read_text()
    assert "of the person" in saved and "ours" not in saved
    assert plain.octavo("session", "show", session)["cells"][0]["first_line"] == "a = 1"
    plain.octavo("session", "stop", session)


@pytest.mark.parametrize("named", ["--kernel", "--kernel-id"])
def test_a_kernel_without_a_notebook(plain: Desk, named: str) -> None:
    kernel = plain.server.start_kernel()
    words, env = ("--server", plain.server.url), {}
    if named == "--kernel-id":
        words, env = (), {"OCTAVO_JUPYTER_URL": plain.server.url}
    told = plain.octavo("session", "start", *words, named, kernel[:12], **env)
    session = told["id"][-8:]
    done = plain.octavo("session", "exec", session, "print('né'); 1 + 1")
    assert [item["text"] for item in done["outputs"]] == ["né", "2"]
    inserted = plain.octavo("session", "edit", session, "0", "x = 1", "--insert", "after", "--run")
    assert inserted["status"] == "succeeded"
    plain.octavo("session", "stop", session)


def test_it_is_not_restarted_and_what_the_person_restarts_is_lost(plain: Desk) -> None:
    write(plain.project, "again.ipynb", "a = 1")
    kernel = plain.server.open_notebook("again.ipynb")
    session = plain.start("again.ipynb")
    plain.octavo("session", "run-all", session)
    refused = plain.octavo("session", "restart", session, code=2)["error"]
    assert refused["kind"] == "jupyter-kernel"
    plain.server.call("POST", f"kernels/{kernel}/restart", {})
    lost = plain.octavo("session", "exec", session, "a", code=3)["error"]
    assert lost["kind"] == "kernel-died"
    plain.octavo("session", "restart", session)
    told = plain.octavo("session", "run-all", session)
    assert told["status"] == "succeeded"
    plain.octavo("session", "stop", session)


@pytest.mark.parametrize(
    ("words", "env", "kind"),
    [
        (("--server", "URL", "--kernel-id", "none-such"), {}, "jupyter-kernel"),
        (("--server", "URL"), {"JUPYTER_TOKEN": "wrong-token"}, "jupyter-token"),
        (("--server", "http://127.0.0.1:1"), {}, "jupyter-server"),
        (("--server", "URL/lab?token=abcdef"), {}, "wrong-argument"),
        (("--kernel-id", "x"), {}, "wrong-argument"),
        (("--server", "URL", "--python", "3.12"), {}, "wrong-argument"),
    ],
)
def test_bad_input(plain: Desk, words: tuple[str, ...], env: dict[str, str], kind: str) -> None:
    asked = [word.replace("URL", plain.server.url) for word in words]
    code = 3 if kind in ("jupyter-token", "jupyter-server") else 2
    error = plain.octavo("session", "start", *asked, code=code, **env)["error"]
    assert error["kind"] == kind
    assert error["hint"]
    assert "abcdef" not in json.dumps(error)


def test_a_server_that_goes_away(tmp_path_factory: pytest.TempPathFactory) -> None:
    with desk_with(tmp_path_factory, None) as desk:
        write(desk.project, "gone.ipynb", "import os", "os.getpid()")
        desk.server.open_notebook("gone.ipynb")
        session = desk.start("gone.ipynb")
        ran = desk.octavo("session", "run-all", session)
        desk.server.kill()
        error = desk.octavo("session", "edit", session, "0", "import sys", code=3)["error"]
        assert error["kind"] == "jupyter-server"
        told = desk.octavo("session", "exec", session, "1", code=1)
        assert told["status"] == "kernel-died"
        assert "went away" in told["error"]["message"]
        shown = desk.octavo("session", "show", session)
        assert shown["cells"][0]["first_line"] == "import os", "nothing was changed"
        desk.octavo("session", "stop", session)
        with suppress(ProcessLookupError):  # without its server it ends by itself, some time
            os.kill(int(ran["executed"][-1]["outputs"][0]["text"]), signal.SIGKILL)


CELLS = """
(() => {
  const panel = [...jupyterapp.shell.widgets("main")].find(widget => widget.context);
  if (!panel?.context.isReady) return false;
  const cells = panel.content.widgets.map(cell => cell.model.sharedModel.getSource());
  const outputs = [...panel.node.querySelectorAll(".jp-OutputArea-output")]
    .map(node => node.innerText.trim());
  return %s && JSON.stringify({cells, outputs, dirty: panel.context.model.dirty,
    dialogs: document.querySelectorAll(".jp-Dialog").length});
})()
"""


def test_the_person_sees_edits_and_outputs_as_they_happen(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    python = collaboration_python()
    lab = ("lab", "--LabApp.expose_app_in_browser=True")
    with desk_with(tmp_path_factory, python, *lab) as desk, chromium(tmp_path) as page:
        write(desk.project, "both.ipynb", "a = 20", "a * 2")
        desk.server.open_notebook("both.ipynb")
        page.open(f"{desk.server.url}/doc/tree/both.ipynb?token={TOKEN}")
        page.wait_for(CELLS % "cells.length === 2")
        session = desk.start("both.ipynb")
        desk.octavo("session", "edit", session, "1", "a * 2 + 2  # 😀", "--insert", "after")
        seen = json.loads(page.wait_for(CELLS % "cells.length === 3"))
        assert seen["cells"] == ["a = 20", "a * 2", "a * 2 + 2  # 😀"]
        desk.octavo("session", "run-all", session)
        seen = json.loads(page.wait_for(CELLS % "outputs.length === 2"))
        assert seen["outputs"] == ["40", "42"]
        desk.octavo("session", "edit", session, "0", "a = 30", "--run")
        seen = json.loads(page.wait_for(CELLS % "cells[0] === 'a = 30'"))
        assert seen["dialogs"] == 0
        desk.octavo("session", "stop", session)
