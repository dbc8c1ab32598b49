"""IPython for an environment that has none: a folder that is appended to its `sys.path`.

There is one overlay for each minor version of Python, in the cache. It is copied from Octavo's own
IPython where the versions agree, which needs no network; else `uv` installs it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.util import cache_from_source

from octavo.environments.guard import guarded
from octavo.environments.request import IPYTHON_REQUIREMENT, Request
from octavo.environments.uv import required_uv
from octavo.environments.uvcall import UvFailed, call_uv, failure

Say = Callable[[str], None]
FORMAT = "1"
MARKER = "octavo-ready"


def overlay_folder(cache: str, tag: str) -> str:
    """Where the overlay for a cache tag ("cpython-312") is kept."""
    return os.path.join(cache, "overlays", f"{tag}-{os.uname().machine}-{FORMAT}")


def marker(overlay: str) -> str:
    """The file that says that an overlay is whole."""
    return os.path.join(overlay, MARKER)


def ensure_overlay(request: Request, python: str, tag: str, say: Say) -> str:
    """The overlay for an interpreter, built when it is not there."""
    folder = overlay_folder(request.cache, tag)
    if os.path.isfile(marker(folder)):
        return folder
    with guarded(f"{folder}.lock", lambda: say("waiting for another run to prepare IPython")) as fd:
        if not os.path.isfile(marker(folder)):
            shutil.rmtree(folder, ignore_errors=True)
            say(f"preparing IPython for {tag}, once")
            _fill(request, python, tag, folder, fd, say)
            with open(marker(folder), "w", encoding="utf-8"):
                pass
    return folder


def _fill(request: Request, python: str, tag: str, folder: str, guard: int, say: Say) -> None:
    if tag == sys.implementation.cache_tag and copy_distributions(folder):
        return
    _install(request, python, folder, guard, say)


def _install(request: Request, python: str, folder: str, guard: int, say: Say) -> None:
    uv = required_uv(request, f"{python} has no IPython, and installing it aside")
    command = [uv, "pip", "install", "--target", folder, "--python", python, "--compile-bytecode"]
    if request.offline:
        command.append("--offline")
    try:
        call_uv(
            [*command, IPYTHON_REQUIREMENT],
            request.environ,
            cwd=os.path.dirname(folder),
            keep=(guard,),
            say=say,
        )
    except UvFailed as failed:
        raise failure(failed.said, f"IPython for {python}", "") from None


def copy_distributions(folder: str, name: str = "ipython") -> bool:
    """Copy IPython and what it needs from the current interpreter; False where that cannot be."""
    for distribution in _closure(name):
        base = str(distribution.locate_file(""))
        for file in map(str, distribution.files or ()):
            if not file.startswith(("/", "..")):
                _copy(os.path.join(base, file), os.path.join(folder, file))
    if not os.path.isfile(os.path.join(folder, "IPython", "__init__.py")):
        shutil.rmtree(folder, ignore_errors=True)
        return False
    import compileall

    compileall.compile_dir(folder, quiet=2)
    return True


def _copy(source: str, target: str) -> None:
    """Copy a file and its bytecode, which is valid as long as the time of the file is the same."""
    _link(source, target)
    if source.endswith(".py"):
        _link(cache_from_source(source), cache_from_source(target))


def _link(source: str, target: str) -> None:
    """A second name for a file, as `uv` does it; a copy where that cannot be."""
    if not os.path.isfile(source):
        return
    if not os.path.isdir(folder := os.path.dirname(target)):
        os.makedirs(folder)
    try:
        os.link(source, target)
    except FileExistsError:
        pass
    except OSError:
        shutil.copy2(source, target)


def _closure(name: str) -> Iterator[metadata.Distribution]:
    """A distribution and everything that it needs, as far as it is installed."""
    waiting, seen = [name], {name}
    while waiting:
        try:
            distribution = metadata.distribution(waiting.pop())
        except metadata.PackageNotFoundError:
            continue
        yield distribution
        for requirement in distribution.requires or ():
            if "extra" in requirement.partition(";")[2]:
                continue
            needed = _name_of(requirement)
            if needed not in seen:
                seen.add(needed)
                waiting.append(needed)


def _name_of(requirement: str) -> str:
    end = next(
        (i for i, char in enumerate(requirement) if not (char.isalnum() or char in "-_.")),
        len(requirement),
    )
    return requirement[:end].replace("_", "-").lower()
