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
        "skill install",
        "octavo.surfaces.installing.skill_install:skill_install",
        "octavo.surfaces.installing.skill_install:SkillInstallRequest",
        "teach an agent how to work with notebooks here",
        group=SETUP,
        examples=(
            "octavo skill install --claude --codex",
            "octavo skill install --dir .claude/skills --dry-run",
            "octavo skill install --hermes --undo",
        ),
    ),
    Entry(
        "skill show",
        "octavo.surfaces.installing.skill_install:skill_show",
        "octavo.surfaces.installing.skill_install:SkillShowRequest",
        "the page that agents read, and those behind it",
        group=SETUP,
        examples=("octavo skill show", "octavo skill show references/sessions.md"),
    ),
    Entry(
        "mcp install",
        "octavo.surfaces.installing.server_install:mcp_install",
        "octavo.surfaces.installing.server_install:ServerInstallRequest",
        "give an agent Octavo's tools: name the server in its configuration",
        group=SETUP,
        examples=("octavo mcp install --claude", "octavo mcp install --codex --dry-run"),
    ),
    Entry(
        "mcp uninstall",
        "octavo.surfaces.installing.server_install:mcp_uninstall",
        "octavo.surfaces.installing.server_install:ServerUninstallRequest",
        "take Octavo's tools out of an agent's configuration again",
        group=SETUP,
        examples=("octavo mcp uninstall --claude",),
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
