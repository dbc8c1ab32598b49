"""The kernel's process: one JSON object with a statement comes in, JSON objects go out.

The last line of an answer has the key `status`. Ctrl-C (SIGINT) ends the running statement.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from typing import Any

PROGRESS_STEPS = 10_000


def say(**message: Any) -> None:
    """One line to the runner."""
    print(json.dumps(message, default=str), flush=True)


def statements(text: str) -> list[str]:
    """The single statements of a cell."""
    found, so_far = [], ""
    for part in text.split(";"):
        so_far += part + ";"
        if sqlite3.complete_statement(so_far):
            found.append(so_far.strip())
            so_far = ""
    rest = so_far.removesuffix(";").strip()
    return [each for each in (*found, rest) if each.strip(" ;\n")]


def run(database: sqlite3.Connection, text: str) -> None:
    """Run the statements of a cell; the rows of each that has some are told."""
    for statement in statements(text):
        cursor = database.execute(statement)
        if cursor.description is not None:
            columns = [column[0] for column in cursor.description]
            say(columns=columns, rows=cursor.fetchall())
    database.commit()


def main() -> None:
    """Serve cells until the runner hangs up."""
    database = sqlite3.connect(os.environ.get("SQLITE_DATABASE", ":memory:"))
    # Python looks for signals only while it runs code of its own.
    database.set_progress_handler(lambda: 0, PROGRESS_STEPS)
    say(status="ready", version=sqlite3.sqlite_version)
    for line in sys.stdin:
        try:
            run(database, json.loads(line)["source"])
            say(status="ok")
        except (sqlite3.Error, KeyboardInterrupt) as error:
            database.rollback()
            interrupted = isinstance(error, KeyboardInterrupt) or "interrupted" in str(error)
            name = "KeyboardInterrupt" if interrupted else type(error).__name__
            say(status="error", ename=name, evalue=str(error))


if __name__ == "__main__":
    main()
