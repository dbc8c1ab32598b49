"""Answers of GitHub about what the server in the tests knows."""

from __future__ import annotations

from typing import Any

from forges.github_description import Description
from forges.github_state import Finding, Hosted, Hub, Protection, Pull, Remark, User, Verdict


class Answers:
    """Makes answers; everything that is not said here is the least that GitHub's schema takes."""

    def __init__(self, hub: Hub, description: Description, address: str) -> None:
        self.hub, self.address = hub, address
        self._filled = description.filled

    def _page(self, hosted: Hosted) -> str:
        return f"{self.address}/{hosted.owner}/{hosted.name}"

    def me(self, user: User) -> dict[str, Any]:
        names = {"login": user.login, "id": user.id, "type": "User"}
        return self._filled("public-user", names)

    def user(self, login: str) -> dict[str, Any] | None:
        known = self.hub.named(login)
        if known is None:
            return None
        return self._filled("simple-user", {"login": login, "id": known.id, "type": "User"})

    def _repository(self, schema: str, hosted: Hosted) -> dict[str, Any]:
        values: dict[str, Any] = {
            "id": hosted.id,
            "name": hosted.name,
            "full_name": f"{hosted.owner}/{hosted.name}",
            "owner": self.user(hosted.owner),
            "private": hosted.private,
            "html_url": self._page(hosted),
            "default_branch": hosted.default_branch,
        }
        return self._filled(schema, values)

    def repository(self, hosted: Hosted) -> dict[str, Any]:
        return self._repository("full-repository", hosted)

    def pull(self, hosted: Hosted, pull: Pull, whole: bool = False) -> dict[str, Any]:
        hosted.refreshed(pull)
        values: dict[str, Any] = {
            "id": pull.number + 5000,
            "node_id": f"PR_{hosted.id}_{pull.number}",
            "number": pull.number,
            "state": pull.state,
            "title": pull.title,
            "body": pull.body or None,
            "user": self.user(pull.author),
            "draft": pull.draft,
            "html_url": f"{self._page(hosted)}/pull/{pull.number}",
            "created_at": pull.created,
            "updated_at": pull.updated,
            "merged_at": pull.merged_at,
            "merge_commit_sha": pull.merged or None,
            "head": self._end(hosted, pull.branch, pull.head),
            "base": self._end(hosted, pull.base, str(hosted.branch(pull.base))),
        }
        if not whole:
            return self._filled("pull-request-simple", values)
        values |= {"merged": bool(pull.merged), **self._mergeable(hosted, pull)}
        return self._filled("pull-request", values)

    def _end(self, hosted: Hosted, branch: str, commit: str) -> dict[str, Any]:
        return {
            "label": f"{hosted.owner}:{branch}",
            "ref": branch,
            "sha": commit,
            "user": self.user(hosted.owner),
            "repo": self._repository("repository", hosted),
        }

    def _mergeable(self, hosted: Hosted, pull: Pull) -> dict[str, Any]:
        """Unknown when it is asked for the first time: GitHub works it out in the background."""
        if pull.state != "open":
            return {"mergeable": None, "mergeable_state": "unknown"}
        ends = (pull.head, str(hosted.branch(pull.base)))
        if hosted.undecided or pull.looked_at != ends:
            pull.looked_at = ends
            return {"mergeable": None, "mergeable_state": "unknown"}
        if not hosted.merges(pull):
            return {"mergeable": False, "mergeable_state": "dirty"}
        if pull.draft:
            return {"mergeable": True, "mergeable_state": "draft"}
        state = "blocked" if hosted.missing(pull) else "clean"
        return {"mergeable": True, "mergeable_state": state}

    def remark(self, hosted: Hosted, pull: Pull, said: Remark) -> dict[str, Any]:
        values = {
            "id": said.id,
            "body": said.body,
            "user": self.user(said.author),
            "created_at": said.created,
            "updated_at": said.created,
            "html_url": f"{self._page(hosted)}/pull/{pull.number}#issuecomment-{said.id}",
            "author_association": "COLLABORATOR",
        }
        return self._filled("issue-comment", values)

    def finding(self, hosted: Hosted, pull: Pull, said: Finding) -> dict[str, Any]:
        line = hosted.line_now(pull, said)
        values: dict[str, Any] = {
            "id": said.id,
            "body": said.body,
            "user": self.user(said.author),
            "created_at": said.created,
            "updated_at": said.created,
            "path": said.path,
            "side": said.side,
            "original_line": said.line or 1,
            "commit_id": said.commit if line is None and said.line else pull.head,
            "original_commit_id": said.commit,
            "pull_request_review_id": said.review,
            "html_url": f"{self._page(hosted)}/pull/{pull.number}#discussion_r{said.id}",
            "author_association": "COLLABORATOR",
            "subject_type": "file" if said.line is None else "line",
        }
        if line is not None or said.line is None:
            values["line"] = line or 1
        if said.reply_to is not None:
            values["in_reply_to_id"] = said.reply_to
        return self._filled("pull-request-review-comment", values)

    def review(self, hosted: Hosted, pull: Pull, given: Verdict) -> dict[str, Any]:
        page = f"{self._page(hosted)}/pull/{pull.number}"
        values = {
            "id": given.id,
            "body": given.body,
            "user": self.user(given.author),
            "state": given.state,
            "commit_id": given.commit,
            "submitted_at": given.created,
            "html_url": f"{page}#pullrequestreview-{given.id}",
            "author_association": "COLLABORATOR",
        }
        return self._filled("pull-request-review", values)

    def statuses(self, hosted: Hosted, commit: str) -> dict[str, Any]:
        newest = {each["context"]: each for each in hosted.statuses.get(commit, ())}
        listed = [self._filled("simple-commit-status", each) for each in newest.values()]
        values = {
            "sha": commit,
            "state": "pending",
            "total_count": len(listed),
            "statuses": listed,
            "repository": self._repository("minimal-repository", hosted),
        }
        return self._filled("combined-commit-status", values)

    def status(self, status: dict[str, Any], author: str) -> dict[str, Any]:
        return self._filled("status", {**status, "creator": self.user(author)})

    def checks(self, hosted: Hosted, commit: str) -> dict[str, Any]:
        known = hosted.checks.get(commit, ())
        listed = [self._filled("check-run", {**each, "head_sha": commit}) for each in known]
        return {"total_count": len(listed), "check_runs": listed}

    def protection(self, hosted: Hosted, wanted: Protection) -> dict[str, Any]:
        reviews = {"required_approving_review_count": wanted.approvals}
        checks = {"contexts": list(wanted.contexts), "checks": []}
        return self._filled(
            "branch-protection",
            {
                "enabled": True,
                "required_pull_request_reviews": self._filled(
                    "protected-branch-pull-request-review", reviews
                ),
                "required_status_checks": self._filled(
                    "protected-branch-required-status-check", checks
                ),
                "required_conversation_resolution": {"enabled": wanted.threads},
            },
        )

    def rules(self, wanted: Protection) -> list[dict[str, Any]]:
        where = {
            "ruleset_id": 7,
            "ruleset_source": "octo/repo",
            "ruleset_source_type": "Repository",
        }
        found: list[dict[str, Any]] = []
        if wanted.approvals or wanted.threads:
            parameters = {
                "dismiss_stale_reviews_on_push": False,
                "require_code_owner_review": False,
                "require_last_push_approval": False,
                "required_approving_review_count": wanted.approvals,
                "required_review_thread_resolution": wanted.threads,
            }
            found.append({"type": "pull_request", "parameters": parameters, **where})
        if wanted.contexts:
            parameters = {
                "required_status_checks": [{"context": name} for name in wanted.contexts],
                "strict_required_status_checks_policy": False,
            }
            found.append({"type": "required_status_checks", "parameters": parameters, **where})
        return found

    def ref(self, ref: str, commit: str) -> dict[str, Any]:
        there = {"type": "commit", "sha": commit, "url": self.address}
        return self._filled("git-ref", {"ref": ref, "object": there})

    def commit(self, commit: str) -> dict[str, Any]:
        return self._filled("commit", {"sha": commit})

    def object(self, schema: str, **values: Any) -> dict[str, Any]:
        return self._filled(schema, values)
