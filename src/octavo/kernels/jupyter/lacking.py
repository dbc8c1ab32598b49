"""What kernels of other makers lack, by the name of the check that shows it.

A test fails when a kernel does in fact pass what is listed here: then the line goes.
"""

from __future__ import annotations

LACKING: dict[str, dict[str, str]] = {
    "ipykernel": {},
    "bash": {
        "the_value_of_a_cell_is_its_result": "the language has no expressions",
        "complaints_go_to_stderr": "bash_kernel reads a terminal, which mixes both streams",
        "last_words_are_heard": "bash_kernel has not read them when it is killed",
    },
    "deno": {},
}

#: What comes out by luck, and is measured neither way.
UNSTEADY: dict[str, dict[str, str]] = {
    "ipykernel": {},
    "bash": {},
    "deno": {"last_words_are_heard": "Deno does not wait for its own messages when it exits"},
}
