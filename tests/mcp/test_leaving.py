"""Clients that hang up and servers that are killed, and what becomes of the work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from git_repositories import git
from mcp_clients import Project, Raw

#: Holds up whoever writes a branch, until a file is there.
_HOLDING = '#!/bin/sh\ntouch "{root}/begun"\nwhile [ ! -e "{root}/go" ]; do sleep 0.02; done\n'
_COMMIT = {"path": "quick.py", "message": "Change it", "branch": "agent/change"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a remote, and a changed notebook; branches are written when a file is
    there."""
    made = Project(tmp_path)
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(made.root, "remote", "add", "origin", str(remote))
    git(made.root, "push", "-q", "origin", "HEAD")
    hook = made.root / ".git" / "hooks" / "reference-transaction"
    hook.write_text(_HOLDING.format(root=made.root))
    hook.chmod(0o755)
    made.write("quick.py", "# %%\nprint('changed')\n")
    return made


def begun(project: Project, *words: str) -> Raw:
    raw = Raw(project, *words)
    raw.initialize("2025-06-18")
    return raw


def call(raw: Raw, tool: str, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = raw.call("tools/call", {"name": tool, "arguments": arguments})
    told: dict[str, Any] = result["result"]
    return told


def committing(project: Project) -> tuple[Raw, str]:
    """A server that has begun to commit, and the job."""
    raw = begun(project, "--limit", "500ms")
    going = call(raw, "notebook_commit", **_COMMIT)["structuredContent"]
    assert going["status"] == "running" and going["job"].startswith("commit-")
    return raw, str(going["job"])


def killed(raw: Raw) -> None:
    raw.process.kill()
    raw.close()


def committed(project: Project, job: str) -> dict[str, Any]:
    """How a later server tells of the commit."""
    raw = begun(project)
    told: dict[str, Any] = call(raw, "job_wait", job=job)["structuredContent"]
    raw.close()
    assert told["status"] == "success", told
    assert "Change it" in git(
        project.home / "remote.git", "log", "-1", "--format=%s", "agent/change"
    )
    result: dict[str, Any] = told["result"]
    return result


def test_a_commit_goes_on_when_its_server_is_killed(project: Project) -> None:
    raw, job = committing(project)
    killed(raw)
    project.go()
    told = committed(project, job)
    assert (told["branch"], told["changed"]) == ("agent/change", True)
    assert told["next"] == 'notebook_pr(branch="agent/change", …)'


def test_a_commit_goes_on_when_its_client_hangs_up(project: Project) -> None:
    raw, job = committing(project)
    raw.close()
    assert raw.process.returncode == 0
    project.go()
    committed(project, job)


def test_a_commit_that_was_cancelled_is_told_as_such(project: Project) -> None:
    raw, job = committing(project)
    cancelled = call(raw, "job_cancel", job=job)["structuredContent"]
    assert cancelled["status"] == "interrupted"
    told = call(raw, "job_wait", job=job)["structuredContent"]
    assert told["status"] == "interrupted"
    raw.close()
    assert not git(project.root, "branch", "--list", "agent/change").strip()
    project.go()


def waiting_git(project: Project) -> None:
    """From now on whoever calls git waits until a file is there."""
    folder = project.home / "bin"
    folder.mkdir()
    script = folder / "git"
    real = next(f for f in os.get_exec_path() if os.path.exists(f"{f}/git"))
    script.write_text(_HOLDING.format(root=project.root) + f'exec {real}/git "$@"\n')
    script.chmod(0o755)
    path = f"{folder}{os.pathsep}{project.environ.get('PATH') or os.defpath}"
    project.environ = {**project.environ, "PATH": path}


def test_work_of_a_server_that_was_killed_is_told_as_lost(project: Project) -> None:
    waiting_git(project)
    raw = begun(project, "--limit", "500ms")
    going = call(raw, "notebook_diff")["structuredContent"]
    assert going["status"] == "running" and "stay" in going["notes"][0]
    other = begun(project, "--limit", "500ms")
    assert call(other, "job_wait", job=going["job"])["structuredContent"]["status"] == "running"
    killed(raw)
    told = call(other, "job_wait", job=going["job"])
    text = told["content"][0]["text"]
    assert told["isError"] and text.startswith("job-lost: notebook_diff was not done")
    assert "call notebook_diff again" in text
    project.go()
    other.close()


def test_work_of_another_server_is_told_when_it_is_done(project: Project) -> None:
    waiting_git(project)
    raw, other = begun(project, "--limit", "500ms"), begun(project)
    going = call(raw, "notebook_diff")["structuredContent"]
    project.go()
    told = call(other, "job_wait", job=going["job"])["structuredContent"]
    assert told["status"] == "success" and told["result"]
    raw.close()
    other.close()


def test_a_job_that_never_was_is_not_found(tmp_path: Path) -> None:
    raw = begun(Project(tmp_path))
    told = call(raw, "job_wait", job="work-0123456789ab")
    assert told["content"][0]["text"].startswith("job-not-found")
    raw.close()
