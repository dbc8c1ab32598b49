"""A project in a temporary folder, and what the gate says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Project:
    """Files of a project, and commands in it."""

    def __init__(self, folder: Path, call: Callable[[list[str]], tuple[int, str, str]]) -> None:
        self.folder = folder
        self._call = call

    def write(self, name: str, *cells: str) -> Path:
        """A percent notebook of these cells."""
        path = self.folder / "notebooks" / name
        path.write_text("\n".join(f"# %%\n{cell}\n" for cell in cells))
        return path

    def octavo(self, *words: object) -> tuple[int, str, str]:
        return self._call([str(word) for word in words])

    def check(self, *words: object) -> Checked:
        """The answer of `octavo check --json` with more words."""
        code, out, err = self.octavo("check", "--json", *words)
        return Checked(code, json.loads(out) if out.strip() else {}, err)


class Checked:
    """The verdicts of a check."""

    def __init__(self, code: int, report: dict[str, Any], err: str) -> None:
        self.code = code
        self.report = report
        self.err = err

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        return list(self.report["verdicts"])

    @property
    def only(self) -> dict[str, Any]:
        (verdict,) = self.verdicts
        return verdict

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of every notebook, by its name."""
        return {Path(each["path"]).name: each["outcome"] for each in self.verdicts}
