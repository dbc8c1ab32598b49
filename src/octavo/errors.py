"""Every error a user can meet.

    OctavoError
    ├── UsageError                exit 2: the call was wrong; nothing has changed
    │   ├── NotebookError         the document cannot be read as a notebook
    │   ├── ParameterError        a value does not fit what the notebook declares
    │   └── ConflictError         two sides changed the same thing, or the target is in the way
    ├── InfrastructureError       exit 3: something outside the notebook is missing or broken
    │   ├── EnvironmentFailure    an interpreter or its packages
    │   ├── KernelFailure         a kernel process
    │   └── StorageError          a disk or a record
    └── NotebookFailed            exit 1: raised only by `raise_for_status()`

An error has a kind (closed set, `KINDS`), a message, the place it is about, and a hint that
says what to do next. Surfaces print these four; no traceback of ours reaches a user.
"""

from __future__ import annotations

KINDS: dict[str, str] = {
    "wrong-argument": "an argument or option does not make sense",
    "notebook-not-found": "there is no file at that path",
    "notebook-unreadable": "the path is a folder, or may not be read",
    "download": "a notebook cannot be fetched from its address",
    "notebook-empty": "the file has no content",
    "notebook-encoding": "the file is not UTF-8 text",
    "notebook-invalid": "the file is not a notebook in the format that its name says",
    "notebook-version": "the notebook format version is not known",
    "notebook-syntax": "a cell does not parse",
    "format-unknown": "no reader or writer for that file name",
    "parameters-ambiguous": "more than one cell is tagged `parameters`",
    "parameter-unknown": "the notebook declares no parameter of that name",
    "parameter-type": "a value does not fit the declared type",
    "parameter-missing": "a parameter without a default was given no value",
    "parameter-file": "a parameter file is missing or not a mapping",
    "conflict": "both sides changed the same cell",
    "out-of-step": "a `.py` and its `.ipynb` differ",
    "output-exists": "the output path is taken",
    "output-unwritable": "the output path cannot be written",
    "environment-block": "the script block in the notebook does not parse",
    "check-report": "the report of a check cannot be read",
    "check-block": "the check block in a notebook does not parse",
    "reference": "the expected outputs of a notebook cannot be understood, or do not fit together",
    "environment-unresolved": "the declared packages cannot be resolved",
    "environment-offline": "the environment is not built yet and there is no network",
    "environment-broken": "the chosen environment cannot run notebooks",
    "interpreter-missing": "the chosen interpreter is gone or does not start",
    "extra-missing": "an optional part is not installed",
    "coverage": "the coverage of the project's code cannot be measured",
    "platform": "this system cannot do what was asked for",
    "kernel-start": "the kernel process did not start",
    "kernel-unknown": "no kernel of that name is installed",
    "kernel-missing": "no kernel is installed for that language",
    "kernel-broken": "what Jupyter knows of a kernel cannot be used",
    "kernel-nonsense": "a kernel answers in a way that the protocol does not know",
    "jupyter-server": "a Jupyter server cannot be reached, or does not do what was asked",
    "jupyter-token": "a Jupyter server does not accept the token",
    "jupyter-kernel": "a Jupyter server runs no such kernel",
    "disk-full": "there is no space left to write a record, an output or a notebook",
    "storage": "a record or another file of ours cannot be read or written",
    "plugin": "a part that another package brings cannot be used",
    "configuration": "a configuration file has a mistake",
    "run-not-found": "no run matches",
    "job-not-found": "there is no job of that id",
    "job-lost": "what did a job ended before it was done",
    "too-many": "a client has as many sessions or jobs as it may have",
    "scrap-not-found": "the run handed out no value of that name",
    "scrap-unreadable": "a scrap cannot be decoded",
    "scraps-declaration": "the declaration of what a notebook hands out does not parse",
    "nothing-matches": "a pattern matches no file",
    "language": "a notebook's language has no way to be given parameters",
    "cell-not-found": "the notebook has no such cell",
    "cell-ambiguous": "more than one cell of the notebook is meant",
    "record-invalid": "a record cannot be read",
    "notebook-failed": "the run of a notebook ended in an error",
    "not-a-repository": "there is no git repository around that path",
    "git": "the git program is missing, or failed",
    "git-identity": "git does not know who commits",
    "git-history": "the repository has no commit yet, or two branches have none in common",
    "revision-unknown": "git knows no such revision",
    "dirty": "files have changes that are not committed",
    "detached-head": "no branch is checked out",
    "shallow": "history was cut off by a shallow clone",
    "no-remote": "the repository has no such remote",
    "branch-exists": "a branch of that name has other work on it",
    "branch-moved": "somebody else changed a branch meanwhile",
    "push-rejected": "the remote refuses the push",
    "merge-conflict": "a branch does not merge with its base, or a file holds an unfinished merge",
    "forge-unknown": "nothing tells which forge a remote is on",
    "forge-down": "the forge cannot be reached, or is busy",
    "forge-answer": "the forge answers with something that its API does not say",
    "forge-refused": "the forge does not allow it",
    "token-missing": "no token for the forge is known",
    "token-refused": "the forge does not accept the token",
    "token-scope": "the token lacks a permission",
    "proposal-not-found": "the forge has no such proposal",
    "proposal-not-mergeable": "an approval or a status is missing, or the proposal is not open",
    "nothing-to-propose": "the files are as they are on the base branch",
    "archive": "the archive cannot be read or changed as asked",
    "artifact": "what was too large for git is missing from the artifact store, or damaged",
    "stale": "the content is not what the caller expected",
    "template-not-found": "there is no template of that name",
    "setup": "the set-up of a repository cannot be changed as asked",
    "session-not-found": "there is no session of that id or name",
    "session-dead": "the process of a session is gone",
    "session-lost": "the process of a session ended while it was asked",
    "variable-not-found": "the kernel has no such variable, or nothing at that path",
    "variable-unreadable": "a variable cannot be looked at",
    "session-busy": "a session is at work, so that what was asked must wait",
    "kernel-died": "the kernel of a session is gone, and its state with it",
    "not-proven": "a fresh run does not give what a session gave",
    "outside-project": "a path of a client leads out of its project, or into a closed folder",
    "token-file": "the tokens of a server are missing, too short, or for everybody to read",
    "listen": "a server cannot listen at that address",
    "internal": "a mistake in Octavo itself",
}


class OctavoError(Exception):
    """An error with a kind, a place and a hint."""

    exit_code = 3
    retryable = False

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        hint: str = "",
        place: str = "",
        details: dict[str, object] | None = None,
    ) -> None:
        assert kind in KINDS, kind
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.place = place
        self.details = details or {}

    def to_json(self) -> dict[str, object]:
        """The error as `--json` and agents see it."""
        return {
            "kind": self.kind,
            "message": self.message,
            "place": self.place or None,
            "hint": self.hint or None,
            "retryable": self.retryable,
            **({"details": self.details} if self.details else {}),
        }


class UsageError(OctavoError):
    """The call was wrong; nothing has changed."""

    exit_code = 2


class NotebookError(UsageError):
    """A document that cannot be read as a notebook."""


class ParameterError(UsageError):
    """A value that does not fit what the notebook declares."""


class ConflictError(UsageError):
    """Two sides changed the same thing, or the target is in the way."""


class InfrastructureError(OctavoError):
    """Something outside the notebook is missing or broken."""


class EnvironmentFailure(InfrastructureError):
    """An interpreter or its packages."""


class KernelFailure(InfrastructureError):
    """A kernel process."""

    retryable = True


class StorageError(InfrastructureError):
    """A disk or a record."""


class NotebookFailed(OctavoError):
    """Raised by `raise_for_status()` when the run of a notebook ended in an error."""

    exit_code = 1
