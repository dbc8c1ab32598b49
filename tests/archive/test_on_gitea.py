"""The archive on a real Gitea: pushed with nothing but a token, and its pages as they are shown."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest

from archive.desks import archived, made_run, png, shown
from git_repositories import git
from octavo.errors import OctavoError
from proposals.desks import Desk
from servers.gitea import Gitea

HREF = re.compile(r'<a [^>]*?href="([^"]*)"')
IMAGE = re.compile(r'<img [^>]*?src="([^"]*)"')
EVIL = "|`` <script>alert(1)</script> [x](javascript:1)"


def checkout(server: Gitea, folder: Path, *, private: bool) -> tuple[Desk, str]:
    """As a job of CI has it: one commit, detached, and a token in the environment."""
    ada = server.person("ada")
    name = server.repository(ada, private=private)
    address = f"{server.address}/{ada.name}/{name}"
    secret = address.replace("://", f"://{ada.name}:{ada.token}@")
    git(folder, "init", "--quiet", "job")
    job = folder / "job"
    git(job, "fetch", "--quiet", "--depth=1", f"{secret}.git", "main")
    git(job, "remote", "add", "origin", f"{address}.git")
    git(job, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    return Desk(job, ada.name, GITEA_TOKEN=ada.token), address


def test_pushed_with_a_token_alone(gitea: Gitea, tmp_path: Path) -> None:
    desk, _ = checkout(gitea, tmp_path, private=True)
    for _ in range(2):
        result = archived(desk, made_run(desk), push=True)
        assert result.pushed_to == "origin"
    config = (desk.folder / ".git" / "config").read_text()
    assert desk.environ["GITEA_TOKEN"] not in config
    desk.environ = {**desk.environ, "GITEA_TOKEN": "0" * 40}
    with pytest.raises(OctavoError) as caught:
        archived(desk, made_run(desk), push=True)
    assert caught.value.kind in ("token-refused", "token-missing")


def test_the_pages_as_a_person_sees_them(gitea: Gitea, tmp_path: Path) -> None:
    desk, address = checkout(gitea, tmp_path, private=False)
    figures = [shown(image_png=png(n * 40)) for n in range(2)]
    runs = [
        made_run(desk, scraps={"score": 0.75, "evil": EVIL}, outputs=figures),
        made_run(desk, scraps={"score": 0.5}, status="error", message="too few"),
        made_run(desk, notebook=f"notebooks/{EVIL}.py", scraps={EVIL: 1}),
        made_run(desk, notebook="notebooks/how many? 100 %.py", outputs=figures),
    ]
    entries = archived(desk, *runs, push=True).entries
    branch = f"{address}/src/branch/reports"
    first = rendered(branch)
    assert first.count("<tr>") == 4
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in first
    of_notebook = rendered(f"{branch}/reports/notebooks/health")
    of_run = rendered(f"{branch}/{entries[0].place}")
    assert "❌" in of_notebook
    assert html.escape(EVIL) in of_notebook
    awkward = rendered(f"{branch}/{entries[3].place}")
    for page, images in ((first, 0), (of_notebook, 2), (of_run, 2), (awkward, 2)):
        assert len(HREF.findall(page)) >= 6
        assert "<script" not in page
        assert "javascript:" not in " ".join(HREF.findall(page))
        sources = IMAGE.findall(page)
        assert len(sources) == images
        for each in sources:
            assert fetched(gitea, each)[:4] == b"\x89PNG"
        for each in HREF.findall(page):
            assert each.startswith("#") or fetched(gitea, each)


def rendered(address: str) -> str:
    """What Gitea makes of the README.md of a folder."""
    with urlopen(address, timeout=60) as answer:
        whole = answer.read().decode()
    start = whole.index('markup markdown">')
    return whole[start : whole.index('<div class="code-line-menu', start)]


def fetched(server: Gitea, address: str) -> bytes:
    """What is at an address of the server; a failure fails the test."""
    with urlopen(urljoin(server.address, html.unescape(address)), timeout=60) as answer:
        content: bytes = answer.read()
    return content
