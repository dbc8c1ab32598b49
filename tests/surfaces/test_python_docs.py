"""What `docs/python.md` says is so: its examples run, and nothing is left out."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any, get_args

import pytest

import octavo
from octavo.events.types import CellStatus
from octavo.records.result import FailedCell, RunResult

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "python.md").read_text(encoding="utf-8")
NOTEBOOK, *EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.kernel
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "report.py").write_text(NOTEBOOK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(logging.getLogger("octavo"), "level", logging.NOTSET)
    names: dict[str, Any] = {}
    assert len(EXAMPLES) >= 8
    for example in EXAMPLES:
        exec(compile(example, "docs/python.md", "exec"), names)


def test_every_method_and_key_is_explained() -> None:
    methods = [name for name in vars(octavo.NotebookExecutor) if not name.startswith("_")]
    assert len(methods) == 7
    for name in methods:
        assert f"executor.{name}(" in PAGE
    for name in (*RunResult._fields, *FailedCell._fields, *octavo.Progress._fields, "output_path"):
        assert f"`{name}`" in PAGE, name
    told = {status for status in get_args(CellStatus) if status not in ("pending", "not-run")}
    assert all(f"`{status}`" in PAGE for status in told)


def test_links_lead_somewhere() -> None:
    for name, anchor in re.findall(r"\]\(([\w.]+)#?([\w-]*)\)", PAGE):
        headings = re.findall(r"^#+ (.*)$", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
        assert not anchor or anchor in anchors, (name, anchor)
