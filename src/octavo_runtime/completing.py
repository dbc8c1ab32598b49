"""What could be written next, and what a name is: for people who type into a session."""

from __future__ import annotations

from typing import Any

MOST = 500


def complete(
    namespace: dict[str, Any], code: str, cursor: int, safe: bool = True
) -> dict[str, Any]:
    """Completions of code at a cursor, in the shape of Jupyter's reply."""
    from IPython.core.completer import IPCompleter, provisionalcompleter, rectify_completions

    shell = namespace["get_ipython"]()
    completer = IPCompleter(
        shell=shell, namespace=namespace, global_namespace=namespace, use_jedi=False
    )
    with provisionalcompleter():
        found = list(rectify_completions(code, completer.completions(code, cursor)))[:MOST]
    start = found[0].start if found else cursor
    end = found[0].end if found else cursor
    return {"matches": [each.text for each in found], "cursor_start": start, "cursor_end": end}


def inspect(
    namespace: dict[str, Any], code: str, cursor: int, detail: int = 0, safe: bool = True
) -> dict[str, Any]:
    """What the name at a cursor is, in the shape of Jupyter's reply."""
    from IPython.utils.tokenutil import token_at_cursor

    shell = namespace["get_ipython"]()
    name = token_at_cursor(code, cursor)
    try:
        data = shell.object_inspect_mime(name, detail_level=detail)
    except KeyError:
        return {"found": False, "data": {}}
    return {"found": True, "data": {kind: str(text) for kind, text in data.items()}}
