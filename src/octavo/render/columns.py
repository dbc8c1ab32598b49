"""Text measured in the columns that it takes on a terminal.

Output of notebooks is not trusted: of its control sequences only colours survive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from re import Match, Pattern

SOFT_HYPHEN = "\u00ad"
_MOST_COLOURS = 200

_ESCAPE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # strings: titles, links, clipboards, images
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL = (
    r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


@lru_cache(1)
def _escapes() -> Pattern[str]:
    import re

    return re.compile(_ESCAPE)


@lru_cache(1)
def _controls() -> Pattern[str]:
    import re

    return re.compile(_CONTROL)


def plain(text: str) -> str:
    """Text without escape sequences and control characters; lines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _controls().sub("", _escapes().sub("", text))


def coloured(text: str) -> str:
    """Text that keeps its colours and nothing else that a terminal would obey."""
    if "\x1b" not in text:
        return plain(text)
    return _controls().sub("", _escapes().sub(_colour_only, text))


def _colour_only(match: Match[str]) -> str:
    sequence = match[0]
    is_colour = sequence.startswith("\x1b[") and sequence.endswith("m")
    return sequence if is_colour and not any(mark in sequence for mark in "?<=>") else ""


def settled(text: str) -> str:
    """What is left to see after carriage returns and backspaces, line by line."""
    if "\r" not in text and "\b" not in text:
        return text
    return "\n".join(_settled_line(line) for line in text.replace("\r\n", "\n").split("\n"))


def _settled_line(line: str) -> str:
    shown = ""
    for part in line.split("\r"):
        written = _without_backspaces(part)
        shown = written + shown[len(written) :] if "\x1b" not in written + shown else written
    return shown


def _without_backspaces(text: str) -> str:
    if "\b" not in text:
        return text
    kept: list[str] = []
    for character in text:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


@lru_cache(4096)
def _character_width(character: str) -> int:
    import unicodedata

    if character == "\ufe0f":
        # Asks for the emoji form of the character before, which is one column wider.
        return 1
    if character == SOFT_HYPHEN:
        return 1  # terminals show it, whatever its category says
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width(text: str) -> int:
    """The columns that text takes; escape sequences take none."""
    if "\x1b" in text:
        text = _escapes().sub("", text)
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def clip(text: str, columns: int, mark: str = "…") -> str:
    """Text without escape sequences, cut so that it fits, with a mark where it was cut."""
    if width(text) <= columns:
        return text
    room = columns - width(mark)
    if room < 0:
        return ""
    used = 0
    for place, character in enumerate(text):
        used += _character_width(character)
        if used > room:
            return text[:place] + mark
    return text


def clip_start(text: str, columns: int, mark: str = "…") -> str:
    """As `clip`, but the end stays: of a path, the name."""
    if width(text) <= columns:
        return text
    kept = clip(text[::-1], columns - width(mark), "")
    return mark + kept[::-1]


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Text filled up with spaces on its right, or on its left."""
    spaces = " " * max(0, columns - width(text))
    return spaces + text if right else text + spaces


def one_line(text: str, columns: int) -> str:
    """Any text as one line that fits."""
    return clip(" ".join(plain(text).split()), columns)


def fit(text: str, columns: int) -> list[str]:
    """A line broken where it does not fit, between characters; colours go on in the next line."""
    if width(text) <= columns or columns < 2:
        return [text]
    if text.isascii() and "\x1b" not in text:
        return [text[at : at + columns] for at in range(0, len(text), columns)]
    lines: list[str] = []
    line, used, colours = "", 0, ""
    for piece in _pieces(text):
        if piece.startswith("\x1b"):
            colours = _after(piece, colours)
            line += piece
            continue
        taken = _character_width(piece)
        if used + taken > columns:
            lines.append(line + ("\x1b[0m" if colours else ""))
            line, used = colours, 0
        line += piece
        used += taken
    return [*lines, line]


def _after(sequence: str, colours: str) -> str:
    """The colours that are on after one more sequence."""
    return "" if sequence.endswith(("[0m", "[m", ";0m", ";00m")) else colours + sequence


def closed(lines: Sequence[str]) -> Iterator[str]:
    """Lines that each end the colours they begin; what was on goes on in the next one."""
    colours = ""
    for line in lines:
        begun = colours
        if "\x1b" in line:
            for sequence in _escapes().findall(line):
                colours = _after(sequence, colours)
            colours = colours if len(colours) < _MOST_COLOURS else ""
        yield f"{begun}{line}\x1b[0m" if colours or begun else line


def _pieces(text: str) -> list[str]:
    """Characters and escape sequences, one by one."""
    pieces: list[str] = []
    end = 0
    for match in _escapes().finditer(text):
        pieces.extend(text[end : match.start()])
        pieces.append(match[0])
        end = match.end()
    pieces.extend(text[end:])
    return pieces


def _breaks_anywhere(word: str) -> bool:
    """Whether it is written without spaces, as Chinese and Japanese are."""
    return not word.isascii() and any(_character_width(character) == 2 for character in word)


def wrap(text: str, columns: int) -> list[str]:
    """Words of painted text in lines that fit."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        taken = width(word)
        if used + bool(line) + taken > columns and _breaks_anywhere(word):
            *full, line = fit(f"{line} {word}" if line else word, columns)
            lines += full
            used = width(line)
        elif line and used + 1 + taken > columns:
            lines.append(line)
            line, used = word, taken
        else:
            line, used = (f"{line} {word}", used + 1 + taken) if line else (word, taken)
    return [*lines, line]
