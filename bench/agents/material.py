"""What the tasks are about: a data set, and a notebook of twenty cells in two spellings."""

from __future__ import annotations

import csv
import json
import random
import subprocess
from pathlib import Path

ROWS = 2000
REGIONS = ("north", "south", "east", "west")
#: The same work for everybody; a result is handed out as one does it in each.
_CELLS = (
    ("markdown", "# Sales report"),
    ("code", "threshold = 0.5\nunit = 100"),
    ("code", "import time\nimport matplotlib.pyplot as plt\nimport pandas as pd"),
    ("code", 'df = pd.read_csv("sales.csv")\ntime.sleep(2)  # as long as a real source takes'),
    ("code", "df.head(10)"),
    ("code", "df.describe()"),
    ("code", 'clean = df.dropna(subset=["amount"])\nprint(len(df) - len(clean), "rows dropped")'),
    ("code", 'totals = clean.groupby("region")["amount"].sum()\ntotals'),
    ("code", 'means = clean.groupby("region")["amount"].mean()\nmeans'),
    ("code", 'days = clean.groupby("day")["amount"].sum()\ndays'),
    ("code", "fig, ax = plt.subplots(figsize=(8, 5))\ndays.plot(ax=ax, title='Sales by day')"),
    ("code", 'for region, total in totals.items():\n    print(f"{region:<8}{total:12.2f}")'),
    ("code", "peak = days.max()\npeak"),
    ("code", "scaled = days / peak\nscaled.describe()"),
    ("code", "high = scaled[scaled > threshold]\nprint(len(high), 'days above', threshold)"),
    ("code", "high.head(20)"),
    ("code", "low = scaled[scaled <= threshold]\nprint(len(low), 'days below')"),
    ("code", "share = len(high) / len(scaled)\nper_unit = float(totals.sum()) / unit"),
    ("code", "pd.DataFrame({'total': totals, 'mean': means})"),
)
_PRINTED = 'print(f"RESULT share={share:.4f} per_unit={per_unit:.2f}")'
_GLUED = (
    "from octavo_runtime import glue\n"
    'glue("share", round(share, 4))\nglue("per_unit", round(per_unit, 2))'
)
BUG = "share = len(high) / len(scales)\nper_unit = float(totals.sum()) / unit"
FLOOD = (
    "for step in range(20_000):\n    print('step', step, 'loss', 1 / (step + 1))\n"
    "print('converged at', 19_873)"
)


def cells(*, glued: bool, changed: dict[int, str] | None = None) -> list[tuple[str, str]]:
    """The cells of the report, some with another source."""
    plain = [*_CELLS, ("code", _GLUED if glued else _PRINTED)]
    return [
        (kind, (changed or {}).get(index, source)) for index, (kind, source) in enumerate(plain)
    ]


def project(folder: Path, *, text: bool, changed: dict[int, str] | None = None) -> None:
    """A repository with the data and the report: as text for Octavo, else as `.ipynb`."""
    folder.mkdir(parents=True)
    _data(folder / "sales.csv")
    written = cells(glued=text, changed=changed)
    if text:
        (folder / "report.py").write_text(_percent(written))
    else:
        (folder / "report.ipynb").write_text(_ipynb(written))
    for words in (("init", "-b", "main"), ("add", "."), ("commit", "-m", "Begin")):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        subprocess.run(["git", "config", key, value], cwd=folder, check=True)


def _data(path: Path) -> None:
    chance = random.Random(7)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["day", "region", "amount", "units", "note"])
        for row in range(ROWS):
            day = f"2026-{1 + row % 9:02}-{1 + row % 28:02}"
            amount = "" if row % 54 == 0 else f"{chance.uniform(10, 500):.2f}"
            note = "" if row % 400 == 0 else "checked by the desk"
            writer.writerow([day, REGIONS[row % 4], amount, chance.randint(1, 9), note])


def _percent(written: list[tuple[str, str]]) -> str:
    parts = []
    for index, (kind, source) in enumerate(written):
        tags = ' tags=["parameters"]' if index == 1 else ""
        if kind == "markdown":
            lines = "\n".join(f"# {line}" for line in source.splitlines())
            parts.append(f"# %% [markdown]\n{lines}\n")
        else:
            parts.append(f"# %%{tags}\n{source}\n")
    return "\n".join(parts)


def _ipynb(written: list[tuple[str, str]]) -> str:
    made = []
    for index, (kind, source) in enumerate(written):
        cell: dict[str, object] = {"cell_type": kind, "id": f"c{index}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append({**cell, "source": source.splitlines(keepends=True)})
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": spec, "language_info": {"name": "python"}}
    whole = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"
