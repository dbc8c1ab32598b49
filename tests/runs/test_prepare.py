"""`--prepare-only`: nothing is run, and nothing that only a run needs has to be there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from octavo.errors import OctavoError

SCRIPT_BLOCK = """\
# /// script
# dependencies = ["no-such-package-anywhere"]
# ///

# %% tags=["parameters"]
a = 1
"""


def prepared(project: Any, text: str, name: str, **options: Any) -> dict[str, Any]:
    project.write(text, name)
    project.run_paths(name, prepare_only=True, output="out.ipynb", **options)
    found: dict[str, Any] = json.loads((project.root / "out.ipynb").read_text())
    return found


@pytest.mark.parametrize(("language", "line"), [("R", 'a = "x$y"'), ("julia", 'a = "x\\$y"')])
def test_no_kernel_is_needed(project: Any, language: str, line: str) -> None:
    spec = {"name": "none-such", "language": language, "display_name": "None"}
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {"tags": ["parameters"]},
        "source": "a = 1",
        "outputs": [],
        "execution_count": None,
    }
    whole = {"cells": [cell], "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    notebook = prepared(project, json.dumps(whole), "in.ipynb", values={"a": "x$y"})
    assert line in "".join(notebook["cells"][1]["source"]).splitlines()
    assert notebook["metadata"]["kernelspec"]["name"] == "none-such"


def test_no_environment_is_built(project: Any) -> None:
    notebook = prepared(project, SCRIPT_BLOCK, "nb.py", values={"a": 2}, offline=True)
    assert "a = 2\n" in notebook["cells"][-1]["source"]
    assert not (project.root / ".octavo").exists()


def test_a_kernel_that_is_named_must_exist(project: Any) -> None:
    with pytest.raises(OctavoError) as told:
        prepared(project, "# %%\na = 1\n", "nb.py", kernel="none-such")
    assert told.value.kind == "kernel-unknown" and told.value.hint
    assert not (project.root / "out.ipynb").exists()
