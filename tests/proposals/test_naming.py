"""Names of branches and titles."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_repositories import ENVIRON
from octavo.errors import UsageError
from octavo.git.program import Git
from octavo.proposals.naming import branch_for, refuse_bad_branch, slug, title_from


def test_a_branch_is_named_after_its_notebook() -> None:
    assert branch_for("notebooks/fleet_health_check.py", "agent/") == "agent/fleet-health-check"
    assert branch_for("Übersicht  2026!.md", "bot-") == "bot-ubersicht-2026"
    assert branch_for("報告.py", "agent/") == "agent/notebook"


@given(st.text())
def test_a_slug_is_always_a_part_of_a_ref(text: str) -> None:
    made = slug(text)
    assert 0 < len(made) <= 60
    assert made == made.strip("-") and set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "x.lock", "a//b", "", "@{1}", "a~1"])
def test_what_git_does_not_take_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        refuse_bad_branch(Git(tmp_path, ENVIRON), name)
    assert caught.value.kind == "wrong-argument" and caught.value.hint


def test_a_title_is_the_first_line() -> None:
    assert title_from("\n  Raise it \n\nbecause") == "Raise it"
    assert len(title_from("x" * 500)) == 120
