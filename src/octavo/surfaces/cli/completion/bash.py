"""The script for bash."""

from __future__ import annotations

from octavo.surfaces.cli.completion import SHELLS
from octavo.surfaces.cli.completion.kinds import (
    ASKED,
    Kind,
    families,
    first_words,
    kind_of,
    options_of,
    second_word,
    shapes,
)
from octavo.surfaces.cli.shape import Shape, Slot

_HEAD = """\
# Completes octavo in bash:  eval "$(octavo completion bash)"
_octavo_lines() { local IFS=$'\\n'; COMPREPLY=($(cat)); }
_octavo_words() { _octavo_lines < <(compgen -W "$1" -- "$word"); }
_octavo_asked() { _octavo_words "$(octavo completion "$1" 2>/dev/null | cut -f1)"; }
_octavo_files() { compopt -o filenames 2>/dev/null; _octavo_lines < <(compgen -f -- "$word"); }
_octavo_folders() { compopt -o filenames 2>/dev/null; _octavo_lines < <(compgen -d -- "$word"); }
_octavo_notebooks() {
    compopt -o filenames 2>/dev/null
    _octavo_lines < <(compgen -d -- "$word"
        compgen -f -X '!*.py' -- "$word"; compgen -f -X '!*.md' -- "$word"
        compgen -f -X '!*.ipynb' -- "$word")
}
_octavo() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
"""
_TAIL = """\
}
complete -F _octavo octavo
"""
_CALLS: dict[Kind, str] = {
    "notebook": "_octavo_notebooks",
    **{kind: f"_octavo_asked {option}" for kind, option in ASKED.items()},
    "file": "_octavo_files",
    "folder": "_octavo_folders",
    "word": "return",
}


def script() -> str:
    """The whole script."""
    commands = shapes()
    names = " ".join(first_words())
    lines = [
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        _octavo_words "{names} --help --version"; return',
        "    fi",
        "    local command=${COMP_WORDS[1]}",
        *_families(),
        '    case "$command" in',
    ]
    for shape in commands:
        lines += _command(shape)
    lines += ["    esac"]
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


def _families() -> list[str]:
    """Where the first word is that of a family, the second one names the command."""
    lines = ['    case "$command" in']
    for name, members in families().items():
        words = " ".join(second_word(shape) for shape in members)
        lines += [
            f"    {name})",
            '        if [ "$COMP_CWORD" -eq 2 ] && [ "${word#-}" = "$word" ]; then',
            f'            _octavo_words "{words}"; return',
            "        fi",
            f'        case " {words} " in',
            '            *" ${COMP_WORDS[2]} "*) command="$command ${COMP_WORDS[2]}" ;;',
            "        esac ;;",
        ]
    return [*lines, "    esac"] if len(lines) > 1 else []


def _command(shape: Shape) -> list[str]:
    flags = " ".join(flag for slot in options_of(shape) for flag in slot.flags)
    lines = [f'    "{shape.entry.name}")', '        case "$before" in']
    for slot in options_of(shape):
        if slot.takes:
            lines.append(f"            {'|'.join(slot.flags)}) {_call(slot)}; return ;;")
    lines += [
        "        esac",
        '        case "$word" in',
        f'            -*) _octavo_words "{flags} --help" ;;',
        f"            *) {_argument(shape)} ;;",
        "        esac ;;",
    ]
    return lines


def _argument(shape: Shape) -> str:
    if shape.entry.name == "completion":
        return f'_octavo_words "{" ".join(SHELLS)}"'
    return _call(shape.arguments[0]) if shape.arguments else "return"


def _call(slot: Slot) -> str:
    kind = kind_of(slot)
    if kind == "choice":
        return f'_octavo_words "{" ".join(slot.choices)}"'
    if slot.metavar[0] == "WHAT":
        return f"{_CALLS['run']}; [ ${{#COMPREPLY[@]}} -gt 0 ] || _octavo_notebooks"
    return _CALLS[kind]
