"""The executed notebook: nbformat 4.5 with the metadata that Papermill's readers look for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.events.types import BoundCell, RunStarted
from octavo.records.plain import finite
from octavo.records.record import CellRecord, RunRecord
from octavo.records.times import iso

#: Our words for the state of a cell, and Papermill's `status` and `exception` for it.
PAPERMILL_WORDS: dict[str, tuple[str, bool | None]] = {
    "pending": ("pending", None),
    "running": ("running", False),
    "succeeded": ("completed", False),
    "failed": ("failed", True),
    "timed-out": ("failed", True),
    "interrupted": ("failed", True),
    "kernel-died": ("failed", True),
    "skipped": ("pending", None),
    "not-run": ("pending", None),
}

#: Ends of a cell that leave no trace in what it wrote, and the name under which they are told.
TOLD_ENDINGS = {
    "kernel-died": "KernelDied",
    "timed-out": "TimedOut",
    "interrupted": "Interrupted",
}
_PYTHON_SPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_PYTHON_INFO = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
_ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def executed_cell(
    cell: BoundCell, record: CellRecord, outputs: list[dict[str, Any]], *, reached: bool
) -> dict[str, Any]:
    """A cell as nbformat spells it, with how it went. `reached` is for cells that are not code."""
    plain: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": record.id,
        "metadata": _cell_metadata(cell, record, reached),
        "source": cell.source,
    }
    if cell.kind == "code":
        plain["execution_count"] = record.execution_count
        plain["outputs"] = outputs
    elif cell.attachments:
        plain["attachments"] = dict(cell.attachments)
    return plain


def with_ending(
    outputs: list[dict[str, Any]], status: str | None, message: str
) -> list[dict[str, Any]]:
    """The outputs, and an error where nothing else would tell a reader why the cell ended."""
    name = TOLD_ENDINGS.get(status or "")
    if name is None or any(output["output_type"] == "error" for output in outputs):
        return outputs
    told = {"ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
    return [*outputs, {"output_type": "error", **told}]


def _cell_metadata(cell: BoundCell, record: CellRecord, reached: bool) -> dict[str, Any]:
    started, finished = iso(record.started), iso(record.finished)
    metadata: dict[str, Any] = finite(cell.metadata)
    metadata["papermill"] = {
        **_papermill_words(record, reached),
        "duration": record.duration_seconds,
        "end_time": finished,
        "start_time": started,
    }
    if "tags" in metadata:
        metadata["tags"] = _valid_tags(metadata["tags"])
    if record.status is not None:
        metadata["octavo"] = {"status": record.status}
    if started is not None:
        metadata["execution"] = _execution_times(started, finished)
    else:
        metadata.pop("execution", None)
    return metadata


def _papermill_words(record: CellRecord, reached: bool) -> dict[str, Any]:
    if record.status is None:
        return {"status": "completed" if reached else "pending", "exception": None}
    status, exception = PAPERMILL_WORDS[record.status]
    return {"status": status, "exception": exception}


def _execution_times(started: str, finished: str | None) -> dict[str, str]:
    """JupyterLab's own timing of cells; a front end would have stamped the messages."""
    times = {"iopub.execute_input": started, "iopub.status.busy": started}
    if finished is not None:
        times["iopub.status.idle"] = times["shell.execute_reply"] = finished
    return times


def _valid_tags(tags: Any) -> list[str]:
    words = tags if isinstance(tags, list | tuple) else [tags]
    return list(dict.fromkeys(str(tag) for tag in words if tag and "," not in str(tag)))


def notebook_metadata(
    run: RunStarted, record: RunRecord, widgets: Mapping[str, Any] | None, version: str
) -> dict[str, Any]:
    """The author's metadata, and what the run adds to it."""
    # Python reads NaN in a notebook and writes it again; browsers refuse the whole file.
    metadata = {key: finite(value) for key, value in run.metadata.items() if key != "widgets"}
    metadata["kernelspec"] = _kernelspec(metadata)
    metadata["language_info"] = _language_info(metadata, record)
    metadata["papermill"] = _papermill_notebook(run, record, version)
    metadata["octavo"] = {
        **_declarations(metadata),
        "complete": record.complete,
        "reason": record.reason,
        "run_id": record.run_id,
        "status": record.status,
        "version": version,
    }
    if widgets is not None:
        metadata["widgets"] = dict(widgets)
    return metadata


def _declarations(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the author declares under our name, so that the executed notebook runs alike."""
    ours = metadata.get("octavo")
    return {"scraps": ours["scraps"]} if isinstance(ours, Mapping) and "scraps" in ours else {}


def _kernelspec(metadata: Mapping[str, Any]) -> dict[str, Any]:
    spec = metadata.get("kernelspec")
    if isinstance(spec, dict) and spec.get("name"):
        return {"display_name": spec["name"], **spec}
    return dict(_PYTHON_SPEC)


def _language_info(metadata: Mapping[str, Any], record: RunRecord) -> dict[str, Any]:
    """What the kernel says of its language; else what the notebook said; else plain Python."""
    facts = record.kernel or {}
    told = facts.get("language_info") or metadata.get("language_info")
    info = dict(told) if isinstance(told, dict) and told.get("name") else dict(_PYTHON_INFO)
    if "language_info" not in facts and info["name"] == "python":
        info = {**_PYTHON_INFO, **info}
    if "language_info" not in facts and facts.get("python"):
        info["version"] = str(facts["python"])
    return info


def _papermill_notebook(run: RunStarted, record: RunRecord, version: str) -> dict[str, Any]:
    return {
        "default_parameters": dict(run.defaults),
        "duration": record.duration_seconds,
        "end_time": iso(record.finished),
        "environment_variables": {},
        "exception": True if record.status == "error" else None,
        "input_path": run.source.get("path"),
        "output_path": run.output_path,
        "parameters": dict(run.parameters),
        "start_time": iso(record.started),
        "version": f"octavo {version}".strip(),
    }


def valid_ids(cells: tuple[BoundCell, ...]) -> list[str]:
    """An id for every cell that nbformat accepts: its own, or one made from its place."""
    seen: set[str] = set()
    ids = []
    for index, cell in enumerate(cells):
        chosen = cell.id
        good = 0 < len(chosen) <= 64 and _ID_CHARACTERS.issuperset(chosen)
        if not good or chosen in seen:
            chosen = f"octavo-cell-{index}"
        seen.add(chosen)
        ids.append(chosen)
    return ids
