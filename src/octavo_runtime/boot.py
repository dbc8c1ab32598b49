"""Started by path with the interpreter of the notebook.

    python boot.py CONTROL PRELOAD OVERLAY IDLE PATH

CONTROL is the descriptor of the control socket (with IDLE: of the listening one), PRELOAD a comma
separated list of modules, OVERLAY a folder to append to `sys.path`, IDLE the seconds after which
a resident zygote ends, PATH where its socket lies; all but CONTROL may be empty.

The folder of this file must not become a place to import from, and the package must be found
although it is not installed in the notebook's environment.
"""

import gc
import signal
import sys

#: A boot that takes longer hangs; nobody may be left to end it.
LONGEST_BOOT_SECONDS = 90

if __name__ == "__main__":
    signal.alarm(LONGEST_BOOT_SECONDS)
    gc.disable()  # nothing that is loaded here will ever be garbage
    _here = __file__.rpartition("/")[0]
    if sys.path and sys.path[0] == _here:
        del sys.path[0]

    from importlib.machinery import ModuleSpec, PathFinder

    class _RuntimeFinder:
        """Finds `octavo_runtime` beside this file, whatever `sys.path` says."""

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
            if name == "octavo_runtime":
                return PathFinder.find_spec(name, [_here.rpartition("/")[0]])
            return None

    sys.meta_path.insert(0, _RuntimeFinder)

    _control, _preload, _overlay, _idle, _path = sys.argv[1:6]
    if _overlay:
        sys.path.append(_overlay)
    from octavo_runtime import hooks

    hooks.watch()
    from octavo_runtime import later

    later.import_asyncio()
    later.import_traitlets()
    from octavo_runtime import borrowed, zygote

    borrowed.overlay = _overlay

    _names = [name for name in _preload.split(",") if name]
    zygote.main(int(_control), _names, float(_idle or 0), _path)
