"""Where the environment of a script block is kept, and whether it is ready to use."""

from __future__ import annotations

import os
import sys

from octavo.environments.layout import EXECUTABLE
from octavo.environments.request import IPYTHON_REQUIREMENT
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.notebook.comment_blocks import CommentBlock

FORMAT = "1"
MARKER = "octavo-ready"


class ScriptEnvironment(Value):
    """The place of a script block's environment in the cache."""

    root: str

    @property
    def python(self) -> str:
        return os.path.join(self.root, EXECUTABLE)

    @property
    def marker(self) -> str:
        """Written last: without it the environment is half-built."""
        return os.path.join(self.root, MARKER)

    @property
    def guard(self) -> str:
        """The file that is locked while the environment is built."""
        return f"{self.root}.lock"

    def is_ready(self) -> bool:
        """Whether it was built to the end and its interpreter is still there."""
        return os.path.isfile(self.marker) and os.access(self.python, os.X_OK)


def script_environment(block: CommentBlock, cache: str, version: str | None) -> ScriptEnvironment:
    """The place for a block; `version` is the one that the user asked for.

    Everything that decides what is installed is part of the name, so that what is there under
    that name is right.
    """
    from hashlib import sha256

    version = version or "{}.{}".format(*sys.version_info)
    uname = os.uname()
    parts = [FORMAT, IPYTHON_REQUIREMENT, version, sys.implementation.name]
    parts += [uname.sysname, uname.machine, block.normalised(), lock_text(block.path) or ""]
    if "tool.uv" in block.content:
        parts.append(os.path.dirname(block.path))  # its paths are relative to the notebook
    name = sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return ScriptEnvironment(os.path.join(cache, "environments", name))


def lock_path(notebook: str) -> str:
    """Where `uv lock --script` puts the lock of a notebook."""
    return f"{notebook}.lock"


def lock_text(notebook: str) -> str | None:
    """The lock of a notebook's script block, if there is one."""
    try:
        with open(lock_path(notebook), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None
