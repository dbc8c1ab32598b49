"""Building the environment that a script block declares."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable

from octavo.environments.choose import check_python
from octavo.environments.guard import guarded
from octavo.environments.layout import distributions, read_venv
from octavo.environments.request import OLDEST_PYTHON, Choice, Request
from octavo.environments.script import lock_path, lock_text, script_environment
from octavo.environments.scripttext import script_text
from octavo.environments.specifier import satisfies
from octavo.environments.uv import required_uv
from octavo.environments.uvcall import UvFailed, call_uv, failure
from octavo.errors import EnvironmentFailure, StorageError
from octavo.notebook.scriptblock import read_block

Say = Callable[[str], None]
SCRIPT = "octavo-script.py"
BUSY = "it builds the same environment"


def build(choice: Choice, request: Request, say: Say) -> None:
    """Make the environment of the choice's block ready, unless somebody else does it meanwhile."""
    builder = Builder(choice, request, say)
    place = builder.place
    try:
        with guarded(place.guard, lambda: say(f"waiting for another run: {BUSY}")) as guard:
            if not place.is_ready():
                builder.build(guard)
    except OSError as error:
        raise StorageError(
            "storage",
            f"the environment cannot be written: {error.strerror or error}",
            place=place.root,
            hint="check the space and the rights of the cache folder",
        ) from error


class Builder:
    """One build of the environment of a script block."""

    def __init__(self, choice: Choice, request: Request, say: Say) -> None:
        assert choice.block is not None
        self.block = choice.block
        self.asked_version = choice.version
        self.environment = choice.environment
        self.request = request
        self.say = say
        self.metadata = read_block(self.block)
        self.place = script_environment(self.block, request.cache, choice.version or None)
        self.uv = required_uv(request, "a notebook with a script block")
        self.notebook = os.path.basename(self.block.path)
        self.guard: int | None = None

    def build(self, guard: int) -> None:
        """Build from nothing: what a killed build has left is removed first."""
        self.guard = guard
        shutil.rmtree(self.place.root, ignore_errors=True)
        self.say(f"building the environment of {self.notebook}")
        self._check_lock()
        self._uv("venv", "--no-project", "--python", self._python(), self.place.root)
        version = self._check_version()
        self._sync(version)
        self._check_installed(version)
        self._mark_ready()

    def _python(self) -> str:
        """What `uv venv` is asked for: the current interpreter where it will do."""
        requires = self.metadata.requires_python or ""
        if self.asked_version:
            return self.asked_version
        if satisfies("{}.{}.{}".format(*sys.version_info), requires):
            return self.request.current
        return f">={'.'.join(map(str, OLDEST_PYTHON))},{requires}"

    def _check_lock(self) -> None:
        """Refuse a lock that is older than the block."""
        if self.block.cell is not None or lock_text(self.block.path) is None:
            return
        try:
            self._call("lock", "--check", "--script", self.block.path)
        except UvFailed as failed:
            if "needs to be updated" not in failed.said:
                raise failure(failed.said, self._subject(), self.block.place()) from None
            raise self._stale_lock("it does not fit the script block") from None

    def _check_version(self) -> str:
        venv = read_venv(self.place.root)
        check_python(venv.version, self.environment)
        requires = self.metadata.requires_python or ""
        if satisfies(venv.full_version, requires):
            return venv.version
        raise EnvironmentFailure(
            "environment-unresolved",
            f"Python {venv.full_version} was asked for, but {self.notebook} requires {requires}",
            place=self.block.place(),
            hint="leave --python out, or change requires-python",
        )

    def _sync(self, version: str) -> None:
        script = os.path.join(self.place.root, SCRIPT)
        folder = os.path.dirname(self.block.path)
        with open(script, "w", encoding="utf-8") as file:
            file.write(script_text(self.metadata, version, folder))
        lock = lock_text(self.block.path)
        if lock is not None:
            with open(lock_path(script), "w", encoding="utf-8") as file:
                file.write(lock)
        self._uv("sync", "--script", script, "--active", "--compile-bytecode")

    def _check_installed(self, version: str) -> None:
        """Refuse an environment that differs from the lock, as IPython may force it to."""
        text = lock_text(self.block.path)
        if text is None:
            return
        site = os.path.join(self.place.root, "lib", f"python{version}", "site-packages")
        locked = _locked_versions(text)
        for name, installed in distributions(site):
            if installed not in locked.get(name, {installed}):
                wanted = " or ".join(sorted(locked[name]))
                raise self._stale_lock(f"it has {name} {wanted}, the environment {installed}")

    def _mark_ready(self) -> None:
        facts = {"notebook": self.block.path, "requirements": self.metadata.dependencies}
        with open(self.place.marker, "w", encoding="utf-8") as file:
            json.dump(facts, file)

    def _uv(self, *arguments: str) -> None:
        try:
            self._call(*arguments)
        except UvFailed as failed:
            raise failure(failed.said, self._subject(), self.block.place()) from None

    def _call(self, *arguments: str) -> str:
        offline = ["--offline"] if self.request.offline else []
        return call_uv(
            [self.uv, *arguments, *offline],
            self.request.environ,
            cwd=os.path.dirname(self.place.root),
            target=self.place.root,
            keep=() if self.guard is None else (self.guard,),
            say=self.say,
        )

    def _subject(self) -> str:
        return f"the environment of {self.notebook}"

    def _stale_lock(self, reason: str) -> EnvironmentFailure:
        return EnvironmentFailure(
            "environment-unresolved",
            f"the lock of {self.notebook} cannot be kept: {reason}",
            place=lock_path(self.block.path),
            hint=f"bring it up to date with: uv lock --script {self.block.path}",
        )


def _locked_versions(text: str) -> dict[str, set[str]]:
    import tomllib

    versions: dict[str, set[str]] = {}
    try:
        packages = tomllib.loads(text).get("package", [])
    except tomllib.TOMLDecodeError:
        return versions
    for package in packages:
        if "version" in package:
            versions.setdefault(package["name"], set()).add(package["version"])
    return versions
