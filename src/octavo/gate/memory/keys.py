"""What a verdict depends on besides the files that a run reads, as one hash.

The text of the notebook and its reference, the environment, the variables that are passed on,
the options, and Octavo itself. It is made without parsing the notebook and without starting
anything: a check of a hundred notebooks makes a hundred of them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from octavo.environments.choose import choose
from octavo.environments.envfile import read_env_file
from octavo.environments.launch import Environment
from octavo.environments.layout import is_venv, read_venv
from octavo.environments.packages import lock, site_folders
from octavo.environments.request import Request
from octavo.environments.variables import select, variables
from octavo.errors import OctavoError
from octavo.kernels.choice import ANY_PYTHON, interpreter_of
from octavo.version import VERSION

if TYPE_CHECKING:
    from octavo.gate.context import GateContext

#: Of the variables that every kernel gets, those that results depend on.
DECISIVE = (
    *("LANG", "LANGUAGE", "LC_*", "TZ", "PYTHON*", "LD_LIBRARY_PATH", "LD_PRELOAD", "CI"),
    *("CUDA_*", "OMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "BLIS_*", "NUMBA_*", "NUMEXPR_*"),
)
_KERNEL_IN_JSON = re.compile(rb'"kernelspec"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"\\]*)"')
#: How many lines the description of a kernel has at most, in the header of a text notebook.
_LINES_OF_KERNEL = 10


class Keys:
    """Makes the keys of one check; what is the same for many notebooks is looked at once.

    So a check that writes references makes the keys for them anew.
    """

    def __init__(self, context: GateContext, options: Mapping[str, Any]) -> None:
        self._context = context
        self._options = json.dumps(options, sort_keys=True, default=repr)
        self._chosen: dict[str, Environment | None] = {}
        self._told: dict[tuple[str | None, ...], str] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._variables: str | None = None

    def of(self, path: str | os.PathLike[str], source: bytes) -> str | None:
        """The key of a notebook with this content; None where its environment cannot be told."""
        notebook = os.path.normpath(os.path.join(self._context.cwd, path))
        try:
            environment = self._environment(notebook, source)
            if environment is None:
                return None
            locked = lock(environment, notebook)
            parts = [VERSION, self._options, self._passed(), self._told_of(environment)]
            parts.append(locked["sha256"] if locked else "")
        except (OctavoError, OSError):
            return None
        digest = sha256(_as_bytes("\0".join(parts)))
        for content in (source, *self._references(notebook)):
            digest.update(sha256(content).digest())
        return digest.hexdigest()

    def _references(self, notebook: str) -> Iterator[bytes]:
        """What the outputs of a notebook are held against, as far as it lies in other files."""
        folder, name = os.path.split(notebook)
        if folder not in self._names:
            self._names[folder] = frozenset(_listed(folder))
        there = self._names[folder]
        stem, suffix = os.path.splitext(name)
        for other in (f"{stem}.expected.toml", *([] if suffix == ".ipynb" else [f"{stem}.ipynb"])):
            yield _content(os.path.join(folder, other)) if other in there else b""
        if f"{stem}.expected" in there:
            images = os.path.join(folder, f"{stem}.expected")
            for image in _listed(images):
                yield os.fsencode(image)
                yield _content(os.path.join(images, image))

    # The environment

    def _environment(self, notebook: str, source: bytes) -> Environment | None:
        """As a run would choose it. Notebooks without a word of their own share their folder's."""
        if b"/// script" in source or b"\\/\\/\\/ script" in source:
            return self._choose(notebook, source.decode("utf-8", "replace"))
        folder = os.path.dirname(notebook)
        if folder not in self._chosen:
            self._chosen[folder] = self._choose(notebook, "")
        chosen = self._chosen[folder]
        if chosen is None or chosen.kind not in ("current", "active"):
            return chosen
        return self._of_kernel(notebook, source, chosen)

    def _choose(self, notebook: str, text: str, python: str | None = None) -> Environment | None:
        context = self._context
        asked = Request(
            notebook,
            text,
            context.cwd,
            context.python,
            context.cache,
            context.environ,
            python=python,
        )
        choice = choose(asked)
        return None if choice.work else choice.environment

    def _of_kernel(self, notebook: str, source: bytes, chosen: Environment) -> Environment | None:
        """A notebook that was saved with a kernel of another environment runs in that one."""
        for name in _kernel_names(source):
            if name in ANY_PYTHON:
                continue
            for spec in self._context.kernelspecs(chosen.root).specs:
                if spec.name == name and (python := interpreter_of(spec)):
                    return self._choose(notebook, "", python)
        return chosen

    def _told_of(self, environment: Environment) -> str:
        """The hash of what an environment is: the system, its Python, its packages."""
        known = (environment.python, environment.root, environment.overlay)
        if known not in self._told:
            parts = [
                *(sys.platform, os.uname().machine, str(self._context.forks)),
                _version_of(environment),
                os.path.basename(environment.overlay or ""),
                *_installed(site_folders(environment)),
            ]
            self._told[known] = sha256(_as_bytes("\0".join(parts))).hexdigest()
        return self._told[known]

    # What is passed on

    def _passed(self) -> str:
        if self._variables is None:
            settings, context = self._context.settings, self._context
            files = [read_env_file(os.path.join(context.cwd, name)) for name in settings.env_files]
            nowhere = Environment("", "")
            passed = variables(context.environ, nowhere, names=settings.env, files=files)
            named = [name.partition("=")[0] for name in settings.env]
            wanted = select(passed, [*DECISIVE, *named, *(name for file in files for name in file)])
            text = json.dumps([wanted, settings.scrapbook_shim], sort_keys=True)
            self._variables = sha256(text.encode()).hexdigest()
        return self._variables


def _kernel_names(source: bytes) -> Iterator[str]:
    """The names of kernels in what may be the metadata of a notebook."""
    if b"kernelspec" not in source:
        return
    for found in _KERNEL_IN_JSON.finditer(source):
        yield found[1].decode("utf-8", "replace")
    header = source.partition(b"kernelspec:")[2]
    for line in header.split(b"\n", _LINES_OF_KERNEL)[:_LINES_OF_KERNEL]:
        key, colon, value = line.lstrip(b"# \t").partition(b":")
        if key == b"name" and colon:
            yield value.decode("utf-8", "replace").strip(" \t\r'\"")
            return


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _version_of(environment: Environment) -> str:
    """Which Python it is, without asking it."""
    found = os.stat(environment.python)
    changed = f"{found.st_mtime_ns} {found.st_size}"
    if environment.root and is_venv(environment.root):
        # What it says itself is of the day it was made; the Python behind it may be newer.
        return f"{read_venv(environment.root).full_version} {changed}"
    if environment.python == sys.executable:
        return sys.version
    return f"{os.path.realpath(environment.python)} {changed}"


def _installed(folders: Iterable[str]) -> Iterator[str]:
    """What is installed: names with versions; of what came from elsewhere, its list of files."""
    for folder in dict.fromkeys(map(os.path.realpath, folders)):
        for name in _listed(folder):
            if name == "__pycache__":
                continue
            yield name
            if name.endswith(".dist-info"):
                place = os.path.join(folder, name)
                if os.path.exists(os.path.join(place, "direct_url.json")):
                    yield sha256(_content(os.path.join(place, "RECORD"))).hexdigest()
