"""`%pip` where there is no pip, and where nothing may be installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.kernels.conformance import Probe

pytestmark = pytest.mark.kernel

_NO_PIP = "import sys\nsys.modules['pip'] = None\n"


def test_uv_steps_in_where_pip_is_missing(probed: Callable[[Any], Any], tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "uv $@"\n')
    uv.chmod(0o755)

    async def drive(probe: Probe) -> None:
        await probe.start(uv=str(uv))
        ran = await probe.run(f"{_NO_PIP}%pip install 'left pad' --quiet")
        python = probe.launch.environment.python
        assert ran.text().splitlines()[0] == f"uv pip install --python {python} left pad --quiet"
        assert "restart the kernel" in ran.text()

    probed(drive)


def test_without_either_it_is_an_error(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run(f"{_NO_PIP}%pip install x")
        assert ran.error.ename == "UsageError"
        assert "neither pip nor uv" in ran.error.evalue

    probed(drive)


def test_a_managed_environment_is_not_changed(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(environment=probe.launch.environment.replace(managed=True))
        for words in ("install x", "uninstall -y x"):
            ran = await probe.run(f"%pip {words}")
            assert ran.error.ename == "UsageError"
            assert "dependencies" in ran.error.evalue
        assert (await probe.run("%pip --version")).ok

    probed(drive)
