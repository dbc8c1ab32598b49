"""Results for people and machines."""

from __future__ import annotations

import json
from typing import Any

from octavo.app.table import load
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen
from octavo.surfaces.cli.standard_output import is_the_clients

#: Who shows the result of a command: `show(result, asked, view, out)`, loaded when needed.
PRESENTERS = {
    "run": "octavo.surfaces.cli.present.runs:run_report",
    "rerun": "octavo.surfaces.cli.present.runs:run_report",
    "check": "octavo.surfaces.cli.present.checking:checked",
    "announce": "octavo.surfaces.cli.present.checking:announced",
    "runs": "octavo.surfaces.cli.present.runs:listing",
    "scraps": "octavo.surfaces.cli.present.scraps:scraps",
    "compare": "octavo.surfaces.cli.present.compare:comparison",
    "show": "octavo.surfaces.cli.present.notebook:shown",
    "kernels": "octavo.surfaces.cli.present.setup:kernels",
    "warm": "octavo.surfaces.cli.present.setup:warm",
    "mcp": "octavo.surfaces.cli.present.serving:served",
    "serve": "octavo.surfaces.cli.present.serving:served",
    "completion": "octavo.surfaces.cli.present.setup:completion",
    "inspect": "octavo.surfaces.cli.present.authoring:inspect",
    "read": "octavo.surfaces.cli.present.reading:reading",
    "lint": "octavo.surfaces.cli.present.linting:linted",
    "graph": "octavo.surfaces.cli.present.linting:graphed",
    "sync": "octavo.surfaces.cli.present.authoring:sync",
    "convert": "octavo.surfaces.cli.present.authoring:convert",
    "diff": "octavo.surfaces.cli.present.diff:difference",
    "git-diff": "octavo.surfaces.cli.present.diff:driver",
    "git-textconv": "octavo.surfaces.cli.present.diff:textconv",
    "init": "octavo.surfaces.cli.present.repository:initialized",
    "skill install": "octavo.surfaces.cli.present.installing:installed",
    "skill show": "octavo.surfaces.cli.present.installing:page",
    "mcp install": "octavo.surfaces.cli.present.installing:installed",
    "mcp uninstall": "octavo.surfaces.cli.present.installing:installed",
    "doctor": "octavo.surfaces.cli.present.repository:examined",
    "git-hook": "octavo.surfaces.cli.present.repository:hooked",
    "git-merge": "octavo.surfaces.cli.present.merging:git_merge",
    "propose": "octavo.surfaces.cli.present.proposals:proposed",
    "proposals": "octavo.surfaces.cli.present.proposals:listing",
    "review": "octavo.surfaces.cli.present.proposals:reviewed",
    "comment": "octavo.surfaces.cli.present.proposals:commented",
    "approve": "octavo.surfaces.cli.present.proposals:approved",
    "merge": "octavo.surfaces.cli.present.proposals:merged",
    "archive": "octavo.surfaces.cli.present.archive:archived",
    "export": "octavo.surfaces.cli.present.exporting:exported",
    "job list": "octavo.surfaces.cli.present.jobs:listing",
    "job poll": "octavo.surfaces.cli.present.jobs:polled",
    "job wait": "octavo.surfaces.cli.present.jobs:waited",
    "job cancel": "octavo.surfaces.cli.present.jobs:cancelled",
    "notebook_execute": "octavo.surfaces.cli.present.proposals:executed",
    "notebook_commit": "octavo.surfaces.cli.present.proposals:committed",
    "notebook_pr": "octavo.surfaces.cli.present.proposals:opened",
    "create": "octavo.surfaces.cli.present.editing:created",
    "edit": "octavo.surfaces.cli.present.editing:edited",
    "notebook_create": "octavo.surfaces.cli.present.editing:created",
    "notebook_edit": "octavo.surfaces.cli.present.editing:edited",
    "session start": "octavo.surfaces.cli.present.sessions:started",
    "session from-run": "octavo.surfaces.cli.present.jobs:taken_up",
    "session exec": "octavo.surfaces.cli.present.sessions:executed",
    "session run-cell": "octavo.surfaces.cli.present.sessions:executed",
    "session run-all": "octavo.surfaces.cli.present.sessions:executed_all",
    "session edit": "octavo.surfaces.cli.present.sessions:edited",
    "session show": "octavo.surfaces.cli.present.sessions:shown",
    "session vars": "octavo.surfaces.cli.present.variables:listed",
    "session preview": "octavo.surfaces.cli.present.variables:previewed",
    "session list": "octavo.surfaces.cli.present.sessions:listing",
    "session rewind": "octavo.surfaces.cli.present.sessions:rewound",
    "session save": "octavo.surfaces.cli.present.session_files:saved",
    "session promote": "octavo.surfaces.cli.present.session_files:promoted",
    "session diff": "octavo.surfaces.cli.present.session_files:compared",
    "session interrupt": "octavo.surfaces.cli.present.sessions:done",
    "session restart": "octavo.surfaces.cli.present.sessions:done",
    "session branch": "octavo.surfaces.cli.present.sessions:started",
    "session restore": "octavo.surfaces.cli.present.sessions:started",
    "session attach": "octavo.surfaces.cli.present.sessions:attached",
    "session stop": "octavo.surfaces.cli.present.sessions:done",
}


def show_result(name: str, result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Print a result the way it was asked for."""
    if asked.options.json and not is_the_clients(name):
        print_json(result, out)
    else:
        presenter: Any = load(PRESENTERS[name])
        presenter(result, asked, view, out)


def print_json(result: Any, out: Screen) -> None:
    """On one line; indented on a terminal."""
    from octavo.records.plain import finite

    indent = 2 if out.is_terminal else None
    out.print(json.dumps(finite(result.to_json()), indent=indent, default=str))
