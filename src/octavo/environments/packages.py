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
