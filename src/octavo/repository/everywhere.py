"""`octavo init --global`: the drivers for every repository of a user.

No hooks: git has one global place for them, and using it would switch off each repository's own.
"""

from __future__ import annotations

from pathlib import Path

from octavo.errors import UsageError
from octavo.git.program import Git
from octavo.repository import attributes
from octavo.repository.blocks import bytes_of, text_of, with_block, without_block
from octavo.repository.changes import Change, ConfigChange, Planned, content_of, file_change
from octavo.repository.context import RepositoryContext
from octavo.repository.existing import global_attributes, kept_notes
from octavo.repository.init import GLOBAL, plan_configuration
from octavo.repository.launching import configuration, program_of

NO_HOOKS = (
    "no hooks were installed: a global core.hooksPath would switch off those of each repository; "
    "run `octavo init` in a repository to have them there"
)


def plan_everywhere(git: Git, context: RepositoryContext, *, replace: bool) -> Planned:
    """Git's settings and attributes of the user."""
    path = _attributes_file(git, context)
    before = content_of(path)
    text = text_of(before)
    found = tuple(attributes.settings_in(text, str(path)))
    if replace:
        text = attributes.replace_settings(text)
    taken = () if replace else [(each.suffix, each.name) for each in found]
    lines = attributes.our_lines((), taken)
    after = bytes_of(with_block(text, attributes.ABOUT_GLOBAL, lines))
    changes: list[Change] = [
        *plan_configuration(git, GLOBAL, configuration(program_of(context.python))),
        *file_change(path, str(path), before, after),
    ]
    notes = kept_notes(found, replace=replace, command="octavo init --global")
    return Planned(tuple(changes), (*notes, NO_HOOKS))


def unplan_everywhere(git: Git, context: RepositoryContext) -> Planned:
    """The same taken back."""
    path = _attributes_file(git, context)
    before = content_of(path)
    after = bytes_of(attributes.restore_settings(without_block(text_of(before))))
    changes: list[Change] = []
    for key in reversed(configuration(program_of(context.python))):
        value = git.maybe("config", GLOBAL, "--get", key)
        if value is not None:
            changes.append(ConfigChange(git, GLOBAL, key, value, None))
    changes += file_change(path, str(path), before, after or None)
    return Planned(tuple(changes))


def _attributes_file(git: Git, context: RepositoryContext) -> Path:
    path = global_attributes(git, context.environ)
    if path is None:
        hint = "set HOME, or git's core.attributesFile"
        raise UsageError("setup", "there is no home for settings of the user", hint=hint)
    return path
