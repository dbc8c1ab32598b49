"""Configuration and the environment are read here, and nowhere else.

Later ones win: defaults, `[tool.octavo]` in `pyproject.toml`, `octavo.toml`, variables that begin
with `OCTAVO_`, options on the command line.
"""

from __future__ import annotations

import os

from octavo.errors import UsageError
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: The socket of the resident host, in the runtime folder.
HOST_SOCKET = "host.sock"
#: The tokens of clients over HTTP.
MCP_TOKENS = "OCTAVO_MCP_TOKENS"
#: Whose runs and sessions are made: a client over HTTP, in whose name this process works.
OWNER = "OCTAVO_OWNER"
#: Seconds. Waking takes far less than an agent needs to think of its next call.
_SLEEP_AFTER = 10.0
MARKERS = (".octavo", "octavo.toml", ".git", "pyproject.toml")
_DECLARED = ("octavo.toml",)


class Settings(Value):
    """What a project says about how its notebooks run."""

    env: tuple[str, ...] = ()
    env_files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    notebooks: tuple[str, ...] = ("notebooks",)
    templates: tuple[str, ...] = ("notebook_templates",)
    preload: tuple[str, ...] = ()
    warm_idle_seconds: float = 1800.0
    scrapbook_shim: bool = False
    #: Open connections with which the kernel of a session is not copied: `db.local:5432`, `:5432`.
    no_snapshot_with: tuple[str, ...] = ()
    #: How many live sessions and running jobs one client of the tools may have; 0: any number.
    mcp_sessions: float = 32
    mcp_jobs: float = 32
    #: Where proposals go: `gitea`, `github`, `local` or a plug-in; empty when the remote tells.
    forge: str = ""
    #: The address of the forge, where that of the remote does not tell it.
    forge_url: str = ""
    #: The remote that proposals are pushed to; empty for the usual one.
    remote: str = ""
    branch_prefix: str = "agent/"
    #: What a merge needs where the repository itself is the forge.
    required_approvals: float = 0
    required_statuses: tuple[str, ...] = ()
    #: The branch that executed notebooks are archived on.
    archive_branch: str = "reports"
    archive_after_run: bool = False
    archive_after_merge: bool = False
    #: Whether what is archived after a run or a merge is pushed too.
    archive_push: bool = False
    #: What `octavo archive --prune` keeps of each notebook: so many runs, of so many days; 0: all.
    archive_keep: float = 0
    archive_keep_days: float = 0
    #: Files of more bytes go to the artifact store, a folder relative to the project.
    archive_largest: float = 10_000_000
    artifact_store: str = ".octavo/artifacts"


def project_root(near: str) -> str | None:
    """The nearest folder at or above a path that marks a project.

    What lies in the root of the file system is by chance above everything: from below it is a
    project only where it says so itself.
    """
    begun = folder = near if os.path.isdir(near) else os.path.dirname(near)
    while True:
        parent = os.path.dirname(folder)
        by_chance = parent == folder != begun and os.path.isabs(folder)
        if _has_any(folder, _DECLARED if by_chance else MARKERS):
            return folder
        if parent == folder:
            return None
        folder = parent


def _has_any(folder: str, names: tuple[str, ...]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in names)


def cache_folder(environ: Mapping[str, str]) -> str:
    """Where built environments are kept."""
    base = environ.get("XDG_CACHE_HOME") or os.path.join(_home(environ), ".cache")
    return environ.get("OCTAVO_CACHE") or os.path.join(base, "octavo")


def runtime_folder(environ: Mapping[str, str]) -> str:
    """Where sockets live: private to the user, gone after a restart."""
    base = environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isdir(base):
        return os.path.join(base, "octavo")
    user = os.getuid() if hasattr(os, "getuid") else environ.get("USERNAME", "")
    return os.path.join(environ.get("TMPDIR") or "/tmp", f"octavo-{user}")


def sleep_after(environ: Mapping[str, str]) -> float:
    """After how many idle seconds sessions sleep; 0 where they cannot, or are not to."""
    if "OCTAVO_NO_RESIDENT" in environ:
        return 0.0
    try:
        return max(0.0, float(environ.get("OCTAVO_SLEEP_AFTER") or _SLEEP_AFTER))
    except ValueError:
        return _SLEEP_AFTER


def jupyter_server(environ: Mapping[str, str]) -> tuple[str, str]:
    """The address of a Jupyter server and the token for it; empty where nothing says so."""
    token = environ.get("OCTAVO_JUPYTER_TOKEN") or environ.get("JUPYTER_TOKEN") or ""
    return environ.get("OCTAVO_JUPYTER_URL", "").strip(), token.strip()


def mcp_tokens(environ: Mapping[str, str]) -> list[str]:
    """The tokens that the environment names: `alice=token,bob=token`, or tokens alone."""
    parts = environ.get(MCP_TOKENS, "").replace(";", ",").replace("\n", ",").split(",")
    named = [part.strip().partition("=") for part in parts if part.strip()]
    return [
        f"{name} {token}" if token.strip("=") else name + equals + token
        for name, equals, token in named
    ]


def owner(environ: Mapping[str, str]) -> str:
    """In whose name runs are made; empty for the user."""
    return environ.get(OWNER, "").strip()


def in_name_of(owner: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of work that is done for somebody: theirs, and without anybody's token."""
    kept = {name: value for name, value in environ.items() if name not in (MCP_TOKENS, OWNER)}
    return {**kept, OWNER: owner} if owner else kept


def _home(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def settings(root: str | None) -> Settings:
    """The settings of a project; defaults where it says nothing."""
    if root is None:
        return Settings()
    merged: dict[str, Any] = {}
    for name, section in (("pyproject.toml", b"[tool.octavo"), ("octavo.toml", b"")):
        path = os.path.join(root, name)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            continue
        if section in content:
            merged.update(_table(path, content, bool(section)))
    return Settings(**merged)


def _table(path: str, content: bytes, nested: bool) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        raise UsageError("configuration", str(error), place=path, hint="mend the TOML") from error
    if nested:
        table = table.get("tool", {}).get("octavo", {})
    if not isinstance(table, dict):
        hint = "write [tool.octavo] in single brackets"
        raise UsageError("configuration", "tool.octavo is not a table", place=path, hint=hint)
    return {key.replace("-", "_"): _value(path, key, value) for key, value in table.items()}


def _value(path: str, key: str, value: Any) -> Any:
    known = Settings._fields
    name = key.replace("-", "_")
    if name not in known:
        from difflib import get_close_matches

        close = get_close_matches(key, [each.replace("_", "-") for each in known], 1)
        raise UsageError(
            "configuration",
            f"{key} is not a setting",
            place=path,
            hint=f"did you mean {close[0]}?" if close else f"known are: {', '.join(sorted(known))}",
        )
    if isinstance(getattr(Settings, name), tuple):
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise UsageError(
                "configuration",
                f"{key} must be a list of strings",
                place=path,
                hint=f'{key} = ["A", "B"]',
            )
        return tuple(values)
    if isinstance(getattr(Settings, name), str):
        if not isinstance(value, str):
            raise UsageError(
                "configuration", f"{key} must be text", place=path, hint=f'{key} = "…"'
            )
        return value
    if isinstance(getattr(Settings, name), bool):
        if not isinstance(value, bool):
            raise UsageError(
                "configuration", f"{key} must be true or false", place=path, hint=f"{key} = true"
            )
        return value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise UsageError("configuration", f"{key} must be a number", place=path, hint=f"{key} = 60")
    return float(value)
