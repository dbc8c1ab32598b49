"""The notebooks of a repository: in step, without outputs, and records left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from shlex import join

from octavo.authoring.base import Bases
from octavo.authoring.pairs import Pair, find_pairs
from octavo.authoring.sync import check_pair
from octavo.authoring.syncing import IN_STEP
from octavo.errors import OctavoError
from octavo.git.repository import Repository
from octavo.notebook.cleaning import is_clean
from octavo.repository.attributes import FILTER, GENERATED
from octavo.repository.finding import Finding, advice, ok, problem, some_of
from octavo.repository.init import alone

_LINE_END = "\n"
#: What is wrong with an `.ipynb` that making it anew from its text puts right.
_REGENERATED = ("merge-conflict", "notebook-invalid", "notebook-empty")
#: A command that names more files than this names all.
_MOST = 20


def content_findings(repository: Repository, folders: Sequence[str], cwd: str) -> list[Finding]:
    """What is in the files. Commands name them as they are called in `cwd`."""
    return [
        *_pairs(repository, folders, cwd),
        *_outputs(repository, cwd),
        *_unpaired(repository, folders, cwd),
        *_records(repository),
    ]


def _named(repository: Repository, name: str, cwd: str) -> str:
    """A file of the repository as a command in `cwd` takes it."""
    found = os.path.relpath(repository.top / name, os.path.realpath(cwd))
    return f"./{found}" if found.startswith(("-", ":")) else found


def _pairs(repository: Repository, folders: Sequence[str], cwd: str) -> list[Finding]:
    top = repository.top
    there = [str(top / folder) for folder in folders if (top / folder).exists()]
    if not there:
        message = f"there are no notebooks yet in {' or '.join(folders)}"
        return [advice("notebooks", message, 'octavo create "what it is for"')]
    bases = Bases(top)
    behind: list[str] = []
    findings: list[Finding] = []
    pairs = find_pairs(there, str(top))
    for pair in pairs:
        try:
            checked = check_pair(pair, bases, str(top))
        except OctavoError as error:
            findings.append(_told(repository, pair, error, cwd))
            continue
        if checked.error is not None:
            findings.append(_told(repository, pair, checked.error, cwd))
        elif checked.status != IN_STEP:
            behind.append(repository.name_of(pair.script))
    if behind:
        message = f"out of step with their .ipynb: {some_of(behind)}"
        findings.append(problem("notebooks", message, "octavo sync"))
    return findings or [ok("notebooks", f"in step with their .ipynb: {len(pairs)} of {len(pairs)}")]


def _told(repository: Repository, pair: Pair, error: OctavoError, cwd: str) -> Finding:
    """What stops a pair from being brought into step, and the way out."""
    place = (error.place or "").removeprefix(f"{repository.top}/")
    message = f"{place}: {error.message.partition(_LINE_END)[0]}"
    if error.kind in _REGENERATED and (error.place or "").startswith(str(pair.notebook)):
        script = _named(repository, repository.name_of(pair.script), cwd)
        return problem("notebooks", message, join(["octavo", "convert", "--force", script]))
    return problem("notebooks", message, error.hint)


def _outputs(repository: Repository, cwd: str) -> list[Finding]:
    """Tracked notebooks that hold results though they should not."""
    entries = _cleaned_files(repository)
    dirty = [name for name, content in entries.items() if not is_clean(content)]
    if not dirty:
        return []
    message = f"committed or staged with outputs: {some_of(dirty)}"
    named = [_named(repository, name, cwd) for name in dirty]
    files = join(named) if len(named) <= _MOST else ":/"
    return [problem("outputs", message, f"git add --renormalize {files}")]


def _cleaned_files(repository: Repository) -> dict[str, str]:
    """The tracked notebooks that our filter is for, as they are in the index."""
    names = repository.git.lines("ls-files", "-z", "--", "*.ipynb")
    if not names:
        return {}
    given = "\0".join(names).encode("utf-8", "surrogateescape")
    told = repository.git.run("check-attr", "-z", "--stdin", FILTER, input=given)
    parts = told.decode("utf-8", "surrogateescape").split("\0")
    ours = [name for name, value in zip(parts[::3], parts[2::3], strict=False) if value == "octavo"]
    return dict(zip(ours, _contents(repository, ours), strict=True))


def _contents(repository: Repository, names: Sequence[str]) -> list[str]:
    """Files of the index, all by one process; one that cannot be read is empty."""
    asked = "".join(f":{name}\n" for name in names if "\n" not in name)
    answer = repository.git.run(
        "cat-file", "--batch", input=asked.encode("utf-8", "surrogateescape")
    )
    found: list[str] = []
    at = 0
    for name in names:
        end = answer.find(b"\n", at)
        if "\n" in name or end < 0:
            found.append("")
            continue
        facts = answer[at:end].split()
        size = int(facts[2]) if len(facts) == 3 and facts[1] == b"blob" else -1
        start = end + 1
        found.append(answer[start : start + max(size, 0)].decode("utf-8", "replace"))
        at = start + size + 1
    return found


def _unpaired(repository: Repository, folders: Sequence[str], cwd: str) -> list[Finding]:
    """Notebooks without a text that forges are told to hide from reviewers."""
    names = alone(repository, folders)
    if not names:
        return []
    told = repository.git.lines("check-attr", "-z", GENERATED, "--", *names)
    hidden = [name for name, value in zip(told[::3], told[2::3], strict=False) if value == "set"]
    if not hidden:
        return []
    file = _named(repository, hidden[0], cwd)
    message = f"hidden from reviewers, with no text that stands for it: {some_of(hidden)}"
    return [advice("reviewing", message, join(["octavo", "convert", file]))]


def _records(repository: Repository) -> list[Finding]:
    if repository.git.lines("ls-files", "-z", "--", ":(top,literal).octavo"):
        message = "records of runs (.octavo) are tracked by git"
        return [problem("records", message, "git rm -r --cached :/.octavo && octavo init")]
    if not repository.is_ignored(".octavo/runs"):
        return [problem("records", "git does not ignore .octavo", "octavo init")]
    return []
