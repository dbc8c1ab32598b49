"""What is right, worked out from the data itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any


def results(folder: Path, threshold: float = 0.5) -> dict[str, float]:
    """What the report hands out."""
    import pandas as pd

    frame = pd.read_csv(folder / "sales.csv").dropna(subset=["amount"])
    days = frame.groupby("day")["amount"].sum()
    share = float((days / days.max() > threshold).mean())
    return {"share": round(share, 4), "per_unit": round(float(frame["amount"].sum()) / 100, 2)}


def means(folder: Path) -> dict[str, float]:
    """The mean amount of each region."""
    import pandas as pd

    frame = pd.read_csv(folder / "sales.csv")
    return {str(k): round(float(v), 2) for k, v in frame.groupby("region")["amount"].mean().items()}


def missing(folder: Path) -> dict[str, int]:
    """The columns in which something is missing."""
    import pandas as pd

    counts = pd.read_csv(folder / "sales.csv").isna().sum()
    return {str(name): int(count) for name, count in counts.items() if count}


def sources(folder: Path, revision: str = "") -> list[str]:
    """The sources of the report, as it is or as it was committed."""
    name = "report.py" if (folder / "report.py").exists() else "report.ipynb"
    text = _at(folder, revision, name) if revision else (folder / name).read_text()
    if name.endswith(".ipynb"):
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    return [part.partition("\n")[2].strip() for part in text.split("# %%")[1:]]


def committed_outputs(folder: Path, branch: str) -> list[Any]:
    """Outputs that went into a commit."""
    whole = json.loads(_at(folder, branch, "report.ipynb"))
    return [output for cell in whole["cells"] for output in cell.get("outputs", ())]


def newest(folder: Path) -> str:
    """The branch with the newest commit."""
    words = ["git", "for-each-ref", "--sort=-committerdate", "--format=%(refname:short)"]
    return _told([*words, "refs/heads"], folder).splitlines()[0]


def _at(folder: Path, revision: str, name: str) -> str:
    return _told(["git", "show", f"{revision}:{name}"], folder)


def _told(words: list[str], folder: Path) -> str:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
