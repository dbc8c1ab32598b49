"""One notebook on its way to its verdicts: recalled, or checked afresh."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from octavo.gate.context import GateContext
from octavo.gate.memory.entries import Entry
from octavo.gate.memory.keys import Keys
from octavo.gate.memory.memory import Memory
from octavo.gate.options import Options
from octavo.gate.verdicts import NotebookVerdict
from octavo.gate.wording import recalled
from octavo.value import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.gate.evidence import Evidence


class Checking:
    """What the checks of one command share: places to run in, and what is remembered.

    `asked` is more that every run is asked for.
    """

    def __init__(
        self,
        context: GateContext,
        options: Options,
        memory: Memory,
        places: asyncio.Semaphore,
        asked: Mapping[str, Any] = EMPTY,
    ) -> None:
        self.context = context
        self.options = options
        self.memory = memory
        self.places = places
        self.asked = asked
        self.keys = Keys(context, options.decisive())

    @cached_property
    def evidence(self) -> Evidence:
        """What is known of committed outputs."""
        from octavo.gate.evidence import Evidence

        settings = self.context.settings
        branch, remote = settings.archive_branch, settings.remote or "origin"
        archives = (f"refs/heads/{branch}", f"refs/remotes/{remote}/{branch}")
        return Evidence(self.context.project, self.context.environ, archives)

    def recall(self, path: Path, key: str | None) -> Entry | None:
        """What is known of a notebook, if it may be relied on."""
        if not self.options.recall:
            return None
        return self.memory.recall(path, key, only_from_ci=self.options.on_ci)


async def check_notebook(path: Path, shown: str, checking: Checking) -> tuple[NotebookVerdict, ...]:
    """The verdicts of a notebook, one for each set of its values.

    What it takes to run one is loaded only when one is run.
    """
    known = checking.recall(path, _key(path, checking))
    if known is not None and known.whole:
        return tuple(recalled(shown, name, passed) for name, passed in known.sets.items())
    from octavo.gate.fresh import check_afresh

    return await check_afresh(path, shown, checking)


def _key(path: Path, checking: Checking) -> str | None:
    """The key of a notebook as it lies there; what cannot be read is told when it is read."""
    try:
        return checking.keys.of(path, path.read_bytes())
    except OSError:
        return None
