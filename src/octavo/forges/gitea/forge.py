"""Proposals as pull requests on Gitea."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Literal

from octavo.errors import UsageError
from octavo.forges.bounds import bounded, one_line
from octavo.forges.gitea import answers, figures, refusals
from octavo.forges.gitea.api import RepositoryApi, branch_path
from octavo.forges.gitea.merging import Merging
from octavo.forges.http import Api, Refused, segment, understood
from octavo.forges.own_comments import own_comment, with_words
from octavo.forges.port import (
    About,
    Comment,
    Mergeable,
    MergeMethod,
    Proposal,
    Review,
    Status,
    Verdict,
)
from octavo.git.credentials import Token

_EVENTS: dict[Verdict, str] = {
    "approved": "APPROVED",
    "changes": "REQUEST_CHANGES",
    "comment": "COMMENT",
}
#: In characters. Gitea keeps longer bodies, but nobody reads them and its pages stall.
_TITLE = 240
_BODY = 200_000
_DESCRIPTION = 255


class GiteaForge:
    """A repository on a Gitea. `address` is where its pages begin, without `/api`."""

    name = "gitea"

    def __init__(
        self,
        address: str,
        owner: str,
        repository: str,
        token: Token | None,
        *,
        api: Api | None = None,
    ) -> None:
        self._api = RepositoryApi(address, owner, repository, token, api)
        self._merging = Merging(self._api, self._pull, self.statuses)
        self._user: str | None = None
        self._seen: dict[tuple[int, int], list[Comment]] = {}

    def about(self) -> About:
        """Who we are there and what the default branch is."""
        self._api.needs_token()
        try:
            data = self._api.get()
        except Refused as error:
            raise self._api.not_here(error) from error
        with understood("repository"):
            return About(data["default_branch"], data["html_url"], self._me())

    def proposals(self, state: Literal["open", "closed", "all"] = "open") -> tuple[Proposal, ...]:
        """Proposals, the newest first; `closed` are merged ones too."""
        try:
            found = [answers.proposal(each) for each in self._api.pages("pulls", state=state)]
        except Refused as error:
            raise self._api.not_here(error) from error
        return tuple(sorted(found, key=lambda each: -each.number))

    def proposal(self, number: int) -> Proposal:
        """One proposal; `proposal-not-found` when there is none."""
        return answers.proposal(self._pull(number))

    def find(self, branch: str) -> Proposal | None:
        """The open proposal of a branch."""
        try:
            for each in self._api.pages("pulls", state="open", sort="recentupdate"):
                found = answers.proposal(each)
                if found.branch == branch and answers.is_from_here(each):
                    return found
        except Refused as error:
            raise self._api.not_here(error) from error
        return None

    def open(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> Proposal:
        """Open a proposal for a branch that is on the forge; the open one when there is one."""
        self._api.needs_token()
        asked = {
            "head": branch,
            "base": base,
            "title": _title(title, draft),
            "body": bounded(body, _BODY),
        }

        def post() -> Proposal:
            return answers.proposal(self._api.call("POST", "pulls", asked).body)

        found = self.find(branch)
        if found is not None:
            return found
        try:
            return self._api.http.once(post, lambda: self.find(branch))
        except Refused as error:
            found = self.find(branch) if error.status == 409 else None
            if found is not None:
                return found
            raise self._not_opened(branch, base, error) from error

    def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        draft: bool | None = None,
    ) -> Proposal:
        """Change what is given; what is as it should be is not written again."""
        now = self.proposal(number)
        shown = now.title if title is None else title
        wanted = _title(shown, now.draft if draft is None else draft)
        changes: dict[str, Any] = {}
        if (title is not None or draft is not None) and wanted != _title(now.title, now.draft):
            changes["title"] = wanted
        if body is not None and bounded(body, _BODY) != now.body:
            changes["body"] = bounded(body, _BODY)
        return self._patched(number, changes) if changes else now

    def close(self, number: int) -> Proposal:
        """Close a proposal without merging it; its branch stays."""
        now = self.proposal(number)
        if now.state == "merged":
            raise UsageError(
                "forge-refused",
                f"proposal {number} is merged: it cannot be closed",
                place=now.url,
                hint="revert what it brought with a proposal of its own",
            )
        return now if now.state == "closed" else self._patched(number, {"state": "closed"})

    def attach(self, number: int, name: str, content: bytes, media_type: str) -> str:
        """Put a figure where the body can show it, and give its address for Markdown."""
        self._pull(number)
        return figures.attach(self._api, number, name, content, media_type)

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments, those with a place and those without, the oldest first."""
        # Where there is no such proposal, Gitea answers this list with 404 and the other with 500.
        reviews = self._raw_reviews(number)
        found = [answers.remark(each) for each in self._api.all(f"issues/{number}/comments")]
        for review in reviews:
            found.extend(self._placed(number, review))
        return answers.in_order(found)

    def comment(
        self, number: int, body: str, *, path: str | None = None, line: int | None = None
    ) -> Comment:
        """Say something about a proposal, or about a line of its newest commit."""
        head, text = self.proposal(number).head, with_words(bounded(body, _BODY))

        def said() -> Comment | None:
            if path is None:
                return _last_words(self.comments(number), self._me(), text)
            return self._said_at(number, head, text, path, line or 1)

        def say() -> Comment:
            if path is None:
                made = self._api.call("POST", f"issues/{number}/comments", {"body": text})
                return answers.remark(made.body)
            return self._say_at(number, head, text, path, line or 1)

        return said() or self._api.http.once(say, said)

    def edit_comment(self, number: int, comment_id: str, body: str) -> Comment:
        """Change the words of a comment of ours; what is as it should be is not written again."""
        text = with_words(bounded(body, _BODY))
        now = own_comment(self.comments(number), comment_id, self._me())
        if now.body != text:
            self._api.call("PATCH", f"issues/comments/{segment(now.id)}", {"body": text})
        return now.replace(body=text)

    def reviews(self, number: int) -> tuple[Review, ...]:
        """Verdicts, the oldest first."""
        head = self.proposal(number).head
        found = [each for each in self._raw_reviews(number) if answers.is_verdict(each)]
        return tuple(answers.review(each, head) for each in sorted(found, key=_id))

    def review(self, number: int, verdict: Verdict, body: str = "") -> Review:
        """Give a verdict on the newest commit."""
        found, text = self.proposal(number), bounded(body, _BODY)
        head = found.head
        if found.state != "open":
            raise refusals.over(found)
        if verdict == "comment":
            with_words(text, "a review that neither approves nor asks for changes")
        if verdict == "changes" and not text.strip():
            text = "Please change this."
        asked = {"event": _EVENTS[verdict], "body": text, "commit_id": head}

        def given() -> Review | None:
            mine = [each for each in self.reviews(number) if each.author == self._me()]
            same = mine and (mine[-1].verdict, mine[-1].body, mine[-1].stale)
            return mine[-1] if same == (verdict, text, False) else None

        def give() -> Review:
            made = self._api.call("POST", f"pulls/{number}/reviews", asked)
            return answers.review(made.body, head)

        return given() or self._api.http.once(give, given)

    def statuses(self, commit: str) -> tuple[Status, ...]:
        """The newest status of each context."""
        path = f"commits/{segment(commit)}/status"
        try:
            return tuple(map(answers.status, self._api.pages(path, within="statuses")))
        except Refused as error:
            raise self._api.not_here(refusals.no_commit(commit)) from error

    def set_status(self, commit: str, status: Status) -> None:
        """Set a status of a commit that is on the forge."""
        self._api.needs_token()
        wanted = status.replace(description=one_line(status.description, _DESCRIPTION))
        asked = {**wanted.to_dict(), "target_url": wanted.url}

        def there() -> bool | None:
            return True if wanted in self.statuses(commit) else None

        def post() -> bool:
            self._api.call("POST", f"statuses/{segment(commit)}", asked)
            return True

        if not there():
            self._api.http.once(post, there)

    def mergeable(self, number: int) -> Mergeable:
        """Whether it can be merged now, and what is missing."""
        return self._merging.mergeable(number)

    def merge(
        self, number: int, method: MergeMethod, head: str, *, title: str = "", body: str = ""
    ) -> str:
        """Merge a proposal whose head is still `head`; the commit that the base is at then."""
        return self._merging.merge(number, method, head, title, body)

    def delete_branch(self, branch: str) -> None:
        """Delete a branch on the forge; one that is gone is as good."""
        self._api.needs_token()
        try:
            self._api.call("DELETE", f"branches/{branch_path(branch)}")
        except Refused as error:
            missing = self._api.not_here(error)
            if error.status != 404 or missing is not error:
                raise missing from error

    def _pull(self, number: int) -> Mapping[str, Any]:
        if number < 1:
            raise refusals.no_proposal(number)
        try:
            with understood(f"pulls/{number}"):
                return dict(self._api.get(f"pulls/{number}"))
        except Refused as error:
            if error.status == 404:
                raise self._api.not_here(refusals.no_proposal(number)) from error
            raise

    def _patched(self, number: int, changes: Mapping[str, Any]) -> Proposal:
        self._api.needs_token()
        return answers.proposal(self._api.call("PATCH", f"pulls/{number}", changes).body)

    def _raw_reviews(self, number: int) -> list[Mapping[str, Any]]:
        try:
            return list(self._api.pages(f"pulls/{number}/reviews"))
        except Refused as error:
            if error.status == 404:
                raise self._api.not_here(refusals.no_proposal(number)) from error
            raise

    def _placed(self, number: int, review: Mapping[str, Any]) -> list[Comment]:
        with understood("review"):
            if not review["comments_count"] or review["state"] == "PENDING":
                return []
            commit = str(review["commit_id"])
            path = f"pulls/{number}/reviews/{int(review['id'])}/comments"
        return [answers.placed(each, commit) for each in self._api.all(path)]

    def _said_at(self, number: int, head: str, text: str, path: str, line: int) -> Comment | None:
        """What we said at a place already. Reviews are asked once for what they hold."""
        wanted = (self._me(), text, path, line, False)
        for review in self._raw_reviews(number):
            if answers.who(review.get("user")) != self._me() or review.get("commit_id") != head:
                continue
            key = (review["id"], review["comments_count"])
            if key not in self._seen:
                self._seen[key] = self._placed(number, review)
            for each in self._seen[key]:
                if (each.author, each.body, each.path, each.line, each.old) == wanted:
                    return each
        return None

    def _check_place(self, head: str, path: str, line: int) -> None:
        """Gitea takes comments on files that are not there, and stumbles over lines that are not.

        A file that is too large to be shown is believed.
        """
        try:
            data = self._api.get(f"contents/{branch_path(path)}", ref=head)
        except Refused as error:
            raise refusals.no_line(path, line) from error
        with understood("file"):
            content = base64.b64decode(data["content"] or "")
            if data["content"] and line > len(content.splitlines()):
                raise refusals.no_line(path, line)

    def _say_at(self, number: int, head: str, text: str, path: str, line: int) -> Comment:
        self._check_place(head, path, line)
        place = {"path": path, "body": text, "new_position": line}
        asked = {"event": "COMMENT", "body": "", "commit_id": head, "comments": [place]}
        review = self._api.call("POST", f"pulls/{number}/reviews", asked).body
        said = [each for each in self._placed(number, review) if each.body == text]
        with understood("review comment"):
            return said[-1]

    def _me(self) -> str:
        if self._user is None:
            self._api.needs_token()
            self._user = self._api.user()
        return self._user

    def _not_opened(self, branch: str, base: str, error: Refused) -> Exception:
        if error.status != 404:
            return error
        return self._api.not_here(
            UsageError(
                "forge-refused",
                f"{branch} or {base} is not a branch on the forge",
                place=branch,
                hint="push the branch first, and check the name of the one it is for",
            )
        )


def _title(title: str, draft: bool) -> str:
    """A title as Gitea is told it: its beginning says whether it is a draft."""
    bare = one_line(answers.bare_title(title.strip()), _TITLE)
    return f"WIP: {bare}" if draft else bare


def _last_words(comments: tuple[Comment, ...], me: str, text: str) -> Comment | None:
    """What we said already, after everybody else."""
    for each in reversed(comments):
        if each.author != me:
            return None
        if (each.body, each.path) == (text, None):
            return each
    return None


def _id(review: Mapping[str, Any]) -> int:
    return int(review["id"])
