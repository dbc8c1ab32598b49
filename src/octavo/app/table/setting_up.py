"""Operations that set things up, and those that only git calls."""

from __future__ import annotations

from octavo.app.table.entry import GIT, SETUP, Entry

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "init",
        "octavo.repository.init:init",
        "octavo.repository.init:InitRequest",
        "set up a git repository for notebooks: filters, diffs, merges, hooks",
        group=SETUP,
        examples=(
            "octavo init",
            "octavo init --ci",
            "octavo init --dry-run",
            "octavo init --undo",
        ),
    ),
    Entry(
        "doctor",
        "octavo.repository.doctor:doctor",
        "octavo.repository.doctor:DoctorRequest",
        "what is missing or misconfigured, and the command that mends it",
        group=SETUP,
        examples=("octavo doctor", "octavo doctor --json"),
        agents=True,
    ),
    Entry(
        "kernels",
        "octavo.app.kernels:kernels",
        "octavo.app.kernels:KernelsRequest",
        "list the kernels, and which notebooks run in each",
        group=SETUP,
        examples=("octavo kernels", "octavo kernels --json"),
        agents=True,
    ),
    Entry(
        "git-diff",
        "octavo.authoring.diff_driver:git_diff",
        "octavo.authoring.diff_driver:GitDiffRequest",
        "show a changed notebook; git calls this for its own diff",
        group=GIT,
        examples=("git config diff.octavo.command 'octavo git-diff --'",),
    ),
    Entry(
        "git-textconv",
        "octavo.authoring.diff_driver:git_textconv",
        "octavo.authoring.diff_driver:GitTextconvRequest",
        "a notebook as text; git calls this for log, show and blame",
        group=GIT,
        examples=("git config diff.octavo.textconv 'octavo git-textconv --'",),
    ),
    Entry(
        "git-hook",
        "octavo.repository.git_hook:git_hook",
        "octavo.repository.git_hook:GitHookRequest",
        "keep notebooks and their .ipynb in step; git's hooks call this",
        group=GIT,
        examples=("octavo git-hook pre-commit",),
    ),
    Entry(
        "git-merge",
        "octavo.repository.merge_driver:git_merge",
        "octavo.repository.merge_driver:GitMergeRequest",
        "merge three versions of a notebook by cell; git calls this",
        group=GIT,
        examples=(
            "octavo git-merge base.ipynb ours.ipynb theirs.ipynb -o merged.ipynb",
            "git config merge.octavo.driver 'octavo git-merge %O %A %B %L ./%P'",
        ),
    ),
)
