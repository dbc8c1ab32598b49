"""How to work here, told to every client in few words."""

from __future__ import annotations

INSTRUCTIONS = """\
Octavo runs notebooks (.py percent, .md, .ipynb) and keeps a record of every run.
Make one with notebook_create, look at it with notebook_read (outline first, then cells), change \
a cell with notebook_edit (execute=true runs it too), run it with notebook_execute. \
A failing cell is a result: mend it by `failed_cell`. run_result shows any run, and whole outputs \
by handle.
Explore in a session: session_start, session_execute (state stays between calls; editing a cell \
goes back to the state before it; scratch leaves no trace), session_variables, session_save.
Every call answers within 30 s. Status `running` means that work goes on: job_wait with the `job`; \
runs, checks and executions go on without you.
Before you propose, notebook_check. Then notebook_commit and notebook_pr; notebook_review tells \
what reviewers say.
Cells are numbered from 0. Pass `expect` (a handle) so that a stale edit is refused. Paths are \
relative to the project. Images are resources: octavo://runs/….\
"""
