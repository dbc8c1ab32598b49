"""The kernels that Jupyter knows here: where their kernelspecs lie, and what they say.

Found as Jupyter finds them, but without importing it: that takes longer than all of this.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.environments.launch import Kernelspec
from octavo.value import Value

_FILE = "kernel.json"


class Problem(Value):
    """A kernelspec that cannot be used, and why. It hides others of its name, as in Jupyter."""

    name: str
    folder: str
    message: str


class Found(Value):
    """All kernelspecs of a machine, by name; the first of a name counts."""

    specs: tuple[Kernelspec, ...]
    problems: tuple[Problem, ...] = ()


def kernelspecs(environ: Mapping[str, str], roots: Sequence[str] = ()) -> Found:
    """Every kernelspec; those of the environments in `roots` come before all others."""
    specs: dict[str, Kernelspec] = {}
    problems: dict[str, Problem] = {}
    for folder in folders(environ, roots):
        for name, path in _listed(folder):
            if name in specs or name in problems:
                continue
            read = _read(name, path)
            if isinstance(read, Problem):
                problems[name] = read
            else:
                specs[name] = read
    return Found(
        tuple(specs[name] for name in sorted(specs)),
        tuple(problems[name] for name in sorted(problems)),
    )


def closest(name: str, specs: Sequence[Kernelspec]) -> tuple[str, ...]:
    """Names of kernels that may have been meant, nearest first."""
    import difflib

    wanted = name.lower()
    words: dict[str, str] = {}
    for spec in specs:
        for word in (spec.name, spec.display_name, spec.language):
            words.setdefault(word.lower(), spec.name)
    near = difflib.get_close_matches(wanted, list(words), n=5, cutoff=0.5)
    near += [word for word in words if wanted and wanted in word]
    return tuple(dict.fromkeys(words[word] for word in near))


def folders(environ: Mapping[str, str], roots: Sequence[str] = ()) -> list[str]:
    """The folders that are looked through, in order."""
    places = [_share(root) for root in roots]
    places += [each for each in environ.get("JUPYTER_PATH", "").split(os.pathsep) if each]
    user, own = _user(environ), [_share(sys.prefix)]
    places += own + user if _prefers_environment(environ) else user + own
    places += _system(environ)
    kernels = [os.path.join(place, "kernels") for place in places]
    ipython = environ.get("IPYTHONDIR") or _home(environ, ".ipython")
    kernels += [os.path.join(ipython, "kernels")] if ipython else []
    return list(dict.fromkeys(kernels))


def _share(prefix: str) -> str:
    return os.path.join(prefix, "share", "jupyter")


def _home(environ: Mapping[str, str], *below: str) -> str:
    home = environ.get("HOME") or environ.get("USERPROFILE", "")
    return os.path.join(home, *below) if home else ""


def _user(environ: Mapping[str, str]) -> list[str]:
    import site

    base = environ.get("PYTHONUSERBASE") or _home(environ, ".local")
    found = [_data(environ), _share(base) if base and site.ENABLE_USER_SITE else ""]
    return [each for each in found if each]


def _data(environ: Mapping[str, str]) -> str:
    if environ.get("JUPYTER_DATA_DIR"):
        return environ["JUPYTER_DATA_DIR"]
    if sys.platform == "darwin":
        return _home(environ, "Library", "Jupyter")
    if sys.platform == "win32":
        return os.path.join(environ.get("APPDATA", ""), "jupyter")
    data = environ.get("XDG_DATA_HOME") or _home(environ, ".local", "share")
    return os.path.join(data, "jupyter") if data else ""


def _system(environ: Mapping[str, str]) -> list[str]:
    if sys.platform == "win32":
        programs = environ.get("PROGRAMDATA")
        return [os.path.join(programs, "jupyter")] if programs else []
    return ["/usr/local/share/jupyter", "/usr/share/jupyter"]


def _prefers_environment(environ: Mapping[str, str]) -> bool:
    """Whether an environment comes before the user's own kernels, as Jupyter decides it."""
    said = environ.get("JUPYTER_PREFER_ENV_PATH")
    if said is not None:
        return said.lower() not in ("", "no", "n", "false", "off", "0", "0.0")
    if sys.prefix != sys.base_prefix and os.access(sys.prefix, os.W_OK):
        return True
    conda = environ.get("CONDA_PREFIX")
    return bool(
        conda
        and sys.prefix.startswith(conda)
        and environ.get("CONDA_DEFAULT_ENV", "base") != "base"
        and os.access(sys.prefix, os.W_OK)
    )


def _listed(folder: str) -> Iterator[tuple[str, str]]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(os.path.join(path, _FILE)):
            yield name.lower(), path


def _read(name: str, folder: str) -> Kernelspec | Problem:
    try:
        with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
            return _spec(name, folder, json.load(file))
    except OSError as error:
        return Problem(name, folder, error.strerror or str(error))
    except (ValueError, RecursionError) as error:
        return Problem(name, folder, str(error))


def _spec(name: str, folder: str, content: Any) -> Kernelspec:
    if not isinstance(content, dict):
        raise ValueError("it holds no mapping")
    argv = content.get("argv")
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv) or not argv:
        raise ValueError("`argv` is no list of words")
    variables = content.get("env") or {}
    if not isinstance(variables, dict):
        raise ValueError("`env` is no mapping")
    mode = str(content.get("interrupt_mode") or "signal").lower()
    if mode not in ("signal", "message"):
        raise ValueError(f"`interrupt_mode` is {mode!r}, not 'signal' or 'message'")
    return Kernelspec(
        name=name,
        argv=tuple(argv),
        language=str(content.get("language") or ""),
        display_name=str(content.get("display_name") or name),
        variables={str(key): str(value) for key, value in variables.items()},
        interrupt_mode=mode,
        folder=folder,
    )
