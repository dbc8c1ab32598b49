"""The runtime asks little of the environment that it runs in."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo_runtime

ROOT = Path(octavo_runtime.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

#: IPython itself, and what it brings along.
IPYTHON = {
    "IPython",
    "ipython_pygments_lexers",
    "traitlets",
    "decorator",
    "matplotlib_inline",
    "pygments",
    "stack_data",
    "executing",
    "asttokens",
    "pure_eval",
    "wcwidth",
    "typing_extensions",
    "prompt_toolkit",
    "pexpect",
    "ptyprocess",
    "jedi",
    "parso",
    "psutil",
    "backcall",
    "pickleshare",
    "exceptiongroup",
}

_LIST_MODULES = """\
import json, sys
sys.argv = ["", "", "", "", "", ""]
sys.path.insert(0, sys.argv.pop() or {root!r})
before = set(sys.modules)
from octavo_runtime import later
later.import_asyncio()
later.import_traitlets()
from octavo_runtime import zygote
zygote.boot([])
print(json.dumps(sorted(name for name in set(sys.modules) - before)))
"""


def _loaded() -> set[str]:
    code = _LIST_MODULES.format(root=str(ROOT.parent))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_a_zygote_loads_nothing_but_the_standard_library_and_ipython() -> None:
    tops = {name.partition(".")[0] for name in _loaded()}
    foreign = tops - set(sys.stdlib_module_names) - IPYTHON - {"octavo_runtime"}
    # A name that is registered, not loaded: what libraries look for.
    assert foreign - {"ipykernel"} == set()


def test_a_zygote_does_not_load_what_is_costly_and_unused() -> None:
    costly = {"jedi", "parso", "prompt_toolkit", "psutil", "pexpect", "unittest"}
    costly |= {"logging.config", "ssl", "hashlib"}
    assert _loaded() & costly == set()


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_imports_are_few_and_the_syntax_is_old(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 9))
    tops = {name.partition(".")[0] for name in _imports(tree)}
    allowed = set(sys.stdlib_module_names) | {"IPython", "traitlets", "octavo_runtime"}
    assert tops <= allowed


@pytest.mark.parametrize("python", ["python3.9", "python3.10", "python3.12", "python3.13"])
def test_the_sources_compile_elsewhere(python: str) -> None:
    try:
        subprocess.run([python, "-c", ""], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"{python} is not here")
    code = "import ast, sys\nfor p in sys.argv[1:]: compile(open(p).read(), p, 'exec')"
    subprocess.run([python, "-c", code, *map(str, SOURCES)], check=True, capture_output=True)
