"""Kernelspecs in a folder that JUPYTER_PATH names."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

BASH = (sys.executable, "-m", "bash_kernel", "-f", "{connection_file}")
IPYKERNEL = (sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}")


class Kernels:
    """What `jupyter kernelspec list` would list."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "kernels"

    def add(self, name: str, language: str, argv: Sequence[str]) -> Path:
        """A kernelspec; the folder that it is in."""
        spec = {"argv": list(argv), "display_name": name.title(), "language": language}
        return self.write(name, json.dumps(spec))

    def write(self, name: str, content: str) -> Path:
        folder = self._folder / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(content)
        return folder
