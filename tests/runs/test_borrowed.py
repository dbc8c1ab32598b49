"""An environment without IPython: what it borrows from Octavo is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

pytestmark = pytest.mark.kernel


def test_a_borrowed_import_is_named_once(project: Any) -> None:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    venv = project.root / ".venv"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(venv)], check=True)
    source = (
        "# %%\nimport json\nfrom IPython.display import display\nimport pygments\n\n"
        "# %%\nimport pygments.lexers\n\n# %%\nimport sys\nprint(sys.prefix)\n"
    )
    result = project.run(source)
    assert result.ok, result
    cells = nbformat.read(result.notebook_path, as_version=4).cells
    assert [(output.name, output.text) for output in cells[0].outputs] == [
        ("stderr", "octavo: pygments is Octavo's own copy, this environment has none: install it\n")
    ]
    assert cells[1].outputs == []
    assert cells[2].outputs[0].text == f"{venv}\n"
