"""The script for fish."""

from __future__ import annotations

from octavo.surfaces.cli.completion import SHELLS
from octavo.surfaces.cli.completion.kinds import (
    ASKED,
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
# Completes octavo in fish:  octavo completion fish > ~/.config/fish/completions/octavo.fish
complete -c octavo -f
"""
_ASKED = {kind: f"'(octavo completion {option} 2>/dev/null)'" for kind, option in ASKED.items()}
_NOTEBOOKS = (
    "'(__fish_complete_suffix .py; __fish_complete_suffix .md; __fish_complete_suffix .ipynb)'"
)


def script() -> str:
    """The whole script."""
    lines: list[str] = []
    for name, help in first_words().items():
        lines.append(f"complete -c octavo -n __fish_use_subcommand -a {name} -d {quoted(help)}")
    for name, members in families().items():
        words = [second_word(shape) for shape in members]
        unsaid = f"{_seen(name)}; and not {_seen(*words)}"
        for word, shape in zip(words, members, strict=True):
            help = quoted(shape.entry.help)
            lines.append(f"complete -c octavo -n {quoted(unsaid)} -a {word} -d {help}")
    for shape in shapes():
        lines += _command(shape)
    return _HEAD + "\n".join(lines) + "\n"


def _command(shape: Shape) -> list[str]:
    seen = "; and ".join(map(_seen, shape.entry.name.split()))
    only = f"complete -c octavo -n {quoted(seen)}"
    lines = [f"{only} {_option(slot)}" for slot in options_of(shape)]
    for slot in shape.arguments:
        words = quoted(" ".join(SHELLS)) if shape.entry.name == "completion" else _words(slot)
        if words:
            lines.append(f"{only} -k -a {words}")
    return lines


def _seen(*words: str) -> str:
    return f"__fish_seen_subcommand_from {' '.join(words)}"


def _option(slot: Slot) -> str:
    flags = " ".join(f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in slot.flags)
    value = ""
    if slot.takes:
        words = _words(slot)
        value = f" -x -a {words}" if words else " -r -F" if kind_of(slot) == "file" else " -x"
    return f"{flags}{value} -d {quoted(slot.help)}"


def _words(slot: Slot) -> str:
    """What fish offers for a value, empty where it offers nothing or files."""
    kind = kind_of(slot)
    if kind == "choice":
        return quoted(" ".join(slot.choices))
    offered = {**_ASKED, "notebook": _NOTEBOOKS, "folder": "'(__fish_complete_directories)'"}
    return offered.get(kind, "")
