"""Noting which files the code of a notebook uses, so that others know what its results rest on.

Python tells an audit hook before it opens a file, lists a folder or starts a program. What the
interpreter and installed packages read of their own is left out: the environment is known by its
lock. What native libraries open by themselves is not seen.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.util import source_from_cache
from typing import Any

from octavo_runtime import borrowed
from octavo_runtime.emitter import Emitter

#: More paths than this are not kept count of; a forked process has to send each by itself.
MOST, MOST_IN_FORK = 10_000, 1_000

_SYSTEM = (
    *("/proc/", "/sys/", "/dev/", "/etc/", "/run/", "/lib/", "/lib64/", "/var/cache/", "/var/lib/"),
    *(
        "/usr/lib",
        "/usr/share/",
        "/usr/include/",
        "/usr/X11",
        "/usr/local/lib/",
        "/usr/local/share/",
    ),
)
_AT_HOME = (".cache", ".config", ".local", ".ipython", ".jupyter", ".matplotlib", ".fonts")
_CACHES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "MPLCONFIGDIR")
_NETWORK = ("socket.connect", "socket.sendto", "socket.sendmsg")
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")
#: Libraries that open files without telling Python.
_NATIVE = (
    *("polars", "duckdb", "h5py", "tables", "netCDF4", "rasterio", "fiona", "pyogrio", "osgeo"),
    *("pyarrow.parquet", "pyarrow.dataset", "pyarrow.feather", "pyarrow.csv", "pyarrow.json"),
    *("pyarrow.orc", "pyarrow.fs", "deltalake", "lxml.etree", "cv2", "soundfile", "pyreadstat"),
    *("python_calamine", "safetensors", "xgboost", "lightgbm", "catboost", "_gdbm", "_dbm"),
)

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


def adopt(pid: int) -> None:
    """Another process is the kernel now: it went on from a copy."""
    if _current is not None:
        _current.adopt(pid)


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
        self._begun = time.time()
        #: Folders that the notebook made: what lies in them is its own.
        self._made: tuple[str, ...] = ()
        #: Files that it only added to: what they held before is not its own.
        self._grown: set[str] = set()
        self._removed: dict[str, None] = {}
        self._loaded: dict[str, None] = {}

    def adopt(self, pid: int) -> None:
        self._owner = pid

    def handlers(self) -> dict[str, Any]:
        """What is listened to."""
        return {
            "open": self._open,
            "os.listdir": self._list,
            "os.scandir": self._list,
            "os.mkdir": self._mkdir,
            "os.rename": self._rename,
            "os.remove": self._remove,
            "shutil.rmtree": self._remove,
            "os.link": self._link,
            "os.symlink": self._symlink,
            "sqlite3.connect": self._sqlite,
            "socket.getaddrinfo": lambda args: self._fact("network"),
            **dict.fromkeys(_NETWORK, self._connect),
            **dict.fromkeys(_PROGRAMS, lambda args: self._fact("subprocess")),
        }

    def report(self) -> None:
        for name in _NATIVE:
            if name in sys.modules:
                self.facts[f"native:{name.partition('.')[0]}"] = None
        gone = [path for path in self._removed if not os.path.lexists(path)]
        self._emitter.report(
            {
                "type": "files-seen",
                "read": list(dict.fromkeys((*self.read, *gone))),
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
        if not flags & os.O_ACCMODE and path in self.read:
            return
        if isinstance(path, int):
            return
        if self._by_machinery(mode is None):
            self._load(_absolute(path))
            return
        relative, path = not os.path.isabs(path), _absolute(path)
        if not self._is_of_interest(path):
            return
        there = os.path.exists(path)
        if flags & os.O_ACCMODE == os.O_RDONLY:
            self._note_read(path)
            if relative and mode is None and not there:
                self.complete = False  # it may lie in a folder that only a descriptor tells
        else:
            self._note_written(path, flags, there)

    def _note_written(self, path: str, flags: int, there: bool) -> None:
        if there and flags & os.O_EXCL:
            self._note_read(path)  # this fails, and writes nothing
            return
        if there and not flags & os.O_TRUNC and path not in self.written:
            if flags & os.O_ACCMODE == os.O_RDWR:
                self._note_read(path)
            else:
                self._grown.add(path)
        self._note(self.written, "written", path)

    def _load(self, path: str) -> None:
        """Code that is imported, and what a package gets by way of its loader."""
        if path.endswith(".pyc"):
            try:
                path = source_from_cache(path)
            except ValueError:  # it has no source
                pass
        if path.startswith(self._environment) or path in self.written or "/<" in path:
            return
        if os.path.isfile(path):
            code = path.endswith((".py", ".pyc", ".so"))
            self._note(*((self._loaded, "modules") if code else (self.read, "read")), path)

    def _list(self, args: tuple[Any, ...]) -> None:
        path = args[0]
        if isinstance(path, int) or self._by_machinery():
            return
        path = _absolute("." if path is None else path)
        if self._is_of_interest(f"{path}/"):
            self._note(self.listed, "listed", path)

    def _mkdir(self, args: tuple[Any, ...]) -> None:
        path = _absolute(args[0])
        if path.endswith("/__pycache__"):
            return
        if not os.path.exists(path) and self._is_of_interest(path):
            self._made = (*self._made, f"{path}/")
            self._note(self.written, "written", path)

    def _rename(self, args: tuple[Any, ...]) -> None:
        path = _absolute(args[0])
        if self._is_not_own(path):
            self._note_read(path)
        self._put(args[1])

    def _remove(self, args: tuple[Any, ...]) -> None:
        """What is taken away was an input, unless it was made by the notebook."""
        path = _absolute(args[0])
        if not self._is_not_own(path):
            return
        if os.getpid() == self._owner:
            self._removed[path] = None
        else:
            self._note_read(path)

    def _link(self, args: tuple[Any, ...]) -> None:
        source = _absolute(args[0])
        if self._is_of_interest(source):
            self._note_read(source)
        self._put(args[1])

    def _symlink(self, args: tuple[Any, ...]) -> None:
        place = os.path.dirname(_absolute(args[1]))
        self._link((os.path.join(place, os.fsdecode(args[0])), args[1]))

    def _put(self, path: Any) -> None:
        path = _absolute(path)
        if self._is_of_interest(path):
            self._note(self.written, "written", path)

    def _is_not_own(self, path: str) -> bool:
        if path in self.written or not self._is_of_interest(path):
            return False
        try:
            return os.lstat(path).st_ctime < self._begun
        except OSError:
            return False

    def _sqlite(self, args: tuple[Any, ...]) -> None:
        path = os.fsdecode(args[0])
        if path.startswith("file:"):
            from urllib.parse import unquote

            path = unquote(path[5:].partition("?")[0])
            path = f"/{path.lstrip('/')}" if path.startswith("//") else path
        in_memory = path in ("", ":memory:")
        if not in_memory and not self._is_of_interest(path := _absolute(path)):
            return
        self._fact("native:sqlite3")  # it opens what a statement attaches by itself
        if in_memory:
            return
        if os.path.exists(path):
            self._note_read(path)
            self._note_read(f"{path}-wal")  # what was written to it last may lie there
        else:
            self._note(self.written, "written", path)

    def _connect(self, args: tuple[Any, ...]) -> None:
        if isinstance(args[1], tuple):  # everything else stays on this machine
            self._fact("network")

    # What is kept of it

    def _note_read(self, path: str) -> None:
        """What was written before is the notebook's own."""
        if path in self.written and path not in self._grown:
            return
        if os.path.exists(path):
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
        found = dict(self._loaded)
        for module in list(sys.modules.values()):
            path = getattr(module, "__dict__", {}).get("__file__")
            if not isinstance(path, str) or path.startswith(self._environment):
                continue
            path = _absolute(path)
            if not path.startswith(self._environment) and "/<" not in path:
                found[path] = None
        return list(found)


def _absolute(path: Any) -> str:
    name: str = os.fsdecode(path)
    absolute = os.path.abspath(name)
    if os.pardir in name.split(os.sep):
        # Upwards from where a link leads to is not upwards from the link.
        real = os.path.realpath(name)
        return absolute if real == os.path.realpath(absolute) else real
    return absolute


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
    # A notebook may lie in such a place itself: runners of CI work in ~/.cache and /var/lib.
    here = _both(os.getcwd())
    return tuple(each for each in (*_SYSTEM, *known) if not any(at.startswith(each) for at in here))


def _both(folder: str) -> tuple[str, str]:
    return f"{os.path.abspath(folder)}/", f"{os.path.realpath(folder)}/"


def _machinery() -> tuple[str, ...]:
    """The files of what imports modules, and looks for installed packages.

    Of what is frozen into the interpreter not `os` and `codecs`: notebooks walk and read by them.
    """
    library = os.path.dirname(os.__file__)
    names = ("importlib/", "pkgutil.py", "linecache.py")
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return (
        *(f"<frozen {name}" for name in ("importlib", "zipimport", "runpy", "site")),
        *(os.path.join(library, name) for name in names),
        *(
            os.path.join(path, name)
            for path in packages
            for name in ("pkg_resources/", "importlib_metadata/")
        ),
    )
