"""Git attributes: which of them others have set for notebooks, and our own lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from octavo.repository.blocks import block_in, find_block, line_end, outside_block
from octavo.value import Value

FILTER, DIFF, MERGE, GENERATED = "filter", "diff", "merge", "linguist-generated"
#: What is set for which files; a person's own setting of one of them is left alone.
PARTS = (
    ("ipynb", FILTER),
    ("ipynb", DIFF),
    ("ipynb", MERGE),
    ("ipynb", GENERATED),
    ("py", MERGE),
    ("md", MERGE),
)
#: Folders whose notebooks keep their outputs, wherever they are.
EXEMPT = ("runs", "executions", "outputs", "reports")
ABOUT = "notebooks (written by `octavo init`, taken back by `octavo init --undo`)"
ABOUT_GLOBAL = "notebooks (`octavo init --global`; `octavo init --global --undo`)"
_WITHOUT = (
    "# Git works without Octavo too: it then treats these files as any others.",
    "# `pip install octavo && octavo init` takes outputs out of what you commit.",
)
#: What git says of an attribute that nobody sets, and of one that has no value.
UNSPECIFIED, SET = "unspecified", "set"
_PLAIN = {"!": UNSPECIFIED, "-": ""}
_REPLACED = "# octavo replaced: "
_SHORTENED = "# octavo shortened: "
_TOOLS = {
    "nbstripout": "nbstripout",
    "ipynb": "nbstripout",
    "jupyternotebook": "nbdime",
    "lfs": "Git LFS",
}
_PATTERN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_MACROS = {"binary": ("-diff", "-merge", "-text")}


class Setting(Value):
    """An attribute that somebody else has set for notebooks, and where."""

    suffix: str
    name: str
    value: str
    place: str
    line: int

    @property
    def tool(self) -> str:
        """Whose it is, in words."""
        if self.value in (UNSPECIFIED, SET):
            return f"!{self.name}" if self.value == UNSPECIFIED else self.name
        known = _TOOLS.get(self.value)
        return known or (f"{self.name}={self.value}" if self.value else f"-{self.name}")


def settings_in(text: str, place: str, *, wins: bool = False) -> list[Setting]:
    """What the lines of a file that are not ours set for notebooks, other than to our drivers.

    Taking a setting back (`!filter`) is one too where it outdoes ours: behind our block, or in a
    file that comes after it (`wins`).
    """
    block = find_block(text.splitlines())
    found = [
        setting
        for number, line in outside_block(text)
        for setting in _settings(line, place, number)
    ]
    return [
        each
        for each in found
        if each.value != UNSPECIFIED or wins or (block is not None and each.line > block[1])
    ]


def claimed_in(text: str) -> tuple[tuple[str, str], ...]:
    """The parts that our own block sets."""
    return tuple(
        (suffix, word.partition("=")[0])
        for line in block_in(text) or ()
        for suffix in _suffixes(_split(line)[0])
        for word in _split(line)[1]
        if word.endswith("=octavo") or word == GENERATED
    )


def _settings(line: str, place: str, number: int) -> Iterable[Setting]:
    pattern, words = _split(line)
    for suffix in _suffixes(pattern):
        for word in words:
            for each in _MACROS.get(word, (word,)):
                name, _, value = each.lstrip("-!").partition("=")
                value = _PLAIN.get(each[:1], value or SET)
                if (suffix, name) in PARTS and value != "octavo":
                    yield Setting(suffix, name, value, place, number)


def _split(line: str) -> tuple[str, list[str]]:
    stripped = line.strip()
    found = _PATTERN.match(stripped)
    if found is None or stripped.startswith(("#", "[attr]")):
        return "", []
    return found[0].strip('"'), stripped[found.end() :].split()


def _suffixes(pattern: str) -> Sequence[str]:
    """The kinds of notebooks that a pattern is about. One for a folder of results is not."""
    folders, _, last = pattern.rpartition("/")
    if any(name in EXEMPT for name in folders.split("/")):
        return ()
    if last in ("*", "**"):
        return ("ipynb", "py", "md") if not folders else ()
    return [suffix for suffix in ("ipynb", "py", "md") if last.endswith(f".{suffix}")]


def our_lines(
    folders: Sequence[str], taken: Iterable[tuple[str, str]], alone: Sequence[str] = ()
) -> list[str]:
    """The lines of our block.

    `folders` hold text notebooks; `taken` are the parts that somebody else has set; `alone` are
    notebooks in those folders that no text stands for, so that reviewers must see them.
    """
    left = [part for part in PARTS if part not in set(taken)]
    drivers = [name for suffix, name in left if suffix == "ipynb" and name != GENERATED]
    lines = list(_WITHOUT)
    if drivers:
        lines.append(" ".join(["*.ipynb", *(f"{name}=octavo" for name in drivers)]))
    for folder in folders:
        lines += _of_folder(folder, left)
    if ("ipynb", GENERATED) in left:
        lines += [f"{_quoted(name)} -{GENERATED}" for name in alone]
    kept = [f"!{name}" for name in drivers if name != MERGE]
    if folders and ("ipynb", GENERATED) in left:
        kept.append(f"!{GENERATED}")
    if kept:
        lines += [f"**/{name}/**/*.ipynb {' '.join(kept)}" for name in EXEMPT]
    return lines


def _of_folder(folder: str, left: Sequence[tuple[str, str]]) -> list[str]:
    """The lines for a folder of notebooks, or for a single one."""
    stem, _, own = folder.rpartition(".")
    within = "*" if folder in (".", "") else f"{folder.strip('/')}/**/*"
    if own in ("py", "md"):
        within = stem
    lines = []
    if ("ipynb", GENERATED) in left:
        lines.append(f"{_quoted(f'{within}.ipynb')} {GENERATED}")
    lines += [
        f"{_quoted(f'{within}.{suffix}')} merge=octavo"
        for suffix in ("py", "md")
        if (suffix, MERGE) in left and (own == suffix or own not in ("py", "md"))
    ]
    return lines


def _quoted(pattern: str) -> str:
    """A pattern as git reads it: one with spaces stands in quotes."""
    if not re.search(r'[\s"\\]', pattern) and not pattern.startswith(("#", "!")):
        return pattern
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


def replace_settings(text: str, *, wins: bool = False) -> str:
    """The text with other tools' settings for notebooks as comments, where they stand."""
    numbers = {setting.line for setting in settings_in(text, "", wins=wins)}
    end = line_end(text)
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if number not in numbers:
            lines.append(line)
            continue
        rest = _rest(line)
        lines.append(f"{_SHORTENED if rest else _REPLACED}{line}")
        if rest:
            lines[-1] = lines[-1].rstrip("\r\n") + end
            lines.append(rest + line[len(line.rstrip("\r\n")) :])
    return "".join(lines)


def _rest(line: str) -> str:
    """What remains of a line without settings that are ours to make; empty for nothing."""
    found = _PATTERN.match(line.strip())
    if found is None:
        return ""
    words = [
        each
        for word in _split(line)[1]
        for each in _MACROS.get(word, (word,))
        if not any(each.lstrip("-!").partition("=")[0] == name for _, name in PARTS)
    ]
    return " ".join([found[0], *words]) if words else ""


def restore_settings(text: str) -> str:
    """The text as it was before `replace_settings`."""
    lines: list[str] = []
    following = iter(text.splitlines(keepends=True))
    for line in following:
        if line.startswith(_REPLACED):
            lines.append(line.removeprefix(_REPLACED))
        elif line.startswith(_SHORTENED):
            original = line.removeprefix(_SHORTENED)
            after = next(following, "")
            if after.strip() == _rest(original):
                bare = original.rstrip("\r\n")
                lines.append(bare + after[len(after.rstrip("\r\n")) :])
            else:
                lines += [original, after]
        else:
            lines.append(line)
    return "".join(lines)
