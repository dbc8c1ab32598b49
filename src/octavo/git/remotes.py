"""Remotes: what their addresses say, and how commits get there and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.git.objects import taken_name
from octavo.git.program import Git, GitFailed, without_secrets
from octavo.value import EMPTY, Value

#: A push or fetch that takes longer has lost its server.
SECONDS = 300.0
_SCP = re.compile(r"(?:[^@/]+@)?(?P<host>\[[^\]]+\]|[^:/]+):(?!//)(?P<path>.+)")


class LoginRefused(UsageError):
    """A remote does not accept who we say we are."""


class Remote(Value):
    """A remote and its address, without user and password.

    `scheme` is `http`, `https`, `ssh`, `git` or `file`; `host` has the port where there is one;
    `path` is that of the repository there, without `.git`.
    """

    name: str
    url: str
    scheme: str
    host: str
    path: str

    @property
    def owner(self) -> str:
        return self.path.rpartition("/")[0].strip("/")

    @property
    def repository(self) -> str:
        return self.path.rpartition("/")[2]


def parse_address(name: str, address: str) -> Remote:
    """What the address of a remote says."""
    shown = without_secrets(address)
    scp = None if "://" in address else _SCP.fullmatch(address)
    if scp and len(scp["host"]) > 1:
        return Remote(name, shown, "ssh", scp["host"], _path(scp["path"]))
    parts = urlsplit(address)
    if "://" not in address or parts.scheme == "file":
        return Remote(name, shown, "file", "", _path(parts.path))
    host = parts.netloc.rpartition("@")[2]
    return Remote(name, shown, parts.scheme, host, _path(unquote(parts.path)))


def _path(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").strip("/")


def remote_of(git: Git, name: str | None = None) -> Remote | None:
    """A remote by name; else that of the branch, else `origin`, else the only one, else None."""
    known = git.lines("remote")
    if name is not None:
        if name not in known:
            raise _unknown(name, known)
        chosen = name
    else:
        branch = git.maybe("symbolic-ref", "--quiet", "--short", "HEAD")
        own = git.maybe("config", f"branch.{branch}.remote") if branch else None
        choices = [each for each in (own, "origin", *known[:1]) if each in known]
        if not choices:
            return None
        chosen = str(choices[0])
    return parse_address(chosen, git.text("remote", "get-url", "--push", chosen))


def _unknown(name: str, known: list[str]) -> UsageError:
    hint = f"known are {', '.join(known)}" if known else "add one: git remote add origin ADDRESS"
    return UsageError("no-remote", f"there is no remote {name!r}", place=name, hint=hint)


def push(
    git: Git,
    remote: str,
    commit: str,
    ref: str,
    expected: str | None,
    variables: Mapping[str, str] = EMPTY,
    configuration: tuple[str, ...] = (),
) -> None:
    """Set a ref of a remote that is at `expected` (None: not there) to a commit.

    An empty commit deletes the ref. Pushing what is there already changes nothing.
    """
    options = [word for each in configuration for word in ("-c", each)]
    lease = f"--force-with-lease={ref}:{expected or ''}"
    command = ("push", "--porcelain", lease, remote, f"{commit}:{ref}")
    code, out, said = git.call(*options, *command, variables=variables, timeout=SECONDS)
    if code != 0:
        raise refusal(remote, ref, f"{said}\n{out.decode('utf-8', 'replace')}", code)


def fetch(
    git: Git,
    remote: str,
    *refspecs: str,
    variables: Mapping[str, str] = EMPTY,
    configuration: tuple[str, ...] = (),
    depth: int | None = None,
) -> None:
    """Bring refs of a remote here; with a depth, only so many commits of their history."""
    options = [word for each in configuration for word in ("-c", each)]
    quietly = ["--no-tags", "--quiet", "--no-write-fetch-head"]
    quietly += [f"--depth={depth}"] if depth else []
    command = ("fetch", *quietly, remote, *refspecs)
    code, _, said = git.call(*options, *command, variables=variables, timeout=SECONDS)
    if code != 0:
        raise refusal(remote, refspecs[0] if refspecs else "", said, code)


def ref_there(
    git: Git,
    remote: str,
    ref: str,
    variables: Mapping[str, str] = EMPTY,
    configuration: tuple[str, ...] = (),
) -> str | None:
    """The commit that a ref of a remote is at; None when it is not there."""
    options = [word for each in configuration for word in ("-c", each)]
    code, out, said = git.call(
        *options, "ls-remote", remote, ref, variables=variables, timeout=SECONDS
    )
    if code != 0:
        raise refusal(remote, ref, said, code)
    return next((line.split()[0] for line in out.decode().splitlines() if line), None)


def refs_there(
    git: Git,
    remote: str,
    *patterns: str,
    variables: Mapping[str, str] = EMPTY,
    configuration: tuple[str, ...] = (),
) -> dict[str, str]:
    """The refs of a remote that match, with the commits that they are at."""
    options = [word for each in configuration for word in ("-c", each)]
    code, out, said = git.call(
        *options, "ls-remote", "--quiet", remote, *patterns, variables=variables, timeout=SECONDS
    )
    if code != 0:
        raise refusal(remote, "", said, code)
    lines = out.decode("utf-8", "surrogateescape").splitlines()
    return {ref: commit for commit, _, ref in (line.partition("\t") for line in lines) if ref}


def push_each(
    git: Git,
    remote: str,
    moves: Mapping[str, tuple[str, str | None]],
    variables: Mapping[str, str] = EMPTY,
    configuration: tuple[str, ...] = (),
) -> dict[str, OctavoError]:
    """Set refs of a remote, each to a new commit from what it is expected at (None: not there).

    Each goes by itself; what comes back are those that were refused, and why.
    """
    options = [word for each in configuration for word in ("-c", each)]
    leases = [f"--force-with-lease={ref}:{old or ''}" for ref, (_, old) in moves.items()]
    specs = [f"{new}:{ref}" for ref, (new, _) in moves.items()]
    command = ("push", "--porcelain", *leases, remote, *specs)
    code, out, said = git.call(*options, *command, variables=variables, timeout=SECONDS)
    printed = out.decode("utf-8", "surrogateescape")
    refused = [line.split("\t") for line in printed.splitlines() if line.startswith("!\t")]
    if code != 0 and not refused:
        raise refusal(remote, ", ".join(moves), said, code)
    return {
        ref: refusal(remote, ref, f"! {reason}", code)
        for ref, reason in ((parts[1].partition(":")[2], parts[-1]) for parts in refused)
    }


#: Git says only this when a pre-push hook ends it, before anything is sent.
_UNSENT = re.compile(r"^error: failed to push some refs", re.MULTILINE)
_MOVED = ("stale info", "[rejected]", "non-fast-forward", "fetch first", "cannot lock ref")
_LOGIN = (
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Permission denied",
    "error: 401",
    "error: 403",
)


def refusal(remote: str, ref: str, said: str, code: int) -> OctavoError:
    """What a failed exchange with a remote means."""
    told = without_secrets(said).strip()
    taken = taken_name(told)
    if taken is not None:
        return taken
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    if any(sign in told for sign in _MOVED) and "[remote rejected]" not in told:
        return ConflictError(
            "push-rejected",
            f"{ref} has other commits on {remote} than were seen here",
            place=ref,
            hint=f"git fetch {remote}, look at what is new there, and try again",
            details={"git": lines},
        )
    if "remote rejected" in told or "protected branch" in told or "hook declined" in told:
        return ConflictError(
            "push-rejected",
            f"{remote} refuses the push: {_reason(lines)}",
            place=ref,
            hint="use another branch, or ask for the right to push to this one",
            details={"git": lines},
        )
    if any(sign in told for sign in _LOGIN):
        return LoginRefused(
            "token-refused",
            f"{remote} does not let us in: {_reason(lines)}",
            place=remote,
            hint="store a token with `git credential approve`, or set OCTAVO_FORGE_TOKEN",
            details={"git": lines},
        )
    if _UNSENT.search(told) and not any(line.startswith("!") for line in lines):
        words = [line for line in lines if not _UNSENT.search(line) and "\t" not in line]
        return ConflictError(
            "push-rejected",
            f"a hook of this repository stops the push: {' '.join(words)[:500] or 'no reason'}",
            place=ref,
            hint="do what it asks for, or look at it: .git/hooks/pre-push, or core.hooksPath",
            details={"git": lines},
        )
    return GitFailed(("push", remote, ref), code, told, remote)


def _reason(lines: list[str]) -> str:
    """What the server says, else what git says of it. Servers frame their words with empty ones."""
    said = [
        words
        for start in ("remote: error: ", "remote: ", "fatal: ")
        for line in lines
        if line.startswith(start)
        and (words := line.removeprefix(start).strip()) not in ("", "error:")
    ]
    marked = [line.expandtabs(1) for line in lines if line.startswith("!")]
    return next(iter([*said, *marked, *lines[-1:]]), "no reason was given")
