"""The plug-in in Hermes's own environment, whose `mcp` is another than ours."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agents.build import HERMES
from agents.models import model
from agents.programs import Place, called, hermes, hermes_settings, needed
from agents.stories import TOOLS, holds, octavo, place, silence, story

__all__ = ["place"]
pytestmark = [pytest.mark.kernel, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
ENABLED = "plugins: {enabled: [octavo]}\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """This clone as `pip install octavo` would bring it, in a folder that Hermes's Python sees."""
    needed(HERMES)
    folder = tmp_path_factory.mktemp("octavo")
    uv = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "-o", str(folder), str(ROOT)]
    subprocess.run(uv, check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "packages")
    return str(folder / "packages")


def test_a_turn_with_the_plug_in_alone(place: Place, installed: str) -> None:
    with model(story) as scripted:
        hermes_settings(scripted, place, ENABLED)
        ended = hermes("Measure the names", scripted, place, PYTHONPATH=installed)
    assert not scripted.problems and ended.code == 0, (scripted.problems, ended.err)
    assert set(scripted.tools) >= TOOLS
    assert not [name for name in scripted.tools if name.startswith("mcp__")]
    holds(place, ended.out.strip().splitlines()[-1])


def test_the_plug_in_and_the_server_do_not_meet(place: Place, installed: str) -> None:
    with model(silence) as scripted:
        hermes_settings(scripted, place, ENABLED)
        octavo(place, "mcp", "install", "--hermes")
        ended = hermes("Nothing", scripted, place, PYTHONPATH=installed)
    assert ended.out.endswith("nothing to do\n"), (ended.out, ended.err)
    assert set(scripted.tools) >= TOOLS | {f"mcp__octavo__{name}" for name in TOOLS}


def test_what_is_wrong_with_a_call_is_told(place: Place, installed: str) -> None:
    asked = """
import json
from octavo.compat import hermes

class Context:
    def __init__(self): self.tools, self.sets, self.skills = {}, set(), []
    def register_tool(self, name, toolset, schema, handler, **more):
        self.tools[name] = handler
        self.sets.add(toolset)
        assert schema["name"] == name and schema["parameters"]["type"] == "object"
    def register_skill(self, name, path, description=""):
        self.skills.append(path.read_text()[:3])

ctx = Context()
hermes.register(ctx)
calls = {
    "missing": ctx.tools["notebook_read"]({}),
    "unknown": ctx.tools["notebook_read"]({"path": "a.py", "paths": 1}, task_id="t"),
    "outside": ctx.tools["notebook_read"]({"path": "../../etc/passwd"}),
    "absent": ctx.tools["notebook_read"]({"path": "a.py"}),
    "none": ctx.tools["session_stop"]({"session": "zzzzzzzz"}, session_id="s"),
}
print(json.dumps({"sets": list(ctx.sets), "skills": ctx.skills,
                  **{name: json.loads(each)["error"] for name, each in calls.items()}}))
"""
    ended = called([HERMES.python, "-c", asked], place, PYTHONPATH=installed)
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert (told["sets"], told["skills"]) == (["octavo-notebooks"], ["---"])
    kinds = {name: told[name]["kind"] for name in ("missing", "unknown", "outside", "absent")}
    assert kinds == {
        "missing": "wrong-argument",
        "unknown": "wrong-argument",
        "outside": "outside-project",
        "absent": "notebook-not-found",
    }
    assert told["none"]["kind"] == "session-not-found"
    assert "path" in told["missing"]["message"] and "did you mean" in told["unknown"]["message"]
    assert all(each["hint"] for name, each in told.items() if name not in ("sets", "skills"))
