"""A headless Chromium, driven over its debugging protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Not everything that a page waits for changes its nodes, so that an observer would miss it.
_WAIT = """
new Promise((resolve, reject) => {
  const ask = () => { try { return (%s) } catch { return false } };
  const look = setInterval(() => { const value = ask(); if (value) end(() => resolve(value)) }, 50);
  const limit = setTimeout(() => end(() => reject(new Error("it never came"))), %d);
  const end = tell => { clearInterval(look); clearTimeout(limit); tell() };
})
"""


class Page:
    """One tab of the browser."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = count(1)
        self._loaded: set[str] = set()
        #: What pages asked a person or told them in windows of their own.
        self.dialogs: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol and wait for its answer."""
        number = self._send(method, parameters)
        while True:
            answer = self._heard()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _send(self, method: str, parameters: dict[str, Any]) -> int:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        return number

    def _heard(self) -> dict[str, Any]:
        """The next message. A quick page is there before the answer to the command for it."""
        message: dict[str, Any] = json.loads(self._socket.recv())
        about = message.get("params", {})
        if message.get("method") == "Page.lifecycleEvent" and about["name"] == "DOMContentLoaded":
            self._loaded.add(about["loaderId"])
        if message.get("method") == "Page.javascriptDialogOpening":
            # A page stands still until somebody answers. A Gitea that was built without its
            # looks tells so by one.
            self.dialogs.append(about["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        return message

    def open(self, url: str) -> None:
        """Go to an address and wait for the page itself; scripts may still be at work."""
        self.call("Page.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        answer = self.call("Page.navigate", url=url)
        assert not answer.get("errorText"), f"{url}: {answer['errorText']}"
        while "loaderId" in answer and answer["loaderId"] not in self._loaded:
            self._heard()

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, f"{script[:300]}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait_for(self, script: str, seconds: int = 120) -> Any:
        """Wait until an expression is true of the page, and give its value."""
        return self.evaluate(_WAIT % (script, seconds * 1000))

    def screenshot(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A browser with an empty profile; it ends with the block."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    words = [
        program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run", "--window-size=1300,3000", "--remote-debugging-port=0",
        "--remote-allow-origins=*", f"--user-data-dir={profile}", "about:blank",
    ]  # fmt: skip
    env = {**os.environ, "HOME": str(profile)}
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=env)
    try:
        yield Page(_connect(_address(process)))
    finally:
        process.kill()
        process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    line = first_line(process, "DevTools listening on ")
    return line.split("/")[2]


def first_line(process: subprocess.Popen[str], sign: str) -> str:
    """The line of standard error that a sign stands in; what follows is read and forgotten."""
    assert process.stderr is not None
    heard = []
    for line in process.stderr:
        heard.append(line)
        if sign in line:
            Thread(target=process.stderr.read, daemon=True).start()
            return line
    raise AssertionError(f"it ended before it could be reached: {''.join(heard)}")


def _connect(address: str) -> Any:
    from urllib.request import urlopen

    import websocket

    with urlopen(f"http://{address}/json/list", timeout=60) as answer:
        tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
    return websocket.create_connection(tabs[0]["webSocketDebuggerUrl"], timeout=180)
