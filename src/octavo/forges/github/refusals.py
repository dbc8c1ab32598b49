"""What GitHub means when it refuses a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.forges.http import Refused
from octavo.forges.port import Mergeable

_NO_PERMISSION = (
    "resource not accessible by",
    "must have admin rights",
    "must have push access",
    "write access to repository not granted",
    "required scopes",
)


def meaning(error: Refused) -> OctavoError:
    """A refusal that means the same wherever it comes from; else the refusal itself."""
    if error.status == 403:
        if "x-github-sso" in error.answer.headers or "saml" in error.said.lower():
            return _no_sso(error)
        if any(sign in error.said.lower() for sign in _NO_PERMISSION) or _lacks_scope(error):
            return no_permission(error)
    if error.status == 404 and _lacks_scope(error):
        return no_permission(error)
    return error


def no_permission(error: Refused) -> UsageError:
    """The token may not do it; named is what GitHub says it needs."""
    needed, has = _permissions(error.answer.headers)
    wanted = f"; it needs {needed}" if needed else ""
    holds = f", and has {has}" if has else ""
    return UsageError(
        "token-scope",
        f"the token may not do this on GitHub{wanted}{holds}: {error.said or 'refused'}",
        place=error.place,
        hint="give the token the permissions contents, pull requests and commit statuses"
        " (read and write), or the scope repo",
        details={"status": error.status, "needs": needed, "has": has},
    )


def _permissions(headers: Mapping[str, str]) -> tuple[str, str]:
    fine = headers.get("x-accepted-github-permissions", "")
    return fine or headers.get("x-accepted-oauth-scopes", ""), headers.get("x-oauth-scopes", "")


def _lacks_scope(error: Refused) -> bool:
    """Whether it is a classic token that has none of the scopes that were asked for."""
    headers = error.answer.headers
    if "x-oauth-scopes" not in headers or not headers.get("x-accepted-oauth-scopes"):
        return False
    return not (_words(headers["x-oauth-scopes"]) & _words(headers["x-accepted-oauth-scopes"]))


def _words(scopes: str) -> set[str]:
    return {word.strip() for word in scopes.split(",") if word.strip()}


def _no_sso(error: Refused) -> UsageError:
    address = error.answer.headers.get("x-github-sso", "").partition("url=")[2]
    return UsageError(
        "token-scope",
        f"the organization wants the token to be authorized for its single sign-on: {error.said}",
        place=error.place,
        hint=f"authorize the token at {address}" if address else "authorize it where it was made",
        details={"status": error.status},
    )


def no_repository(owner: str, repository: str, place: str, token: bool) -> UsageError:
    """GitHub does not tell a repository that is not there from one that may not be seen."""
    seen = "the token may not see it" if token else "it is private and no token is set"
    return UsageError(
        "forge-refused",
        f"there is no repository {owner}/{repository} on GitHub, or {seen}",
        place=place,
        hint="check the address of the remote, and that the token may read this repository",
        details={"status": 404},
    )


def no_token(place: str) -> UsageError:
    """A call that GitHub answers only to somebody it knows."""
    return UsageError(
        "token-missing",
        "GitHub does this only for somebody it knows, and no token is set",
        place=place,
        hint="set OCTAVO_FORGE_TOKEN or GH_TOKEN, or store one with `git credential approve`",
    )


def no_proposal(number: int, place: str) -> UsageError:
    return UsageError(
        "proposal-not-found",
        f"there is no proposal {number}",
        place=place,
        hint="octavo proposals lists them",
    )


def reasons(error: Refused) -> str:
    """Why a call was not valid, in words: the fields that are wrong where no message says it."""
    body = error.answer.body
    listed = body.get("errors") if isinstance(body, Mapping) else None
    if not isinstance(listed, list) or not listed:
        return error.said or "no reason was given"
    return ", ".join(dict.fromkeys(map(_reason, listed)))


def _reason(each: Any) -> str:
    if not isinstance(each, Mapping):
        return str(each)
    if each.get("message"):
        return str(each["message"])
    return " ".join(str(each[part]) for part in ("field", "code") if each.get(part)) or "invalid"


def not_opened(error: Refused, branch: str, base: str) -> UsageError:
    """Why a proposal was not opened."""
    why = reasons(error)
    if "draft pull requests are not supported" in why.lower():
        told = "drafts are not part of the plan that this repository is on"
        hint = "propose it without --draft"
    elif "head invalid" in why:
        told = f"the branch {branch} is not on GitHub"
        hint = f"push it first: git push origin {branch}"
    elif "base invalid" in why:
        told, hint = f"the branch {base} is not on GitHub", "name a branch that is there"
    elif "no commits between" in why.lower():
        told = f"the branch {branch} has nothing that {base} does not have"
        hint = "commit a change first"
    else:
        told, hint = f"GitHub does not open it: {why}", "change what GitHub names, and try again"
    return refused(told, branch, hint, error)


def refused(told: str, place: str, hint: str, error: Refused) -> UsageError:
    """GitHub does not allow it, in plain words."""
    return UsageError(
        "forge-refused",
        told,
        place=place,
        hint=hint,
        details={"status": error.status, "said": error.said},
    )


def not_reviewed(error: Refused, number: int) -> UsageError:
    """Why a verdict was not taken."""
    why = reasons(error)
    if "your own pull request" in why.lower():
        told = "GitHub lets nobody approve, or ask for changes of, a proposal of their own"
        hint = "ask somebody else, or use a token of another user"
    else:
        told, hint = f"GitHub does not take the verdict: {why}", "say in the body what you mean"
    return refused(told, f"#{number}", hint, error)


def not_commented(error: Refused, path: str | None, line: int | None) -> UsageError:
    """Why a comment was not taken."""
    why = reasons(error)
    if path is not None and ("diff" in why or "path" in why or "could not be resolved" in why):
        told = f"GitHub takes comments only on lines that the proposal shows: {why}"
        hint = "name a line that was changed, or comment without a line"
    else:
        told, hint = f"GitHub does not take the comment: {why}", "say something else"
    place = f"{path}:{line}" if line else path or ""
    return refused(told, place, hint, error)


def not_deleted(error: Refused, branch: str) -> UsageError:
    """Why a branch was not deleted."""
    told = f"GitHub does not delete the branch {branch}: {reasons(error)}"
    return refused(told, branch, "delete another branch, or lift its protection first", error)


def merged_already(number: int) -> UsageError:
    return UsageError(
        "forge-refused",
        f"proposal {number} is merged already",
        place=f"#{number}",
        hint="to take it back, propose a change that reverts it",
    )


def moved(branch: str, expected: str, found: str) -> ConflictError:
    """The head of a proposal is another one than was reviewed."""
    return ConflictError(
        "branch-moved",
        f"{branch} is at {found[:10] or 'another commit'} and not at {expected[:10]} any more",
        place=branch,
        hint="look at the new commits, and try again",
        details={"expected": expected, "found": found},
    )


def not_mergeable(number: int, found: Mergeable) -> ConflictError:
    """What keeps a proposal from being merged."""
    state = [each for each in found.missing if each.startswith(("it ", "GitHub "))]
    lacks = [each for each in found.missing if each not in state]
    words = "; ".join((*state, *((f"it lacks {', '.join(lacks)}",) if lacks else ())))
    hint = "get what is missing, and merge again"
    if found.conflict:
        hint = "merge its base into the branch, solve the conflict there, and push"
    return ConflictError(
        "proposal-not-mergeable",
        f"proposal {number} cannot be merged: {words}",
        place=f"#{number}",
        hint=hint,
        details={"missing": list(found.missing), "conflict": found.conflict},
    )


def line_without_file(line: int) -> UsageError:
    """A line, but no file."""
    return UsageError(
        "wrong-argument",
        "a line needs the file that it is in",
        place=f"line {line}",
        hint="name the file as well",
    )
