"""Becoming a kernel: what one process takes on after the fork, and what it does at its end."""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time
from typing import Any

from octavo_runtime import borrowed, comms, early_exit, leaving, magics, process, streams, turns
from octavo_runtime.cells import KernelLoop
from octavo_runtime.emitter import Emitter
from octavo_runtime.prepared import Prepared

_IMPLEMENTATIONS = {"cpython": "CPython", "pypy": "PyPy"}
MATPLOTLIB_BACKEND = "module://matplotlib_inline.backend_inline"

_prepared: Prepared


def main(launch: dict[str, Any], descriptors: dict[str, int]) -> None:
    """Become the kernel that a launch describes; never returns."""
    status = 1
    try:
        kernel = begin(_prepared, launch, descriptors)
        kernel.serve()
        status = 0
        try:
            leaving.finish(kernel.shell)
        finally:
            tell_what_was_seen()
        kernel.emitter.flush()
    except SystemExit as request:
        status = request.code if isinstance(request.code, int) else 1
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(status)


def begin(prepared: Prepared, launch: dict[str, Any], descriptors: dict[str, int]) -> KernelLoop:
    """A kernel that can take its first cell, and has said so."""
    kernel = prepared.take(descriptors)
    streams.install(prepared.out, prepared.err)
    _settle(launch, kernel.emitter)
    kernel.emitter.say(kernel.greeting())
    return kernel


def prepare(shell: Any) -> None:
    """Before any kernel is forked: make what is alike in all of them."""
    global _prepared
    import faulthandler  # noqa: F401 (every kernel enables it)

    _prepared = Prepared(shell, facts())
    connect(shell, _prepared.emitter, _prepared.out, _prepared.err)
    prepare_shell(shell, _prepared.emitter)
    _place_folder_on_path()


def _settle(launch: dict[str, Any], emitter: Emitter) -> None:
    """Variables, folder, limits and random numbers of this one kernel."""
    process.set_handler(signal.SIGINT, signal.default_int_handler)
    show_crashes()
    os.environ.clear()
    os.environ.update(launch["variables"])
    os.environ.setdefault("MPLBACKEND", MATPLOTLIB_BACKEND)
    time.tzset()
    os.chdir(launch["cwd"])
    limit(launch.get("limits") or {})
    sys.argv = [""]
    _forget_the_zygote()
    heed(launch, emitter)
    gc.freeze()  # what is there now stays; to look at it would only write to its pages
    gc.enable()


def take_streams(shell: Any, descriptors: dict[str, int], emitter: Emitter) -> None:
    """Let a kernel that is not ours write into our pipes."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(descriptors[name], number)
        os.close(descriptors[name])
    out, err = streams.create(emitter, 1, 2)
    streams.install(out, err)
    connect(shell, emitter, out, err)
    show_crashes()


def connect(
    shell: Any, emitter: Emitter, out: streams.KernelStream, err: streams.KernelStream
) -> None:
    """Let events and text, from wherever it is written, come in order."""
    process.line_buffer_c_stdout()

    def flush() -> None:
        out.flush()
        err.flush()
        process.flush_c_stdout()

    emitter.flush = flush
    shell.kernel.emitter = emitter
    shell.kernel.pipes = (out.turn.own, err.turn.own)
    turns.install(out, err)


def show_crashes() -> None:
    """Where the code was that brings the process down."""
    import faulthandler

    faulthandler.enable(2)


def _place_folder_on_path() -> None:
    """The working folder comes after the standard library, as ipykernel has it."""
    folders = ("site-packages", "dist-packages")
    places = [at for at, path in enumerate(sys.path) if path.endswith(folders)]
    sys.path.insert(places[0] if places else 0, "")


def limit(limits: dict[str, Any]) -> None:
    """What the system itself can bound; memory and processes are watched by the keeper."""
    if limits.get("file_size") is None:
        return
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limits["file_size"]), hard))
    # Python ignores this signal; here it ends the kernel, and says where that happened.
    import faulthandler

    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    faulthandler.register(signal.SIGXFSZ, 2, chain=True)


def _forget_the_zygote() -> None:
    """What must differ between kernels of one zygote. `random` sees to itself."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    tempfile: Any = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None
    multiprocessing: Any = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None:
        multiprocessing.ORIGINAL_DIR = os.getcwd()
        multiprocessing.current_process().authkey = os.urandom(32)


def prepare_shell(shell: Any, emitter: Emitter) -> None:
    """What is the same for every launch."""
    import warnings

    # IPython's advice on how to leave, given after `sys.exit()`, which does leave here.
    warnings.filterwarnings("ignore", message="To exit: use 'exit', 'quit', or Ctrl-D.")
    comms.install(shell, emitter)


def heed(launch: dict[str, Any], emitter: Emitter) -> None:
    """What a launch says of how cells are run and watched."""
    magics.uv, magics.managed = launch.get("uv"), bool(launch.get("managed"))
    borrowed.install()
    early_exit.understood = True
    if launch.get("scrapbook_shim"):
        from octavo_runtime import scrapbook_shim

        scrapbook_shim.install()
    if launch.get("coverage"):
        from octavo_runtime import covering

        covering.start(launch["coverage"])
    if launch.get("observe"):
        from octavo_runtime import observe

        observe.install(emitter)


def tell_what_was_seen() -> None:
    """The last words of a kernel that was observed or measured."""
    observe: Any = sys.modules.get("octavo_runtime.observe")
    if observe is not None:
        observe.report()
    covering: Any = sys.modules.get("octavo_runtime.covering")
    if covering is not None:
        covering.finish()


def facts() -> dict[str, Any]:
    import IPython

    return {
        "python": sys.version.split()[0],
        "implementation": _IMPLEMENTATIONS.get(sys.implementation.name, sys.implementation.name),
        "ipython": IPython.__version__,
        "executable": sys.executable,
        "prefix": sys.prefix,
    }
