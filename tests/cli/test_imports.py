"""What is loaded before anything is done: the command line must start at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cli.calling import variables

LIST = "import sys, json; before = set(sys.modules)\n{code}\n" + (
    "print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)"
)
HEAVY = {
    "IPython", "asyncio", "argparse", "dataclasses", "inspect", "json", "jupytext", "logging",
    "nbformat", "pathlib", "pygments", "re", "subprocess", "typing", "unicodedata", "yaml",
}  # fmt: skip


def loaded(code: str, folder: Path) -> set[str]:
    program = f"import sys; sys.path[:0] = {sys.path!r}\n" + LIST.format(code=code)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        env=variables(folder), cwd=folder, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    assert loaded("import octavo", tmp_path) <= {"octavo", "__future__"}


def test_overview_loads_only_the_tables(tmp_path: Path) -> None:
    found = loaded("from octavo.surfaces.cli.main import main; main(['--help'])", tmp_path)
    ours = {name for name in found if name.startswith("octavo.")}
    assert ours == {
        "octavo.app",
        "octavo.app.table",
        "octavo.surfaces",
        "octavo.surfaces.cli",
        "octavo.surfaces.cli.commands",
        "octavo.surfaces.cli.main",
        "octavo.surfaces.cli.overview",
    }
    assert not found & HEAVY


def test_the_command_line_needs_no_library(tmp_path: Path) -> None:
    found = loaded(
        "import octavo.surfaces.cli.command, octavo.surfaces.cli.progress.live", tmp_path
    )
    unwanted = {"argparse", "IPython", "pygments", "yaml", "jupytext", "nbformat", "unicodedata",
                "difflib"}  # fmt: skip
    assert not found & unwanted
    theirs = {name.partition(".")[0] for name in found}
    assert theirs - set(sys.stdlib_module_names) == {"octavo"}
