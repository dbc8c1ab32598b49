"""Repositories that are not like the one in the manual: links, signatures, others at work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from git_repositories import commit_files
from octavo.errors import OctavoError
from octavo.forges.local import forge as local_forge
from octavo.proposals import propose as proposing
from proposals.desks import EDITED, NAME, NOTEBOOK, Desk, start
from proposals.test_propose_locally import PIXELS

pytestmark = pytest.mark.kernel


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = start(tmp_path)
    made.write(EDITED)
    return made


def test_a_link_to_a_notebook_stays_a_link(desk: Desk, tmp_path: Path) -> None:
    desk.write(NOTEBOOK)
    os.symlink("notebooks/health.py", desk.folder / "link.py")
    os.symlink("notebooks", desk.folder / "shelf")
    commit_files(desk.folder, {"README.md": "links\n"})
    desk.git("push", "--quiet")
    desk.write(EDITED)
    for name in ("link.py", "shelf/health.py"):
        result = desk.propose(name, message="x")
        assert result.facts.name == NAME
        changed = desk.git("diff", "--name-only", "main", result.commit).split()
        assert changed == ["notebooks/health.ipynb", NAME]
    (tmp_path / "outside.py").write_text(NOTEBOOK)
    os.symlink(tmp_path / "outside.py", desk.folder / "out.py")
    with pytest.raises(OctavoError) as caught:
        desk.propose("out.py", message="x")
    assert caught.value.kind == "not-a-repository"
    with pytest.raises(OctavoError, match="no links"):
        desk.propose(message="x", also=("link.py",))


JULIA = """\
---
jupyter:
  kernelspec: {name: julia, language: julia, display_name: Julia}
---

```julia
1
```
"""
SIGNER = """\
#!/bin/sh
cat >/dev/null
echo "[GNUPG:] SIG_CREATED " >&2
printf -- "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n"
"""


def test_commits_are_signed_where_git_is_told_to(desk: Desk, tmp_path: Path) -> None:
    desk.git("config", "commit.gpgsign", "true")
    desk.git("config", "gpg.program", str(tmp_path / "signer"))
    with pytest.raises(OctavoError, match="cannot be signed") as caught:
        desk.propose(message="x")
    assert caught.value.place == "commit.gpgsign" and "agent/health" not in desk.git("branch")
    (tmp_path / "signer").write_text(SIGNER)
    (tmp_path / "signer").chmod(0o755)
    result = desk.propose(message="x")
    assert "BEGIN PGP SIGNATURE" in desk.git("cat-file", "commit", result.commit)


def test_another_process_that_proposes_the_same_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was first: what is there is taken, and there is one commit and one proposal."""
    real = proposing.advance
    came: list[str] = []

    def advance(site: Any, target: Any, commit: str, change: Any) -> None:
        if not came:
            came.append(commit)
            desk.git("update-ref", "-m", "octavo: propose", "refs/heads/agent/health", commit)
        real(site, target, commit, change)

    monkeypatch.setattr(proposing, "advance", advance)
    result = desk.propose(message="x")
    assert [result.commit] == came and result.proposal.number == 1
    assert desk.git("log", "--format=%s", "main..agent/health") == "x"


def test_a_figure_that_the_forge_refuses_is_left_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_forge, "_LARGEST_FILE", 10)
    shown = "import base64\nfrom IPython.display import Image\n"
    desk.write(f"{EDITED}\n# %%\n{shown}Image(base64.b64decode({PIXELS[0]!r}))\n")
    result = desk.propose(message="x")
    assert "![" not in result.proposal.body and "1 figure" in result.proposal.body


def test_a_draft_need_not_even_start(desk: Desk) -> None:
    desk.write(JULIA, "n.md")
    with pytest.raises(OctavoError) as caught:
        desk.propose("n.md", message="x")
    assert caught.value.kind == "kernel-missing"
    body = desk.propose("n.md", message="x", draft=True).proposal.body
    assert "❌ `does not run: " in body and str(desk.folder) not in body
    desk.write(NOTEBOOK.replace("hosts: int = 10", "hosts: int"))
    with pytest.raises(OctavoError) as caught:
        desk.propose(message="x", draft=True, parameters=(("hosts", "many"),))
    assert caught.value.kind == "parameter-type"
