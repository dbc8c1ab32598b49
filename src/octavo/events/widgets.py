"""The state of widgets, kept as a notebook keeps it, with what output widgets captured."""

from __future__ import annotations

from typing import Any

from octavo.events.fold import OutputEvent, OutputFold
from octavo.events.spilled import ReadSpilled, no_spilled
from octavo.events.types import CommMessage, OutputCleared

WIDGET_STATE_MIME = "application/vnd.jupyter.widget-state+json"

_OUTPUT_MODEL = ("@jupyter-widgets/output", "OutputModel")


def request_id(cell: int) -> str:
    """The id by which an output widget says whose outputs it wants."""
    return f"cell-{cell}"


class _Capture:
    """An output widget that takes the outputs of a cell while its context is open.

    Code may also append to the widget itself. A front end would tell the kernel what it captured,
    so that both stand in one list; nobody tells our kernel, so the two are put together here.
    """

    def __init__(self, before: list[Any]) -> None:
        self.request = ""
        self._fold = OutputFold(before)
        self._own: list[Any] = []

    def apply(self, event: OutputEvent) -> None:
        if isinstance(event, OutputCleared) and not event.wait:
            self._own = []
        self._fold.apply(event)

    def assigned(self, outputs: list[Any]) -> None:
        """The kernel's side set the list; an empty one clears the widget."""
        self._own = outputs
        if not outputs:
            self._fold = OutputFold()

    def outputs(self, read_spilled: ReadSpilled) -> list[Any]:
        captured = self._fold.outputs(read_spilled=read_spilled)
        known = self._own[: len(captured)] == captured
        return self._own if known else captured + self._own


class WidgetFold:
    """The models of all widgets of a run, as their messages arrive."""

    def __init__(self) -> None:
        self._state: dict[str, dict[str, Any]] = {}
        self._buffers: dict[str, dict[str, dict[str, Any]]] = {}
        self._captures: dict[str, _Capture] = {}
        self._open: dict[str, list[_Capture]] = {}

    def apply(self, event: CommMessage) -> None:
        """Take a message into account; those without a state are none of a notebook's business."""
        state = event.data.get("state")
        if not isinstance(state, dict):
            return
        self._state.setdefault(event.comm_id, {}).update(state)
        self._keep_buffers(event)
        if event.action == "open":
            self._opened(event, state)
        elif event.action == "msg" and event.comm_id in self._captures:
            self._updated(self._captures[event.comm_id], state)

    def captures(self, cell: int) -> bool:
        """Whether an output widget takes the outputs of a cell at this moment."""
        return bool(self._open) and bool(self._open.get(request_id(cell)))

    def capture(self, event: OutputEvent) -> None:
        """Give an output to the widget that asked last for those of its cell."""
        self._open[request_id(event.cell)][-1].apply(event)

    def metadata(self, read_spilled: ReadSpilled = no_spilled) -> dict[str, Any] | None:
        """The value of a notebook's `widgets` metadata; None where there was no widget."""
        if not self._state:
            return None
        models = {
            model: self._model(model, state, read_spilled)
            for model, state in self._state.items()
            if "_model_name" in state
        }
        return {WIDGET_STATE_MIME: {"state": models, "version_major": 2, "version_minor": 0}}

    def _opened(self, event: CommMessage, state: dict[str, Any]) -> None:
        model = (state.get("_model_module"), state.get("_model_name"))
        if event.target_name == "jupyter.widget" and model == _OUTPUT_MODEL:
            self._captures[event.comm_id] = _Capture(list(state.get("outputs") or ()))

    def _updated(self, capture: _Capture, state: dict[str, Any]) -> None:
        if "outputs" in state:
            capture.assigned(list(state["outputs"] or ()))
        if "msg_id" in state:
            self._redirect(capture, str(state["msg_id"] or ""))

    def _redirect(self, capture: _Capture, request: str) -> None:
        """Stop taking outputs of one request, begin with those of another; the last one wins."""
        waiting = self._open.get(capture.request, [])
        if capture in waiting:
            waiting.remove(capture)
        if not waiting:
            self._open.pop(capture.request, None)
        if request:
            self._open.setdefault(request, []).append(capture)
        capture.request = request

    def _keep_buffers(self, event: CommMessage) -> None:
        paths = event.data.get("buffer_paths") or ()
        kept = self._buffers.setdefault(event.comm_id, {})
        for path, content in zip(paths, event.buffers, strict=False):
            kept[repr(path)] = {"data": content, "encoding": "base64", "path": path}

    def _model(
        self, model: str, state: dict[str, Any], read_spilled: ReadSpilled
    ) -> dict[str, Any]:
        capture = self._captures.get(model)
        if capture is not None:
            state = {**state, "outputs": capture.outputs(read_spilled)}
        plain = {
            "model_name": state.get("_model_name"),
            "model_module": state.get("_model_module"),
            "model_module_version": state.get("_model_module_version"),
            "state": state,
        }
        if self._buffers.get(model):
            plain["buffers"] = list(self._buffers[model].values())
        return plain
