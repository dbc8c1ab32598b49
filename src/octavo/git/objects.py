"""Commits made of texts, without any index or checkout of a person being touched."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping

from octavo.errors import ConflictError, InfrastructureError, UsageError
from octavo.git.program import Git, GitFailed

#: What a ref has when it is not there, for `move_ref`.
ABSENT = "0" * 40
_FILE = "100644"
_IN_THE_WAY = re.compile(r"'(?P<other>refs/[^']+)' exists; cannot create '(?P<ref>refs/[^']+)'")


def write_blob(git: Git, content: bytes, name: str = "") -> str:
    """Store a content as it is, or as git's filters make it for a file of that name."""
    how = f"--path={name}" if name else "--no-filters"
    return git.text("hash-object", "-w", "--stdin", how, input=content)


def write_tree(
    git: Git, base: str | None, files: Mapping[str, bytes | None], *, filtered: bool = False
) -> str:
    """The tree of a commit with some files changed; None for one that is gone.

    A file that is there keeps its mode. Without a base the tree has only these files. With
    `filtered` contents are those of a checkout, which git's filters and line ends apply to.
    """
    with tempfile.TemporaryDirectory(prefix="octavo-index-") as folder:
        variables = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        git.run("read-tree", *([base] if base else ["--empty"]), variables=variables)
        entries = [_entry(git, base, name, content, filtered) for name, content in files.items()]
        listed = "".join(entries).encode("utf-8", "surrogateescape")
        git.run("update-index", "-z", "--index-info", input=listed, variables=variables)
        return git.run("write-tree", variables=variables).decode().strip()


def _entry(git: Git, base: str | None, name: str, content: bytes | None, filtered: bool) -> str:
    if content is None:
        return f"0 {ABSENT}\t{name}\0"
    blob = write_blob(git, content, name if filtered else "")
    return f"{_mode(git, base, name)} {blob}\t{name}\0"


def _mode(git: Git, base: str | None, name: str) -> str:
    if base is None:
        return _FILE
    found = git.text("ls-tree", "-z", base, "--", name)
    mode = found.split(" ", 1)[0]
    return mode if mode in ("100644", "100755") else _FILE


def write_commit(
    git: Git,
    tree: str,
    parents: tuple[str, ...],
    message: str,
    variables: Mapping[str, str] = {},
    *,
    signed: bool = False,
) -> str:
    """A commit of a tree. It is on no branch yet. Author and date are git's, or in `variables`."""
    options = [word for parent in parents for word in ("-p", parent)]
    options += ["-S"] if signed else []
    try:
        made = git.run(
            "commit-tree",
            tree,
            *options,
            input=message.encode("utf-8", "surrogateescape"),
            variables=variables,
        )
    except GitFailed as error:
        if signed and "failed to sign" in error.stderr:
            raise _unsigned(error) from error
        if "ident" in error.stderr or "tell me who you are" in error.stderr.lower():
            raise nobody() from error
        raise
    return made.decode().strip()


def nobody() -> UsageError:
    """The error where git has no name and address for a commit."""
    return UsageError(
        "git-identity",
        "git does not know who commits",
        hint="git config --global user.name NAME && git config --global user.email ADDRESS",
    )


def wants_signatures(git: Git) -> bool:
    """Whether who works here has git sign what is committed."""
    return git.maybe("config", "--type=bool", "commit.gpgsign") == "true"


def _unsigned(error: GitFailed) -> InfrastructureError:
    return InfrastructureError(
        "git",
        f"the commit cannot be signed: {error.stderr}",
        place="commit.gpgsign",
        hint="see that the key can be used without a question, or switch signing off here",
    )


def move_ref(git: Git, ref: str, new: str, old: str, why: str = "octavo") -> None:
    """Set a ref that is at `old` (`ABSENT`: not there); ConflictError when it is elsewhere."""
    code, _, said = git.call("update-ref", "-m", why, "--create-reflog", ref, new, old)
    if code != 0:
        raise taken_name(said) or ConflictError(
            "branch-moved",
            f"{ref} was changed by somebody else meanwhile",
            place=ref,
            hint="run the same command again",
            details={"git": said.strip()},
        )


def taken_name(said: str) -> ConflictError | None:
    """The error when git says that another ref is where a ref should be."""
    found = _IN_THE_WAY.search(said)
    return no_room(found["ref"], found["other"]) if found else None


def no_room(branch: str, other: str) -> ConflictError:
    """The error for a branch whose name is a folder of another one's, or the other way round."""
    branch, other = branch.removeprefix("refs/heads/"), other.removeprefix("refs/heads/")
    return ConflictError(
        "branch-exists",
        f"{branch} cannot be made beside {other}: one name is a folder of the other",
        place=other,
        hint="choose another --branch, or rename that one",
    )


def delete_ref(git: Git, ref: str, old: str) -> None:
    """Remove a ref that is at `old`; one that is gone already is as good."""
    git.call("update-ref", "-d", ref, old)
