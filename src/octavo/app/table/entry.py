"""What the table of operations says of each of them."""

from __future__ import annotations


class Entry:
    """An operation: where it is, what it is called, and what it does in one line.

    A name of two words belongs to a family: `session start`. `group` is the heading it stands
    under, `examples` are calls that work as they are written. `agents` says whether it should be
    shown to agents as a tool.
    """

    def __init__(
        self,
        name: str,
        target: str,
        request: str,
        help: str,
        *,
        group: str,
        examples: tuple[str, ...] = (),
        agents: bool = False,
    ) -> None:
        self.name = name
        self.target = target
        self.request = request
        self.help = help
        self.group = group
        self.examples = examples
        self.agents = agents

    @property
    def family(self) -> str:
        """The first of two words; empty for an operation that stands alone."""
        first, _, second = self.name.partition(" ")
        return first if second else ""

    @property
    def hidden(self) -> bool:
        """Whether only git calls it, so that the overview leaves it out."""
        return self.group == GIT


RUN = "Run"
RECORDS = "Look at runs"
NOTEBOOKS = "Work with notebooks"
PROPOSALS = "Propose and review"
KEEP = "Keep"
SESSIONS = "Work live"
AGENTS = "Small steps, for agents"
SETUP = "Set up"
GIT = "Called by git"
