"""The agents that Octavo can be made known to, and where each looks for skills and servers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from octavo.errors import UsageError
from octavo.value import Value


class Program(Value):
    """An agent: its folder (a variable may name another), and its files in it.

    `beside_home` is a configuration that lies in the home directory itself while the folder has
    not been moved, as Claude Code's does.
    """

    name: str
    title: str
    variable: str
    folder: str
    configuration: str
    beside_home: bool = False
    #: What a person does for the change to count.
    afterwards: str = ""

    def home(self, environ: Mapping[str, str]) -> Path:
        """The folder that the program keeps its things in."""
        named = environ.get(self.variable)
        return Path(named) if named else _home(environ) / self.folder

    def skills(self, environ: Mapping[str, str]) -> Path:
        """The folder that it reads a user's skills from."""
        return self.home(environ) / "skills"

    def settings(self, environ: Mapping[str, str]) -> Path:
        """The file that names its tool servers."""
        at_home = self.beside_home and not environ.get(self.variable)
        return (_home(environ) if at_home else self.home(environ)) / self.configuration


def _home(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME")
    home = Path.home() if named is None else Path(named)
    if not home.is_absolute() or not os.path.isdir(home):
        raise UsageError(
            "setup",
            "there is no home folder",
            place=str(named or ""),
            hint="let HOME name yours; nothing has been changed",
        )
    return home


CLAUDE = Program(
    "claude",
    "Claude Code",
    "CLAUDE_CONFIG_DIR",
    ".claude",
    ".claude.json",
    beside_home=True,
    afterwards="claude mcp list",
)
CODEX = Program(
    "codex", "Codex", "CODEX_HOME", ".codex", "config.toml", afterwards="codex mcp list"
)
HERMES = Program(
    "hermes", "Hermes", "HERMES_HOME", ".hermes", "config.yaml", afterwards="hermes mcp test octavo"
)
PROGRAMS = (CLAUDE, CODEX, HERMES)


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where it is noted what was written into other programs' folders."""
    base = environ.get("XDG_STATE_HOME")
    return (Path(base) if base else _home(environ) / ".local" / "state") / "octavo"
