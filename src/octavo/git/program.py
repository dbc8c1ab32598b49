"""The git program: called without a terminal, in one language, and with its failures as errors."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping

from octavo.errors import InfrastructureError, UsageError

#: A hook has these set to its own repository; ours is named by a folder.
_INHERITED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
)
_OURS = {
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_EDITOR": "true",
    "GIT_MERGE_AUTOEDIT": "no",
}
_USERINFO = re.compile(r"(?<=://)[^/\s]+@")
_NO_REPOSITORY = ("not a git repository", "must be run in a work tree")


class GitFailed(InfrastructureError):
    """Git ended with an error. `stderr` is what it said, without what may be secret."""

    def __init__(self, arguments: tuple[str, ...], code: int, stderr: str, place: str = "") -> None:
        self.stderr = without_secrets(stderr).strip()
        said = self.stderr or f"it ended with {code}"
        super().__init__(
            "git",
            f"git {command_of(arguments)}: {said}",
            place=place,
            hint="run the same command by hand to see more",
            details={"command": ["git", *map(without_secrets, arguments)], "code": code},
        )
        self.code = code


def without_secrets(text: str) -> str:
    """A text of git without the user and password that addresses may hold."""
    return _USERINFO.sub("", text)


def command_of(arguments: tuple[str, ...]) -> str:
    """The subcommand in the arguments of git, which may begin with `-c name=value`."""
    words = iter(arguments)
    for word in words:
        if word == "-c":
            next(words, None)
        else:
            return word
    return ""


class Git:
    """Git in one folder. `environ` are the variables it is given, but for those that mislead it."""

    def __init__(self, folder: str | os.PathLike[str], environ: Mapping[str, str]) -> None:
        self.folder = os.fspath(folder)
        kept = {name: value for name, value in environ.items() if name not in _INHERITED}
        self.environ: dict[str, str] = {**kept, **_OURS}

    def run(
        self,
        *arguments: str,
        input: bytes | None = None,
        variables: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """What a command of git prints; GitFailed when it fails."""
        code, out, err = self.call(*arguments, input=input, variables=variables, timeout=timeout)
        if code != 0:
            raise self._failure(arguments, code, err)
        return out

    def text(self, *arguments: str, input: bytes | None = None) -> str:
        """What a command prints, as text without the line end behind it."""
        return self.run(*arguments, input=input).decode("utf-8", "surrogateescape").rstrip("\n")

    def lines(self, *arguments: str) -> list[str]:
        """The lines that a command prints; NUL ends them where it was asked for by `-z`."""
        printed = self.run(*arguments).decode("utf-8", "surrogateescape")
        end = "\0" if "-z" in arguments else "\n"
        return [line for line in printed.split(end) if line]

    def maybe(self, *arguments: str) -> str | None:
        """Like `text`, but None when the command fails."""
        code, out, _ = self.call(*arguments)
        return out.decode("utf-8", "surrogateescape").rstrip("\n") if code == 0 else None

    def succeeds(self, *arguments: str) -> bool:
        """Whether a command ends well."""
        return self.call(*arguments)[0] == 0

    def call(
        self,
        *arguments: str,
        input: bytes | None = None,
        variables: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> tuple[int, bytes, str]:
        """The exit code of a command, what it prints, and what it says."""
        try:
            done = subprocess.run(
                ["git", "-c", "core.quotepath=false", *arguments],
                cwd=self.folder,
                env={**self.environ, **(variables or {})},
                input=input,
                stdin=subprocess.DEVNULL if input is None else None,
                capture_output=True,
                check=False,
                timeout=timeout,
            )
        except FileNotFoundError as error:
            raise self._cannot_start(error) from error
        except subprocess.TimeoutExpired as error:
            raise InfrastructureError(
                "git",
                f"git {command_of(arguments)} did not end within {timeout:g} s",
                hint="check the connection to the remote, and try again",
            ) from error
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def _cannot_start(self, error: FileNotFoundError) -> InfrastructureError:
        if os.path.isdir(self.folder):
            hint = "install git, and see that it is on the PATH"
            return InfrastructureError("git", "the git program is not there", hint=hint)
        return InfrastructureError(
            "git", "the folder is gone", place=self.folder, hint="go to a folder that exists"
        )

    def _failure(
        self, arguments: tuple[str, ...], code: int, stderr: str
    ) -> UsageError | InfrastructureError:
        if any(sign in stderr for sign in _NO_REPOSITORY):
            return no_repository(self.folder)
        return GitFailed(arguments, code, stderr, self.folder)


def no_repository(folder: str) -> UsageError:
    """The error where git finds no repository with files around a folder."""
    return UsageError(
        "not-a-repository",
        "this is not inside a git repository",
        place=folder,
        hint="go into one, or make one with `git init`",
    )
