"""What GitHub publishes about its APIs, fetched from npm once for all test runs."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def published(package: str, file: str, reduce: Callable[[Any], Any], version: str) -> Any:
    """The JSON of a file of a package, reduced to what is used of it.

    The file is read again when `version`, which tells what is used, is another one. The test is
    skipped where the package cannot be had.
    """
    tools = os.environ.get("OCTAVO_TEST_TOOLS")
    folder = (Path(tools) if tools else Path.home() / ".cache" / "octavo-tests") / "github"
    name = re.sub(r"[^\w.]+", "-", package).strip("-")
    used = hashlib.sha256(version.encode()).hexdigest()[:12]
    whole, kept = folder / f"{name}.json", folder / f"{name}-{used}.json"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                if not whole.exists():
                    _install(package, file, whole)
                _keep(kept, reduce(json.loads(whole.read_text())))
    return json.loads(kept.read_text())


def _keep(kept: Path, reduced: Any) -> None:
    temporary = kept.with_suffix(".part")
    temporary.write_text(json.dumps(reduced))
    temporary.rename(kept)


def _install(package: str, file: str, whole: Path) -> None:
    """Keep one file of a package: the others are hundreds of megabytes."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm, which could install what GitHub says of its API, is not installed")
    with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", folder, package]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        found = Path(folder, "node_modules", package.rpartition("@")[0], file)
        if not found.exists():
            pytest.skip(f"npm could not install {package}: {done.stderr.strip()[-300:]}")
        found.rename(whole)
