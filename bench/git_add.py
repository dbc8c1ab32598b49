"""`git add` of many notebooks with outputs: Octavo's filter, nbstripout's, and none.

    python -m bench.git_add --nbstripout PATH/bin/nbstripout

Each tool adds the same files in a repository of its own; the best of some rounds counts. It is
not part of `make bench`: nbstripout is no dependency of this project.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OCTAVO = Path(sys.executable).parent / "octavo"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.git_add", description=__doc__)
    parser.add_argument("--nbstripout", metavar="PROGRAM", help="nbstripout, where it is installed")
    parser.add_argument("--notebooks", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    tools: dict[str, dict[str, str]] = {
        "no filter": {},
        "octavo": {"filter.t.process": f"{OCTAVO} git-clean --process"},
        "octavo, a process for each file": {"filter.t.clean": f"{OCTAVO} git-clean"},
    }
    if options.nbstripout:
        tools["nbstripout"] = {"filter.t.clean": options.nbstripout}
    print(f"{options.notebooks} notebooks of {len(_notebook(0)) // 1000} kB, best of rounds")
    for name, configuration in tools.items():
        best = min(_seconds(configuration, options.notebooks) for _ in range(options.rounds))
        print(f"{name:32} {best:8.3f} s")


def _seconds(configuration: dict[str, str], count: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}

        def git(*words: str) -> None:
            subprocess.run(["git", *words], cwd=folder, env=environ, check=True)

        git("init", "--quiet")
        for key, value in configuration.items():
            git("config", key, value)
        Path(folder, ".gitattributes").write_text("*.ipynb filter=t\n")
        for number in range(count):
            Path(folder, f"{number}.ipynb").write_text(_notebook(number))
        start = time.perf_counter()
        git("add", "--all")
        return time.perf_counter() - start


def _notebook(number: int) -> str:
    """Twenty cells, each with a few lines of output and some with a picture."""
    cells = [
        {
            "cell_type": "code",
            "execution_count": at,
            "id": f"c{at}",
            "metadata": {},
            "outputs": [
                {"name": "stdout", "output_type": "stream", "text": [f"{at}\n"] * 10},
                {
                    "data": {"image/png": "iVBOR" + "A" * (20_000 if at % 5 == 0 else 10)},
                    "metadata": {},
                    "output_type": "display_data",
                },
            ],
            "source": [f"x = {at + number}\n", "print(x)"],
        }
        for at in range(20)
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    main()
