"""The script for zsh."""

from __future__ import annotations

from octavo.surfaces.cli.completion import SHELLS
from octavo.surfaces.cli.completion.kinds import (
    ASKED,
    Kind,
    families,
    first_words,
    kind_of,
    options_of,
    quoted,
    second_word,
    shapes,
)
from octavo.surfaces.cli.shape import Shape, Slot

_HEAD = """\
#compdef octavo
# Completes octavo in zsh:  eval "$(octavo completion zsh)"
_octavo_asked() {
    local -a found
    found=("${(@f)$(octavo completion $1 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
    _describe -V word found
}
"""
_TAIL = """\
if [ "$funcstack[1]" = "_octavo" ]; then _octavo "$@"; else compdef _octavo octavo; fi
"""
_ACTIONS: dict[Kind, str] = {
    "notebook": '_files -g "*.(py|md|ipynb)"',
    **{kind: f"_octavo_asked {option}" for kind, option in ASKED.items()},
    "file": "_files",
    "folder": "_files -/",
    "word": " ",
}


def script() -> str:
    """The whole script."""
    described = [quoted(f"{name}:{help}") for name, help in first_words().items()]
    lines = [
        "_octavo() {",
        "    local line state",
        "    _arguments -C '1: :->command' '*:: :->rest'",
        "    case $state in",
        "    command)",
        f"        local -a commands; commands=({' '.join(described)})",
        "        _describe command commands ;;",
        "    rest)",
        "        case $line[1] in",
    ]
    grouped = families()
    for shape in shapes():
        if not shape.entry.family and shape.entry.name not in grouped:
            lines += _command(shape, shape.entry.name)
    for name, members in grouped.items():
        lines += _family(name, members)
    lines += ["        esac ;;", "    esac", "}"]
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


def _family(name: str, members: list[Shape]) -> list[str]:
    """The second word, and what follows it."""
    described = [quoted(f"{second_word(s)}:{s.entry.help}") for s in members]
    lines = [
        f"        {name}) _arguments -C '1: :->second' '*:: :->after'",
        "            case $state in",
        f"            second) local -a seconds; seconds=({' '.join(described)})",
        "                _describe command seconds ;;",
        "            after) case $line[1] in",
    ]
    for shape in members:
        lines += _command(shape, second_word(shape))
    return [*lines, "            esac ;;", "            esac ;;"]


def _command(shape: Shape, word: str) -> list[str]:
    words = [_option(slot) for slot in options_of(shape)]
    words += [_argument(shape, slot) for slot in shape.arguments]
    listed = " \\\n            ".join(words)
    return [f"        {word}) _arguments \\", f"            {listed} ;;"]


def _option(slot: Slot) -> str:
    """`'(-j --jobs)'{-j,--jobs}'[help]:N:action'`; what may be repeated excludes nothing."""
    values = "".join(
        f":{name}:{_action(slot) if at == 0 else ' '}"
        for at, name in enumerate(slot.metavar if slot.takes else ())
    )
    text = slot.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    rest = quoted(f"[{text}]{values}")
    if len(slot.flags) == 1:
        star = "'*'" if slot.many else ""
        return f"{star}{slot.flags[0]}{rest}"
    before = "'*'" if slot.many else quoted(f"({' '.join(slot.flags)})")
    return f"{before}{{{','.join(slot.flags)}}}{rest}"


def _argument(shape: Shape, slot: Slot) -> str:
    action = f"({' '.join(SHELLS)})" if shape.entry.name == "completion" else _action(slot)
    return quoted(f"{'*' if slot.many else ''}:{slot.metavar[0]}:{action}")


def _action(slot: Slot) -> str:
    if slot.metavar[0] == "WHAT":
        return '_alternative "r:run:_octavo_asked --list-runs" "n:notebook:_files"'
    kind = kind_of(slot)
    return f"({' '.join(slot.choices)})" if kind == "choice" else _ACTIONS[kind]
