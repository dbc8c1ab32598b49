"""Clients that hang up, and what becomes of the work that they began."""

from __future__ import annotations

from pathlib import Path

from git_repositories import git
from mcp_clients import Project, Raw

#: Holds up whoever writes a branch, until a file is there.
_HOLDING = '#!/bin/sh\ntouch "{root}/begun"\nwhile [ ! -e "{root}/go" ]; do sleep 0.02; done\n'


def test_a_commit_is_brought_to_its_end_when_its_client_hangs_up(tmp_path: Path) -> None:
    project = Project(tmp_path)
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(project.root, "remote", "add", "origin", str(remote))
    git(project.root, "push", "-q", "origin", "HEAD")
    hook = project.root / ".git" / "hooks" / "reference-transaction"
    hook.write_text(_HOLDING.format(root=project.root))
    hook.chmod(0o755)
    project.write("quick.py", "# %%\nprint('changed')\n")
    raw = Raw(project, "--limit", "500ms")
    raw.initialize("2025-06-18")
    asked = {"path": "quick.py", "message": "Change it", "branch": "agent/change"}
    called = raw.call("tools/call", {"name": "notebook_commit", "arguments": asked})
    going = called["result"]["structuredContent"]
    assert going["status"] == "running"
    assert "stay" in going["notes"][0]
    assert raw.process.stdin is not None and raw.process.stdout is not None
    raw.process.stdin.close()
    project.go()
    assert raw.process.stdout.read() == ""
    assert raw.process.wait(timeout=60) == 0
    assert "Change it" in git(remote, "log", "-1", "--format=%s", "agent/change")


def test_work_of_a_server_that_has_ended_is_told_as_such(tmp_path: Path) -> None:
    raw = Raw(Project(tmp_path))
    raw.initialize("2025-06-18")
    arguments = {"job": "work-0123456789ab"}
    called = raw.call("tools/call", {"name": "job_wait", "arguments": arguments})
    text = called["result"]["content"][0]["text"]
    assert text.startswith("job-not-found") and "ended with the server" in text
    raw.close()
