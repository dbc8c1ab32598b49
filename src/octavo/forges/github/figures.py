"""Figures for the text of a proposal: files on a side ref, as GitHub takes no attachments.

Every proposal has a ref of its own that no clone fetches unasked. A figure's path holds the hash
of its content, so it is added by one commit, and that commit is part of its address for good.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from urllib.parse import quote

from octavo.errors import ConflictError
from octavo.forges.github.api import GitHubApi
from octavo.forges.http import Refused

_ATTEMPTS = 5


def figures_ref(number: int) -> str:
    """The ref for the figures of a proposal."""
    return f"refs/octavo/figures/{number}"


def put_figure(api: GitHubApi, path: str, number: int, name: str, content: bytes) -> str:
    """Put a figure where it is not yet; the commit and the path within it, with a slash between.

    `path` is that of the repository in the API.
    """
    file = f"{_blob_id(content)[:12]}/{_file_name(name)}"
    blob = ""
    for attempt in range(1, _ATTEMPTS + 1):
        tip = _tip(api, path, number)
        there = _added_by(api, path, tip, file) if tip else None
        if there:
            return f"{there}/{quote(file)}"
        blob = blob or _write_blob(api, path, content)
        commit = _write_commit(api, path, tip, file, blob)
        if _move(api, path, number, tip, commit):
            return f"{commit}/{quote(file)}"
        api.pause(attempt)
    raise ConflictError(
        "branch-moved",
        f"{figures_ref(number)} is being changed by others all the time",
        place=figures_ref(number),
        hint="run the same command again",
    )


def _blob_id(content: bytes) -> str:
    """The id that git has for a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _file_name(name: str) -> str:
    """The last part of a name, without what git does not take in a path."""
    last = name.replace("\\", "/").rpartition("/")[2].replace("\0", "")
    return last if last not in ("", ".", "..", ".git") else "figure"


def _tip(api: GitHubApi, path: str, number: int) -> str | None:
    try:
        found = api.get(f"{path}/git/ref/{figures_ref(number).removeprefix('refs/')}")
    except Refused as error:
        if error.status == 404:
            return None
        raise
    return str(found["object"]["sha"])


def _added_by(api: GitHubApi, path: str, tip: str, file: str) -> str | None:
    """The commit that added a file, where one did."""
    commits = api.get(f"{path}/commits", sha=tip, path=file, per_page=1)
    return str(commits[0]["sha"]) if commits else None


def _write_blob(api: GitHubApi, path: str, content: bytes) -> str:
    body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
    return str(_made(api, f"{path}/git/blobs", body)["sha"])


def _write_commit(api: GitHubApi, path: str, tip: str | None, file: str, blob: str) -> str:
    entry = {"path": file, "mode": "100644", "type": "blob", "sha": blob}
    base = {"base_tree": api.get(f"{path}/git/commits/{tip}")["tree"]["sha"]} if tip else {}
    tree = _made(api, f"{path}/git/trees", {"tree": [entry], **base})["sha"]
    message = f"Figure {file.partition('/')[2]}"
    body = {"message": message, "tree": tree, "parents": [tip] if tip else []}
    return str(_made(api, f"{path}/git/commits", body)["sha"])


def _move(api: GitHubApi, path: str, number: int, tip: str | None, commit: str) -> bool:
    """Bring the ref from its tip to the next commit; False when somebody else was faster."""
    ref = figures_ref(number)
    try:
        if tip is None:
            _made(api, f"{path}/git/refs", {"ref": ref, "sha": commit})
        else:
            address = f"{path}/git/refs/{ref.removeprefix('refs/')}"
            api.call("PATCH", address, {"sha": commit, "force": False})
    except Refused as error:
        if error.status in (409, 422) and _is_race(error.said):
            return False
        raise
    return True


def _is_race(said: str) -> bool:
    return any(sign in said.lower() for sign in ("already exists", "fast forward", "fast-forward"))


def _made(api: GitHubApi, path: str, body: dict[str, Any]) -> Any:
    """Objects of git are named by their content: making one again makes no second one."""
    return api.call("POST", path, body, repeatable=True).body
