"""What a kernel behind a Jupyter server lacks, by the name of the check that shows it.

A test fails when it does in fact pass what is listed here: then the line goes.
"""

from __future__ import annotations

#: Of `conformance.CAPABILITIES`: no process of ours is near the kernel, and it was not launched
#: by us.
WITHOUT = ("exact-order", "fork", "signals", "usage", "limits", "early-exit", "copies", "launch")

_BYTES = "ipykernel decodes each write by itself, and reads bytes when it comes to that"
_TERMINAL = "without our guest, ipykernel runs commands in a terminal, which ends lines otherwise"
_TRACEBACK = "without our guest, ipykernel shows it in its own way"
_WORDS = "ipykernel may not have sent its last words when it dies"
_END = "the server ends kernels in its own way, and does not tell how they ended"

LACKING: dict[str, str] = {
    "a_kernel_knows_its_process": "it may run on another machine",
    "an_idle_kernel_ends_in_its_own_way": _END,
    "streams_and_displays_alternate_in_order": "ipykernel collects the text of each stream",
    "characters_may_be_split_over_writes": _BYTES,
    "lone_surrogates_do_not_break_print": "ipykernel cannot send them",
    "one_long_write_arrives_whole": "the server drops output beyond a rate (1 MB/s by itself)",
    "odd_values_in_a_bundle_become_json": "jupyter_client spells dates as times",
    "an_error_that_cannot_be_printed_is_told": _TRACEBACK,
    "exception_groups_are_shown_whole": _TRACEBACK,
    "a_failing_task_group_is_shown": _TRACEBACK,
    "a_task_that_leaves_does_not_end_the_kernel": "without our guest it does",
    "shell_commands_print": _TERMINAL,
    "output_can_be_captured": _TERMINAL,
    "variables_and_folders_can_be_changed": _TERMINAL,
    "another_backend_may_be_wanted": "ipykernel names its own in the environment",
    "exit_handlers_run_at_the_stop": _END,
    "files_that_nobody_closed_are_written": _END,
    "objects_are_let_go_at_the_stop": _END,
    "threads_are_waited_for_at_the_stop": _END,
    "breakpoints_are_refused_clearly": "without our guest, ipykernel waits for a debugger's input",
}

#: What comes out by luck or takes for ever, and is measured neither way.
UNSTEADY: dict[str, str] = {
    "an_unfinished_character_at_the_end_is_marked": _BYTES,
    "bytes_may_be_written_to_the_buffer": _BYTES,
    "closing_the_streams_does_not_silence_the_next_cell": "without our guest it does",
    "a_process_that_exits_has_died": _WORDS,
    "a_crash_says_which_and_where": _WORDS,
    "a_kernel_killed_by_its_own_code_has_died": _WORDS,
    "bytes_that_are_no_text_are_marked": _BYTES,
    "threads_print_into_the_cell_that_runs": "ipykernel lets their lines run into one",
    "a_flood_from_a_process_does_not_hold_up_the_cell": "the server drops output beyond a rate",
    "a_process_that_a_cell_forks_ends_with_the_cell": "a forked ipykernel answers a second time",
}
