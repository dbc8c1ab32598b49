"""What this machine has and lacks: git, Octavo itself, its optional parts."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec

from octavo.errors import OctavoError
from octavo.git.objects import nobody
from octavo.git.program import Git
from octavo.repository.finding import Finding, advice, ok, problem
from octavo.version import VERSION

#: The oldest git that works, and the oldest that can merge without a checkout.
NEEDED, WANTED = (2, 31), (2, 38)
#: The extra that brings a module, and what it is for.
_EXTRAS = {
    "jupyter_client": ("jupyter", "kernels of other languages, and --engine jupyter"),
    "ipykernel": ("jupyter", "Python kernels by Jupyter"),
    "nbformat": ("notebooks", "the strict check of notebooks"),
    "papermill": ("papermill", "Papermill's engine"),
}


def machine_findings(folder: str, environ: Mapping[str, str], python: str) -> list[Finding]:
    """All that has nothing to do with a repository."""
    return [*_git(Git(folder, environ)), *_octavo(environ, python), *_extras(environ)]


def _git(git: Git) -> list[Finding]:
    try:
        told = git.text("version")
    except OctavoError as error:
        return [problem("git", error.message, error.hint)]
    found = re.search(r"(\d+)\.(\d+)", told)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    oldest = ".".join(map(str, NEEDED))
    if version < NEEDED:
        mend = f"install git {oldest} or newer"
        return [problem("git", f"{told} is too old, {oldest} is needed", mend)]
    findings = [ok("git", told)]
    if version < WANTED:
        newer = ".".join(map(str, WANTED))
        findings = [advice("git", f"{told}: merging proposals here needs {newer}", "update git")]
    if not git.succeeds("var", "GIT_AUTHOR_IDENT"):
        unknown = nobody()
        findings.append(problem("identity", unknown.message, unknown.hint))
    return findings


def _octavo(environ: Mapping[str, str], python: str) -> list[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    findings = [ok("octavo", f"octavo {VERSION} on Python {version} ({python})")]
    there = shutil.which("octavo", path=environ.get("PATH"))
    folder = os.path.dirname(python)
    if there is None:
        mend = f'export PATH="{folder}:$PATH"'
        findings.append(advice("path", "octavo is not on the PATH", mend))
    elif os.path.realpath(os.path.dirname(there)) != os.path.realpath(folder):
        message = f"another octavo comes first on the PATH: {there}"
        findings.append(advice("path", message, f'export PATH="{folder}:$PATH"'))
    return findings


def _extras(environ: Mapping[str, str]) -> list[Finding]:
    lacking: dict[str, list[str]] = {}
    for module, (extra, purpose) in _EXTRAS.items():
        if find_spec(module) is None:
            lacking.setdefault(extra, []).append(purpose)
    if find_spec("uv") is None and shutil.which("uv", path=environ.get("PATH")) is None:
        lacking["uv"] = ["environments that notebooks declare themselves"]
    if not lacking:
        return [ok("extras", "all optional parts are there")]
    return [
        advice("extras", f"not installed: {'; '.join(purposes)}", f"pip install 'octavo[{extra}]'")
        for extra, purposes in lacking.items()
    ]
