"""What a forge can do. Every forge passes the same suite, `octavo.forges.conformance`.

A method that writes may be called again after it was cut off at any point: it finds what it did
and goes on, and never makes a second proposal, comment, attachment or status of the same kind.
Errors are those of `octavo.errors`, with kinds that begin with `forge-`, `token-` or `proposal-`.
"""

from __future__ import annotations

from typing import Literal, Protocol

from octavo.value import Value

State = Literal["open", "closed", "merged"]
StatusState = Literal["pending", "success", "failure", "error"]
Verdict = Literal["approved", "changes", "comment"]
MergeMethod = Literal["merge", "squash", "rebase"]
MERGE_METHODS: tuple[MergeMethod, ...] = ("merge", "squash", "rebase")


class Proposal(Value):
    """A change that is offered for review. `head` is the newest commit of its branch.

    `branch` is to be merged into `base`. `url` is where a person looks at it. Times are ISO 8601.
    """

    number: int
    title: str
    body: str
    branch: str
    base: str
    head: str
    state: State
    draft: bool
    url: str
    author: str
    created: str
    updated: str


class Comment(Value):
    """What somebody said about a proposal. In review it has a place: `path` and `line`.

    `line` is of the file as it is in `commit` (1-based), or of the base where `old` is set; None
    when the place is gone. Comments of one discussion have the same `thread`.
    """

    id: str
    author: str
    body: str
    created: str
    path: str | None = None
    line: int | None = None
    old: bool = False
    commit: str | None = None
    thread: str = ""
    resolved: bool = False
    url: str = ""


class Review(Value):
    """A verdict. It is `stale` when the branch went on after it."""

    id: str
    author: str
    verdict: Verdict
    body: str
    commit: str
    created: str
    stale: bool = False


class Status(Value):
    """What a check says of a commit; `context` is its name, such as `octavo/run`."""

    context: str
    state: StatusState
    description: str = ""
    url: str = ""


class Awaited(Value):
    """A status that a merge needs and that is not green; its state is None where nobody set it.

    It has no name where any status would do, and none is there.
    """

    context: str
    state: StatusState | None = None

    @property
    def words(self) -> str:
        if not self.context:
            return "a status"
        return f"the status {self.context}" + (f" ({self.state})" if self.state else "")


class Mergeable(Value):
    """Whether the forge allows a merge now.

    `missing` says in words what is: an approval, a status, or that there is a conflict. Those of
    the statuses are in `awaited`, too. `required` are the names (or patterns) of the statuses that
    the base asks for, as far as they were looked up.
    """

    allowed: bool
    missing: tuple[str, ...] = ()
    conflict: bool = False
    awaited: tuple[Awaited, ...] = ()
    required: tuple[str, ...] = ()


class About(Value):
    """The repository on its forge. `user` is who the token belongs to."""

    default_branch: str
    url: str
    user: str


class Forge(Protocol):
    """A repository on a forge. Calls block; each is bounded in time."""

    #: `gitea`, `github`, `local`, or what a plug-in is called.
    name: str

    def about(self) -> About:
        """Who we are there and what the default branch is; the cheapest call that needs a token."""

    def proposals(self, state: Literal["open", "closed", "all"] = "open") -> tuple[Proposal, ...]:
        """Proposals, the newest first; `closed` are merged ones too."""

    def proposal(self, number: int) -> Proposal:
        """One proposal; `proposal-not-found` when there is none."""

    def find(self, branch: str) -> Proposal | None:
        """The open proposal of a branch."""

    def open(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> Proposal:
        """Open a proposal for a branch that is on the forge; the open one when there is one."""

    def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        draft: bool | None = None,
    ) -> Proposal:
        """Change what is given; what is as it should be is not written again."""

    def close(self, number: int) -> Proposal:
        """Close a proposal without merging it; its branch stays."""

    def attach(self, number: int, name: str, content: bytes, media_type: str) -> str:
        """Put a figure where the body can show it, and give its address for Markdown.

        The same name with the same content is put there once.
        """

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments, those with a place and those without, the oldest first."""

    def comment(
        self, number: int, body: str, *, path: str | None = None, line: int | None = None
    ) -> Comment:
        """Say something about a proposal, or about a line of its newest commit."""

    def edit_comment(self, number: int, comment_id: str, body: str) -> Comment:
        """Change the words of a comment of our own, by its `id`; `forge-refused` for others'.

        A forge of a plug-in may lack it: then a new comment is made.
        """

    def reviews(self, number: int) -> tuple[Review, ...]:
        """Verdicts, the oldest first."""

    def review(self, number: int, verdict: Verdict, body: str = "") -> Review:
        """Give a verdict on the newest commit. Approving what one proposed oneself may be refused
        (`forge-refused`).
        """

    def statuses(self, commit: str) -> tuple[Status, ...]:
        """The newest status of each context."""

    def set_status(self, commit: str, status: Status) -> None:
        """Set a status of a commit that is on the forge."""

    def mergeable(self, number: int) -> Mergeable:
        """Whether it can be merged now, and what is missing."""

    def merge(
        self, number: int, method: MergeMethod, head: str, *, title: str = "", body: str = ""
    ) -> str:
        """Merge a proposal whose head is still `head`; the commit that the base is at then.

        `proposal-not-mergeable` names what is missing; `branch-moved` when the head is another
        one. A proposal that is merged already gives its commit.
        """

    def delete_branch(self, branch: str) -> None:
        """Delete a branch on the forge; one that is gone is as good."""
