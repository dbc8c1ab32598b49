"""Kernels that are not Python, and kernels that do not answer, under Papermill."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from compat.conftest import Execute
from compat.notebooks import code, comparable, read, statuses, write
from octavo.compat import papermill as pm

pytestmark = pytest.mark.kernel

BASH = {
    "kernelspec": {"name": "try-bash", "display_name": "Bash", "language": "bash"},
    "language_info": {"name": "bash"},
}


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install kernels that only these tests see."""

    def add(name: str, language: str, *argv: str) -> None:
        folder = tmp_path / "jupyter" / "kernels" / name
        folder.mkdir(parents=True)
        spec = {"argv": list(argv), "language": language, "display_name": name}
        (folder / "kernel.json").write_text(json.dumps(spec))

    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    return add


def test_another_language_gives_the_same_notebook(
    folder: Path, execute: Execute, kernels: Any
) -> None:
    kernels("try-bash", "bash", sys.executable, "-m", "bash_kernel", "-f", "{connection_file}")
    cells = [code("a=1", "parameters"), code('echo "hi $a"')]
    write(folder / "in.ipynb", *cells, metadata=BASH)
    found = {}
    for engine in ("nbclient", "octavo"):
        execute("in.ipynb", f"{engine}.ipynb", engine, parameters={"a": 5})
        found[engine] = comparable(read(folder / f"{engine}.ipynb"))
    assert found["octavo"] == found["nbclient"]
    assert found["octavo"]["cells"][2]["outputs"][0]["text"] == "hi 5\n"
    notebook = pm.execute_notebook("in.ipynb", None, parameters={"a": 6}, progress_bar=False)
    assert notebook.cells[2].outputs[0].text == "hi 6\n"


def test_a_kernel_that_never_answers_is_not_waited_for(
    folder: Path, execute: Execute, kernels: Any
) -> None:
    kernels("deaf", "bash", sys.executable, "-c", "import sys; sys.stdin.read()")
    metadata = {**BASH, "kernelspec": {**BASH["kernelspec"], "name": "deaf"}}
    write(folder / "in.ipynb", code("echo 1"), metadata=metadata)
    with pytest.raises(Exception, match=r"deaf|kernel"):
        execute("in.ipynb", "out.ipynb", "octavo", start_timeout=1)
    assert statuses(read(folder / "out.ipynb")) == [("pending", None)]
