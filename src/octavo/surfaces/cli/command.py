"""One command from its words to its exit code."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from typing import Any

from octavo.app.context import Context, current
from octavo.app.table import OPERATIONS, Entry, find, load
from octavo.errors import OctavoError, UsageError
from octavo.surfaces.cli import parser, present


def run_command(arguments: list[str], started: Any = None, client: Any = None) -> int:
    """Parse, call one operation, present its result or its error.

    `client` is the socket of whoever handed this command over; when it closes, the work stops.
    """
    as_json = "--json" in arguments
    context = current(started=started)
    try:
        entry = _entry(arguments[0])
        namespace = parser.build(entry).parse_args(arguments[1:])
        request = parser.request_from(entry, namespace)
        view = present.view(entry.name, namespace)
        context.emit = view.show
        result = asyncio.run(_call(entry, request, context, client))
        view.close()
        sys.stdout.flush()
        if as_json:
            sys.stdout.write(json.dumps(result.to_json(), default=str) + "\n")
        else:
            present.result(entry.name, result)
        return int(getattr(result, "exit_code", 0))
    except SystemExit as leaving:
        return int(leaving.code or 0)
    except OctavoError as error:
        present.error(error, as_json)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    finally:
        if started is not None:
            started.end()


def _entry(name: str) -> Entry:
    entry = find(name)
    if entry is None:
        from difflib import get_close_matches

        close = get_close_matches(name, [each.name for each in OPERATIONS], 1)
        hint = f"did you mean `octavo {close[0]}`?" if close else "octavo --help lists them"
        raise UsageError("wrong-argument", f"there is no command {name!r}", hint=hint)
    return entry


async def _call(entry: Entry, request: Any, context: Context, client: Any) -> Any:
    loop = asyncio.get_running_loop()
    if client is not None:
        loop.add_reader(client.fileno(), _client_gone, context, client)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, context.stop.request, signal.Signals(number).name)
    operation: Any = load(entry.target)
    try:
        return await operation(request, context)
    finally:
        await context.close()


def _client_gone(context: Context, client: Any) -> None:
    asyncio.get_running_loop().remove_reader(client.fileno())
    context.stop.request("the client is gone")
