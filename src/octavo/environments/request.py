"""What is asked about an environment, and what is answered before any slow work."""

from __future__ import annotations

from octavo.environments.launch import Environment
from octavo.notebook.comment_blocks import CommentBlock
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST_PYTHON = (3, 11)
OLDEST_IPYTHON = (8, 0)
IPYTHON_REQUIREMENT = "ipython>=8"


class Request(Value):
    """A notebook that needs an interpreter.

    `current` is the interpreter that runs Octavo, `cache` Octavo's own cache folder, and
    `environ` the caller's variables: where `uv` and interpreters are looked for, and what `uv`
    is given. `python` is what the user asked for: an interpreter, the folder of an environment,
    or a version. `uv` is a path to it, where the user names one.
    """

    notebook: str
    text: str
    cwd: str
    current: str
    cache: str
    environ: Mapping[str, str]
    python: str | None = None
    uv: str | None = None
    offline: bool = False


class Choice(Value):
    """Which environment it is, and what has to be done before it can be used.

    `work` is empty when it is ready; "build" when the script block's environment is not there;
    "find" when an interpreter of version `version` has to be looked up; "probe" when
    `environment` has to be asked once what it is.
    """

    environment: Environment
    work: str = ""
    block: CommentBlock | None = None
    version: str = ""
