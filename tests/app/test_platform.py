"""Where kernels cannot be forked, a plain line says what is needed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from octavo.app.context import Context
from octavo.app.prestart import prestart
from octavo.errors import InfrastructureError


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_another_system_needs_another_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    notebook = tmp_path / "nb.py"
    notebook.write_text("# %%\n1\n")
    context = Context(cwd=str(tmp_path), environ=dict(os.environ))
    monkeypatch.setattr(sys, "platform", platform)
    assert prestart([str(notebook)]) is None
    with pytest.raises(InfrastructureError) as refused:
        context.engine("fork")
    assert refused.value.kind == "platform"
    assert "the jupyter engine runs notebooks here" in refused.value.hint
