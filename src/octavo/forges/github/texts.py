"""Texts as GitHub takes them: not too long, and never none where it wants one."""

from __future__ import annotations

from octavo.forges.port import Verdict

#: GitHub's limits, in characters.
_TITLE = 256
_BODY = 65536
_DESCRIPTION = 140
_CUT = "\n\n*The rest is cut off: GitHub takes no longer text.*\n"


def title(text: str) -> str:
    """A title, in one line."""
    return _cut(" ".join(text.split()), _TITLE, "…")


def body(text: str) -> str:
    """The body of a proposal or a comment; what is cut off is cut at the end of a line."""
    if len(text) <= _BODY:
        return text
    kept = text[: _BODY - len(_CUT)]
    return (kept.rpartition("\n")[0] or kept) + _CUT


def description(text: str) -> str:
    """What a status says."""
    return _cut(text, _DESCRIPTION, "…")


def words(verdict: Verdict, text: str) -> str:
    """What is said with a verdict: GitHub asks for words when changes are asked for."""
    if verdict == "changes" and not text.strip():
        return "Changes are asked for."
    return body(text)


def _cut(text: str, most: int, sign: str) -> str:
    return text if len(text) <= most else text[: most - len(sign)] + sign
