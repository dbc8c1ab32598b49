"""What `docs/ecosystem.md` says is so."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ecosystem.making import BIN, names

DOCS = Path(__file__).parents[2] / "docs"
ROOT = DOCS.parent
PAGE = (DOCS / "ecosystem.md").read_text("utf-8")
CALLS = re.findall(r"^    ((?:jupytext|papermill|nbdiff|pytest|octavo) .*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("call", CALLS)
def test_every_command_names_a_program_and_a_notebook_that_exist(call: str) -> None:
    program, *words = call.split()
    assert shutil.which(program, path=str(BIN))
    made = ("notebooks/run.ipynb",)
    found = [word for word in words if word.startswith("notebooks/")]
    assert found
    assert all(word in made or (ROOT / word).exists() for word in found)


def test_it_counts_right() -> None:
    assert len(names()) == 11
    assert "these eleven notebooks" in PAGE


def test_links_lead_somewhere() -> None:
    for name, anchor in re.findall(r"\]\(([\w.]*)#?([\w-]*)\)", PAGE):
        text = (DOCS / name).read_text("utf-8") if name else PAGE
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
        assert not anchor or anchor in anchors, (name, anchor)
