"""An environment with JupyterLab and jupyter-collaboration, kept outside the clone.

`python -m servers.collaboration`, or `make servers`, brings it there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from servers.build import alone, kept_in

VERSION = "5.0.4"
PACKAGES = (f"jupyter-collaboration=={VERSION}", "jupyterlab==4.6.6", "ipykernel==7.4.0")
FOLDER = kept_in() / f"jupyter-collaboration-{VERSION}"
PYTHON = FOLDER / "bin" / "python"
#: An environment knows its own path and cannot be renamed: the last thing in it says it is whole.
_COMPLETE = FOLDER / "complete"


def is_built() -> bool:
    return _COMPLETE.exists()


def build() -> bool:
    """Bring the environment to its place; False when it is there."""
    with alone(FOLDER.parent):
        if is_built():
            return False
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        subprocess.run([*pip, *PACKAGES], check=True)
        _COMPLETE.touch()
    return True


if __name__ == "__main__":
    done = "was built" if build() else "is there"
    print(f"jupyter-collaboration {VERSION} {done}: {FOLDER}")
