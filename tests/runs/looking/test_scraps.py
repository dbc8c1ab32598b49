"""Scraps that are too large for their cell, and scraps of a run that goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.events.types import Display
from octavo.records.scraps import ScrapFold
from octavo.runs.spill import Spill

JSON = "application/scrapbook.scrap.json+json"


def test_however_many_are_too_large_none_is_absent(tmp_path: Path) -> None:
    spill, fold = Spill(tmp_path, 100), ScrapFold()
    for number in range(150):
        data = {JSON: {"name": f"s{number}", "data": "x" * 200, "encoder": "json", "version": 1}}
        (kept,) = spill.admit(Display(0, data, {"scrapbook": {"name": f"s{number}"}}))
        assert isinstance(kept, Display)
        fold.take(kept.data, kept.metadata)
    spill.close()
    assert [scrap.told["line"] for scrap in fold.scraps.values()] == list(range(1, 151))
    assert len((tmp_path / "files" / "cell-0-displays.jsonl").read_text().splitlines()) == 150


@pytest.mark.kernel
def test_a_run_that_goes_on_shows_what_it_has_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(
        "# %% tags=['parameters']\nn: int = 1\n"
        "# %%\nfrom octavo_runtime import glue\nglue('first', n)\n# %%\nglue('second', 2)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    seen: list[Any] = []

    def look(happened: Any) -> None:
        if isinstance(getattr(happened, "event", None), Display):
            read = octavo.read_notebook("last")
            seen.append((read.scraps.data_dict, dict(read.parameters), read.source))

    assert octavo.run("nb.py", {"n": 5}, on_event=look).ok
    source = str(tmp_path / "nb.py")
    assert seen == [
        ({"first": 5}, {"n": 5}, source),
        ({"first": 5, "second": 2}, {"n": 5}, source),
    ]
