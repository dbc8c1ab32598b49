"""Notebooks in other languages than Python, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.calling import Octavo
from cli.jupyter_kernels import BASH, IPYKERNEL, Kernels
from kernels.deno import deno_kernel

pytestmark = pytest.mark.kernel

SHELL = """\
# Greeting

```bash tags=["parameters"]
name=world
```

```bash
echo "hello $name"
```
"""

SCRIPT = """\
---
jupyter:
  kernelspec: {name: deno, display_name: Deno, language: typescript}
---

```typescript tags=["parameters"]
var n: number = 1
```

```typescript
console.log("twice", n * 2)
```
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernels:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    return Kernels(tmp_path / "jupyter")


def outputs(path: str) -> list[str]:
    """The text of every output of an executed notebook."""
    document = json.loads(Path(path).read_text())
    texts = [out.get("text", "") for cell in document["cells"] for out in cell.get("outputs", ())]
    return ["".join(text) for text in texts]


def test_a_shell_notebook_runs_with_parameters(octavo: Octavo, kernels: Kernels) -> None:
    kernels.add("bash", "bash", BASH)
    Path("nb.md").write_text(SHELL)
    answer = octavo("run", "nb.md", "-p", "name", "it's $HOME", "--json")
    assert answer.code == 0, answer.err
    assert outputs(answer.json["notebook_path"]) == ["hello it's $HOME\n"]
    record = json.loads(Path(answer.json["record_path"]).read_text())
    assert (record["engine"], record["environment"]["kernel"]) == ("jupyter", "bash")
    document = json.loads(Path(answer.json["notebook_path"]).read_text())
    assert document["metadata"]["kernelspec"]["name"] == "bash"
    assert document["metadata"]["language_info"]["name"] == "bash"


def test_a_script_notebook_runs_with_parameters(octavo: Octavo, kernels: Kernels) -> None:
    kernels.add("deno", "typescript", deno_kernel().argv)
    Path("nb.md").write_text(SCRIPT)
    answer = octavo("run", "nb.md", "-p", "n", "21", "--json")
    assert answer.code == 0, answer.err
    assert outputs(answer.json["notebook_path"]) == ["twice 42\n"]


def test_it_can_be_run_again(octavo: Octavo, kernels: Kernels) -> None:
    kernels.add("bash", "bash", BASH)
    Path("nb.md").write_text(SHELL)
    assert octavo("run", "nb.md", "-p", "name", "you").code == 0
    again = octavo("rerun", "last", "--json")
    assert outputs(again.json["notebook_path"]) == ["hello you\n"]


def test_python_runs_in_jupyters_kernel_when_asked(octavo: Octavo) -> None:
    answer = octavo("run", "nb.py", "--engine", "jupyter", "-p", "n", "2", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["scraps"] == {"n": 2, "words": ["a", "b"]}
    record = json.loads(Path(answer.json["record_path"]).read_text())
    assert record["engine"] == "jupyter"


def test_a_kernel_that_is_an_environment_is_forked_from_it(
    octavo: Octavo, kernels: Kernels
) -> None:
    kernels.add("mine", "python", IPYKERNEL)
    answer = octavo("run", "nb.py", "-k", "mine", "--json")
    assert answer.code == 0, answer.err
    record = json.loads(Path(answer.json["record_path"]).read_text())
    assert (record["engine"], record["environment"]["why"]) == ("fork", "--kernel mine")


def test_a_notebook_runs_in_the_environment_that_it_was_saved_with(
    octavo: Octavo, kernels: Kernels
) -> None:
    kernels.add("mine", "python", IPYKERNEL)
    spec = {"name": "mine", "display_name": "Mine", "language": "python"}
    cell = {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "id": "a"}
    cell["execution_count"] = None
    document = {"cells": [cell], "metadata": {"kernelspec": spec}}
    Path("nb.ipynb").write_text(json.dumps({**document, "nbformat": 4, "nbformat_minor": 5}))
    answer = octavo("run", "nb.ipynb", "--json")
    record = json.loads(Path(answer.json["record_path"]).read_text())
    assert record["environment"]["why"] == "the kernel mine, which the notebook was saved with"


def test_the_list_says_for_whom_each_kernel_is(octavo: Octavo, kernels: Kernels) -> None:
    kernels.add("bash", "bash", BASH)
    kernels.add("bash-old", "bash", BASH)
    kernels.add("ruby", "ruby", ("sh", "{connection_file}"))
    kernels.add("gone", "lua", ("/no/such/program", "{connection_file}"))
    kernels.write("torn", "{")
    rows = {row["name"]: row for row in reversed(octavo("kernels", "--json").json["kernels"])}
    assert rows["python3"]["serves"] == "every Python notebook"
    assert rows["bash"]["serves"] == "every bash notebook"
    assert rows["bash-old"]["serves"] == "--kernel bash-old, notebooks saved with it"
    assert (rows["bash"]["parameters"], rows["ruby"]["parameters"]) == (True, False)
    assert rows["gone"]["problem"] == "there is no program /no/such/program"
    assert rows["torn"]["problem"]
    told = octavo("kernels").out
    assert "every bash notebook" in told
    assert "gone: there is no program /no/such/program" in told


def test_what_is_not_there_yet_can_be_answered_by_a_longer_wait(
    octavo: Octavo, kernels: Kernels
) -> None:
    kernels.add("mute", "ruby", ("sleep", "600"))
    Path("nb.md").write_text("```ruby\nhello\n```\n")
    answer = octavo("run", "nb.md", "-k", "mute", "--start-timeout", "1", "--json")
    assert (answer.code, answer.json["reason"]) == (3, "infrastructure")
    assert "within 1 s" in answer.json["message"]


def test_where_kernels_cannot_be_forked_python_runs_in_jupyters(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.kernels.fork.zygote.supported", lambda: False)
    answer = octavo("run", "nb.py", "--json")
    assert answer.code == 0, answer.err
    record = json.loads(Path(answer.json["record_path"]).read_text())
    assert (record["engine"], record["status"]) == ("jupyter", "success")
