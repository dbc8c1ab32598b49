"""What is known of a session from its beginning."""

from __future__ import annotations

from octavo.sessions.requests import LEASE


class Facts:
    """What is said of a session and never changes."""

    def __init__(
        self,
        *,
        notebook: str | None,
        project: str,
        engine: str,
        python: str,
        name: str = "",
        owner: str = "",
        lease: float = LEASE,
        parent: str | None = None,
        memory: int | None = None,
        pid: int = 0,
        copies: bool = True,
    ) -> None:
        self.notebook = notebook
        self.project = project
        self.engine = engine
        self.python = python
        self.name = name
        self.owner = owner
        self.lease = lease
        self.parent = parent
        self.memory = memory
        self.pid = pid
        self.copies = copies
