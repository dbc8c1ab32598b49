"""A check told on a real Gitea: what it makes of the comment, and of the status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

from check_reports import good, hostile, mixed
from forges.gitea_bench import GiteaBench
from octavo.forges.conformance.bench import proposed
from octavo.gate.announcing import CONTEXT, announce, begin
from octavo.gate.reports.markdown import markdown
from octavo.gate.verdicts import CheckReport
from servers.gitea import SCOPES, Gitea


def test_one_comment_is_kept_up_to_date_and_the_status_follows(
    gitea: Gitea, tmp_path: Path
) -> None:
    bench = GiteaBench(gitea, tmp_path)
    opened = proposed(bench)
    begin(bench.forge, opened.head)
    first = announce(mixed(), bench.forge, opened.head, number=opened.number)
    second = announce(good(3), bench.forge, opened.head, branch=opened.branch)
    assert (first.what, second.what) == ("made", "edited")
    (said,) = bench.other.comments(opened.number)
    assert said.body.startswith("### ✅ octavo check: 3 notebooks passed")
    assert f"/src/commit/{opened.head}/notebooks/n000.py" in said.body
    (status,) = bench.forge.statuses(opened.head)
    assert (status.context, status.state) == (CONTEXT, "success")
    assert announce(good(3), bench.forge, opened.head, number=opened.number).what == "unchanged"


def shown_by(gitea: Gitea, text: str) -> str:
    """The page that Gitea makes of Markdown."""
    asked = json.dumps({"Text": text, "Mode": "gfm"}).encode()
    token = gitea.person("ada", (*SCOPES, "write:misc")).token
    about = {"Content-Type": "application/json", "Authorization": f"token {token}"}
    request = Request(f"{gitea.address}/api/v1/markdown", asked, about)
    with urlopen(request, timeout=30) as answer:
        page: bytes = answer.read()
    return page.decode()


def test_gitea_shows_it_as_it_is_meant(gitea: Gitea) -> None:
    page = shown_by(gitea, markdown(CheckReport((hostile(), *mixed().verdicts))))
    assert page.count("<details>") == page.count("</details>") == 6
    assert page.count("<table") == 4
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    for mark in ("gotcha", "@everyone", "stop-commands", "octavo:check", "<b>"):
        assert mark not in outside
    assert '<span class="gd">- 12.5' in page
