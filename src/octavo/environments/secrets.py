"""Which variables are secret, so that their values can be kept out of records."""

from __future__ import annotations

from octavo.environments.variables import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PATTERNS = (
    *("*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*CREDENTIAL*"),
    *("*API_KEY*", "*APIKEY*", "*ACCESS_KEY*", "*PRIVATE_KEY*", "*ENCRYPTION_KEY*"),
    *("*SIGNING_KEY*", "*CONNECTION_STRING*", "*_DSN", "*_PAT", "PGPASS*"),
)
NOT_SECRET = (
    *("*_FILE", "*_PATH", "*_DIR", "*_COUNT", "*_LIMIT", "MAX_*", "TOKENIZERS_*"),
    "GOOGLE_APPLICATION_CREDENTIALS",
)

SHORTEST = 8
"""A shorter value of a variable that only looks secret is left alone: hiding "1" or "true"
everywhere would destroy the output and hide nothing."""

SHORTEST_DECLARED = 4
"""The same for a variable that was declared secret by its name."""


def secret_values(
    *environs: Mapping[str, str],
    patterns: Iterable[str] = PATTERNS,
    declared: Iterable[str] = (),
) -> dict[str, str]:
    """The secrets among variables, by name.

    `environs` are the kernel's variables and the caller's: code can meet a secret that it was
    not given, in a file for example. `declared` are names or patterns from the configuration.
    A password within a URL counts, whatever the variable is called. A second value of the same
    name is kept as `NAME#2`.
    """
    guessed, known = _upper(patterns), _upper(declared)
    names: dict[str, str] = {}
    for environ in environs:
        for name, value in environ.items():
            for secret in _secrets_of(name, value, guessed, known):
                names.setdefault(secret, name)
    return _by_name(names)


def _secrets_of(name: str, value: str, guessed: list[str], declared: list[str]) -> Iterator[str]:
    upper = name.upper()
    if any(matches(upper, pattern) for pattern in declared):
        if len(value) >= SHORTEST_DECLARED:
            yield value
        return
    if len(value) < SHORTEST:
        return
    if any(matches(upper, pattern) for pattern in guessed) and not _is_exempt(upper):
        yield value
        return
    password = url_password(value)
    if len(password) >= SHORTEST:
        yield password


def url_password(value: str) -> str:
    """The password in `scheme://user:password@host`, or nothing."""
    scheme, mark, rest = value.partition("://")
    if not mark or not scheme.replace("+", "").isalnum():
        return ""
    login, at, _ = rest.partition("/")[0].rpartition("@")
    return login.partition(":")[2] if at else ""


def _is_exempt(name: str) -> bool:
    return any(matches(name, pattern) for pattern in NOT_SECRET)


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for secret, name in names.items():
        number = 1
        while (key := name if number == 1 else f"{name}#{number}") in found:
            number += 1
        found[key] = secret
    return found


def _upper(patterns: Iterable[str]) -> list[str]:
    return [pattern.upper() for pattern in patterns]
