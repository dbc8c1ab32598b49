"""Clones with runs in them that were never executed: as many, and as odd, as a test needs."""

from __future__ import annotations

import base64
import itertools
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from git_repositories import cloned
from octavo.archive.operation import ArchiveRequest, ArchiveResult, archive
from octavo.records.identity import uuid7
from octavo.records.record import CellRecord, RunRecord, dump_record
from octavo.records.times import day
from proposals.desks import Desk

MOMENT = 1_790_000_000.0
_SERIAL = itertools.count(1)


def archived(desk: Desk, *runs: str, **asked: Any) -> ArchiveResult:
    return desk.do(archive, ArchiveRequest(runs=runs, **asked))


def start(folder: Path, config: str = "") -> Desk:
    """A clone of a bare repository."""
    work = cloned(folder, {"notebooks/health.py": "# %%\n1\n", "octavo.toml": config})
    return Desk(work.top)


def png(colour: int = 80, wide: int = 60) -> str:
    """A small image, as notebooks hold it."""
    raw = b"".join(b"\0" + bytes([colour, 120, 200]) * wide for _ in range(30))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", wide, 30, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(raw)), chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def shown(**data: Any) -> dict[str, Any]:
    bundle = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def made_run(
    desk: Desk,
    *,
    moment: float | None = None,
    notebook: str = "notebooks/health.py",
    status: str = "success",
    scraps: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    outputs: Sequence[Mapping[str, Any]] = (),
    source: str = "# %%\n1\n",
    message: str = "",
) -> str:
    """A finished run in the records of a clone; its id."""
    serial = next(_SERIAL)
    moment = MOMENT + serial if moment is None else moment
    run_id = uuid7(moment, serial.to_bytes(8, "big"))
    folder = desk.folder / ".octavo" / "runs" / day(moment) / run_id
    folder.mkdir(parents=True)
    (folder / "source.py").write_text(source)
    (folder / "notebook.ipynb").write_text(json.dumps(_document(outputs), indent=1))
    record = _record(run_id, moment, str(desk.folder / notebook), status, message)
    record = record.replace(scraps=dict(scraps or {}), parameters=dict(parameters or {}))
    (folder / "record.json").write_bytes(dump_record(record))
    return run_id


def _document(outputs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "1",
        "execution_count": 1,
        "outputs": list(outputs),
    }
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}


def _record(run_id: str, moment: float, path: str, status: str, message: str) -> RunRecord:
    good = status == "success"
    return RunRecord(
        run_id=run_id,
        status="success" if good else "error",
        reason=None if good else "cell-error",
        message=message,
        started=moment,
        finished=moment + 1.5,
        duration_seconds=1.5,
        source={"path": path, "sha256": "0" * 64, "format": "py"},
        parameters={},
        defaults={},
        cells=(CellRecord(0, 0, "a", "code", "succeeded" if good else "failed"),),
        cells_executed=1,
        failed_cell=None,
        scraps={},
        value=None,
        engine="fork",
        environment={},
        packages={},
        lock=None,
        kernel=None,
        git={"commit": "a" * 40, "branch": "main", "dirty": False},
        host={},
        options={},
        output_path=None,
        parent_run=None,
        journal={"damaged": 0, "unknown": 0},
    )
