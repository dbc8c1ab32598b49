"""What other tools have set up for notebooks: nbstripout, nbdime, Git LFS, a person's own lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.repository.attributes import Setting, claimed_in, settings_in
from octavo.repository.blocks import text_of
from octavo.repository.changes import content_of
from octavo.value import Value

_FILE = ".gitattributes"
_INFO = ".git/info/attributes"


class Sources(Value):
    """Settings for notebooks that are not ours, and the files of the repository they are in."""

    settings: tuple[Setting, ...]
    replaceable: tuple[tuple[Path, str], ...]
    #: Parts that our own block in `.gitattributes` sets already.
    claimed: tuple[tuple[str, str], ...] = ()

    def taken(self) -> list[tuple[str, str]]:
        """Parts that are somebody else's.

        What only one person has set does not change a block that all who share it have.
        """
        return [
            (each.suffix, each.name)
            for each in self.settings
            if each.place.endswith(_FILE) or (each.suffix, each.name) not in self.claimed
        ]

    def effective(self) -> tuple[Setting, ...]:
        """Settings that our block does not outdo."""
        return tuple(
            each
            for each in self.settings
            if each.place.endswith((_FILE, _INFO)) or (each.suffix, each.name) not in self.claimed
        )


def sources_of(repository: Repository, folders: Sequence[str]) -> Sources:
    """What the files say that git reads attributes from, but for ours."""
    top = repository.top
    own = [(top / _FILE, _FILE)]
    own += [
        (top / folder / _FILE, f"{folder}/{_FILE}") for folder in folders if folder not in (".", "")
    ]
    own.append((repository.folder / "info" / "attributes", _INFO))
    shared = global_attributes(repository.git, repository.git.environ)
    places = [*own, *([(shared, str(shared))] if shared else [])]
    found = [
        setting
        for at, (path, name) in enumerate(places)
        for setting in settings_in(text_of(content_of(path)), name, wins=0 < at < len(own))
    ]
    named = {setting.place for setting in found}
    claimed = claimed_in(text_of(content_of(top / _FILE)))
    return Sources(tuple(found), tuple(each for each in own if each[1] in named), claimed)


def global_attributes(git: Git, environ: Mapping[str, str]) -> Path | None:
    """The user's own file of attributes; it need not exist. None where there is no home."""
    configured = git.maybe("config", "--type=path", "core.attributesFile")
    if configured:
        return Path(git.folder, configured)
    if environ.get("XDG_CONFIG_HOME"):
        return Path(environ["XDG_CONFIG_HOME"], "git", "attributes")
    return Path(environ["HOME"], ".config", "git", "attributes") if environ.get("HOME") else None


def kept_notes(
    settings: Sequence[Setting], *, replace: bool, command: str = "octavo init"
) -> list[str]:
    """What is told about the settings of others: each line once."""
    lines: dict[tuple[str, int], list[Setting]] = {}
    for setting in settings:
        lines.setdefault((setting.place, setting.line), []).append(setting)
    return [
        f"{place}:{line}: {_note(found, replace, command)}"
        for (place, line), found in lines.items()
    ]


def _note(found: Sequence[Setting], replace: bool, command: str) -> str:
    tools = " and ".join(dict.fromkeys(setting.tool for setting in found))
    parts = ", ".join(dict.fromkeys(setting.name for setting in found))
    if replace:
        return f"{tools} replaced ({parts}); `{command} --undo` brings it back"
    return f"{tools} is kept ({parts}); `{command} --replace` takes its place"
