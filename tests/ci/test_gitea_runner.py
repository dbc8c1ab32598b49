"""The workflow on a real Gitea, by its real runner on this machine: what merges was executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ci.projects import BROKEN, GOOD, NAME, edit, eventually, on_gitea, push
from octavo.forges.http import Refused
from servers import runner as real
from servers.gitea import Gitea, Person

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.network]

CHECK = "octavo/check"


def logs(ada: Person, name: str, runner: Path) -> str:
    """What the jobs wrote, for a test that fails."""
    path = f"repos/{ada.name}/{name}/actions/tasks"
    told = ada.api.get(path)
    return f"{told}\n{runner.read_text()}"


def test_a_broken_notebook_is_refused_repaired_and_merged(
    gitea: Gitea, tmp_path: Path, ready: dict[str, str]
) -> None:
    if not real.is_built():
        pytest.skip("needs Gitea's runner: run `make servers` once")
    desk, ada, name = on_gitea(gitea, tmp_path)
    repository = f"repos/{ada.name}/{name}"
    with real.runner(gitea, ada, name, tmp_path / "runner", ready) as log:
        desk.git("switch", "--quiet", "-c", "agent/health")
        edit(desk, BROKEN)
        broken = push(desk, "break it", "agent/health")
        number = desk.forge.open("agent/health", "main", "Health", "", draft=False).number

        refused = desk.octavo("merge", str(number), "--when-green", "--timeout", "9m", code=2)
        assert f"will not be green: the status {CHECK} (failure)" in refused["error"]["message"]
        with pytest.raises(Refused):
            asked = {"Do": "merge", "head_commit_id": broken}
            ada.api.call("POST", f"{repository}/pulls/{number}/merge", asked)

        edit(desk, GOOD.replace("hosts: int = 10", "hosts: int = 20"))
        repaired = push(desk, "mend it", "agent/health")
        desk.git("switch", "--quiet", "main")
        merged = desk.octavo("merge", str(number), "--when-green", "--timeout", "9m")
        assert merged["branch_deleted"]
        states = {each.context: each.state for each in desk.forge.statuses(repaired)}
        assert states[CHECK] == "success"

        def done() -> Any:
            found = {each.context: each.state for each in desk.forge.statuses(merged["commit"])}
            return found.get(CHECK) if found.get(CHECK) != "pending" else None

        state = eventually(done, "the check of main", lambda: logs(ada, name, log))
        assert state == "success"
        [said] = desk.forge.comments(number)
        assert "health.py" in said.body and "too few" not in said.body

    desk.git("pull", "--quiet", "--ff-only", "origin", "main")
    assert desk.octavo("sync", "--check", NAME)["in_step"]
    desk.git("fetch", "--quiet", "origin", "reports")
    kept = desk.octavo("runs", "--archived")["runs"]
    assert {Path(each["notebook"]).name for each in kept} == {"health.py", "other.py"}
    [health] = [each for each in kept if each["notebook"].endswith(NAME)]
    assert health["scraps"] == {"health_score": 0.95, "secrets_seen": []}
