"""Lines of ours in files that belong to people: between two marks, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

BEGIN = "# octavo begin"
END = "# octavo end"


def text_of(content: bytes | None) -> str:
    """The content of a file, whatever its encoding; `bytes_of` gives it back."""
    return (content or b"").decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def line_end(text: str) -> str:
    """How lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def find_block(lines: Sequence[str]) -> tuple[int, int] | None:
    """Where our block begins, and the line after it; one that is never closed is none."""
    start: int | None = None
    for at, line in enumerate(lines):
        if line.startswith(BEGIN):
            start = at
        elif start is not None and line.rstrip() == END:
            return start, at + 1
    return None


def outside_block(text: str) -> list[tuple[int, str]]:
    """The lines that are not ours, with their numbers."""
    lines = text.splitlines()
    start, stop = find_block(lines) or (0, 0)
    return [
        (number, line) for number, line in enumerate(lines, 1) if not start <= number - 1 < stop
    ]


def block_in(text: str) -> list[str] | None:
    """The lines of our block, without the marks; None where there is none."""
    lines = text.splitlines()
    found = find_block(lines)
    return None if found is None else lines[found[0] + 1 : found[1] - 1]


def with_block(text: str, about: str, lines: Sequence[str], *, after: int | None = None) -> str:
    """The text with our block: where it is now, else behind so many lines, else at the end."""
    end = line_end(text)
    block = [f"{each}{end}" for each in (f"{BEGIN}: {about}", *lines, END)]
    before = text.splitlines(keepends=True)
    found = find_block(before)
    start, stop = found or ((len(before),) * 2 if after is None else (after, after))
    kept = before[:start]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += end
    return "".join([*kept, *block, *before[stop:]])


def without_block(text: str, *, newline_was_missing: bool = False) -> str:
    """The text as it was before our block came."""
    lines = text.splitlines(keepends=True)
    found = find_block(lines)
    if found is None:
        return text
    kept = [*lines[: found[0]], *lines[found[1] :]]
    if newline_was_missing and kept and found[1] == len(lines):
        kept[-1] = kept[-1].removesuffix("\n").removesuffix("\r")
    return "".join(kept)
