"""How other languages write text and numbers.

Papermill's translators escape text as Python would. Elsewhere `\\xe9` is a byte, an error or four
letters, a `$` is code to be evaluated, and a `nan` is a name that nobody knows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

#: Not-a-number, infinity and its negative; absent where Papermill's are right.
_NUMBERS = {
    "R": ("NaN", "Inf", "-Inf"),
    "julia": ("NaN", "Inf", "-Inf"),
    "scala": ("Double.NaN", "Double.PositiveInfinity", "Double.NegativeInfinity"),
    ".net-csharp": ("double.NaN", "double.PositiveInfinity", "double.NegativeInfinity"),
    ".net-fsharp": ("nan", "infinity", "-infinity"),
}
#: Letters that no source should hold as they are, though JSON may.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029]")
#: What a terminal does not hand on as it is: tabs complete, others are commands, line ends differ.
_TERMINAL = re.compile("[\x01-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_IN_SHELL_QUOTES = re.compile(rf"[\\'!\n]|{_TERMINAL.pattern}")
#: PowerShell takes typographic quotes for quotes.
_IN_POWERSHELL = re.compile('[`"$“”„]')
_IN_MATLAB = re.compile("([\x00-\x1f\x7f-\x9f]+)")


def speaking(translator: Any, language: str) -> Any:
    """Papermill's translator, with text and numbers as the language has them."""
    write = _TEXTS.get(language)
    return translator if write is None else _speaking(translator, language, write)


def _speaking(translator: Any, language: str, write: Callable[[str], str]) -> Any:
    numbers = _NUMBERS.get(language)

    class Speaking(translator):  # type: ignore[misc]
        @classmethod
        def translate_escaped_str(cls, str_val: Any) -> str:
            return write(str(str_val))

        @classmethod
        def translate_float(cls, val: float) -> str:
            if numbers is None or math.isfinite(val):
                return str(super().translate_float(val))
            return numbers[0] if math.isnan(val) else numbers[1 if val > 0 else 2]

        @classmethod
        def translate_none(cls, val: Any) -> str:
            # In a shell nothing at all would be no element of a list.
            return "''" if language == "bash" else str(super().translate_none(val))

    return Speaking


def _quoted(text: str) -> str:
    """As in JSON, which most languages read; letters stay letters."""
    written = json.dumps(text, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


def _julia(text: str) -> str:
    return _quoted(text).replace("$", "\\$")


def _powershell(text: str) -> str:
    return f'"{_IN_POWERSHELL.sub(lambda found: f"`{found.group()}", text)}"'


def _matlab(text: str) -> str:
    """Text has no escapes there: characters that cannot be typed are put in by number."""
    doubled = text.replace('"', '""')
    parts = [
        f"char([{' '.join(str(ord(each)) for each in part)}])" if index % 2 else f'"{part}"'
        for index, part in enumerate(_IN_MATLAB.split(doubled))
    ]
    return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"


def _shell(text: str) -> str:
    """Quoted; with escapes where a kernel that types cells into a terminal would lose some."""
    import shlex

    if not _TERMINAL.search(text):
        return shlex.quote(text)
    return f"$'{_IN_SHELL_QUOTES.sub(_as_bytes, text)}'"


def _as_bytes(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in found.group().encode())


_TEXTS = {
    "R": _quoted,
    "scala": _quoted,
    ".net-csharp": _quoted,
    ".net-fsharp": _quoted,
    "julia": _julia,
    ".net-powershell": _powershell,
    "matlab": _matlab,
    "bash": _shell,
}
