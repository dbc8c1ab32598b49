"""Notebooks from the web, from a server on this machine."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.records.record import load_record
from octavo.runs import download
from octavo.runs.inputs import read_input

NOTEBOOK = json.dumps({
    "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "source": "print(6 * 7)",
               "outputs": [], "execution_count": None}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
})  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/private.ipynb":
            login = b64encode(b"me:pass word").decode()
            if self.headers.get("Authorization") != f"Basic {login}":
                return self.send_error(401)
        if path.startswith("/hop"):
            left = int(path.removeprefix("/hop"))
            self.send_response(302)
            self.send_header("Location", f"/hop{left - 1}" if left else "/nb.ipynb")
            return self.end_headers()
        content = {
            "/nb.ipynb": NOTEBOOK.encode(),
            "/private.ipynb": NOTEBOOK.encode(),
            "/api/notebook": NOTEBOOK.encode(),
            "/script.py": b"# %%\nprint(1)\n",
            "/page": b"<!DOCTYPE html><html></html>",
            "/latin.ipynb": b"\xff\xfe\x00",
            "/empty.ipynb": b"",
            "/other.ipynb": b'{"x": 1}',
        }.get(path)
        if content is None:
            return self.send_error(500 if path == "/broken.ipynb" else 404)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{serving.server_port}"
        serving.shutdown()


@pytest.mark.parametrize("path", ["nb.ipynb", "nb.ipynb?token=x", "api/notebook", "hop3"])
def test_a_notebook_is_read(server: str, path: str, tmp_path: Path) -> None:
    source = read_input(f"http://{server}/{path}", str(tmp_path))
    assert source.notebook.cells[0].source == "print(6 * 7)"
    assert source.format == "ipynb"
    assert Path(source.path).parent == tmp_path
    assert source.name == f"http://{server}/{path.partition('?')[0]}"


def test_the_suffix_of_the_address_decides(server: str, tmp_path: Path) -> None:
    assert read_input(f"http://{server}/script.py", str(tmp_path)).format == "py"


def test_a_login_is_used_and_not_kept(server: str, tmp_path: Path) -> None:
    source = read_input(f"http://me:pass%20word@{server}/private.ipynb", str(tmp_path))
    assert source.name == f"http://{server}/private.ipynb"


@pytest.mark.parametrize(
    ("path", "kind", "exit_code"),
    [
        ("missing.ipynb", "notebook-not-found", 2),
        ("private.ipynb", "notebook-unreadable", 2),
        ("hop9", "notebook-unreadable", 2),
        ("broken.ipynb", "download", 3),
        ("page", "notebook-invalid", 2),
        ("latin.ipynb", "notebook-encoding", 2),
        ("empty.ipynb", "notebook-empty", 2),
        ("other.ipynb", "notebook-invalid", 2),
    ],
)
def test_what_is_no_notebook_is_told(
    server: str, path: str, kind: str, exit_code: int, tmp_path: Path
) -> None:
    with pytest.raises(OctavoError) as told:
        read_input(f"http://me:secret@{server}/{path}", str(tmp_path))
    assert (told.value.kind, told.value.exit_code) == (kind, exit_code)
    assert told.value.hint
    assert server in told.value.place
    assert "secret" not in f"{told.value.place} {told.value.message}"


def test_a_dead_server_is_told(tmp_path: Path) -> None:
    with pytest.raises(OctavoError) as told:
        read_input("http://127.0.0.1:1/nb.ipynb", str(tmp_path))
    assert told.value.kind == "download"
    assert "refused" in told.value.message


def test_an_endless_answer_is_cut_off(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST", 100)
    with pytest.raises(OctavoError, match="larger than"):
        read_input(f"http://{server}/nb.ipynb", str(tmp_path))


@pytest.mark.parametrize("word", ["s3://b/k.ipynb", "gs://b/k.ipynb", "adl://x/y", "ftp://h/n.py"])
def test_other_stores_are_named(word: str, tmp_path: Path) -> None:
    with pytest.raises(OctavoError) as told:
        read_input(word, str(tmp_path))
    assert told.value.kind == "wrong-argument"
    assert "not supported" in told.value.message


@pytest.mark.kernel
def test_a_run_from_the_web_leaves_a_record_without_the_login(server: str, project: Any) -> None:
    address = f"http://me:pass%20word@{server}/private.ipynb?key=abc123456"
    (result,) = project.run_paths(address, output="out.ipynb")
    assert result.ok
    record = load_record(Path(result.record_path).parent)
    assert record.source["path"] == f"http://{server}/private.ipynb"
    for file in Path(result.record_path).parent.iterdir():
        content = file.read_bytes()
        assert b"pass%20word" not in content and b"abc123456" not in content
    written = json.loads((project.root / "out.ipynb").read_text())
    assert written["cells"][0]["outputs"][0]["text"] == ["42\n"]
