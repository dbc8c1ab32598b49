"""The page `docs/cli.md`, made from the commands themselves.

python -m octavo.surfaces.cli.reference > docs/cli.md
"""

from __future__ import annotations

import sys

from octavo.app.table.entry import GIT, Entry
from octavo.surfaces.cli.commands import COMMANDS
from octavo.surfaces.cli.git_clean import USAGE as GIT_CLEAN
from octavo.surfaces.cli.overview import overview
from octavo.surfaces.cli.shape import Shape
from octavo.surfaces.cli.usage import usage

HEAD = """\
# The command line

This page is made by `python -m octavo.surfaces.cli.reference`; a test fails when it is out of date.
[Running notebooks](running.md) tells how the commands are used.

"""
CALLED_BY_GIT = f"""
## {GIT}

`octavo init` tells git to call these ([repositories](repository.md)). They are here for whoever
wants to know what git does, or sets it up by hand.

### octavo git-clean

```text
{GIT_CLEAN}```
"""
TAIL = """
## Output and errors

Results go to standard output, narration and errors to standard error. With `--json` the result is
one JSON document on standard output, also when the command fails: then it is
`{"error": {"kind": …, "message": …, "place": …, "hint": …, "retryable": …}}`.

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | the notebook failed; for `sync --check`, files are out of step |
| 2 | wrong use: nothing has been changed |
| 3 | infrastructure: something outside the notebook is missing or broken |
| 130 | interrupted by Ctrl-C or SIGTERM; the record is finished all the same |

## Variables

| variable | effect |
| --- | --- |
| `NO_COLOR` | no colours |
| `FORCE_COLOR` | colours also where the output is no terminal |
| `OCTAVO_DEBUG` | show the traceback of an internal error |
| `OCTAVO_CACHE` | where built environments are kept (default: `$XDG_CACHE_HOME/octavo`) |
| `OCTAVO_NO_RESIDENT` | run here, also when `octavo warm` keeps kernels loaded |
| `OCTAVO_SLEEP_AFTER` | after how many idle seconds sessions sleep (default: 10; 0: never) |
"""


def reference() -> str:
    """The whole page."""
    shown = [entry for entry in COMMANDS if not entry.hidden]
    contents = "".join(f"- [`octavo {e.name}`](#{_anchor(e)}): {e.help}\n" for e in shown)
    contents += f"- [{GIT}](#{GIT.lower().replace(' ', '-')})\n"
    commands = "".join(_section("##", entry) for entry in shown)
    commands += CALLED_BY_GIT
    commands += "".join(_section("###", entry) for entry in COMMANDS if entry.hidden)
    return f"{HEAD}{contents}\n```text\n{overview()}```\n{commands}{TAIL}"


def _anchor(entry: Entry) -> str:
    return f"octavo {entry.name}".replace(" ", "-")


def _section(level: str, entry: Entry) -> str:
    return f"\n{level} octavo {entry.name}\n\n```text\n{usage(Shape(entry), columns=90)}```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
