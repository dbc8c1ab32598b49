"""The forge `github`: proposals are pull requests, read and written through GitHub's REST API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from octavo.errors import OctavoError, UsageError
from octavo.forges.github import answers, discussion, graph, merging, refusals
from octavo.forges.github.api import GitHubApi, api_address
from octavo.forges.github.figures import put_figure
from octavo.forges.github.requirements import Requirements, requirements_of
from octavo.forges.http import Refused, segment
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
from octavo.value import EMPTY

#: GitHub's limits, in characters.
_BODY = 65536
_TITLE = 256
_DESCRIPTION = 140
_CUT = "\n\n*The rest is cut off: GitHub takes no longer text.*\n"
#: GitHub wants a word with everything but an approval.
_WORDS: dict[Verdict, str] = {"changes": "Changes are asked for."}
_EVENTS: dict[Verdict, str] = {
    "approved": "APPROVE",
    "changes": "REQUEST_CHANGES",
    "comment": "COMMENT",
}


class GitHubForge:
    """A repository on GitHub. `host` is that of the remote, such as `github.com`."""

    name = "github"

    def __init__(
        self,
        host: str,
        owner: str,
        repository: str,
        token: Token | None,
        *,
        scheme: str = "https",
        api: GitHubApi | None = None,
    ) -> None:
        self.api = api or GitHubApi(api_address(host, scheme), token)
        self.owner = owner
        self.repository = repository
        self._seen: set[int] = set()
        self._path = f"/repos/{segment(owner)}/{segment(repository)}"

    @cached_property
    def _about(self) -> Mapping[str, Any]:
        """The repository; it may have got another name since the remote was set."""
        try:
            found: Mapping[str, Any] = self.api.get(self._path)
        except Refused as error:
            raise self._absent(error) from error
        return found

    @cached_property
    def _user(self) -> str:
        try:
            return answers.login(self.api.get("/user"))
        except OctavoError as error:
            # The token of an app, as GitHub's actions have it, is nobody's.
            if error.kind not in ("token-scope", "forge-refused"):
                raise
        return graph.viewer(self.api)

    def _absent(self, error: Refused) -> OctavoError:
        if error.status != 404:
            return error
        place = f"{self.api.base}{self._path}"
        known = self.api.token is not None
        return refusals.no_repository(self.owner, self.repository, place, known)

    def _need_token(self) -> None:
        if self.api.token is None:
            raise refusals.no_token(self.api.base)

    def about(self) -> About:
        self._need_token()
        found = self._about
        return About(found["default_branch"], found["html_url"], self._user)

    def proposals(self, state: Literal["open", "closed", "all"] = "open") -> tuple[Proposal, ...]:
        try:
            pulls = list(
                self.api.all(f"{self._path}/pulls", state=state, sort="created", direction="desc")
            )
        except Refused as error:
            raise self._absent(error) from error
        return tuple(map(answers.proposal, pulls))

    def proposal(self, number: int) -> Proposal:
        return answers.proposal(self._pull(number))

    def _pull(self, number: int) -> Mapping[str, Any]:
        try:
            found: Mapping[str, Any] = self.api.get(f"{self._path}/pulls/{number}")
        except Refused as error:
            if error.status != 404:
                raise
            place = f"{self._about['html_url']}/pull/{number}"
            raise refusals.no_proposal(number, place) from error
        self._seen.add(number)
        return found

    def find(self, branch: str) -> Proposal | None:
        # The owner may have another name by now, and GitHub knows branches by that alone.
        head = f"{self._about['owner']['login']}:{branch}"
        found = self.api.get(f"{self._path}/pulls", state="open", head=head, per_page=100)
        return next((each for each in map(answers.proposal, found) if each.branch == branch), None)

    def open(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> Proposal:
        self._need_token()
        there = self.find(branch)
        if there is not None:
            return there
        wanted = {
            "title": _title(title),
            "body": _clipped(body, _BODY, _CUT),
            "head": branch,
            "base": base,
            "draft": draft,
        }
        try:
            # GitHub opens no second one for a branch: after a failure it may be asked again.
            made = self.api.call("POST", f"{self._path}/pulls", wanted, repeatable=True)
        except Refused as error:
            there = self.find(branch) if error.status == 422 else None
            if there is not None:
                return there
            if error.status == 422:
                raise refusals.not_opened(error, branch, base) from error
            raise self._absent(error) from error
        return answers.proposal(made.body)

    def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        draft: bool | None = None,
    ) -> Proposal:
        self._need_token()
        pull = self._pull(number)
        now = answers.proposal(pull)
        wanted = {
            "title": now.title if title is None else _title(title),
            "body": now.body if body is None else _clipped(body, _BODY, _CUT),
        }
        changed = {name: text for name, text in wanted.items() if text != getattr(now, name)}
        if changed:
            now = self._changed(number, changed)
        if draft is not None and draft != now.draft:
            graph.set_draft(self.api, pull["node_id"], draft)
            now = self.proposal(number)
        return now

    def _changed(self, number: int, wanted: Mapping[str, Any]) -> Proposal:
        try:
            answer = self.api.call("PATCH", f"{self._path}/pulls/{number}", wanted)
        except Refused as error:
            if error.status != 422:
                raise
            why = refusals.reasons(error)
            told, hint = f"GitHub does not change it: {why}", "change what GitHub names"
            raise refusals.refused(told, f"#{number}", hint, error) from error
        return answers.proposal(answer.body)

    def close(self, number: int) -> Proposal:
        self._need_token()
        now = self.proposal(number)
        if now.state == "merged":
            raise refusals.merged_already(number)
        return now if now.state == "closed" else self._changed(number, {"state": "closed"})

    def attach(self, number: int, name: str, content: bytes, media_type: str) -> str:
        self._need_token()
        if number not in self._seen:
            self._pull(number)
        place = put_figure(self.api, self._path, number, name, content)
        return f"{self._about['html_url']}/raw/{place}"

    def comments(self, number: int) -> tuple[Comment, ...]:
        try:
            remarks = list(self.api.all(f"{self._path}/issues/{number}/comments"))
            findings = list(self.api.all(f"{self._path}/pulls/{number}/comments"))
        except Refused as error:
            raise self._no_discussion(error, number) from error
        resolved = (
            {root for root, done in self._threads(number).items() if done} if findings else ()
        )
        everything = [
            *map(answers.remark, remarks),
            *(answers.finding(each, resolved) for each in findings),
        ]
        return tuple(sorted(everything, key=lambda each: each.created))

    def _no_discussion(self, error: Refused, number: int) -> OctavoError:
        if error.status not in (404, 410):
            return error
        return refusals.no_proposal(number, f"{self._about['html_url']}/pull/{number}")

    def _threads(self, number: int) -> dict[int, bool]:
        return graph.known(self.api, lambda: graph.threads(self.api, *self._named(), number), {})

    def comment(
        self, number: int, body: str, *, path: str | None = None, line: int | None = None
    ) -> Comment:
        self._need_token()
        body = _clipped(body, _BODY, _CUT)
        if path is None and line is not None:
            raise _line_without_file(line)
        head = self.proposal(number).head
        there = [each for each in self.comments(number) if discussion.is_at(each, path, line, head)]
        said = discussion.said_last(there, self._user, body)
        if said is not None:
            return said
        wanted: dict[str, Any] = {"body": body}
        address = f"{self._path}/{'issues' if path is None else 'pulls'}/{number}/comments"
        if path is not None:
            wanted |= discussion.place(there, head, path, line)
        try:
            made = self.api.call("POST", address, wanted)
        except Refused as error:
            if error.status != 422:
                raise
            raise refusals.not_commented(error, path, line) from error
        return answers.remark(made.body) if path is None else answers.finding(made.body)

    def reviews(self, number: int) -> tuple[Review, ...]:
        head = self.proposal(number).head
        found = (answers.review(each, head) for each in self._reviews(number))
        return tuple(each for each in found if each is not None)

    def _reviews(self, number: int) -> list[Mapping[str, Any]]:
        return list(self.api.all(f"{self._path}/pulls/{number}/reviews"))

    def review(self, number: int, verdict: Verdict, body: str = "") -> Review:
        self._need_token()
        head = self.proposal(number).head
        body = body or _WORDS.get(verdict, "")
        given = [each for each in self.reviews(number) if each.author == self._user][-1:]
        if any((each.verdict, each.body, each.commit) == (verdict, body, head) for each in given):
            return given[0]
        wanted = {"event": _EVENTS[verdict], "commit_id": head, "body": body}
        try:
            made = self.api.call("POST", f"{self._path}/pulls/{number}/reviews", wanted)
        except Refused as error:
            if error.status != 422:
                raise
            raise refusals.not_reviewed(error, number) from error
        taken = answers.review(made.body, head)
        assert taken is not None, "a verdict that was taken is one"
        return taken

    def statuses(self, commit: str) -> tuple[Status, ...]:
        path = f"{self._path}/commits/{segment(commit)}"
        try:
            set_ = [answers.status(each) for each in self.api.all(f"{path}/status", "statuses")]
        except Refused as error:
            raise self._no_commit(error, commit) from error
        newest = {each.context: each for each in reversed([*set_, *self._checks(path)])}
        return tuple(reversed(newest.values()))

    def _checks(self, path: str) -> list[Status]:
        """Check runs of a commit; none where the token may not see them."""
        try:
            return [
                answers.check(each) for each in self.api.all(f"{path}/check-runs", "check_runs")
            ]
        except OctavoError as error:
            if error.kind not in ("token-scope", "forge-refused"):
                raise
        return []

    def set_status(self, commit: str, status: Status) -> None:
        self._need_token()
        wanted = status.replace(description=_clipped(status.description, _DESCRIPTION, "…"))
        if wanted in self.statuses(commit):
            return
        body = {"state": wanted.state, "context": wanted.context, "description": wanted.description}
        if wanted.url:
            body["target_url"] = wanted.url
        try:
            # The newest status of a context counts: one that is set twice is one.
            self.api.call("POST", f"{self._path}/statuses/{segment(commit)}", body, repeatable=True)
        except Refused as error:
            raise self._no_commit(error, commit) from error

    def _no_commit(self, error: Refused, commit: str) -> OctavoError:
        if error.status not in (404, 422):
            return error
        told = f"GitHub does not have the commit {commit[:10]}: {refusals.reasons(error)}"
        return refusals.refused(told, commit, "push it first", error)

    def mergeable(self, number: int) -> Mergeable:
        pull = merging.settled(self.api, lambda: self._pull(number))
        stands = merging.judged(pull)
        if stands is not None:
            return stands
        demands = self._demands(pull["base"]["ref"])
        open_threads = list(self._threads(number).values()).count(False) if demands.threads else 0
        statuses = self.statuses(pull["head"]["sha"])
        return merging.blocked(pull, demands, self._reviews(number), statuses, open_threads)

    def _demands(self, base: str) -> Requirements:
        def rule() -> Mapping[str, Any]:
            return graph.known(
                self.api, lambda: graph.update_rule(self.api, *self._named(), base), EMPTY
            )

        return requirements_of(self.api, self._path, base, rule)

    def _named(self) -> tuple[str, str]:
        return self._about["owner"]["login"], self._about["name"]

    def merge(
        self, number: int, method: MergeMethod, head: str, *, title: str = "", body: str = ""
    ) -> str:
        self._need_token()
        pull = self._pull(number)
        if pull["merged"]:
            return str(pull["merge_commit_sha"])
        if pull["head"]["sha"] != head:
            raise refusals.moved(pull["head"]["ref"], head, pull["head"]["sha"])
        allowed = self.mergeable(number)
        if not allowed.allowed:
            raise refusals.not_mergeable(number, allowed.missing)
        return self._merged(number, merging.wanted(method, head, title, body), head)

    def _merged(self, number: int, wanted: Mapping[str, str], head: str) -> str:
        try:
            done = self.api.call("PUT", f"{self._path}/pulls/{number}/merge", wanted)
        except Refused as error:
            pull = self._pull(number)
            if pull["merged"]:
                return str(pull["merge_commit_sha"])
            if error.status == 409 or pull["head"]["sha"] != head:
                raise refusals.moved(pull["head"]["ref"], head, pull["head"]["sha"]) from error
            if error.status not in (405, 422):
                raise
            missing = self.mergeable(number).missing or (error.said,)
            raise refusals.not_mergeable(number, missing) from error
        return str(done.body["sha"])

    def delete_branch(self, branch: str) -> None:
        self._need_token()
        try:
            self.api.call("DELETE", f"{self._path}/git/refs/heads/{quote(branch)}")
        except Refused as error:
            if error.status == 404:
                raise self._absent(error) from error
            if error.status != 422:
                raise
            if "does not exist" not in error.said.lower():
                raise refusals.not_deleted(error, branch) from error


def _title(title: str) -> str:
    return _clipped(" ".join(title.split()), _TITLE, "…")


def _clipped(text: str, most: int, sign: str) -> str:
    """A text that is no longer than GitHub takes, with a sign where it was cut."""
    return text if len(text) <= most else text[: most - len(sign)] + sign


def _line_without_file(line: int) -> UsageError:
    return UsageError(
        "wrong-argument",
        "a line needs the file that it is in",
        place=f"line {line}",
        hint="name the file as well",
    )
