"""The one table of operations. Surfaces are made from it; nothing here is loaded until called."""

from __future__ import annotations


class Entry:
    """An operation: where it is, what it is called, and what it does in one line.

    `group` is the heading it stands under, `examples` are calls that work as they are written.
    `agents` says whether it should be shown to agents as a tool.
    """

    def __init__(
        self,
        name: str,
        target: str,
        request: str,
        help: str,
        *,
        group: str,
        examples: tuple[str, ...] = (),
        agents: bool = False,
    ) -> None:
        self.name = name
        self.target = target
        self.request = request
        self.help = help
        self.group = group
        self.examples = examples
        self.agents = agents

    @property
    def hidden(self) -> bool:
        """Whether only git calls it, so that the overview leaves it out."""
        return self.group == GIT


RUN = "Run"
RECORDS = "Look at runs"
NOTEBOOKS = "Work with notebooks"
PROPOSALS = "Propose and review"
KEEP = "Keep"
AGENTS = "Small steps, for agents"
SETUP = "Set up"
GIT = "Called by git"

OPERATIONS: tuple[Entry, ...] = (
    Entry(
        "run",
        "octavo.runs.operation:run",
        "octavo.runs.request:RunRequest",
        "run notebooks and keep a record of each",
        group=RUN,
        examples=(
            "octavo run report.py -p threshold 0.9 -p host web-1",
            "octavo run report.py -f settings.yaml -o report.ipynb",
            "octavo run checks/*.py -j 2 --cell-timeout 5m",
            "octavo run deploy.md --kernel bash",
            "octavo run --help-notebook report.py",
        ),
        agents=True,
    ),
    Entry(
        "rerun",
        "octavo.runs.rerun:rerun",
        "octavo.runs.rerun:RerunRequest",
        "run a notebook again as an earlier run did",
        group=RUN,
        examples=("octavo rerun last", "octavo rerun last -p threshold 0.8 --recorded"),
        agents=True,
    ),
    Entry(
        "check",
        "octavo.gate.check:check",
        "octavo.gate.request:CheckRequest",
        "run notebooks in clean kernels, and judge whether they still hold",
        group=RUN,
        examples=(
            "octavo check",
            "octavo check --since origin/main --junit report.xml",
            "octavo check notebooks/report.py --strict --update",
        ),
        agents=True,
    ),
    Entry(
        "announce",
        "octavo.gate.announce:announce_check",
        "octavo.gate.announce:AnnounceRequest",
        "tell the report of a check on the forge: a status, and one comment",
        group=RUN,
        examples=(
            "octavo announce check.json",
            "octavo announce check.json --number 12",
            "octavo announce --pending",
        ),
    ),
    Entry(
        "warm",
        "octavo.app.warm:warm",
        "octavo.app.warm:WarmRequest",
        "keep kernels loaded, so that the next run starts at once",
        group=RUN,
        examples=("octavo warm", "octavo warm --status", "octavo warm --stop"),
    ),
    Entry(
        "runs",
        "octavo.runs.looking.listing:runs",
        "octavo.runs.looking.listing:RunsRequest",
        "list runs, the newest first",
        group=RECORDS,
        examples=(
            "octavo runs --status error --since 2d",
            "octavo runs report.py --where 'score>0.8' --sort score",
        ),
        agents=True,
    ),
    Entry(
        "show",
        "octavo.runs.looking.show:show",
        "octavo.runs.looking.show:ShowRequest",
        "show a run or a notebook in the terminal",
        group=RECORDS,
        examples=("octavo show last --errors", "octavo show report.py --cell 3"),
        agents=True,
    ),
    Entry(
        "compare",
        "octavo.runs.looking.compare:compare",
        "octavo.runs.looking.compare:CompareRequest",
        "compare two runs: parameters, scraps, cells, durations, environment",
        group=RECORDS,
        examples=(
            "octavo compare",
            "octavo compare last~1 last",
            "octavo compare before.ipynb after.ipynb --ignore '0x[0-9a-f]+'",
        ),
        agents=True,
    ),
    Entry(
        "scraps",
        "octavo.runs.looking.scraps:scraps",
        "octavo.runs.looking.scraps:ScrapsRequest",
        "the values that runs and notebooks handed out",
        group=RECORDS,
        examples=(
            "octavo scraps last",
            "octavo scraps last health_score",
            "octavo scraps 'output/*.ipynb' --table",
            "octavo scraps .octavo/runs --csv",
        ),
        agents=True,
    ),
    Entry(
        "inspect",
        "octavo.authoring.inspect:inspect",
        "octavo.authoring.inspect:InspectRequest",
        "what a notebook takes, what it hands out, and what is in it",
        group=NOTEBOOKS,
        examples=("octavo inspect report.py", "octavo inspect report.py --json"),
        agents=True,
    ),
    Entry(
        "read",
        "octavo.authoring.reading.read:read",
        "octavo.authoring.reading.read:ReadRequest",
        "read a notebook or a run in parts, within a budget of tokens",
        group=NOTEBOOKS,
        examples=(
            "octavo read report.py",
            "octavo read report.py --section 2 --budget 2000",
            "octavo read last --cells 3-7,load --outputs",
            "octavo read report.ipynb --search threshold --json",
        ),
        agents=True,
    ),
    Entry(
        "sync",
        "octavo.authoring.sync:sync",
        "octavo.authoring.sync:SyncRequest",
        "bring text notebooks and their .ipynb files into step, both ways",
        group=NOTEBOOKS,
        examples=("octavo sync", "octavo sync --check", "octavo sync notebooks --watch"),
        agents=True,
    ),
    Entry(
        "diff",
        "octavo.authoring.diffing:diff_notebooks",
        "octavo.authoring.diffing:DiffRequest",
        "what changed between two notebooks, or between revisions in git",
        group=NOTEBOOKS,
        examples=(
            "octavo diff before.ipynb after.ipynb",
            "octavo diff",
            "octavo diff report.py --no-outputs",
            "octavo diff main..branch -- report.py",
            "octavo diff main...branch --markdown",
        ),
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
        "convert",
        "octavo.authoring.convert:convert",
        "octavo.authoring.convert:ConvertRequest",
        "write a notebook in another format",
        group=NOTEBOOKS,
        examples=("octavo convert report.ipynb --to md", "octavo convert report.py -o -"),
        agents=True,
    ),
    Entry(
        "create",
        "octavo.authoring.creating.operation:create",
        "octavo.authoring.creating.request:CreateRequest",
        "make a new notebook from a template; it runs as it is",
        group=NOTEBOOKS,
        examples=(
            'octavo create "Compare the disk usage of all hosts"',
            'octavo create "Daily sales" reports/sales.md --template report',
            "octavo create --list",
        ),
        agents=True,
    ),
    Entry(
        "edit",
        "octavo.authoring.editing.operation:edit",
        "octavo.authoring.editing.request:EditRequest",
        "change cells of a notebook; the rest of the file stays byte for byte",
        group=NOTEBOOKS,
        examples=(
            "octavo edit report.py 3 --source 'x = 2' --expect 4f1d22ab",
            "octavo edit report.py load --replace 0.9 0.8",
            "octavo edit report.py 3 --insert after --kind markdown --source '## Results'",
            "octavo edit report.py -1 --move-before 2",
            "octavo edit report.py --edits changes.json --dry-run",
        ),
        agents=True,
    ),
    Entry(
        "lint",
        "octavo.gate.linting:lint",
        "octavo.gate.linting:LintRequest",
        "what is wrong with notebooks, told without running them",
        group=NOTEBOOKS,
        examples=(
            "octavo lint",
            "octavo lint notebooks/report.py --json",
            "octavo lint --rule secret --rule missing-import",
            "octavo lint --ignore unused-parameter --errors-only",
        ),
        agents=True,
    ),
    Entry(
        "graph",
        "octavo.gate.graphing:graph",
        "octavo.gate.graphing:GraphRequest",
        "which cell depends on which, and what an edit would touch",
        group=NOTEBOOKS,
        examples=(
            "octavo graph report.py",
            "octavo graph report.py --downstream load",
            "octavo graph report.py --upstream -1 --json",
            "octavo graph report.py --mermaid",
        ),
        agents=True,
    ),
    Entry(
        "propose",
        "octavo.proposals.propose:propose",
        "octavo.proposals.propose:ProposeRequest",
        "offer a changed notebook for review, with evidence that it runs",
        group=PROPOSALS,
        examples=(
            'octavo propose notebooks/report.py -m "Raise the threshold"',
            'octavo propose report.py -m "Fix the join" --issue 155 -p host web-1',
            "octavo propose report.py --draft --forge local",
        ),
        agents=True,
    ),
    Entry(
        "proposals",
        "octavo.proposals.listing:proposals",
        "octavo.proposals.listing:ProposalsRequest",
        "list what is offered for review",
        group=PROPOSALS,
        examples=("octavo proposals", "octavo proposals --state all --json"),
        agents=True,
    ),
    Entry(
        "review",
        "octavo.proposals.review:review",
        "octavo.proposals.review:ReviewRequest",
        "a proposal: what reviewers say, cell by cell, and what it still needs",
        group=PROPOSALS,
        examples=("octavo review 3", "octavo review 3 --json"),
        agents=True,
    ),
    Entry(
        "comment",
        "octavo.proposals.answering:comment",
        "octavo.proposals.answering:CommentRequest",
        "say something about a proposal, a line or a cell of it",
        group=PROPOSALS,
        examples=(
            'octavo comment 3 "Looks good, but why 0.9?"',
            'octavo comment 3 "Off by one" --path notebooks/report.py --line 12',
        ),
        agents=True,
    ),
    Entry(
        "approve",
        "octavo.proposals.answering:approve",
        "octavo.proposals.answering:ApproveRequest",
        "approve a proposal, or ask for changes",
        group=PROPOSALS,
        examples=("octavo approve 3", 'octavo approve 3 --request-changes -m "too slow"'),
    ),
    Entry(
        "merge",
        "octavo.proposals.merging:merge",
        "octavo.proposals.merging:MergeRequest",
        "merge a proposal that has all it needs, and delete its branch",
        group=PROPOSALS,
        examples=(
            "octavo merge 3",
            "octavo merge 3 --method squash",
            "octavo merge 3 --when-green --timeout 1h",
        ),
    ),
    Entry(
        "archive",
        "octavo.archive.operation:archive",
        "octavo.archive.operation:ArchiveRequest",
        "put executed notebooks with their records on a branch of their own",
        group=KEEP,
        examples=(
            "octavo archive",
            "octavo archive last~1 last --push",
            "octavo archive --prune --keep 50 --dry-run",
        ),
        agents=True,
    ),
    Entry(
        "export",
        "octavo.authoring.exporting.operation:export",
        "octavo.authoring.exporting.request:ExportRequest",
        "a run or a notebook as a page, Markdown, PDF, script or .ipynb",
        group=KEEP,
        examples=(
            "octavo export",
            "octavo export last --to pdf --no-code",
            "octavo export report.ipynb --to md -o docs/report.md",
            "octavo export last~1 last -o pages/",
        ),
        agents=True,
    ),
    Entry(
        "notebook_execute",
        "octavo.proposals.steps:notebook_execute",
        "octavo.proposals.steps:NotebookExecuteRequest",
        "run a notebook, and tell where the executed one is",
        group=AGENTS,
        examples=("octavo notebook_execute report.py -p threshold 0.9",),
        agents=True,
    ),
    Entry(
        "notebook_commit",
        "octavo.proposals.steps:notebook_commit",
        "octavo.proposals.steps:NotebookCommitRequest",
        "commit a notebook and its .ipynb to a branch, and push it",
        group=AGENTS,
        examples=('octavo notebook_commit report.py "Raise the threshold"',),
        agents=True,
    ),
    Entry(
        "notebook_pr",
        "octavo.proposals.steps:notebook_pr",
        "octavo.proposals.steps:NotebookPrRequest",
        "open a pull request for a branch",
        group=AGENTS,
        examples=('octavo notebook_pr agent/report "Raise the threshold" "As asked for in #155"',),
        agents=True,
    ),
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
        "git-hook",
        "octavo.repository.git_hook:git_hook",
        "octavo.repository.git_hook:GitHookRequest",
        "keep notebooks and their .ipynb in step; git's hooks call this",
        group=GIT,
        examples=("octavo git-hook pre-commit",),
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
    Entry(
        "notebook_create",
        "octavo.authoring.steps:notebook_create",
        "octavo.authoring.steps:NotebookCreateRequest",
        "make a new .py notebook for a task",
        group=AGENTS,
        examples=('octavo notebook_create "Compare the disk usage of all hosts"',),
        agents=True,
    ),
    Entry(
        "notebook_edit",
        "octavo.authoring.steps:notebook_edit",
        "octavo.authoring.steps:NotebookEditRequest",
        "replace the source of a cell",
        group=AGENTS,
        examples=("octavo notebook_edit report.py 3 'x = 2'",),
        agents=True,
    ),
)


def find(name: str) -> Entry | None:
    """The operation of a name."""
    return next((entry for entry in OPERATIONS if entry.name == name), None)


def load(reference: str) -> object:
    """What `module:name` stands for."""
    from importlib import import_module

    module, _, name = reference.partition(":")
    loaded: object = getattr(import_module(module), name)
    return loaded
