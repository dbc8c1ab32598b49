"""`octavo git-clean`, which git starts: bytes in, bytes out, and nothing else is loaded."""

from __future__ import annotations

import sys

from octavo.repository.git_filter import ProtocolError, clean_content, serve

USAGE = """\
usage: octavo git-clean [--process | NAME]

Git starts this: it takes outputs and execution counts out of notebooks that are committed.
octavo init sets it up. By hand: octavo git-clean < notebook.ipynb

  --process   speak git's long-running filter protocol: one process for all files
  NAME        the file, for messages
"""


def git_clean(words: list[str]) -> int:
    """Clean one notebook from standard input to standard output, or serve git."""
    if "-h" in words or "--help" in words:
        sys.stdout.write(USAGE)
        return 0
    try:
        if words == ["--process"]:
            serve(sys.stdin.buffer, sys.stdout.buffer, _tell)
        else:
            name = words[0] if words else ""
            sys.stdout.buffer.write(clean_content(sys.stdin.buffer.read(), name, _tell))
            sys.stdout.buffer.flush()
    except ProtocolError as error:
        _tell(f"octavo: git-clean --process: {error}")
        return 2
    except BrokenPipeError:
        return 3
    except OSError as error:
        _tell(f"octavo: git-clean: {error.strerror}")
        return 3
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
