"""What passed, and on which files that rests, so that nothing is run twice for nothing.

keys = Keys(context, options)             # once for a check
memory = Memory.open(project)
key = keys.of(path, source)               # None: nothing can be said, so it is run
entry = memory.recall(path, key, only_from_ci=False)
...
inputs = memory.inputs_of_record(record, declared=block.data)
memory.remember(path, key, Entry(sets={"": Passed(run_id)}, inputs=inputs))
memory.save()
"""

from __future__ import annotations

from octavo.gate.memory.entries import Entry, Inputs, Passed, joined
from octavo.gate.memory.keys import Keys
from octavo.gate.memory.memory import Memory
from octavo.gate.memory.seen import why_not_memorable

__all__ = ["Entry", "Inputs", "Keys", "Memory", "Passed", "joined", "why_not_memorable"]
