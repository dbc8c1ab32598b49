"""Who calls: the user at this machine, or the holder of a token."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterable, Sequence

from octavo.errors import UsageError
from octavo.value import Value

#: Whoever started a server that speaks over its standard streams: the user.
LOCAL = ""
SHORTEST = 16
_NAMED = "abcdefghijklmnopqrstuvwxyz0123456789-_."


class Token(Value):
    """A token's digest and whose it is; several tokens may be one identity's."""

    identity: str
    digest: bytes


class Tokens:
    """All tokens that a server accepts."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)

    def __len__(self) -> int:
        return len(self._tokens)

    def identity_of(self, text: str) -> str | None:
        """Whose token this is. Every known one is compared, each in constant time."""
        given = _digest(text)
        found = None
        for token in self._tokens:
            if hmac.compare_digest(token.digest, given):
                found = token.identity
        return found


def tokens_from(lines: Iterable[str], place: str) -> Tokens:
    """Tokens as `NAME TOKEN` or `TOKEN`, one in a line; `#` begins a comment."""
    found: dict[bytes, Token] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        at = f"{place}:{number}"
        if len(words) > 2:
            raise _refused("a line has a name and a token, no more", at)
        token = words[-1]
        if len(token) < SHORTEST:
            raise _refused(f"a token has at least {SHORTEST} letters", at)
        digest = _digest(token)
        name = words[0] if len(words) == 2 else f"token-{digest.hex()[:12]}"
        if set(name.lower()) - set(_NAMED):
            raise _refused("a name has letters, digits, dots and dashes only", at)
        if found.get(digest, Token(name, digest)).identity != name:
            raise _refused("the same token has two names", at)
        found[digest] = Token(name, digest)
    return Tokens(tuple(found.values()))


def read_tokens(path: str) -> Tokens:
    """The tokens of a file, which nobody but its owner may read."""
    try:
        with open(path, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            lines = file.read(1_000_000).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(f"the tokens cannot be read: {error}", path) from error
    if stat.S_IMODE(mode) & 0o077:
        message = "others on this machine may read the tokens"
        raise UsageError("token-file", message, place=path, hint=f"chmod 600 {path}")
    tokens = tokens_from(lines, path)
    if not tokens:
        raise _refused("there is no token in it", path)
    return tokens


def new_token_file(path: str, name: str = "agent") -> None:
    """A file with one new token; one that is there already is left alone."""
    folder = os.path.dirname(path)
    try:
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise _refused(f"the token cannot be written: {error.strerror}", path) from error
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f"# A name and a token in each line. Each name has its own sessions and jobs.\n"
                   f"{name} {secrets.token_urlsafe(32)}\n")  # fmt: skip


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _refused(message: str, place: str) -> UsageError:
    return UsageError("token-file", message, place=place, hint="write lines like: alice s3cr3t…")
