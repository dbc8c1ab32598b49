"""What nbclient makes of the same events, without a kernel."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from octavo.events.types import (
    CommMessage,
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Stream,
)


class _Session:
    def msg(self, *args: Any, **keys: Any) -> dict[str, Any]:
        return {}


class _Channel:
    def send(self, message: Any) -> None:
        pass


class _Client:
    session = _Session()
    shell_channel = _Channel()


def nbclient_folds(events: Iterable[Event], cells: int) -> Any:
    """A notebook as nbclient leaves it; consecutive pieces of one stream are joined after it."""
    notebook = new_notebook(cells=[new_code_cell("x") for _ in range(cells)])
    client = NotebookClient(notebook)
    client.kc = _Client()
    current = -1
    for event in events:
        if event.cell != current:
            current = event.cell
            client.clear_before_next_output = False
        client.process_message(_message(event), notebook.cells[event.cell], event.cell)
    client.set_widgets_metadata()
    for cell in notebook.cells:
        cell.outputs = _joined(cell.outputs)
    return notebook


def _message(event: Event) -> dict[str, Any]:
    kind, content = _content(event)
    buffers = [base64.b64decode(each) for each in getattr(event, "buffers", ())]
    return {
        "msg_type": kind,
        "header": {"msg_type": kind},
        "content": content,
        "parent_header": {"msg_id": f"cell-{event.cell}"},
        "buffers": buffers,
    }


def _content(event: Event) -> tuple[str, dict[str, Any]]:
    match event:
        case Stream():
            return "stream", {"name": event.name, "text": event.text}
        case Display():
            kind = "update_display_data" if event.update else "display_data"
            return kind, {**_bundle(event), "transient": {"display_id": event.display_id}}
        case ExecuteResult():
            count = {"execution_count": event.execution_count}
            return "execute_result", {**_bundle(event), **count}
        case ErrorRaised():
            traceback = list(event.traceback)
            return "error", {"ename": event.ename, "evalue": event.evalue, "traceback": traceback}
        case OutputCleared():
            return "clear_output", {"wait": event.wait}
        case CommMessage():
            content = {"comm_id": event.comm_id, "data": event.data}
            return f"comm_{event.action}", {**content, "target_name": event.target_name}
    raise AssertionError(event)


def _bundle(event: Display | ExecuteResult) -> dict[str, Any]:
    return {"data": dict(event.data), "metadata": dict(event.metadata)}


def _joined(outputs: list[Any]) -> list[Any]:
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            joined.append(output)
    return [each for each in joined if each["output_type"] != "stream" or each["text"]]
