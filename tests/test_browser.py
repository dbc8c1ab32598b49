"""The browser that tests drive waits for the page that it was sent to, however quick that is."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from browser import chromium


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        words = f"<p>{self.path}</p><script>if (location.search) alert(1)</script>".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.mark.slow
def test_a_page_that_is_there_at_once(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with chromium(tmp_path) as tab:
            for each in ("/1", "/2", "/2#part", "/3", "/4?asks"):
                tab.open(f"http://127.0.0.1:{server.server_port}{each}")
                assert tab.evaluate("document.body.innerText") == each.partition("#")[0]
            assert tab.dialogs == ["1"]
    finally:
        server.shutdown()
        server.server_close()
