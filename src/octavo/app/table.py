"""The one table of operations. Surfaces are made from it; nothing here is loaded until called."""

from __future__ import annotations


class Entry:
    """An operation: where it is, what it is called, and what it does in one line.

    `group` is the heading it stands under, `examples` are calls that work as they are written.
    `agents` says whether it should be shown to agents as a tool, `hidden` that only programs call
    it, so that the overview leaves it out.
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
        hidden: bool = False,
    ) -> None:
        self.name = name
        self.target = target
        self.request = request
        self.help = help
        self.group = group
        self.examples = examples
        self.agents = agents
        self.hidden = hidden


RUN = "Run"
RECORDS = "Look at runs"
NOTEBOOKS = "Work with notebooks"
SETUP = "Set up"

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
        "sync",
        "octavo.authoring.sync:sync",
        "octavo.authoring.sync:SyncRequest",
        "bring text notebooks and their .ipynb files into step, both ways",
        group=NOTEBOOKS,
        examples=("octavo sync", "octavo sync --check", "octavo sync notebooks --watch"),
        agents=True,
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
        "kernels",
        "octavo.app.kernels:kernels",
        "octavo.app.kernels:KernelsRequest",
        "list the kernels, and which notebooks run in each",
        group=SETUP,
        examples=("octavo kernels", "octavo kernels --json"),
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
