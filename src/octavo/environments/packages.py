"""What is installed in an environment, for the record of a run: read from names of folders."""

from __future__ import annotations

import os

from octavo.environments.layout import distributions, is_venv, read_venv, system_sites
from octavo.environments.script import lock_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.environments.launch import Environment


def site_folders(environment: Environment) -> tuple[str, ...]:
    """The folders that an environment's packages lie in, in the order of import."""
    prefix = os.path.dirname(os.path.dirname(environment.python))
    root = environment.root or prefix
    if is_venv(root):
        return read_venv(root).sites()
    name = os.path.basename(os.path.realpath(environment.python))
    return system_sites(root, name.removeprefix("python"))


def minor_version(environment: Environment) -> tuple[int, int] | None:
    """The version of an environment's Python, such as (3, 12); None where no name tells it."""
    root = environment.root or os.path.dirname(os.path.dirname(environment.python))
    if is_venv(root):
        version = read_venv(root).version
    else:
        version = os.path.basename(os.path.realpath(environment.python)).removeprefix("python")
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def standard_library(environment: Environment) -> str | None:
    """The folder of the modules that come with an environment's Python; None if it is not seen."""
    version = minor_version(environment)
    root = environment.root or os.path.dirname(os.path.dirname(environment.python))
    base = os.path.dirname(os.path.realpath(environment.python))
    home = read_venv(root).home if is_venv(root) else ""
    for folder in (home, base):
        if version and folder:
            name = f"python{version[0]}.{version[1]}"
            found = os.path.join(os.path.dirname(folder), "lib", name)
            if os.path.isfile(os.path.join(found, "os.py")):
                return found
    return None


def packages(environment: Environment) -> dict[str, str]:
    """Name and version of every installed distribution, sorted; of two, the one imported first.

    Packages of the overlay are Octavo's and not listed.
    """
    found: dict[str, str] = {}
    for folder in site_folders(environment):
        for name, version in distributions(folder):
            found.setdefault(name, version)
    return dict(sorted(found.items()))


def lock(environment: Environment, notebook: str) -> dict[str, str] | None:
    """The lock that the packages come from: its path and hash; None without one."""
    path = None
    if environment.kind == "script":
        path = lock_path(notebook)
    elif environment.root:
        path = os.path.join(os.path.dirname(environment.root), "uv.lock")
    if path is None or not os.path.isfile(path):
        return None
    from hashlib import sha256

    with open(path, "rb") as file:
        return {"path": path, "sha256": sha256(file.read()).hexdigest()}
