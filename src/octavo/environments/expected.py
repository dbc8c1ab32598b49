"""Which Python a notebook is going to meet, told before its environment is there."""

from __future__ import annotations

import sys

from octavo.environments.packages import minor_version
from octavo.environments.specifier import satisfies
from octavo.notebook.scriptblock import read_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.environments.request import Choice

#: Newer than any: what it knows, nobody can say.
_UNKNOWN = (99, 0)


def expected_version(choice: Choice) -> tuple[int, int] | None:
    """The version of the Python that a choice leads to; None where it may as well be ours."""
    found = minor_version(choice.environment)
    if found is not None:
        return found
    asked = choice.version
    if choice.block is not None and not asked:
        asked = read_block(choice.block).requires_python or ""
    ours = "{}.{}.{}".format(*sys.version_info)
    return _UNKNOWN if asked and not satisfies(ours, asked) else None
