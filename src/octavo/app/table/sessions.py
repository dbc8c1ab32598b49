"""Operations on live sessions and on work that goes on without its client."""

from __future__ import annotations

from octavo.app.table.entry import SESSIONS, Entry

_OPERATIONS = "octavo.sessions.operations"
_REQUESTS = "octavo.sessions.requests"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "session start",
        f"{_OPERATIONS}:start",
        f"{_REQUESTS}:StartRequest",
        "begin a live session, with the cells of a notebook or without",
        group=SESSIONS,
        examples=(
            "octavo session start",
            "octavo session start report.py -p threshold 0.9",
            "octavo session start analysis.ipynb --lease 4h --name analysis",
        ),
        agents=True,
    ),
    Entry(
        "session exec",
        f"{_OPERATIONS}:execute",
        f"{_REQUESTS}:ExecRequest",
        "execute code as a new cell of a session",
        group=SESSIONS,
        examples=(
            "octavo session exec 0f3a9c21 'df = load(); df.shape'",
            "octavo session exec 0f3a9c21 - < cell.py",
            "octavo session exec 0f3a9c21 'df.describe()' --scratch",
            "octavo session exec 0f3a9c21 'train()' --detach --request-id train-1",
        ),
        agents=True,
    ),
    Entry(
        "session run-cell",
        f"{_OPERATIONS}:run_cell",
        f"{_REQUESTS}:RunCellRequest",
        "execute a cell in the state before it",
        group=SESSIONS,
        examples=("octavo session run-cell 0f3a9c21 3", "octavo session run-cell 0f3a9c21 load"),
        agents=True,
    ),
    Entry(
        "session run-all",
        f"{_OPERATIONS}:run_all",
        f"{_REQUESTS}:RunAllRequest",
        "execute what is not in the state yet",
        group=SESSIONS,
        examples=(
            "octavo session run-all 0f3a9c21",
            "octavo session run-all 0f3a9c21 --only-affected",
            "octavo session run-all 0f3a9c21 --fresh",
        ),
        agents=True,
    ),
    Entry(
        "session edit",
        f"{_OPERATIONS}:edit",
        f"{_REQUESTS}:EditCellRequest",
        "change a cell of a session, put one beside it, or take it away",
        group=SESSIONS,
        examples=(
            "octavo session edit 0f3a9c21 3 'limit = 0.8' --run",
            "octavo session edit 0f3a9c21 3 'limit = 0.8' --expect 5d21 --only-affected",
            "octavo session edit 0f3a9c21 3 '# Limits' --insert before --kind markdown",
            "octavo session edit 0f3a9c21 3 --delete",
        ),
        agents=True,
    ),
    Entry(
        "session show",
        f"{_OPERATIONS}:show",
        f"{_REQUESTS}:ShowRequest",
        "show the cells of a session, and which of them are in its state",
        group=SESSIONS,
        examples=("octavo session show 0f3a9c21",),
        agents=True,
    ),
    Entry(
        "session rewind",
        f"{_OPERATIONS}:rewind",
        f"{_REQUESTS}:RewindRequest",
        "go back to the state before a cell",
        group=SESSIONS,
        examples=(
            "octavo session rewind 0f3a9c21 3",
            "octavo session rewind 0f3a9c21 3 --restore-files",
        ),
        agents=True,
    ),
    Entry(
        "session save",
        "octavo.sessions.saving:save",
        f"{_REQUESTS}:SaveRequest",
        "write the cells of a session as a notebook",
        group=SESSIONS,
        examples=(
            "octavo session save 0f3a9c21",
            "octavo session save 0f3a9c21 analysis.py",
            "octavo session save 0f3a9c21 analysis.ipynb --force",
        ),
        agents=True,
    ),
    Entry(
        "session interrupt",
        f"{_OPERATIONS}:interrupt",
        f"{_REQUESTS}:InterruptRequest",
        "end what a session executes, as Ctrl-C does",
        group=SESSIONS,
        examples=("octavo session interrupt 0f3a9c21",),
        agents=True,
    ),
    Entry(
        "session restart",
        f"{_OPERATIONS}:restart",
        f"{_REQUESTS}:RestartRequest",
        "give a session a new kernel",
        group=SESSIONS,
        examples=("octavo session restart 0f3a9c21",),
        agents=True,
    ),
    Entry(
        "session list",
        f"{_OPERATIONS}:listed",
        f"{_REQUESTS}:ListRequest",
        "list the sessions that are alive",
        group=SESSIONS,
        examples=("octavo session list", "octavo session list --all"),
        agents=True,
    ),
    Entry(
        "session stop",
        f"{_OPERATIONS}:stop",
        f"{_REQUESTS}:StopRequest",
        "end a session; its record stays",
        group=SESSIONS,
        examples=("octavo session stop 0f3a9c21",),
        agents=True,
    ),
)
