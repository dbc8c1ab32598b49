"""Text from outside, made fit to be read: no escapes, no base64, nothing that never ends."""

from __future__ import annotations

import re
from typing import Any

from octavo.render.columns import clip, plain, settled
from octavo.render.figures import size_text
from octavo.value import Value

#: Of a longer text the beginning and the end are looked at, half of this each.
MOST_CHARACTERS = 2_000_000
#: An unbroken run of so many letters and digits is not read by anybody.
LONGEST_RUN = 160

_LETTERS = "A-Za-z0-9+/"
_BREAK = r"(?:\r?\n[ \t]*+|\\n)"
_DATA_ADDRESS = re.compile(
    rf"data:([\w.+/-]{{0,80}})((?:;[\w.=-]{{1,80}}){{0,8}});base64,"
    rf"([{_LETTERS}=_%-]{{32,}}+(?:{_BREAK}[{_LETTERS}=_%-]{{32,}}+)*+)"
)
#: Lines as MIME breaks them, or one long run; both are only looked for where a run begins.
_RUN = re.compile(
    rf"(?<![{_LETTERS}])"
    rf"(?:(?:[{_LETTERS}]{{56,}}+{_BREAK}){{2,}}+[{_LETTERS}]*+|[{_LETTERS}]{{{LONGEST_RUN},}}+)"
    r"={0,2}"
)
#: Long pieces between quotes, commas or blanks: strings that a program puts together, or a list.
#: What begins so always matches, or every piece would be tried as the first one.
_BETWEEN = "\"'`,\\+() \t\r\n"
_PIECES = re.compile(
    rf"(?<![{_LETTERS}])(?:[{_LETTERS}]{{40,}}+={{0,2}}[{re.escape(_BETWEEN)}]{{1,40}}+){{2,}}+"
    rf"(?:[{_LETTERS}]++={{0,2}})?"
)
_URL_SAFE = re.compile(rf"(?<![\w-])[\w-]{{{LONGEST_RUN},}}+")


class Lines(Value):
    """The lines of a text. `gone` lines after the first `before` were not looked at.

    `encoded` characters are not in the lines, because they are told by their size.
    """

    lines: tuple[str, ...]
    before: int = 0
    gone: int = 0
    encoded: int = 0


def joined(value: Any) -> str:
    """Text that nbformat may hold as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def without_base64(text: str) -> str:
    """Text in which encoded data is only told, by its size."""
    if len(text) < 64:
        return text
    if "base64," in text:
        text = _DATA_ADDRESS.sub(_told_address, text)
    text = _RUN.sub(_told_mixed_run, text)
    text = _PIECES.sub(_told_pieces, text)
    return _URL_SAFE.sub(_told_mixed_run, text)


def _told_address(found: re.Match[str]) -> str:
    return f"data:{found[1]} ({size_text(len(found[3]) * 3 // 4)} left out)"


def _told_pieces(found: re.Match[str]) -> str:
    """Paths, hashes and names have not as many of each kind of letter in them."""
    run = found[0].rstrip(_BETWEEN)
    upper, lower, digits = (
        sum(map(test, run)) / len(run) for test in (str.isupper, str.islower, str.isdecimal)
    )
    if len(run) < LONGEST_RUN or min(upper, lower) < 0.2 or digits < 0.05:
        return found[0]
    return f"({len(run):,} characters left out){found[0][len(run) :]}"


def _told_mixed_run(found: re.Match[str]) -> str:
    """Rulers, long names, sequences and digests have not all of these in them."""
    run = found[0]
    mixed = all(
        any(test(each) for each in run[:LONGEST_RUN])
        for test in (str.isupper, str.islower, str.isdecimal)
    )
    return f"({len(run):,} characters left out)" if mixed else run


def clean_lines(text: str, most: int = MOST_CHARACTERS) -> Lines:
    """What a text shows on a terminal, line by line, without colours; of a longer one the ends."""
    head, tail, gone = _ends(text, most)
    first, encoded = _clean(head)
    if not gone:
        return Lines(first, encoded=encoded)
    last, more = _clean(tail)
    return Lines((*first, *last), len(first), gone, encoded + more)


def _ends(text: str, most: int) -> tuple[str, str, int]:
    """Beginning and end of a long text in whole lines, and how many lines are between."""
    if len(text) <= most:
        return text, "", 0
    half = most // 2
    start = text.rfind("\n", 0, half) + 1 or half
    end = text.find("\n", len(text) - half, len(text) - 1) + 1 or len(text) - half
    return text[:start], text[end:], max(1, text.count("\n", start, end))


def _clean(text: str) -> tuple[tuple[str, ...], int]:
    """The lines that a text shows, and how many characters were encoded data."""
    whole = plain(settled(text)).expandtabs(4)
    shown = without_base64(whole)
    lines = tuple(line.rstrip() for line in shown.rstrip("\n ").split("\n")) if shown else ()
    return lines, max(0, len(whole) - len(shown))


def clean_source(source: str) -> tuple[str, ...]:
    """The lines of a cell as its author wrote them, but for what a terminal would obey."""
    shown = without_base64(plain(source.replace("\r\n", "\n").replace("\r", "\n")))
    return tuple(shown.rstrip("\n").split("\n")) if shown.strip("\n") else ()


def short(text: Any, columns: int = 120) -> str:
    """Any text as one line of ours: a part of it only, so that it costs little."""
    if type(text) is str and len(text) <= columns and text.isascii() and text.isprintable():
        return " ".join(text.split()) if " " in text else text
    words = " ".join(plain(without_base64(joined(text)[: columns * 20])).split())
    return clip(words, columns)


def spelled(text: Any, columns: int = 60) -> str:
    """A name from outside: as it is where it is one word, else between quotes."""
    shown = short(text, columns)
    if re.fullmatch(r"[\w.+-]+", shown):
        return shown
    return '"' + shown.replace('"', "'") + '"'
