"""What is loaded before anything is done: the command line must start at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import variables

LIST = "import sys, json; before = set(sys.modules)\n{code}\n" + (
    "print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)"
)
HEAVY = {
    "IPython", "asyncio", "argparse", "dataclasses", "inspect", "json", "jupytext", "logging",
    "nbformat", "pathlib", "pygments", "re", "subprocess", "typing", "unicodedata", "yaml",
}  # fmt: skip

#: What only some runs need: a plain one must not pay for it.
OTHER_RUNS = {
    "IPython", "base64", "csv", "datetime", "difflib", "html", "http", "jupyter_client", "nbformat",
    "octavo.compat", "octavo.kernels.jupyter", "octavo.kernels.languages", "octavo.notebook.diff",
    "octavo.notebook.formats.markdown", "octavo.notebook.handout_grammar", "octavo.plugins",
    "octavo.render.html", "octavo.render.scraps", "octavo.runs.autosave", "octavo.runs.download",
    "octavo.runs.handouts", "octavo.runs.injected_paths", "octavo.runs.report_mode",
    "octavo.runs.stream_files", "octavo.runs.unchecked", "octavo.surfaces.cli.pager", "pandas",
    "papermill", "pyarrow", "pygments", "shlex", "tomllib", "urllib.request", "uuid", "yaml",
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
        "octavo.app.table.entry",
        "octavo.app.table.jobs",
        "octavo.app.table.notebooks",
        "octavo.app.table.proposals",
        "octavo.app.table.runs",
        "octavo.app.table.sessions",
        "octavo.app.table.setting_up",
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


def test_gits_filter_loads_nothing_but_a_reader_of_json(tmp_path: Path) -> None:
    found = loaded(
        "import io\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'{}'))\n"
        "from octavo.surfaces.cli.main import main; main(['git-clean'])",
        tmp_path,
    )
    assert {name for name in found if name.startswith("octavo")} == {
        "octavo", "octavo.errors", "octavo.notebook", "octavo.notebook.cleaning",
        "octavo.repository", "octavo.repository.git_filter", "octavo.surfaces",
        "octavo.surfaces.cli", "octavo.surfaces.cli.git_clean", "octavo.surfaces.cli.main",
    }  # fmt: skip
    assert not found & (HEAVY - {"json", "re"})


@pytest.mark.kernel
def test_a_plain_run_loads_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("# %%\nprint(1)\n")
    found = loaded(
        "from octavo.surfaces.cli.main import main; assert main(['run', 'plain.py']) == 0", tmp_path
    )
    assert "octavo.records.assemble" in found
    assert not found & OTHER_RUNS
