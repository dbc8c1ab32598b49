"""The variables of a kernel: a documented base set, and what the user adds.

Nothing else of the caller's environment reaches a notebook, so that what a notebook needs is
written down, and a secret in the terminal is not in every notebook.
"""

from __future__ import annotations

import os

from octavo.environments.layout import is_venv
from octavo.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from octavo.environments.launch import Environment

BASE = (
    # who and where
    *("HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "PATH", "TMPDIR", "TMP", "TEMP", "TERM"),
    *("LANG", "LANGUAGE", "LC_*", "TZ", "XDG_*"),
    # the interpreter and what it loads
    *("PYTHONPATH", "PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONUTF8", "PYTHONIOENCODING"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONNOUSERSITE", "PYTHONFAULTHANDLER"),
    *("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    # certificates and proxies
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"),
    *("NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"),
    # processors and accelerators
    *(
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "CUDA_PATH",
        "CUDA_DEVICE_ORDER",
        "ROCR_VISIBLE_DEVICES",
    ),
    *(
        "ROCR_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "NVIDIA_VISIBLE_DEVICES",
    ),
    *("OMP_*", "KMP_*", "GOMP_CPU_AFFINITY"),
    *("MKL_NUM_THREADS", "MKL_DYNAMIC", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NUMBA_*"),
    *("POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "MALLOC_ARENA_MAX"),
    # a display, for code that opens a window, and continuous integration, which code asks about
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "CI"),
)


def variables(
    environ: Mapping[str, str],
    environment: Environment,
    *,
    names: Iterable[str] = (),
    files: Iterable[Mapping[str, str]] = (),
) -> dict[str, str]:
    """The whole environment of a kernel.

    `names` are the values of `--env`: NAME, a pattern such as `AWS_*`, or NAME=VALUE. `files`
    are what was read from `--env-file`. The folder of the interpreter comes first on PATH, so
    that `!python` and `!pip` in a notebook are those of its environment. A value that is
    written out wins over everything.
    """
    passed = select(environ, BASE)
    given: dict[str, str] = {}
    for file in files:
        given.update(file)
    for name in names:
        name, equals, value = name.partition("=")
        check_name(name)
        if equals:
            given[name] = value
        else:
            passed.update(_passed_through(environ, name, given))
    return {**_activated(passed, environment), **given}


def select(environ: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    """The variables whose names match one of the patterns."""
    plain, starred = set(), []
    for pattern in patterns:
        plain.add(pattern) if "*" not in pattern else starred.append(pattern)
    return {
        name: value
        for name, value in environ.items()
        if name in plain or any(matches(name, pattern) for pattern in starred)
    }


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern, in which `*` stands for anything."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(name) - len(rest[-1]) >= at and name.endswith(rest[-1])


def missing_variable_hint(name: str, environ: Mapping[str, str], passed: Mapping[str, str]) -> str:
    """What to do about a variable that a notebook missed, or nothing."""
    if name in environ and name not in passed:
        return f"{name} is set in your shell but was not passed to the notebook: add --env {name}"
    return ""


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a variable."""
    if not name or "=" in name or "\0" in name or any(char.isspace() for char in name):
        raise UsageError(
            "wrong-argument",
            f"--env: {name!r} is not the name of a variable",
            hint="write --env NAME, --env NAME=VALUE or --env 'PREFIX_*'",
        )


def _passed_through(
    environ: Mapping[str, str], name: str, given: Mapping[str, str]
) -> dict[str, str]:
    if "*" in name:
        return select(environ, [name])
    if name in environ:
        return {name: environ[name]}
    if name in given:
        return {}
    raise UsageError(
        "wrong-argument",
        f"--env {name}: there is no such variable",
        hint=f"set it in your shell, or give a value: --env {name}=VALUE",
    )


def _activated(passed: dict[str, str], environment: Environment) -> dict[str, str]:
    """The variables as if the environment had been activated in the terminal."""
    folder = os.path.dirname(environment.python)
    rest = [part for part in passed.get("PATH", os.defpath).split(os.pathsep) if part != folder]
    active = {**passed, "PATH": os.pathsep.join([folder, *filter(None, rest)])}
    for name in ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "PYTHONHOME"):
        active.pop(name, None)
    root = environment.root
    if root and is_venv(root):
        active["VIRTUAL_ENV"] = root
    elif root and os.path.isdir(os.path.join(root, "conda-meta")):
        active["CONDA_PREFIX"] = root
    return active
