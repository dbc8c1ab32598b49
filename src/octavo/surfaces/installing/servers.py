"""A tool server in the configuration of an agent: put in and taken out, every other byte kept.

The text is changed, not written anew from what was read: comments, order and spelling belong to
the person. What the text then says is read again, and must be what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from octavo.errors import UsageError
from octavo.surfaces.installing import json_text, toml_text, yaml_text
from octavo.value import Value

NAME = "octavo"


class Server(Value):
    """How a server is started."""

    command: str
    args: tuple[str, ...]

    @property
    def entry(self) -> dict[str, Any]:
        return {"command": self.command, "args": list(self.args)}


class Dialect(Value):
    """How one program writes down its servers."""

    section: str
    read: Callable[[str], Any]
    #: Put an entry into a text: `(text, section, name, entry)`.
    put: Callable[[str, str, str, dict[str, Any]], str]
    #: Take an entry out of a text: `(text, section, name)`.
    take: Callable[[str, str, str], str]
    #: What an entry holds besides command and arguments.
    extra: tuple[tuple[str, Any], ...] = ()

    def entry(self, server: Server) -> dict[str, Any]:
        return {**dict(self.extra), **server.entry}


DIALECTS: dict[str, Dialect] = {
    "claude": Dialect(
        "mcpServers", json_text.read, json_text.put, json_text.take, (("type", "stdio"),)
    ),
    "codex": Dialect("mcp_servers", toml_text.read, toml_text.put, toml_text.take),
    "hermes": Dialect("mcp_servers", yaml_text.read, yaml_text.put, yaml_text.take),
}


def found(text: str, dialect: Dialect, place: str) -> Any:
    """The entry of our name; None where there is none."""
    servers = _read(text, dialect, place).get(dialect.section)
    return servers.get(NAME) if isinstance(servers, dict) else None


def takes_out(after: str, before: str, dialect: Dialect) -> bool:
    """Whether a text has not the entry of our name that another has, and all else that it has."""
    read, was = _attempt(after, dialect), _attempt(before, dialect)
    if read is None or was is None:
        return False
    (entry, rest), (old, others) = _parted(read, dialect), _parted(was, dialect)
    return entry != old and rest == others


def _parted(settings: dict[str, Any], dialect: Dialect) -> tuple[Any, dict[str, Any]]:
    """The entry of our name, and what else there is; a section without any is none."""
    servers = settings.get(dialect.section)
    if not isinstance(servers, dict):
        return None, settings if servers else _without(settings, dialect.section)
    rest = {**settings, dialect.section: _without(servers, NAME)}
    return servers.get(NAME), rest if rest[dialect.section] else _without(rest, dialect.section)


def _without(settings: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != name}


def is_ours(entry: Any) -> bool:
    """Whether an entry starts Octavo, however it came there."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    words = [str(entry.get("command")), *map(str, entry["args"])]
    program = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
    return words[-1:] == ["mcp"] and (program == "octavo" or words[1:3] == ["-m", "octavo"])


def with_server(text: str, dialect: Dialect, server: Server, place: str) -> str:
    """The text with our server, in the place of another entry of that name."""
    if found(text, dialect, place) is not None:
        text = without_server(text, dialect, place)
    entry = dialect.entry(server)
    meant = _read(text, dialect, place)
    servers = meant.get(dialect.section) or {}
    if not isinstance(servers, dict):
        raise _strange(dialect, place, "add", entry)
    after = _edited(text, lambda old: dialect.put(old, dialect.section, NAME, entry))
    _refuse_other(
        after, {**meant, dialect.section: {**servers, NAME: entry}}, dialect, place, entry
    )
    return after


def without_server(text: str, dialect: Dialect, place: str) -> str:
    """The text without any entry of our name."""
    meant = _read(text, dialect, place)
    servers = dict(meant[dialect.section])
    entry = servers.pop(NAME)
    after = _edited(text, lambda old: dialect.take(old, dialect.section, NAME))
    read = _attempt(after, dialect)
    if read is not None and not servers and not read.get(dialect.section):
        meant, read = (_without(each, dialect.section) for each in (meant, read))
    else:
        meant = {**meant, dialect.section: servers}
    if read != meant:
        raise _strange(dialect, place, "remove", entry)
    return after


def _edited(text: str, edit: Callable[[str], str]) -> str:
    """The text with an edit; its lines go on ending as they did."""
    if text.count("\r\n") < text.count("\n") or "\n" not in text:
        return edit(text)
    return edit(text.replace("\r\n", "\n")).replace("\n", "\r\n")


def _attempt(text: str, dialect: Dialect) -> dict[str, Any] | None:
    try:
        read = dialect.read(text)
    except (ValueError, RecursionError):
        return None
    if read is None:
        return {}
    return read if isinstance(read, dict) else None


def _read(text: str, dialect: Dialect, place: str) -> dict[str, Any]:
    try:
        read = dialect.read(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise UsageError(
            "configuration",
            f"cannot be read: {str(error).splitlines()[0]}",
            place=place,
            hint="mend the file, and run the command again; nothing has been changed",
        ) from error
    if read is None:
        return {}
    if not isinstance(read, dict):
        raise UsageError(
            "configuration",
            "it does not hold settings by name",
            place=place,
            hint="mend the file, and run the command again; nothing has been changed",
        )
    return read


def _refuse_other(
    text: str, meant: dict[str, Any], dialect: Dialect, place: str, entry: dict[str, Any]
) -> None:
    try:
        agrees = _attempt(text, dialect) == meant
    except RecursionError:
        agrees = False
    if not agrees:
        raise _strange(dialect, place, "add", entry)


def _strange(dialect: Dialect, place: str, verb: str, entry: Any) -> UsageError:
    return UsageError(
        "setup",
        "it is written in a way that cannot be changed safely; nothing has been",
        place=place,
        hint=f"{verb} it yourself: {dialect.section}, {NAME}: {json.dumps(entry)}",
    )
