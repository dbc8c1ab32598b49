"""The concrete parts, put together once for a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo import config
from octavo.errors import InfrastructureError
from octavo.kernels.choice import FORK, JUPYTER
from octavo.kernels.port import Engine
from octavo.records.recovery import Recovered
from octavo.records.store import Store
from octavo.runs.context import Said
from octavo.runs.stopping import Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.forges.port import Forge
    from octavo.git.credentials import Token
    from octavo.git.remotes import Remote
    from octavo.git.repository import Repository
    from octavo.kernels.jupyter.specs import Found
    from octavo.records.result import RunResult
    from octavo.records.run_dir import RunDir
    from octavo.runs.looking.listing import RunRow


def _ignore(event: Any) -> None:
    pass


class Context:
    """What operations are given. `started` is a zygote that was spawned before all this."""

    def __init__(
        self,
        *,
        cwd: str,
        environ: Mapping[str, str],
        emit: Callable[[Any], None] = _ignore,
        started: Any = None,
    ) -> None:
        self.cwd = cwd
        self.environ = environ
        self.emit = emit
        #: Asks a person a question; None where nobody is there to answer.
        self.ask: Callable[[str], bool] | None = None
        #: Told of what code in a session does, as it does it; None where nobody looks.
        self.heard: Callable[[dict[str, Any]], None] | None = None
        self.python = sys.executable
        self.cache = config.cache_folder(environ)
        self.runtime = config.runtime_folder(environ)
        self.sleep_after = config.sleep_after(environ)
        self.stop = Stop()
        self._started = started
        self._expected = 0
        self._engines: dict[str, Engine] = {}
        self._stores: dict[str, Store] = {}
        self._settings: config.Settings | None = None

    @property
    def project(self) -> Path:
        """The root of the project around the current folder."""
        return Path(config.project_root(self.cwd) or self.cwd)

    @property
    def settings(self) -> config.Settings:
        if self._settings is None:
            self._settings = config.settings(config.project_root(self.cwd))
        return self._settings

    def settings_at(self, folder: str) -> config.Settings:
        """The settings of the project that has its root there."""
        return config.settings(folder)

    def store(self, near: str) -> Store:
        """The store of the project around a path; runs whose runner died are mended first."""
        root = config.project_root(near) or self.cwd
        if root not in self._stores:
            self._stores[root] = store = Store(Path(root), config.owner(self.environ))
            for mended in store.recover():
                self.emit(Said(_about(mended)))
        return self._stores[root]

    @property
    def jupyter_server(self) -> tuple[str, str]:
        """The address of a Jupyter server and the token for it, as far as they are known."""
        return config.jupyter_server(self.environ)

    @property
    def forks(self) -> bool:
        """Whether kernels can be forked on this system."""
        from octavo.kernels.fork.zygote import supported

        return supported()

    @property
    def environment_root(self) -> str | None:
        """The folder of the environment that a notebook in the current folder would have."""
        from octavo.environments.choose import choose
        from octavo.environments.request import Request
        from octavo.errors import OctavoError

        notebook = os.path.join(self.cwd, "notebook.py")
        try:
            return choose(
                Request(notebook, "", self.cwd, self.python, self.cache, self.environ)
            ).environment.root
        except OctavoError:
            return None

    def kernelspecs(self, root: str | None) -> Found:
        """Jupyter's kernels, those in the environment at `root` first."""
        from octavo.kernels.jupyter.specs import kernelspecs

        return kernelspecs(self.environ, [root] if root else [])

    def forge(
        self, repository: Repository, remote: Remote | None, name: str
    ) -> tuple[Forge, Token | None]:
        """The forge of a repository, and the token for it."""
        from octavo.app.forges import choose

        return choose(repository, remote, self.settings, name)

    def finished(self, results: Sequence[RunResult]) -> None:
        """Told of runs that have ended; they are archived where the project wants that."""
        if self.settings.archive_after_run:
            from octavo.archive.automatic import after_run

            after_run(results, self)

    def archived_rows(self, ref: str) -> Iterator[RunRow]:
        """The runs in the archive at a revision (empty: the usual one), the newest first."""
        from octavo.archive.looking import archived_rows

        return archived_rows(self, ref)

    def archived_run(self, name: str) -> RunDir | None:
        """The archived run that a part of an id means, brought here; None where there is none."""
        from octavo.archive.looking import archived_run

        return archived_run(self, name)

    def engine(self, name: str) -> Engine:
        if name not in self._engines:
            self._engines[name] = self._make_engine(name)
        return self._engines[name]

    def _make_engine(self, name: str) -> Engine:
        if name == FORK:
            return self._fork_engine()
        if name == JUPYTER:
            from octavo.kernels.jupyter.engine import JupyterEngine

            return JupyterEngine()
        from octavo.plugins import engine

        return engine(name)

    def _fork_engine(self) -> Engine:
        if not self.forks:
            raise InfrastructureError(
                "platform",
                f"the fork engine needs Linux, this is {sys.platform}",
                hint="leave --engine out: the jupyter engine runs notebooks here",
            )
        from octavo.kernels.fork.engine import ForkEngine

        started, self._started = self._started, None
        return ForkEngine(started=started, resident_folder=self.runtime)

    def expect(self, kernels: int) -> None:
        """How many kernels the operation is going to start."""
        self._expected = kernels

    def kernel_ended(self) -> None:
        """With the last of them, engines may let go of what waits for more."""
        self._expected -= 1
        if self._expected == 0:
            for engine in self._engines.values():
                engine.release()

    async def close(self) -> None:
        for engine in self._engines.values():
            await engine.close()
        if self._started is not None:
            self._started.end()


def _about(mended: Recovered) -> str:
    """A line about a run whose runner had been killed."""
    name = mended.run.run_id[-8:]
    if mended.error is not None:
        return f"the record of {name} cannot be written whole yet: {mended.error.message}"
    if mended.record is not None and mended.record.reason != "runner-died":
        return f"completed the record of {name}"
    return f"mended the record of {name}, whose runner was killed"


def current(emit: Callable[[Any], None] = _ignore, started: Any = None) -> Context:
    """A context for this process, as it stands."""
    return Context(cwd=os.getcwd(), environ=dict(os.environ), emit=emit, started=started)
