"""Which notebooks and runs a word means: a file, a folder, a pattern."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from octavo.errors import UsageError
from octavo.records.journal import JOURNAL_NAME
from octavo.records.record import RECORD_NAME
from octavo.records.run_dir import RunDir
from octavo.records.store import FOLDER
from octavo.value import Value

SUFFIX = ".ipynb"
#: From a folder of runs down to a run: a date, an id.
_RUN_DEPTH = 2


class Place(Value):
    """An executed notebook: a file, or a run."""

    path: str
    run: RunDir | None = None


def is_path(word: str, cwd: str) -> bool:
    """Whether a word is about files: there is one, it is a pattern, or it is spelled like one."""
    spelled = "/" in word or word.endswith(SUFFIX) or glob.has_magic(word)
    return spelled or os.path.exists(os.path.join(cwd, word))


def is_many(word: str, cwd: str) -> bool:
    """Whether a word may mean several notebooks, however many there are now."""
    path = os.path.join(cwd, word)
    return not os.path.isfile(path) and _run_at(path) is None and is_path(word, cwd)


def places(word: str, cwd: str) -> list[Place]:
    """What a file, a folder or a pattern means, in the order of their names.

    A folder means the notebooks in it; one with runs, those runs. UsageError `nothing-matches`
    where there is none. A file that is not there is told when it is read.
    """
    path = os.path.join(cwd, word)
    if not os.path.exists(path) and glob.has_magic(word):
        return _matching(word, path)
    if os.path.isdir(path):
        return _in_folder(word, path)
    if not path.endswith(SUFFIX):
        raise _no_notebook(word)
    return [Place(path, _run_at(path))]


def distinct(found: Iterable[Place]) -> list[Place]:
    """Each place once, as it comes first."""
    return list({os.path.realpath(place.path): place for place in found}.values())


def _matching(word: str, pattern: str) -> list[Place]:
    matches = sorted(set(_expanded(pattern)))
    found = [place for path in matches for place in _of_match(path)]
    if found:
        return found
    others = f"only {len(matches)} that are neither notebooks nor runs" if matches else "nothing"
    raise _nothing(f"{word} matches {others}", "check the pattern; ** reaches into all folders")


def _expanded(pattern: str) -> Iterator[str]:
    """What a pattern matches. `**` goes into no links to folders: they may lead in circles."""
    before, stars, after = _at_stars(pattern)
    if not stars:
        yield from glob.iglob(pattern)
        return
    for top in glob.iglob(before) if before else ("",):
        for folder, folders, files in os.walk(top or os.curdir):
            folders[:] = [name for name in folders if not name.startswith(".")]
            if after:
                yield from _expanded(os.path.join(glob.escape(folder), after))
            else:
                yield from (os.path.join(folder, name) for name in (*folders, *files))


def _at_stars(pattern: str) -> tuple[str, str, str]:
    """A pattern before and after the first `**` between its slashes."""
    parts = pattern.split(os.sep)
    if "**" not in parts:
        return pattern, "", ""
    at = parts.index("**")
    after = os.sep.join(parts[at + 1 :]).lstrip(os.sep)
    return os.sep.join(parts[:at]) or (os.sep if at else ""), "**", after


def _of_match(path: str) -> list[Place]:
    run = _run_at(path)
    if run is not None:
        return [_of_run(run)] if os.path.isdir(path) or path.endswith(SUFFIX) else []
    return [Place(path)] if path.endswith(SUFFIX) and os.path.isfile(path) else []


def _in_folder(word: str, folder: str) -> list[Place]:
    run = _run_at(folder)
    if run is not None:
        return [_of_run(run)]
    if os.path.basename(os.path.normpath(folder)) == FOLDER:
        folder = os.path.join(folder, "runs")
    _refuse_closed(word, folder)
    names = _names(folder)
    notebooks = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
    found = [Place(path) for path in notebooks if os.path.isfile(path)]
    found = found or list(map(_of_run, _runs_below(folder, _RUN_DEPTH)))
    if not found:
        raise _nothing(f"{word} has no notebooks in it", f"name a folder with {SUFFIX} files")
    return found


def _refuse_closed(word: str, folder: str) -> None:
    """A folder that may not be read is not the same as one with nothing in it."""
    try:
        os.listdir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        message = f"the folder {word} may not be read: {why}"
        hint = "check its permissions, and those of the folders above it"
        raise UsageError("notebook-unreadable", message, place=folder, hint=hint) from error


def _runs_below(folder: str, depth: int) -> list[RunDir]:
    runs: list[RunDir] = []
    for name in _names(folder):
        path = os.path.join(folder, name)
        run = _run_at(path)
        if run is not None:
            runs.append(run)
        elif depth > 1:
            runs += _runs_below(path, depth - 1)
    return runs


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _run_at(path: str) -> RunDir | None:
    """The run whose folder a path is, or whose notebook or record it is."""
    folder = path
    if os.path.basename(path) in ("notebook.ipynb", RECORD_NAME):
        folder = os.path.dirname(path)
    if os.path.isfile(os.path.join(folder, JOURNAL_NAME)):
        return RunDir(Path(folder))
    return None


def _of_run(run: RunDir) -> Place:
    return Place(str(run.notebook_path), run)


def _no_notebook(word: str) -> UsageError:
    what = "there is no such file" if not os.path.exists(word) else f"not a {SUFFIX} file"
    hint = "scraps are in executed notebooks and in runs: octavo runs lists those"
    return UsageError("wrong-argument", f"{word}: {what}", hint=hint)


def _nothing(message: str, hint: str) -> UsageError:
    return UsageError("nothing-matches", message, hint=hint)
