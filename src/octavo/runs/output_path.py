"""Where the user wants the executed notebook: checked before anything runs."""

from __future__ import annotations

import os

from octavo.errors import ConflictError, UsageError

#: In place of a path: the notebook goes to standard output when the run has ended.
STANDARD = "-"


def output_path(named: str | None, source: str, cwd: str) -> str | None:
    """The absolute path of `-o`; refused if it cannot be written or would overwrite the source.

    `source` is the file that was read; there is none where the notebook came from elsewhere.
    """
    if named is None or named == STANDARD:
        return named
    if "://" in named:
        from octavo.runs.download import refuse_other_stores

        refuse_other_stores(named, "written")
    path = os.path.normpath(os.path.join(cwd, named))
    if source and os.path.exists(path) and os.path.samefile(path, source):
        raise ConflictError(
            "output-exists",
            "the output would overwrite the notebook itself",
            place=path,
            hint="name another file; a run never changes its source",
        )
    if not path.endswith(".ipynb") and not path.startswith("/dev/"):
        raise UsageError(
            "output-unwritable",
            "an executed notebook is written as .ipynb",
            place=path,
            hint="let the name after -o end in .ipynb",
        )
    from octavo.records.publish import check_output

    check_output(path)
    return path
