"""What cannot be done here, in words."""

from __future__ import annotations

from octavo.errors import UsageError


def refused(message: str, hint: str) -> UsageError:
    """The error for what the repository, as a forge, does not allow."""
    return UsageError("forge-refused", message, hint=hint)


def too_large(name: str, size: int, largest: int) -> UsageError:
    """A figure that is not taken."""
    told = f"{name} has {size} bytes; at most {largest} can be attached"
    return refused(told, "make the figure smaller")


def own_approval() -> UsageError:
    """Who proposes does not approve."""
    return refused(
        "nobody approves what they proposed themselves",
        "ask somebody else; an agent that proposes needs a git identity of its own",
    )
