"""How git calls Octavo: shell text that finds the program, and does without it where it is gone.

The interpreter that ran `octavo init` comes first, since programs with windows and agents have
another PATH than a shell; then whatever `octavo` is on the PATH. Where neither is there, git does
what it does without Octavo, and one line says so.
"""

from __future__ import annotations

import os
from shlex import quote

from octavo.value import Value

MISSING = "octavo does not run here"
REMEDY = "pip install octavo && octavo init"


class Program(Value):
    """Octavo as it is called: an interpreter, and the script beside it (empty: `-m octavo`)."""

    python: str
    script: str = ""

    @property
    def test(self) -> str:
        """Shell text that succeeds where the program is there."""
        tests = [f"[ -x {quote(path)} ]" for path in (self.python, self.script) if path]
        return " && ".join(tests)

    @property
    def call(self) -> str:
        """Shell text that calls it."""
        return quote(self.script) if self.script else f"{quote(self.python)} -m octavo"


def program_of(python: str) -> Program:
    """The program that belongs to an interpreter."""
    for name in ("octavo", "octavo.exe"):
        script = os.path.join(os.path.dirname(python), name)
        if os.path.exists(script):
            return Program(_slashes(python), _slashes(script))
    return Program(_slashes(python))


def _slashes(path: str) -> str:
    """The shell of git for Windows reads paths with slashes too."""
    return path.replace(os.sep, "/")


#: When a call counts: always, if it ends well, or if the program runs at all (a merge that ends
#: with a conflict does not end well).
_ALWAYS = '{0} "$@"; return; '
_ENDED_WELL = '{0} "$@" && return; '
_RUNS = '{0} "$@"; r=$?; [ $r = 0 ] && return; {0} --version >/dev/null 2>&1 && return $r; '


def _command(
    program: Program, words: str, otherwise: str, consequence: str, counts: str = _ENDED_WELL
) -> str:
    """A command that git may give more words, and what is done where no call counts."""
    said = f"echo {quote(f'{MISSING}: {consequence} ({REMEDY})')} >&2"
    return (
        f"o() {{ if {program.test}; then {counts.format(program.call)}"
        f"elif command -v octavo >/dev/null 2>&1; then {counts.format('octavo')}fi; "
        f"{said}; {otherwise}; }}; o {words}"
    )


#: What a filter tells git that can do nothing: then git leaves every file as it is. A filter that
#: ends without a word would stop git altogether.
_IDLE_FILTER = r"printf '0016git-filter-server\n000eversion=2\n00000000'; cat >/dev/null"


def configuration(program: Program) -> dict[str, str]:
    """What git is told: the filter, the diff and the merge driver `octavo`."""
    outputs, as_text = "outputs are not taken out", "notebooks are compared as text"
    shown = 'git --no-pager diff --no-ext-diff --no-textconv --no-index -- "$4" "$7"; true'
    merged = 'git merge-file --marker-size="$5" "$3" "$2" "$4"'
    process = _command(program, "git-clean --process", _IDLE_FILTER, outputs)
    clean = _command(program, "git-clean \0", "cat", outputs, _ALWAYS)
    merge = _command(program, "git-merge \0", merged, "notebooks are merged as text", _RUNS)
    return {
        "filter.octavo.clean": _filled(clean, "%f"),
        "filter.octavo.process": process,
        "diff.octavo.command": _command(program, "git-diff --", shown, as_text),
        "diff.octavo.textconv": _command(program, "git-textconv --", 'cat "$3"', as_text),
        # In this order: a merge driver that has only a name stops git.
        "merge.octavo.driver": _filled(merge, "%O %A %B %L ./%P"),
        "merge.octavo.name": "notebooks, cell by cell",
    }


def _filled(command: str, words: str) -> str:
    """The command with words that git puts in; a percent sign of our own is doubled."""
    return command.replace("%", "%%").replace("\0", words)


def hook_lines(program: Program, name: str) -> list[str]:
    """What a hook does: call Octavo, or say that it does not run. Only its own verdict counts."""
    lost = "GIT_DIR GIT_WORK_TREE GIT_PREFIX"
    if not name.startswith("pre-"):
        lost += " GIT_INDEX_FILE"
    hint = quote(f"{MISSING}: .py and .ipynb are not kept in step ({REMEDY})")

    def call(octavo: str) -> str:
        failed = f"{{ r=$?; {octavo} --version >/dev/null 2>&1 && exit $r; echo {hint} >&2; }}"
        otherwise = failed if name.startswith("pre-") else ":"
        return f'    (unset {lost}; {octavo} git-hook {name} "$@") </dev/null || {otherwise}'

    return [
        f"if {program.test}; then",
        call(program.call),
        "elif command -v octavo >/dev/null 2>&1; then",
        call("octavo"),
        "else",
        f"    echo {hint} >&2",
        "fi",
    ]
