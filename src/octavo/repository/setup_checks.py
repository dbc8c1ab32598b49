"""How a repository is set up for notebooks: attributes, drivers, hooks, remote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

from octavo.errors import OctavoError
from octavo.git.credentials import VARIABLES
from octavo.git.remotes import remote_of
from octavo.git.repository import Repository
from octavo.git.worktrees import abandoned
from octavo.repository.attributes import DIFF, EXEMPT, FILTER, MERGE, UNSPECIFIED
from octavo.repository.blocks import block_in, text_of
from octavo.repository.changes import content_of
from octavo.repository.existing import sources_of
from octavo.repository.finding import Finding, advice, ok, problem
from octavo.repository.hooks import (
    FRAMEWORK,
    MISSING,
    NO_SHELL,
    OFF,
    UNUSABLE,
    hook_folder,
    missing_hooks,
)
from octavo.repository.launching import configuration, program_of

INIT = "octavo init"
_DIRTY = b'{"cells": [{"cell_type": "code", "outputs": [1], "execution_count": 1}]}\n'
_CLEAN = b'{"cells": [{"cell_type": "code", "outputs": [], "execution_count": null}]}\n'
_PROBE = "octavo-probe.ipynb"
_OURS = r"^(filter|diff|merge)\.octavo\."
_DRIVERS = {
    FILTER: ("filter.octavo.process", "commits keep outputs"),
    DIFF: ("diff.octavo.command", "git diff shows JSON"),
    MERGE: ("merge.octavo.driver", "git merges notebooks as text"),
}


def setup_findings(repository: Repository, folders: Sequence[str], python: str) -> list[Finding]:
    """What is set up, and what is not."""
    found = effective(repository, folders)
    return [
        *_attributes(repository, folders, found),
        *_drivers(repository, python, found),
        *_filter(repository, found),
        *_hooks(repository),
        *_leftovers(repository),
        *_remote(repository),
    ]


def effective(repository: Repository, folders: Sequence[str]) -> dict[str, str]:
    """What git takes for notebooks: the filter, the diff and the merge driver.

    Where it is not the same at the top and in the folders, that which is not ours.
    """
    probes = [_PROBE] + [
        f"{folder}/{_PROBE}"
        for folder in folders
        if (repository.top / folder).is_dir() and not set(Path(folder).parts) & set(EXEMPT)
    ]
    told = repository.git.lines("check-attr", "-z", FILTER, DIFF, MERGE, "--", *probes)
    found: dict[str, str] = {}
    for name, value in zip(told[1::3], told[2::3], strict=False):
        found[name] = value if found.get(name, "octavo") == "octavo" else found[name]
    return found


def _attributes(
    repository: Repository, folders: Sequence[str], found: Mapping[str, str]
) -> list[Finding]:
    ours = block_in(text_of(content_of(repository.top / ".gitattributes")))
    settings = sources_of(repository, folders).settings
    others = {each.name: each for each in settings if each.suffix == "ipynb"}
    findings: list[Finding] = []
    for name, (_, otherwise) in _DRIVERS.items():
        value = found.get(name, UNSPECIFIED)
        other = others.get(name)
        if value == "octavo":
            continue
        if other is not None and value == (other.value or "unset"):
            message = f"{other.place}:{other.line}: {other.tool} has the {name} of notebooks"
            findings.append(advice("attributes", message, "octavo init --replace"))
        else:
            findings.append(problem("attributes", f"no {name} for notebooks: {otherwise}", INIT))
    if not findings:
        where = ".gitattributes" if ours is not None else "the attributes of git"
        return [ok("attributes", f"{where}: filter, diff and merge of notebooks")]
    return findings


def _drivers(repository: Repository, python: str, found: Mapping[str, str]) -> list[Finding]:
    wanted = configuration(program_of(python))
    configured = _configured(repository)
    findings: list[Finding] = []
    for name, (key, otherwise) in _DRIVERS.items():
        if found.get(name) != "octavo":
            continue
        value = configured.get(key)
        if value is None and name == FILTER and "filter.octavo.clean" in configured:
            message = f"{key} is not configured: git starts a process for each notebook"
            findings.append(advice("drivers", message, INIT))
        elif value is None:
            message = f"{key} is not configured in this clone: {otherwise}"
            findings.append(problem("drivers", message, INIT))
        elif value != wanted[key] and name == FILTER:
            message = f"{key} calls another Octavo than this one"
            findings.append(advice("drivers", message, INIT))
    return findings


def _configured(repository: Repository) -> dict[str, str]:
    """What git is configured to call, by key."""
    told = repository.git.maybe("config", "-z", "--get-regexp", _OURS) or ""
    pairs = [each.partition("\n") for each in told.split("\0")]
    return {key: value for key, _, value in pairs if key}


def _filter(repository: Repository, found: Mapping[str, str]) -> list[Finding]:
    """Ask git to store a notebook with outputs, without storing it."""
    if found.get(FILTER) != "octavo":
        return []
    if not any(key.startswith("filter.") for key in _configured(repository)):
        return []
    git = repository.git
    asked = ("hash-object", "--stdin", "--path", _PROBE)
    _, out, said = git.call(*asked, input=_DIRTY)
    if out.decode().strip() == git.text("hash-object", "--stdin", input=_CLEAN):
        return [ok("filter", "outputs are taken out of what is committed")]
    why = next((line for line in said.splitlines() if line.strip()), "it does not clean")
    return [problem("filter", f"the filter does not work: {why}", INIT)]


def _hooks(repository: Repository) -> list[Finding]:
    folder = hook_folder(repository)
    amiss = missing_hooks(repository, folder)
    if not amiss:
        return [ok("hooks", "hooks keep .py and .ipynb in step")]
    if folder.managed_by:
        calls = "; ".join(f'octavo git-hook {name} "$@"' for name in amiss)
        message = f"the hooks in {folder.scripts} do not call Octavo: {', '.join(amiss)}"
        return [advice("hooks", message, f"add to them: {calls}")]
    missing = [name for name, what in amiss.items() if what == MISSING]
    findings = [_hook(folder.path / name, what) for name, what in amiss.items() if what != MISSING]
    if missing:
        findings.append(problem("hooks", f"hooks are not installed: {', '.join(missing)}", INIT))
    return findings


def _hook(path: Path, what: str) -> Finding:
    """What is amiss with a hook that is there."""
    on = f"chmod +x {quote(str(path))}"
    if what == UNUSABLE:
        return problem("hooks", f"{path.name} is not executable: git passes it over", on)
    if what == OFF:
        message = f"your hook {path.name} is switched off (not executable), and ours with it"
        return advice("hooks", message, f"{on} && {INIT}")
    if what == FRAMEWORK and path.name == "pre-commit":
        message = f"{path.name} belongs to {what}, which does not call Octavo"
        return advice("hooks", message, f"add to .pre-commit-config.yaml what `{INIT}` prints")
    told = f"is {what}" if what == NO_SHELL else f"belongs to {what}"
    message = f"{path.name} {told}, and does not call Octavo"
    return advice("hooks", message, f'add to it: octavo git-hook {path.name} "$@"')


def _leftovers(repository: Repository) -> list[Finding]:
    findings: list[Finding] = []
    for place in abandoned(repository):
        message = f"a checkout that a killed command left: {place}"
        findings.append(
            advice("leftovers", message, f"rm -r {quote(str(place))} && git worktree prune")
        )
    locked = repository.git.text("rev-parse", "--path-format=absolute", "--git-path", "index.lock")
    if Path(locked).exists():
        message = "git's index is locked: git is at work, or was killed"
        findings.append(advice("leftovers", message, f"when no git runs: rm {quote(locked)}"))
    return findings


def _remote(repository: Repository) -> list[Finding]:
    findings: list[Finding] = []
    if repository.is_shallow():
        message = "history is cut off: comparing with older commits may fail"
        findings.append(advice("history", message, "git fetch --unshallow"))
    try:
        remote = remote_of(repository.git)
    except OctavoError as error:
        return [*findings, problem("remote", error.message, error.hint)]
    if remote is None or remote.scheme == "file":
        return [*findings, ok("remote", "proposals are kept in this repository (forge local)")]
    kind = "github" if remote.host.endswith("github.com") else "gitea"
    named = [name for name in VARIABLES[kind] if repository.git.environ.get(name)]
    helper = repository.git.maybe("config", "--get", "credential.helper")
    if named or helper:
        token = f"token from {named[0]}" if named else "token from git's credential helper"
        return [*findings, ok("remote", f"{remote.name}: {remote.host}, {token}")]
    message = f"{remote.name}: no token for {remote.host} is known; proposing needs one"
    return [*findings, advice("remote", message, "export OCTAVO_FORGE_TOKEN=…")]
