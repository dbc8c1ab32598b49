"""`octavo git-clean`, which git starts: bytes in, bytes out, and nothing else is loaded."""

from __future__ import annotations

import sys

from octavo.errors import OctavoError
from octavo.repository.git_filter import ProtocolError, clean_content, serve

USAGE = """\
usage: octavo git-clean [--process | --in-place FILE... | NAME]

Git starts this: it takes outputs and execution counts out of notebooks that are committed.
octavo init sets it up. By hand: octavo git-clean < notebook.ipynb

  --process             speak git's long-running filter protocol: one process for all files
  --in-place FILE...    clean files where they are; exit code 1 when one had to be changed
  NAME                  the file that comes on standard input, for messages
"""


def git_clean(words: list[str]) -> int:
    """Clean one notebook from standard input to standard output, or serve git."""
    if "-h" in words or "--help" in words:
        sys.stdout.write(USAGE)
        return 0
    try:
        if words == ["--process"]:
            serve(sys.stdin.buffer, sys.stdout.buffer, _tell)
        elif words[:1] == ["--in-place"]:
            return 1 if sum(map(_cleaned_in_place, words[1:])) else 0
        else:
            name = words[0] if words else ""
            sys.stdout.buffer.write(clean_content(sys.stdin.buffer.read(), name, _tell))
            sys.stdout.buffer.flush()
    except OctavoError as error:
        _tell(f"octavo: {error.place}: {error.message}")
        return error.exit_code
    except ProtocolError as error:
        _tell(f"octavo: git-clean --process: {error}")
        return 2
    except BrokenPipeError:
        return 3
    except OSError as error:
        _tell(f"octavo: git-clean: {error.filename or 'standard output'}: {error.strerror}")
        return 3
    return 0


def _cleaned_in_place(name: str) -> bool:
    """Clean a file; whether it had to be changed."""
    with open(name, "rb") as file:
        content = file.read()
    cleaned = clean_content(content, name, _tell)
    if cleaned == content:
        return False
    from pathlib import Path

    from octavo.authoring.files import replace_file

    replace_file(Path(name), cleaned, content)
    _tell(f"octavo: {name}: outputs taken out")
    return True


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
