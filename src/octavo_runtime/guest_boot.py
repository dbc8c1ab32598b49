"""Executed inside an IPython kernel that Jupyter's protocol drives, with `settings` given.

The package must be found although it is not installed in the kernel's environment, and nothing
else of the folder that it lies in may become importable.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder


class _RuntimeFinder:
    """Finds `octavo_runtime` in the folder that it was started from, whatever `sys.path` says."""

    folder = ""

    @classmethod
    def find_spec(
        cls, name: str, path: object = None, target: object = None
    ) -> "ModuleSpec | None":
        if name == "octavo_runtime":
            return PathFinder.find_spec(name, [cls.folder])
        return None


if __name__ == "octavo_guest":
    _settings = globals()["settings"]
    _RuntimeFinder.folder = _settings["runtime"]
    sys.meta_path.insert(0, _RuntimeFinder)
    from octavo_runtime import guest

    guest.install(_settings)
