"""What is imported before a kernel is started decides how fast a run begins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
before = set(sys.modules)
from octavo.environments.request import Request
from octavo.environments.resolve import resolve
from octavo.environments.variables import variables
from octavo.environments.secrets import secret_values
notebook, cache = sys.argv[1:]
environ = {"PATH": "/usr/bin", "API_TOKEN": "abcdefghij"}
with open(notebook) as file:
    text = file.read()
request = Request(notebook, text, "/", sys.executable, cache, environ)
environment = resolve(request)
secret_values(variables(environ, environment, names=["API_*"]), environ)
print(json.dumps(sorted(set(sys.modules) - before)))
"""

LIGHT = {
    *("__future__", "zlib", "octavo", "octavo.errors", "octavo.environments", "octavo.notebook"),
    *("octavo.notebook.comment_blocks", "octavo.value"),
    *(
        f"octavo.environments.{name}"
        for name in (
            *("choose", "known", "launch", "layout", "request", "resolve", "script", "secrets"),
            *("specifier", "uv", "variables"),
        )
    ),
}


def imported(notebook: Path, cache: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(notebook), str(cache)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout))


def test_choosing_imports_only_light_modules(tmp_path: Path) -> None:
    notebook = tmp_path / "nb.py"
    notebook.write_text("# %%\nprint(1)\n")
    assert imported(notebook, tmp_path) <= LIGHT
