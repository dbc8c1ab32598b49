"""The help page of a command."""

from __future__ import annotations

from octavo.render.columns import pad, wrap
from octavo.render.style import PLAIN, Style
from octavo.surfaces.cli.shape import Shape, Slot

#: The widest left column; what is longer has its help on the next line.
LEFT = 32


def usage(shape: Shape, *, columns: int = 80, style: Style = PLAIN) -> str:
    """All that `octavo COMMAND --help` prints."""
    entry = shape.entry
    words = " ".join(map(_argument, shape.arguments))
    lines = [
        f"usage: octavo {entry.name}{' ' * bool(words)}{words} [options]",
        "",
        *wrap(_sentence(entry.help), columns),
    ]
    if shape.arguments:
        lines += ["", *_listed(shape.arguments, columns, style)]
    for group, slots in _groups(shape):
        lines += ["", style.paint(f"{group}:", "bold"), *_listed(slots, columns, style)]
    if entry.examples:
        lines += ["", style.paint("Examples:", "bold")]
        lines += [f"  {example}" for example in entry.examples]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _argument(slot: Slot) -> str:
    word = slot.metavar[0] + ("..." if slot.many else "")
    return word if slot.required else f"[{word}]"


def _groups(shape: Shape) -> list[tuple[str, list[Slot]]]:
    """Named groups in the order of their first option; what has no group comes first."""
    groups: dict[str, list[Slot]] = {"Options": []}
    for slot in shape.flagged:
        if not slot.hidden:
            groups.setdefault(slot.group or "Options", []).append(slot)
    return [(name, slots) for name, slots in groups.items() if slots]


def _listed(slots: list[Slot], columns: int, style: Style) -> list[str]:
    lines: list[str] = []
    for slot in slots:
        left = _left(slot)
        text = wrap(_help(slot), max(30, columns - LEFT - 4))
        if len(left) > LEFT:
            lines.append(f"  {style.paint(left, 'cyan')}")
            left = ""
        lines.append(f"  {pad(style.paint(left, 'cyan'), LEFT)}  {text[0]}")
        lines += [f"{' ' * (LEFT + 4)}{more}" for more in text[1:]]
    return lines


def _left(slot: Slot) -> str:
    if not slot.flags:
        return slot.metavar[0]
    indent = "" if len(slot.flags[0]) == 2 else "    "
    value = " " + " ".join(slot.metavar) if slot.takes else ""
    return indent + ", ".join(slot.flags) + value


def _help(slot: Slot) -> str:
    choices = f": {', '.join(slot.choices)}" if slot.choices else ""
    again = " (may be repeated)" if slot.many and slot.flags else ""
    return f"{slot.help}{choices}{again}"
