"""What a workflow installs in tests: this clone as a wheel, and the wheels that it needs.

The latter are brought once per machine, so that a workflow installs in seconds and offline.
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path

from servers.build import kept_in

ROOT = Path(__file__).parents[2]


def house(folder: Path) -> Path:
    """A folder of wheels from which `octavo` installs; this clone's own is made anew."""
    subprocess.run(
        [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "-o", str(folder), str(ROOT)],
        check=True,
    )
    for wheel in _needed().glob("*.whl"):
        (folder / wheel.name).symlink_to(wheel)
    return folder


def spec(folder: Path) -> str:
    """The path of this clone's own wheel in a folder of wheels."""
    [wheel] = folder.glob("octavo-*.whl")
    return str(wheel)


def _needed() -> Path:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    known = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:16]
    folder = kept_in().parent / "wheels" / known
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder)]
            subprocess.run([*pip, *wanted], check=True)
            (folder / "complete").touch()
    return folder
