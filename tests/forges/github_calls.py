"""What the server in the tests does when it is called: GitHub's operations, by their names."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from forges.github_answers import Answers
from forges.github_state import Finding, Hosted, Hub, Protection, Pull, Remark, User, Verdict
from git_repositories import ENVIRON

Words = Mapping[str, str]
Given = tuple[int, Any]
_R = "/repos/{owner}/{repo}"
_EVENTS = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
DOCS = "https://docs.github.com/rest"


class Denied(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        self.status = status
        self.body: dict[str, Any] = {"message": message, "documentation_url": DOCS}
        if errors is not None:
            self.body["errors"] = errors


def _invalid(resource: str, **error: Any) -> Denied:
    return Denied(422, "Validation Failed", [{"resource": resource, "code": "custom", **error}])


class Calls:
    """GitHub's operations on the repositories of a hub."""

    def __init__(self, hub: Hub, answers: Answers) -> None:
        self.hub, self.answers = hub, answers

    def do(
        self, operation: str, hosted: Hosted | None, user: User, words: Words, body: Any
    ) -> Given:
        """Do what an operation, such as `GET /user`, says."""
        if operation == "GET /meta":
            return 200, {"verifiable_password_authentication": False}
        if operation == "GET /user":
            if user.is_app:
                raise Denied(403, "Resource not accessible by integration")
            return 200, self.answers.me(user)
        assert hosted is not None
        call: Callable[[Hosted, User, Words, Any], Given] = getattr(self, _CALLS[operation])
        return call(hosted, user, words, body)

    def _pull(self, hosted: Hosted, words: Words) -> Pull:
        number = int(words.get("pull_number") or words["issue_number"])
        if number not in hosted.pulls:
            raise Denied(404, "Not Found")
        return hosted.refreshed(hosted.pulls[number])

    def repository(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        return 200, self.answers.repository(hosted)

    def pulls(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        state, head = words.get("state", "open"), words.get("head", "")
        found = [
            each
            for each in hosted.pulls.values()
            if state in (each.state, "all")
            and (not head or head == f"{hosted.owner}:{each.branch}")
            and words.get("base", each.base) == each.base
        ]
        found.sort(key=lambda each: each.number, reverse=words.get("direction", "desc") == "desc")
        return 200, [self.answers.pull(hosted, each) for each in found]

    def open(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        head, base = hosted.branch(body["head"]), hosted.branch(body["base"])
        for name, there in (("head", head), ("base", base)):
            if there is None:
                raise _invalid("PullRequest", field=name, code="invalid")
        if body.get("draft") and not hosted.drafts:
            raise _invalid(
                "PullRequest", message="Draft pull requests are not supported in this repository."
            )
        if any((p.state, p.branch) == ("open", body["head"]) for p in hosted.pulls.values()):
            told = f"A pull request already exists for {hosted.owner}:{body['head']}."
            raise _invalid("PullRequest", message=told)
        if not hosted.git("rev-list", f"{base}..{head}"):
            told = f"No commits between {body['base']} and {body['head']}"
            raise _invalid("PullRequest", message=told)
        self._check_texts(body)
        now = self.hub.time()
        made = Pull(
            number=len(hosted.pulls) + 1,
            title=body["title"],
            body=body.get("body") or "",
            branch=body["head"],
            base=body["base"],
            head=str(head),
            draft=body.get("draft", False),
            author=user.login,
            created=now,
            updated=now,
        )
        hosted.pulls[made.number] = made
        return 201, self.answers.pull(hosted, made, whole=True)

    def _check_texts(self, body: Any) -> None:
        if len(body.get("title") or "") > 256 or "\n" in (body.get("title") or ""):
            raise _invalid("PullRequest", message="title is too long (maximum is 256 characters)")
        if len(body.get("body") or "") > 65536:
            raise _invalid("Issue", message="body is too long (maximum is 65536 characters)")

    def pull(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        return 200, self.answers.pull(hosted, self._pull(hosted, words), whole=True)

    def change(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        self._check_texts(body)
        if body.get("state") and pull.merged:
            raise _invalid("PullRequest", field="state", message="state cannot be changed.")
        pull.title = body.get("title", pull.title)
        pull.body = body.get("body", pull.body) or ""
        pull.state = body.get("state", pull.state)
        pull.updated = self.hub.time()
        return 200, self.answers.pull(hosted, pull, whole=True)

    def remarks(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        return 200, [self.answers.remark(hosted, pull, each) for each in pull.remarks]

    def remark(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        self._check_words("IssueComment", body)
        made = Remark(self.hub.id(), user.login, body["body"], self.hub.time())
        pull.remarks.append(made)
        return 201, self.answers.remark(hosted, pull, made)

    def _check_words(self, resource: str, body: Any) -> None:
        if not body["body"].strip():
            raise _invalid(resource, field="body", code="missing_field")
        self._check_texts(body)

    def findings(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        return 200, [self.answers.finding(hosted, pull, each) for each in pull.findings]

    def finding(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        self._check_words("PullRequestReviewComment", body)
        first = next((f for f in pull.findings if f.id == body.get("in_reply_to")), None)
        if "in_reply_to" in body and first is None:
            raise _invalid("PullRequestReviewComment", field="in_reply_to", code="invalid")
        side = body.get("side", "RIGHT")
        placed = first is None and body.get("subject_type") != "file"
        if placed and body["line"] not in hosted.shown(pull, body["path"], side):
            told = "pull_request_review_thread.line must be part of the diff"
            raise _invalid("PullRequestReviewComment", field=told, message=told)
        review = Verdict(self.hub.id(), user.login, "", self.hub.time(), "COMMENTED", pull.head)
        pull.reviews.append(review)
        made = Finding(
            id=self.hub.id(),
            author=user.login,
            body=body["body"],
            created=self.hub.time(),
            path=first.path if first else body["path"],
            line=first.line if first else body.get("line"),
            side=first.side if first else side,
            commit=first.commit if first else body["commit_id"],
            reply_to=first.id if first else None,
            review=review.id,
        )
        pull.findings.append(made)
        return 201, self.answers.finding(hosted, pull, made)

    def edit_remark(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        self._check_words("IssueComment", body)
        for pull in hosted.pulls.values():
            for each in pull.remarks:
                if each.id == int(words["comment_id"]):
                    each.body = body["body"]
                    return 200, self.answers.remark(hosted, pull, each)
        raise Denied(404, "Not Found")

    def edit_finding(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        self._check_words("PullRequestReviewComment", body)
        for pull in hosted.pulls.values():
            for each in pull.findings:
                if each.id == int(words["comment_id"]):
                    each.body = body["body"]
                    return 200, self.answers.finding(hosted, pull, each)
        raise Denied(404, "Not Found")

    def reviews(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        return 200, [self.answers.review(hosted, pull, each) for each in pull.reviews]

    def review(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        event, said = body.get("event"), body.get("body") or ""
        if event != "COMMENT" and user.login == pull.author:
            what = "approve" if event == "APPROVE" else "request changes on"
            raise Denied(422, "Unprocessable Entity", [f"Can not {what} your own pull request"])
        if event != "APPROVE" and not said.strip():
            raise Denied(422, "Unprocessable Entity", ["Body can't be blank"])
        made = Verdict(
            self.hub.id(),
            user.login,
            said,
            self.hub.time(),
            _EVENTS[event],
            body.get("commit_id", pull.head),
        )
        pull.reviews.append(made)
        return 200, self.answers.review(hosted, pull, made)

    def merge(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        pull = self._pull(hosted, words)
        missing = hosted.missing(pull)
        if pull.state != "open" or pull.draft or not hosted.merges(pull) or missing:
            raise Denied(405, " ".join(missing) or "Pull Request is not mergeable")
        if body.get("sha", pull.head) != pull.head:
            raise Denied(409, "Head branch was modified. Review and try the merge again.")
        if body.get("merge_method", "merge") not in hosted.methods:
            raise Denied(405, "Merge commits are not allowed on this repository.")
        title, text = body.get("commit_title", ""), body.get("commit_message", "")
        method = body.get("merge_method", "merge")
        pull.merged = hosted.merge(pull, method, title, text, user.login)
        pull.state, pull.merged_at = "closed", self.hub.time()
        pull.updated = pull.merged_at
        done = {"sha": pull.merged, "merged": True, "message": "Pull Request successfully merged"}
        return 200, done

    def commits(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        listed = hosted.git("rev-list", words.get("sha", "HEAD"), "--", words.get("path", "."))
        return 200, [self.answers.commit(each) for each in listed.splitlines()]

    def _commit(self, hosted: Hosted, revision: str) -> str:
        found = hosted.commit(revision)
        if found is None:
            raise Denied(422, f"No commit found for SHA: {revision}")
        return found

    def statuses(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        return 200, self.answers.statuses(hosted, self._commit(hosted, words["ref"]))

    def checks(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        return 200, self.answers.checks(hosted, self._commit(hosted, words["ref"]))

    def status(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        commit = self._commit(hosted, words["sha"])
        if len(body.get("description") or "") > 140:
            raise _invalid("Status", message="description is too long (maximum is 140 characters)")
        made = {
            "id": self.hub.id(),
            "state": body["state"],
            "context": body.get("context", "default"),
            "description": body.get("description"),
            "target_url": body.get("target_url"),
            "created_at": self.hub.time(),
        }
        hosted.statuses.setdefault(commit, []).append(made)
        return 201, self.answers.status(made, user.login)

    def rules(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        wanted = hosted.protection.get(words["branch"], Protection())
        return 200, self.answers.rules(wanted) if wanted.rules else []

    def protection(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        wanted = hosted.protection.get(words["branch"])
        if not user.admin:
            raise Denied(404, "Not Found")
        if wanted is None or wanted.rules:
            raise Denied(404, "Branch not protected")
        return 200, self.answers.protection(hosted, wanted)

    def blob(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        content = base64.b64decode(body["content"], validate=True)
        done = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=hosted.folder,
            env={**ENVIRON},
            input=content,
            capture_output=True,
            check=True,
        )
        return 201, self.answers.object("short-blob", sha=done.stdout.decode().strip())

    def tree(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        index = {**ENVIRON, "GIT_INDEX_FILE": str(hosted.folder / f"index-{self.hub.id()}")}

        def git(*arguments: str, input: bytes | None = None) -> str:
            command = ["git", *arguments]
            done = subprocess.run(
                command, cwd=hosted.folder, env=index, input=input, capture_output=True, check=True
            )
            return done.stdout.decode().strip()

        base = body.get("base_tree")
        if base and hosted.git("cat-file", "-t", base) != "tree":
            raise _invalid("Tree", field="base_tree", message="base_tree is not a valid tree oid")
        git("read-tree", base or "--empty")
        entries = "".join(f"{e['mode']} {e['sha']}\t{e['path']}\0" for e in body["tree"])
        git("update-index", "-z", "--index-info", input=entries.encode())
        return 201, self.answers.object("git-tree", sha=git("write-tree"), tree=[], truncated=False)

    def make_commit(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        options = [word for each in body.get("parents", ()) for word in ("-p", each)]
        made = hosted.git("commit-tree", body["tree"], "-m", body["message"], *options)
        return 201, self.answers.object("git-commit", sha=made, message=body["message"])

    def show_commit(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        commit = self._commit(hosted, words["commit_sha"])
        tree = {"sha": hosted.git("rev-parse", f"{commit}^{{tree}}"), "url": self.answers.address}
        return 200, self.answers.object("git-commit", sha=commit, tree=tree)

    def ref(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        found = hosted.commit(f"refs/{words['ref']}")
        if found is None:
            raise Denied(404, "Not Found")
        return 200, self.answers.ref(f"refs/{words['ref']}", found)

    def make_ref(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        if not body["ref"].startswith("refs/") or body["ref"].count("/") < 2:
            raise _invalid("Reference", message="Reference name is not valid")
        if hosted.commit(body["ref"]):
            raise Denied(422, "Reference already exists")
        hosted.git("update-ref", body["ref"], self._commit(hosted, body["sha"]))
        return 201, self.answers.ref(body["ref"], body["sha"])

    def move_ref(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        ref = f"refs/{words['ref']}"
        before = hosted.commit(ref)
        if before is None:
            raise Denied(422, "Reference does not exist")
        if not body.get("force") and hosted.git("rev-list", f"{body['sha']}..{before}"):
            raise Denied(422, "Update is not a fast forward")
        hosted.git("update-ref", ref, body["sha"])
        return 200, self.answers.ref(ref, body["sha"])

    def delete_ref(self, hosted: Hosted, user: User, words: Words, body: Any) -> Given:
        ref = f"refs/{words['ref']}"
        if hosted.commit(ref) is None:
            raise Denied(422, "Reference does not exist")
        if ref == f"refs/heads/{hosted.default_branch}":
            raise Denied(422, "Cannot delete the default branch")
        hosted.git("update-ref", "-d", ref)
        return 204, None


_CALLS = {
    f"GET {_R}": "repository",
    f"GET {_R}/pulls": "pulls",
    f"POST {_R}/pulls": "open",
    f"GET {_R}/pulls/{{pull_number}}": "pull",
    f"PATCH {_R}/pulls/{{pull_number}}": "change",
    f"GET {_R}/pulls/{{pull_number}}/comments": "findings",
    f"POST {_R}/pulls/{{pull_number}}/comments": "finding",
    f"GET {_R}/pulls/{{pull_number}}/reviews": "reviews",
    f"POST {_R}/pulls/{{pull_number}}/reviews": "review",
    f"PUT {_R}/pulls/{{pull_number}}/merge": "merge",
    f"GET {_R}/issues/{{issue_number}}/comments": "remarks",
    f"POST {_R}/issues/{{issue_number}}/comments": "remark",
    f"PATCH {_R}/issues/comments/{{comment_id}}": "edit_remark",
    f"PATCH {_R}/pulls/comments/{{comment_id}}": "edit_finding",
    f"GET {_R}/commits": "commits",
    f"GET {_R}/commits/{{ref}}/status": "statuses",
    f"GET {_R}/commits/{{ref}}/check-runs": "checks",
    f"POST {_R}/statuses/{{sha}}": "status",
    f"GET {_R}/rules/branches/{{branch}}": "rules",
    f"GET {_R}/branches/{{branch}}/protection": "protection",
    f"POST {_R}/git/blobs": "blob",
    f"POST {_R}/git/trees": "tree",
    f"POST {_R}/git/commits": "make_commit",
    f"GET {_R}/git/commits/{{commit_sha}}": "show_commit",
    f"POST {_R}/git/refs": "make_ref",
    f"PATCH {_R}/git/refs/{{ref}}": "move_ref",
    f"DELETE {_R}/git/refs/{{ref}}": "delete_ref",
    f"GET {_R}/git/ref/{{ref}}": "ref",
}
