"""Where things lie on the branch: `reports/<notebook>/<date>/<run id>/`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from octavo.errors import UsageError
from octavo.git.repository import Repository
from octavo.git.worktrees import checked_out, checkouts
from octavo.records.identity import time_of
from octavo.records.times import day

TOP = "reports"
INDEX, PAGE, ENTRY = "index.json", "README.md", "entry.json"
#: The executed notebook for browsers, in one file.
WHOLE_PAGE = "page.html"
#: Where notebooks of no name, or from outside of the repository, are put.
ELSEWHERE = "elsewhere"
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
RUN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
#: Names that git, or we, use ourselves; and what a system may take for `.git`.
_OURS = re.compile(r"\d{4}-\d{2}-\d{2}|README\.md|index\.json|\.+|\.git|git~\d+", re.IGNORECASE)
#: What a forge loses the links of a page to, or what a system takes in no name.
_AWKWARD = frozenset(' %#?`<>:"|*\\')
_LONGEST, _DIGEST = 120, 8


def folder_of(notebook: str) -> str:
    """The folder of a notebook, whose name is a path with slashes."""
    path = PurePosixPath(notebook)
    parts = [*path.parts[:-1], path.stem or path.name]
    named = [_safe(part) for part in parts if part not in ("", "/")]
    return "/".join([TOP, *(named or ["_"])])


def _safe(name: str) -> str:
    """A name that links and systems take, not one of ours; two names never become one."""
    plain = "".join(each if each.isprintable() and each not in _AWKWARD else "_" for each in name)
    spelled = plain.encode("utf-8", "replace")
    fits = len(spelled) <= _LONGEST and not name.endswith(".") and not _OURS.fullmatch(name)
    if plain == name and fits:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{spelled[: _LONGEST - _DIGEST - 1].decode('utf-8', 'ignore')}-{digest}"


def place_of(notebook: str, run_id: str) -> str:
    """The folder of a run."""
    return f"{folder_of(notebook)}/{day(time_of(run_id) or 0.0)}/{run_id}"


def split(place: str) -> tuple[str, str, str] | None:
    """The folder of the notebook, the date and the id, of the folder of a run."""
    above, _, run_id = place.rpartition("/")
    folder, _, date = above.rpartition("/")
    known = RUN_ID.fullmatch(run_id) and DATE.fullmatch(date) and folder.startswith(f"{TOP}/")
    return (folder, date, run_id) if known else None


def name_of(path: str | None, repository: Repository) -> str:
    """The name of a notebook within the repository, wherever it was checked out when it ran."""
    if not path or path == "-" or "://" in path:
        return f"{ELSEWHERE}/{os.path.basename((path or '').rstrip('/')) or 'notebook'}"
    try:
        return _below_checkout(repository.name_of(path), repository)
    except UsageError:
        pass
    for top in _other_tops(path, repository):
        if Path(path).is_relative_to(top):
            return Path(path).relative_to(top).as_posix()
    return f"{ELSEWHERE}/{os.path.basename(path)}"


def _below_checkout(name: str, repository: Repository) -> str:
    """Proposals run in checkouts inside of `.git`: without the way to there."""
    home = checkouts(repository)
    if home.is_relative_to(repository.top):
        start = f"{home.relative_to(repository.top).as_posix()}/"
        if name.startswith(start):
            return "/".join(name.removeprefix(start).split("/")[2:]) or name
    return name


def _other_tops(path: str, repository: Repository) -> Iterator[Path]:
    home = checkouts(repository)
    if Path(path).is_relative_to(home):
        yield home.joinpath(*Path(path).relative_to(home).parts[:2])
    for top, _ in checked_out(repository):
        yield top
