"""The languages of code fences: which fences are cells, and which language a document is in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from octavo.notebook.formats.percent import options_in
from octavo.notebook.formats.percent.magics import LANGUAGES

KNOWN = LANGUAGES | {"python"}
_CANONICAL = {name.lower(): name for name in KNOWN}
_ALIASES = {
    "r": "R",
    "octave": "matlab",
    "cs": "csharp",
    "c#": "csharp",
    "fs": "fsharp",
    "f#": "fsharp",
}


def is_cell_language(word: str, main: str | None) -> bool:
    """Whether a fence with this first word is a cell; `main` is the declared language if any."""
    if word in KNOWN or (word.isupper() and word.lower() in _CANONICAL):
        return True
    return main is not None and word.lower() == main.lower()


def usual_name(language: str) -> str:
    """One name for all the names of a language."""
    lower = language.lower()
    return "c++" if lower.startswith("c++") else _ALIASES.get(lower, lower)


def magic_name(language: str) -> str | None:
    """The `%%name` of a language in a notebook of another one."""
    return _CANONICAL.get(language.lower())


def fence_name(language: str) -> str:
    """How a kernel's language is written behind a fence."""
    if language in ("R", "sas"):
        return language
    lower = language.lower()
    return "c++" if lower.startswith("c++") else lower.replace("#", "sharp").replace(" ", "-")


def declared_language(metadata: Mapping[str, Any]) -> str | None:
    """The language that a header declares, as a fence has it."""
    kernelspec = metadata.get("kernelspec")
    told = options_in(metadata).get("main_language")
    if not told and isinstance(kernelspec, Mapping):
        told = kernelspec.get("language")
    return fence_name(told) if isinstance(told, str) and told else None


def prevailing_language(found: Iterable[str]) -> str:
    """The language of most fences; Python when no other has more than one of its own."""
    counts = {"python": 0.5}
    for language in found:
        name = usual_name(language)
        counts[name] = counts.get(name, 0.0) + 1
    return max(counts, key=lambda name: counts[name])
