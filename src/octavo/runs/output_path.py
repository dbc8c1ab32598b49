"""Where the user wants the executed notebook: checked before anything runs."""

from __future__ import annotations

import os

from octavo.errors import ConflictError, UsageError


def output_path(named: str | None, source: str, cwd: str) -> str | None:
    """The absolute path of `-o`, refused when it cannot be written or would overwrite the source."""
    if named is None:
        return None
    path = os.path.normpath(os.path.join(cwd, named))
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise ConflictError(
            "output-exists",
            "the output path is a folder",
            place=path,
            hint=f"name a file in it: -o {os.path.join(named, 'out.ipynb')}",
        )
    if os.path.exists(path) and os.path.samefile(path, source):
        raise ConflictError(
            "output-exists",
            "the output would overwrite the notebook itself",
            place=path,
            hint="name another file; the source is never changed by a run",
        )
    if not path.endswith(".ipynb"):
        raise UsageError(
            "output-unwritable",
            "an executed notebook is written as .ipynb",
            place=path,
            hint="let the name after -o end in .ipynb",
        )
    if not os.path.isdir(folder):
        raise UsageError(
            "output-unwritable",
            f"the folder {folder} does not exist",
            place=path,
            hint=f"mkdir -p {folder}",
        )
    if not os.access(folder, os.W_OK):
        raise UsageError(
            "output-unwritable",
            f"the folder {folder} cannot be written",
            place=path,
            hint="choose another place, or change its permissions",
        )
    return path
