"""The forge `github`: proposals are pull requests, read and written through GitHub's REST API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from octavo.errors import OctavoError
from octavo.forges.github import answers, discussion, graph, merging, refusals, texts
from octavo.forges.github.api import GitHubApi, api_address
from octavo.forges.github.figures import put_figure
from octavo.forges.github.requirements import Requirements, requirements_of
from octavo.forges.http import Refused, segment
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
from octavo.value import EMPTY

_EVENTS: dict[Verdict, str] = {
    "approved": "APPROVE",
    "changes": "REQUEST_CHANGES",
    "comment": "COMMENT",
}


class GitHubForge:
    """A repository on a GitHub, whose address is such as `https://github.com`."""

    name = "github"

    def __init__(
        self,
        address: str,
        owner: str,
        repository: str,
        token: Token | None,
        *,
        api: GitHubApi | None = None,
    ) -> None:
        self.api = api or GitHubApi(api_address(address), token)
        self.owner = owner
        self.repository = repository
        self._seen: set[int] = set()
        self._path = f"/repos/{segment(owner)}/{segment(repository)}"

    @cached_property
    def _about(self) -> Mapping[str, Any]:
        """The repository; it may have got another name since the remote was set."""
        try:
            found = self.api.get(self._path)
        except Refused as error:
            raise self._absent(error) from error
        return answers.repository(found)

    @cached_property
    def _user(self) -> str:
        try:
            return answers.user(self.api.get("/user"))
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
            found = answers.pull(self.api.get(f"{self._path}/pulls/{number}"))
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
            "title": texts.title(title),
            "body": texts.body(body),
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
            "title": now.title if title is None else texts.title(title),
            "body": now.body if body is None else texts.body(body),
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
        body = texts.body(body)
        if path is None and line is not None:
            raise refusals.line_without_file(line)
        head = self.proposal(number).head
        there, said = self._said(number, body, path, line, head)
        if said is not None:
            return said
        wanted: dict[str, Any] = {"body": body}
        address = f"{self._path}/{'issues' if path is None else 'pulls'}/{number}/comments"
        if path is not None:
            wanted |= discussion.place(there, head, path, line)
        read = answers.remark if path is None else answers.finding
        try:
            return self.api.once(
                lambda: read(self.api.call("POST", address, wanted).body),
                lambda: self._said(number, body, path, line, head)[1],
            )
        except Refused as error:
            if error.status != 422:
                raise
            raise refusals.not_commented(error, path, line) from error

    def _said(
        self, number: int, body: str, path: str | None, line: int | None, head: str
    ) -> tuple[list[Comment], Comment | None]:
        """What is said at a place, and whether it ends with these words of ours."""
        there = [each for each in self.comments(number) if discussion.is_at(each, path, line, head)]
        return there, discussion.said_last(there, self._user, body)

    def edit_comment(self, number: int, comment_id: str, body: str) -> Comment:
        self._need_token()
        body = with_words(texts.body(body))
        now = own_comment(self.comments(number), comment_id, self._user)
        if now.body != body:
            path = f"{self._path}/{discussion.kept_at(now)}"
            self.api.call("PATCH", path, {"body": body})
        return now.replace(body=body)

    def reviews(self, number: int) -> tuple[Review, ...]:
        head = self.proposal(number).head
        found = (answers.review(each, head) for each in self._reviews(number))
        return tuple(each for each in found if each is not None)

    def _reviews(self, number: int) -> list[Mapping[str, Any]]:
        return list(self.api.all(f"{self._path}/pulls/{number}/reviews"))

    def review(self, number: int, verdict: Verdict, body: str = "") -> Review:
        self._need_token()
        head = self.proposal(number).head
        body = texts.words(verdict, body)
        given = self._given(number, verdict, body, head)
        if given is not None:
            return given
        wanted = {"event": _EVENTS[verdict], "commit_id": head, "body": body}
        address = f"{self._path}/pulls/{number}/reviews"
        try:
            return self.api.once(
                lambda: answers.verdict(self.api.call("POST", address, wanted).body, head),
                lambda: self._given(number, verdict, body, head),
            )
        except Refused as error:
            if error.status != 422:
                raise
            raise refusals.not_reviewed(error, number) from error

    def _given(self, number: int, verdict: Verdict, body: str, head: str) -> Review | None:
        """Our last verdict, where it is this one."""
        for each in reversed(self.reviews(number)):
            if each.author == self._user:
                same = (each.verdict, each.body, each.commit) == (verdict, body, head)
                return each if same else None
        return None

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
        wanted = status.replace(description=texts.description(status.description))
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
        if stands is not None and pull["mergeable_state"] != "unstable":
            return stands
        demands = self._demands(pull["base"]["ref"])
        if stands is not None:
            return stands.replace(required=demands.contexts)
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
            raise refusals.not_mergeable(number, allowed)
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
            allowed = self.mergeable(number)
            if not allowed.allowed:
                raise refusals.not_mergeable(number, allowed) from error
            told, hint = f"GitHub does not merge it so: {error.said}", "merge by another method"
            raise refusals.refused(told, f"#{number}", hint, error) from error
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
