"""What the folders of an environment tell without starting its interpreter."""

from __future__ import annotations

import os

from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXECUTABLE = os.path.join("bin", "python")
CONFIGURATION = "pyvenv.cfg"


class Venv(Value):
    """A virtual environment as its `pyvenv.cfg` describes it."""

    root: str
    full_version: str
    home: str
    system_sites: bool

    @property
    def version(self) -> str:
        """The minor version, such as "3.12"."""
        return ".".join(self.full_version.split(".")[:2])

    @property
    def python(self) -> str:
        return os.path.join(self.root, EXECUTABLE)

    def sites(self) -> tuple[str, ...]:
        """The folders that packages are imported from, in order."""
        own = tuple(_below(self.root, lib, self.version) for lib in ("lib", "lib64"))
        if not self.system_sites:
            return own
        return own + system_sites(os.path.dirname(self.home), self.version)


def is_venv(root: str) -> bool:
    """Whether a folder is the root of a virtual environment."""
    return os.path.isfile(os.path.join(root, CONFIGURATION))


def read_venv(root: str) -> Venv:
    """The virtual environment in a folder."""
    with open(os.path.join(root, CONFIGURATION), encoding="utf-8", errors="replace") as file:
        pairs = dict(_pairs(file))
    version = pairs.get("version_info") or pairs.get("version") or _version_from_lib(root)
    return Venv(
        root,
        ".".join(version.split(".")[:3]),
        pairs.get("home", ""),
        pairs.get("include-system-site-packages", "").lower() == "true",
    )


def system_sites(prefix: str, version: str) -> tuple[str, ...]:
    """The folders of packages of an interpreter that is installed under a prefix."""
    local = os.path.join(prefix, "local")
    return (
        _below(prefix, "lib", version),
        os.path.join(local, "lib", f"python{version}", "dist-packages"),
        os.path.join(prefix, "lib", "python3", "dist-packages"),
    )


def distributions(folder: str) -> Iterator[tuple[str, str]]:
    """Name and version of every distribution that is installed in a folder."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return
    for entry in entries:
        if entry.endswith((".dist-info", ".egg-info")):
            name, dash, version = entry[:-10].partition("-")
            if dash:
                yield name.replace("_", "-").lower(), version.partition("-py")[0]


def ipython_version(sites: Iterable[str]) -> str | None:
    """The version of the IPython that an import would find first, or None without one.

    It is empty where there is an IPython whose version nothing tells.
    """
    for folder in sites:
        if os.path.isfile(os.path.join(folder, "IPython", "__init__.py")):
            return dict(distributions(folder)).get("ipython", "")
    return None


def is_older(version: str, oldest: tuple[int, ...]) -> bool:
    """Whether a version is older than the leading numbers of another, as far as can be told."""
    numbers: list[int] = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return bool(numbers) and tuple(numbers) < oldest


def _below(root: str, lib: str, version: str) -> str:
    return os.path.join(root, lib, f"python{version}", "site-packages")


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, value = line.partition("=")
        if equals:
            yield name.strip().lower(), value.strip()


def _version_from_lib(root: str) -> str:
    try:
        entries = sorted(os.listdir(os.path.join(root, "lib")))
    except OSError:
        return ""
    return next((entry[6:] for entry in entries if entry.startswith("python3.")), "")
