"""Files of variables (`.env`): NAME=VALUE lines, read and never executed.

A value is bare (up to ` #`), in single quotes (as it stands) or in double quotes (with `\\n`,
`\\t`, `\\r`, `\\"`, `\\\\` and `\\$`); quoted values may go over several lines. `export ` before
a name is allowed. `$` has no meaning: a value is what the file says.
"""

from __future__ import annotations

from octavo.errors import UsageError

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "$": "$", "\n": ""}


def read_env_file(path: str) -> dict[str, str]:
    """The variables in a file."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except FileNotFoundError:
        raise _wrong(path, "there is no such file", "check --env-file") from None
    except UnicodeDecodeError:
        raise _wrong(path, "the file is not UTF-8 text", "save it as UTF-8") from None
    except OSError as error:
        raise _wrong(path, f"it cannot be read: {error.strerror}", "check --env-file") from None
    return parse_env(text, path)


def parse_env(text: str, path: str) -> dict[str, str]:
    """The variables in a text; a mistake names the file and the line."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        end = _end_of_line(text, at)
        line = text[at:end].strip()
        if not line or line.startswith("#"):
            at = end + 1
            continue
        place = f"{path}:{text.count(chr(10), 0, at) + 1}"
        name, start = _name(text, at, end, place)
        found[name], at = _value(text, start, place)
    return found


def _name(text: str, start: int, end: int, place: str) -> tuple[str, int]:
    equals = text.find("=", start, end)
    name = text[start : equals if equals >= 0 else end].strip()
    if name.startswith("export "):
        name = name[7:].lstrip()
    if equals < 0 or not name.isidentifier():
        raise _wrong(place, f"{name!r} is not NAME=VALUE", "write one variable in a line")
    return name, equals + 1


def _value(text: str, start: int, place: str) -> tuple[str, int]:
    """The value that begins at `start`, and where the next line begins."""
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    quote = text[start : start + 1]
    if quote not in ("'", '"') or not quote:
        end = _end_of_line(text, start)
        bare = text[start:end]
        return ("" if bare.startswith("#") else _without_comment(bare)), end + 1
    value, after = _quoted(text, start + 1, quote, place)
    end = _end_of_line(text, after)
    rest = text[after:end].strip()
    if rest and not rest.startswith("#"):
        raise _wrong(place, f"there is text after the closing quote: {rest!r}", "quote it all")
    return value, end + 1


def _quoted(text: str, start: int, quote: str, place: str) -> tuple[str, int]:
    parts: list[str] = []
    at = start
    while True:
        close = text.find(quote, at)
        if close < 0:
            raise _wrong(place, "the quoted value has no end", f"close it with {quote}")
        escape = text.find("\\", at, close) if quote == '"' else -1
        if escape < 0:
            return "".join([*parts, text[at:close]]), close + 1
        char = text[escape + 1]
        parts += [text[at:escape], ESCAPES.get(char, "\\" + char)]
        at = escape + 2


def _without_comment(bare: str) -> str:
    for mark in (" #", "\t#"):
        bare = bare.partition(mark)[0]
    return bare.strip()


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _wrong(place: str, message: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", f"--env-file: {message}", place=place, hint=hint)
