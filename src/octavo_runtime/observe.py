"""Noting which files the code of a notebook uses, so that others know what its results rest on.

Python tells an audit hook before it opens a file, lists a folder or starts a program. What the
interpreter and installed packages read of their own is left out: the environment is known by its
lock. What native libraries open by themselves is not seen.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import Any

from octavo_runtime import borrowed
from octavo_runtime.emitter import Emitter

#: More paths than this are not kept count of; a forked process has to send each by itself.
MOST, MOST_IN_FORK = 10_000, 1_000

_SYSTEM = (
    *("/proc/", "/sys/", "/dev/", "/etc/", "/run/", "/lib/", "/lib64/", "/var/cache/", "/var/lib/"),
    *("/usr/lib", "/usr/share/", "/usr/include/", "/usr/local/lib/", "/usr/local/share/"),
)
_AT_HOME = (".cache", ".config", ".local", ".ipython", ".jupyter", ".matplotlib", ".fonts")
_CACHES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "MPLCONFIGDIR")
_NETWORK = ("socket.connect", "socket.sendto", "socket.sendmsg")
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")
#: Libraries that open files without telling Python.
_NATIVE = ("polars", "duckdb", "pyarrow.parquet", "pyarrow.dataset", "h5py", "netCDF4", "rasterio")

_current: Observer | None = None


def install(emitter: Emitter) -> None:
    """Begin to observe this process and those that are forked from it. There is no way back."""
    global _current
    _current = observer = Observer(emitter)
    handler_of = observer.handlers().get

    def hook(event: str, args: tuple[Any, ...]) -> None:
        handler = handler_of(event)
        if handler is not None:
            try:
                handler(args)
            except Exception:  # what goes wrong here must not become the notebook's failure
                observer.complete = False

    sys.addaudithook(hook)


def report() -> None:
    """Tell everything that was seen, once, when the kernel ends."""
    global _current
    observer, _current = _current, None
    if observer is not None:
        observer.report()


class Observer:
    """What one kernel was seen to use. Paths are absolute; dicts keep the order they came in."""

    def __init__(self, emitter: Emitter) -> None:
        self.complete = True
        self.read: dict[str, None] = {}
        self.missing: dict[str, None] = {}
        self.written: dict[str, None] = {}
        self.listed: dict[str, None] = {}
        self.facts: dict[str, None] = {}
        self._emitter = emitter
        self._owner = os.getpid()
        self._left = MOST
        self._in_fork = 0
        self._environment = _environment()
        self._machinery = _machinery()
        #: Folders that the notebook made: what lies in them is its own.
        self._made: tuple[str, ...] = ()

    def handlers(self) -> dict[str, Any]:
        """What is listened to."""
        return {
            "open": self._open,
            "os.listdir": self._list,
            "os.scandir": self._list,
            "os.mkdir": self._mkdir,
            "os.rename": self._rename,
            "os.link": self._rename,
            "os.symlink": self._rename,
            "sqlite3.connect": self._sqlite,
            "socket.getaddrinfo": lambda args: self._fact("network"),
            **dict.fromkeys(_NETWORK, self._connect),
            **dict.fromkeys(_PROGRAMS, lambda args: self._fact("subprocess")),
        }

    def report(self) -> None:
        for name in _NATIVE:
            if name in sys.modules:
                self.facts[f"native:{name.partition('.')[0]}"] = None
        self._emitter.report(
            {
                "type": "files-seen",
                "read": list(self.read),
                "missing": list(self.missing),
                "written": list(self.written),
                "listed": list(self.listed),
                "modules": self._modules(),
                "facts": list(self.facts),
                "complete": self.complete,
                "final": True,
            }
        )

    # What Python tells

    def _open(self, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if not flags & os.O_ACCMODE and (path in self.read or path in self.written):
            return
        if isinstance(path, int) or self._by_machinery(mode is None):
            return
        path = _absolute(path)
        if not self._is_of_interest(path):
            return
        access = flags & os.O_ACCMODE
        afresh = flags & (os.O_TRUNC | os.O_EXCL)
        if access == os.O_RDONLY or (access == os.O_RDWR and not afresh and _is_there(path)):
            self._note_read(path)
        if access != os.O_RDONLY:
            self._note(self.written, "written", path)

    def _list(self, args: tuple[Any, ...]) -> None:
        path = args[0]
        if isinstance(path, int) or self._by_machinery():
            return
        path = _absolute("." if path is None else path)
        if self._is_of_interest(f"{path}/"):
            self._note(self.listed, "listed", path)

    def _mkdir(self, args: tuple[Any, ...]) -> None:
        path = _absolute(args[0])
        if not _is_there(path) and self._is_of_interest(path):
            self._made = (*self._made, f"{path}/")
            self._note(self.written, "written", path)

    def _rename(self, args: tuple[Any, ...]) -> None:
        path = _absolute(args[1])
        if self._is_of_interest(path):
            self._note(self.written, "written", path)

    def _sqlite(self, args: tuple[Any, ...]) -> None:
        path = os.fsdecode(args[0])
        if path.startswith("file:"):
            from urllib.parse import unquote

            path = unquote(path[5:].partition("?")[0])
            path = f"/{path.lstrip('/')}" if path.startswith("//") else path
        if path in ("", ":memory:") or not self._is_of_interest(path := _absolute(path)):
            return
        if _is_there(path):
            self._note_read(path)
        else:
            self._note(self.written, "written", path)

    def _connect(self, args: tuple[Any, ...]) -> None:
        if isinstance(args[1], tuple):  # everything else stays on this machine
            self._fact("network")

    # What is kept of it

    def _note_read(self, path: str) -> None:
        """What was written before is the notebook's own."""
        if path in self.written:
            return
        if _is_there(path):
            self._note(self.read, "read", path)
        else:
            self._note(self.missing, "missing", path)

    def _fact(self, name: str) -> None:
        self._note(self.facts, "facts", name)

    def _note(self, kept: dict[str, None], kind: str, path: str) -> None:
        if path in kept:
            return
        if not self._left:
            self.complete = False
            return
        self._left -= 1
        kept[path] = None
        if os.getpid() != self._owner:
            self._tell_from_fork(kind, path)

    def _tell_from_fork(self, kind: str, path: str) -> None:
        self._in_fork += 1
        whole = self._in_fork < MOST_IN_FORK
        if not whole:
            self._left = 0
        self._emitter.report({"type": "files-seen", kind: [path], "complete": whole})

    def _is_of_interest(self, path: str) -> bool:
        return not (
            path.startswith(self._environment)
            or path.endswith(".pyc")
            or "/<" in path  # code that lies in no file
            or (self._made and path.startswith(self._made))
        )

    def _by_machinery(self, low: bool = False) -> bool:
        """Whether it is for an import, or part of removing a tree, that this is done."""
        code = sys._getframe(3).f_code
        name = code.co_filename
        return name.startswith(self._machinery) or (low and code.co_name.startswith("_rmtree"))

    def _modules(self) -> list[str]:
        """The files of modules that are not the environment's."""
        found: dict[str, None] = {}
        for module in list(sys.modules.values()):
            path = getattr(module, "__dict__", {}).get("__file__")
            if not isinstance(path, str) or path.startswith(self._environment):
                continue
            path = _absolute(path)
            if not path.startswith(self._environment) and "/<" not in path:
                found[path] = None
        return list(found)


def _absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))


def _is_there(path: str) -> bool:
    try:
        return stat.S_IFMT(os.stat(path).st_mode) != 0
    except OSError:
        return False


def _environment() -> tuple[str, ...]:
    """What the paths of the system, of the interpreter and of installed packages begin with."""
    folders = [os.path.dirname(os.__file__), os.path.dirname(__file__), borrowed.overlay]
    folders += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    folders += [os.path.join(sys.base_prefix, each) for each in ("bin", "lib", "share", "etc")]
    if sys.prefix != sys.base_prefix:
        folders.append(sys.prefix)
    folders += [os.path.join(os.path.expanduser("~"), name) for name in _AT_HOME]
    folders += [os.environ.get(name, "") for name in _CACHES]
    known = dict.fromkeys(each for folder in folders if folder for each in _both(folder))
    return (*_SYSTEM, *known)


def _both(folder: str) -> tuple[str, str]:
    return f"{os.path.abspath(folder)}/", f"{os.path.realpath(folder)}/"


def _machinery() -> tuple[str, ...]:
    """The files of what imports modules, and looks for installed packages."""
    library = os.path.dirname(os.__file__)
    names = ("importlib/", "pkgutil.py", "linecache.py")
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return (
        "<frozen ",
        *(os.path.join(library, name) for name in names),
        *(
            os.path.join(path, name)
            for path in packages
            for name in ("pkg_resources/", "importlib_metadata/")
        ),
    )
