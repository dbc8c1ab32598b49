"""The memory of processes that share much of it."""

from __future__ import annotations


def share(pid: int) -> int:
    """The bytes that a process has for itself, and its part of what it shares."""
    return _told(pid).get("Pss", 0)


def lent(pid: int) -> int:
    """The bytes of a process that are counted as the share of others."""
    told = _told(pid)
    return told.get("Rss", 0) - told.get("Pss", 0)


def _told(pid: int) -> dict[str, int]:
    """What the system tells of a process, by name; nothing when it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            lines = [line.split() for line in file]
    except OSError:
        return {}
    return {words[0][:-1]: int(words[1]) * 1024 for words in lines if words[-1] == "kB"}
