"""Detached runs from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo

NOTEBOOK = """\
# %% tags=["parameters"]
n: int = 1

# %%
from octavo_runtime import glue
print("n is", n)
glue("n", n)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(NOTEBOOK)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.kernel
def test_a_run_is_begun_looked_at_and_waited_for(project: Path) -> None:
    job = octavo.detach(project / "nb.py", {"n": 7}, request_id="one", timeout="5m")
    state = job.wait()
    assert (state.status, state.exit_code) == ("succeeded", 0)
    assert state.result is not None
    assert state.result["scraps"] == {"n": 7}
    polled = octavo.Job(job.id[-8:]).poll()
    assert [item["text"] for item in polled.outputs] == ["n is 7", "n: int = 7"]
    assert octavo.detach(project / "nb.py", {"n": 7}, request_id="one").id == job.id
    assert job.cancel().how == "ended"


def test_what_is_wrong_is_raised_at_once(project: Path) -> None:
    with pytest.raises(octavo.ParameterError):
        octavo.detach("nb.py", {"m": 1})
    with pytest.raises(octavo.UsageError, match="there is no job"):
        octavo.Job("nothing").wait(0)
    with pytest.raises(octavo.UsageError, match="is not a duration"):
        octavo.detach("nb.py", hold="10x")
    with pytest.raises(TypeError):
        octavo.detach("nb.py", nonsense=1)
    with pytest.raises(TypeError, match="on_event"):
        octavo.detach("nb.py", on_event=print)
    assert not (project / ".octavo").exists()
