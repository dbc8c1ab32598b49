"""How to work here, told to every client in few words."""

from __future__ import annotations

INSTRUCTIONS = """\
Octavo runs notebooks (.py percent, .md, .ipynb) and keeps a record of every run.
Make one with notebook_create, look with notebook_read (outline first, then cells), change a cell \
with notebook_edit (execute=true runs it too), run with notebook_execute (a list of parameters: \
a run for each). A failing cell is a result: mend it by `failed_cell`. run_result shows any run, \
and whole outputs by handle.
Explore in a session: session_start (up to a cell, then code), session_execute (state stays; \
editing a cell goes back to before it; scratch leaves no trace), session_variables, session_save.
Every call answers within 30 s. Status `running`: work goes on without you; job_wait with the `job`.
Propose with notebook_check, notebook_commit, notebook_pr; notebook_review tells \
what reviewers say.
Cells are numbered from 0, or named by a variable that they make. With `expect` (a handle) stale \
edits are refused. Paths are relative to the project. Images are resources: octavo://runs/….\
"""
