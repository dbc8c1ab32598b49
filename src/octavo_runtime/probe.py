"""Says what the interpreter that runs this file is, and whether a kernel can start in it.

Run as a script: `python probe.py [OVERLAY]`. It prints one JSON object. With "boot" as a second
argument a shell is made as a kernel makes it, so that what comes out has been tried. It must be
readable by Python 3.6, to be able to say that one is too old.
"""

import importlib.machinery
import json
import os
import sys


def facts() -> dict:  # type: ignore[type-arg]
    """What the interpreter is and where it imports packages from."""
    sites = [path for path in sys.path if path.endswith(PACKAGES)]
    return {
        "executable": sys.executable,
        "version": ".".join(map(str, sys.version_info[:3])),
        "tag": sys.implementation.cache_tag,
        "prefix": sys.prefix,
        "sites": sites,
        "ipython": importlib.machinery.PathFinder.find_spec("IPython", sys.path) is not None,
    }


def boot() -> str:
    """Make a shell; the reason why that does not work, or nothing."""
    try:
        if HERE not in sys.path:
            sys.path.append(HERE)
        from octavo_runtime import shell

        shell.create()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


PACKAGES = ("site-packages", "dist-packages")
HERE = __file__.rpartition("octavo_runtime")[0]

if __name__ == "__main__":
    del sys.path[0]
    if sys.argv[1:2] not in ([], [""]):
        sys.path.append(sys.argv[1])
    answer = facts()
    if sys.argv[2:3] == ["boot"]:
        answer["failure"] = boot()
    sys.stdout.write("\n" + json.dumps(answer) + "\n")
    sys.stdout.flush()
    os._exit(0)
