"""What `docs/export.md` says is so."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from authoring.test_export import exported
from ecosystem.making import BIN
from octavo.authoring.exporting.printing import PROGRAMS
from octavo.authoring.exporting.request import FORMS, Exported, ExportRequest
from render.page_notebooks import code, markdown, notebook, stream

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")


def test_every_option_and_form_is_explained() -> None:
    for shown in ExportRequest.shown.values():
        assert not shown.flags or f"`{shown.flags[-1]}" in PAGE or f"`{shown.flags[0]}" in PAGE
    for form in FORMS:
        assert f"| `{form}` |" in PAGE
    for program in PROGRAMS:
        assert program.startswith("/") or f"`{program}`" in PAGE


def test_every_key_is_explained() -> None:
    for name in Exported._fields:
        assert name in ("source", "text") or f"`{name}`" in PAGE


@pytest.mark.slow
def test_nbconvert_takes_what_is_exported(tmp_path: Path) -> None:
    [line] = re.findall(r"\| jupyter (nbconvert .*)$", PAGE, re.MULTILINE)
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.ipynb").write_text(
        json.dumps(notebook(markdown("# Title"), code("x", stream("written"))))
    )
    [file] = exported(tmp_path, "nb.ipynb", to="ipynb", output="-")
    words = [str(BIN / "jupyter"), *shlex.split(line)]
    subprocess.run(words, input=file.text, text=True, cwd=tmp_path, check=True, timeout=120)
    assert "written" in (tmp_path / "report.slides.html").read_text("utf-8")
