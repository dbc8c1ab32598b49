"""A JupyterLab of the tests' own, and what its page says of a notebook."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from browser import Page, first_line
from ecosystem.making import BIN, variables

TOKEN = "a-token-for-tests"
#: Every cell is in the page at once, and nobody asks the network for news.
SETTINGS: dict[str, dict[str, Any]] = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
#: What the page holds, once the notebook is drawn and its kernel has told its language.
STATE = """
(() => {
  const panel = [...jupyterapp.shell.widgets("main")].find(widget => widget.context);
  const {context, content} = panel;
  if (!context.isReady || content.widgets.length !== content.model.cells.length) return false;
  const kernel = context.sessionContext.session?.kernel;
  if (kernel?.status !== "idle") return false;
  const texts = selector =>
    [...panel.node.querySelectorAll(selector)].map(node => node.innerText);
  return JSON.stringify({
    cells: content.widgets.length,
    dirty: context.model.dirty,
    readonly: context.model.readOnly,
    prompts: texts(".jp-InputPrompt"),
    outputs: texts(".jp-OutputArea-output"),
    images: [...panel.node.querySelectorAll(".jp-OutputArea-output img")]
      .map(image => [image.src.slice(0, 22), image.complete && image.naturalWidth]),
    headings: texts(".jp-MarkdownOutput h1"),
    dialogs: [...document.querySelectorAll(".jp-Dialog")].map(node => node.innerText),
    kinds: [...panel.node.querySelectorAll("[data-mime-type]")].map(node => node.dataset.mimeType),
  });
})()
"""


class Lab(NamedTuple):
    """A server, and the folder that it shows."""

    address: str
    root: Path

    def look(self, page: Page, path: Path, drawn: str = "") -> dict[str, Any]:
        """Open a notebook of the folder in the browser and tell what is seen.

        `drawn` is a CSS selector of what is there only when all scripts have done their work.
        """
        place = path.relative_to(self.root)
        page.open(f"{self.address}/doc/tree/{place}?token={TOKEN}")
        if drawn:
            page.wait_for(f"document.querySelector({json.dumps(drawn)}) !== null")
        seen: dict[str, Any] = json.loads(page.wait_for(STATE))
        return seen


@contextmanager
def jupyterlab(root: Path, home: Path) -> Iterator[Lab]:
    """JupyterLab on loopback; it and its kernels end with the block."""
    settings = home / "settings"
    for name, values in SETTINGS.items():
        file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    env = {**variables(home), "PATH": os.pathsep.join((str(BIN), os.environ["PATH"]))}
    env |= {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env |= {"IPYTHONDIR": str(home / "ipython"), "JUPYTERLAB_SETTINGS_DIR": str(settings)}
    env |= {"JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}
    words = [
        str(BIN / "jupyter"), "lab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={root}",
        "--LabApp.expose_app_in_browser=True", "--ServerApp.terminals_enabled=False",
    ]  # fmt: skip
    process = subprocess.Popen(
        words, cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        line = first_line(process, "http://127.0.0.1:")
        yield Lab("http://127.0.0.1:" + line.partition("http://127.0.0.1:")[2].split("/")[0], root)
    finally:
        process.terminate()
        process.wait()
