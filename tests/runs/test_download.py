"""Notebooks from the web, from a server on this machine."""

from __future__ import annotations

import gzip
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.records.record import load_record
from octavo.runs import download, fetch
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
        if path.startswith("/to-other/"):
            self.send_response(302)
            place = f"http://localhost:{self.server.server_port}/login-of/{path[10:]}"  # type: ignore[attr-defined]
            self.send_header("Location", path[10:] if "://" in path[10:] else place)
            return self.end_headers()
        if path.startswith("/login-of/"):
            return self._send(f"login = {self.headers.get('Authorization')!r}".encode())
        if path.startswith("/packed"):
            kind = {"Content-Encoding": "br" if "brotli" in path else "gzip"}
            halves = gzip.compress(NOTEBOOK[:50].encode()) + gzip.compress(NOTEBOOK[50:].encode())
            return self._send(halves[: -9 if "broken" in path else None], kind)
        if path == "/breaks-off.py":
            return self._send(b"# %%\nprint(1)\n", {"Content-Length": "5000"})
        if path == "/nonsense.py":
            self.wfile.write(b"hello\r\n\r\n")
            return None
        if path == "/byte-by-byte.py":
            return self._trickle(b"HTTP/1.0 200 OK\r\nX: ")
        content = {
            "/caf%C3%A9.ipynb": NOTEBOOK.encode(),
            "/with-comment": b"\n<!-- one --><!-- two -->\n<html></html>",
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

    def _send(self, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _trickle(self, start: bytes) -> None:
        """A header without end, until the other side has had enough."""
        self.wfile.write(start)
        with suppress(OSError):
            while not self.server.gone.wait(0.01):  # type: ignore[attr-defined]
                self.wfile.write(b"x")

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        gone = serving.gone = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{serving.server_port}"
        gone.set()
        serving.shutdown()


@pytest.mark.parametrize("path", ["nb.ipynb", "nb.ipynb?token=x", "api/notebook", "hop3", "packed"])
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
        ("with-comment", "notebook-invalid", 2),
        ("packed-brotli", "download", 3),
        ("packed-broken", "download", 3),
        ("breaks-off.py", "download", 3),
        ("nonsense.py", "download", 3),
        ("to-other/ftp://127.0.0.1/x.py", "download", 3),
        ("to-other/file:///etc/passwd", "notebook-unreadable", 2),
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


def test_what_unpacks_to_more_than_there_may_be_is_cut_off(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST", 100)
    with pytest.raises(OctavoError, match="larger than"):
        read_input(f"http://{server}/packed", str(tmp_path))


def test_a_server_that_never_comes_to_an_end_is_left(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "IN_ALL", 0.2)
    with pytest.raises(OctavoError, match="not sent everything") as told:
        read_input(f"http://{server}/byte-by-byte.py", str(tmp_path))
    assert told.value.kind == "download" and told.value.hint


def test_a_login_is_not_handed_on_to_another_server(server: str, tmp_path: Path) -> None:
    source = read_input(f"http://me:secret@{server}/to-other/x.py", str(tmp_path))
    assert source.notebook.cells[0].source == "login = None"
    source = read_input(f"http://me:secret@{server}/login-of/x.py", str(tmp_path))
    assert "Basic" in source.notebook.cells[0].source


def test_letters_of_any_language_in_an_address(server: str, tmp_path: Path) -> None:
    source = read_input(f"http://{server}/café.ipynb", str(tmp_path))
    assert source.notebook.cells[0].source == "print(6 * 7)"
    assert Path(source.path).name == "café.ipynb"


@pytest.mark.parametrize("word", ["http://[", "http://h:99999/x", "http://a b/x", "https://:80/x"])
def test_what_is_no_address_is_told(word: str, tmp_path: Path) -> None:
    with pytest.raises(OctavoError, match="no address") as told:
        read_input(word, str(tmp_path))
    assert told.value.kind == "wrong-argument" and told.value.hint and told.value.place


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


@pytest.mark.kernel
def test_the_injected_path_has_no_login(server: str, project: Any) -> None:
    address = f"http://me:pass%20word@{server}/private.ipynb?key=abc123456"
    (result,) = project.run_paths(address, inject_paths=True)
    record = load_record(Path(result.record_path).parent)
    given = record.parameters
    assert given["PAPERMILL_INPUT_PATH"] == f"http://{server}/private.ipynb"


@pytest.mark.kernel
@pytest.mark.parametrize("output", ["nb.ipynb", "other.ipynb"])
def test_a_run_from_the_web_can_be_repeated(server: str, project: Any, output: str) -> None:
    for _ in range(2):
        (result,) = project.run_paths(f"http://{server}/nb.ipynb", output=output)
        assert result.ok
