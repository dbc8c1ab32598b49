"""What can be asked of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.requests import Request, argument, option, seconds, size
from octavo.value import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.sources import SourceFile

Pairs = tuple[tuple[str, str], ...]
DEFAULT_OUTPUT_CAP = 10_000_000

#: How long a kernel is held when no time is given, in seconds.
HOLD = 1800.0

PARAMETERS = "Parameters"
OUTPUT = "Output"
APART = "Without waiting, or for longer"
ENVIRONMENT = "Environment"
TIMEOUTS = "Timeouts and limits"

# Where a kernel runs, whatever it is started for.
PYTHON: Any = option(
    "--python",
    help="interpreter, version or environment to run in",
    metavar="PYTHON",
    group=ENVIRONMENT,
)
KERNEL: Any = option(
    "-k",
    "--kernel",
    help="Jupyter kernel to run in; see `octavo kernels`",
    metavar="KERNEL",
    group=ENVIRONMENT,
)
ENGINE: Any = option(
    "--engine",
    help="how the kernel is run: fork, jupyter, or a plug-in",
    metavar="ENGINE",
    group=ENVIRONMENT,
)
CWD: Any = option(
    "--cwd", help="folder to run in (default: the notebook's)", metavar="DIR", group=ENVIRONMENT
)
ENV: Any = option(
    "--env",
    help="pass a variable on: NAME, NAME=VALUE, or a pattern",
    default=(),
    metavar="NAME",
    group=ENVIRONMENT,
)


class RunRequest(Request):
    """Run notebooks, one record each.

    `values` are parameters that are not text, from Python or from a record; every other way to
    give a parameter wins over them. `source` is run in place of what the path holds. With
    `unchecked` cells and values are taken as they are, and what is wrong shows when they run;
    with `prepared` the values stand in the notebook already. `checkout` stands for the
    notebook's own folder: it is run there, and the commit there is told. With `observe` the record
    tells which files were used; with `coverage` lines of the project's code are counted.
    """

    paths: tuple[str, ...] = argument(
        "notebooks to run (files, - for standard input, or http:// addresses)", metavar="NOTEBOOK"
    )
    parameters: Pairs = option(
        "-p",
        "--parameters",
        help="a parameter and its value",
        default=(),
        metavar=("NAME", "VALUE"),
        group=PARAMETERS,
    )
    raw: Pairs = option(
        "-r",
        "--parameters-raw",
        help="likewise, kept as text",
        default=(),
        metavar=("NAME", "VALUE"),
        group=PARAMETERS,
    )
    parameter_files: tuple[str, ...] = option(
        "-f",
        "--parameters-file",
        help="parameters from a YAML or JSON file",
        default=(),
        metavar="FILE",
        group=PARAMETERS,
    )
    yaml: tuple[str, ...] = option(
        "-y",
        "--parameters-yaml",
        help="parameters as YAML text",
        default=(),
        metavar="YAML",
        group=PARAMETERS,
    )
    base64: tuple[str, ...] = option(
        "-b",
        "--parameters-base64",
        help="parameters as base64 of YAML",
        default=(),
        metavar="TEXT",
        group=PARAMETERS,
    )
    allow_unknown: bool = option(
        "--allow-unknown",
        help="inject parameters that the notebook does not declare",
        default=False,
        group=PARAMETERS,
    )
    inject_paths: bool = option(
        "--inject-paths",
        help="give PAPERMILL_INPUT_PATH and PAPERMILL_OUTPUT_PATH as parameters",
        default=False,
        group=PARAMETERS,
    )
    output: str | None = option(
        "-o",
        "--output",
        help="also write the executed notebook here (- for standard output)",
        metavar="PATH",
        group=OUTPUT,
    )
    jobs: int = option(
        "-j", "--jobs", help="how many notebooks run at once", default=1, metavar="N"
    )
    keep_going: bool = option(
        "--keep-going", help="run the cells after one that failed, too", default=False
    )
    detach: bool = option(
        "--detach",
        help="return at once with the job's id; the run goes on without its caller",
        default=False,
        group=APART,
    )
    hold: float | None = option(
        "--hold",
        help="keep the kernel of a run that fails alive, as a session (default: for 30m)",
        metavar="[TIME]",
        parse=seconds,
        bare=HOLD,
        group=APART,
    )
    request_id: str | None = option(
        "--request-id",
        help="with --detach, an id of yours: asked twice, it is run once",
        metavar="ID",
        group=APART,
    )
    prepare_only: bool = option(
        "--prepare-only",
        help="write the bound notebook, run nothing",
        default=False,
        group=OUTPUT,
    )
    autosave: float | None = option(
        "--autosave",
        help="bring -o up to date after a cell, and so often within a long one",
        metavar="TIME",
        parse=seconds,
        group=OUTPUT,
    )
    report_mode: bool = option(
        "--report-mode",
        help="fold the code of the executed notebook away",
        default=False,
        group=OUTPUT,
    )
    stdout_file: str | None = option(
        "--stdout-file",
        help="also write standard output of cells here",
        metavar="PATH",
        group=OUTPUT,
    )
    stderr_file: str | None = option(
        "--stderr-file",
        help="also write standard error of cells here",
        metavar="PATH",
        group=OUTPUT,
    )
    python: str | None = PYTHON
    kernel: str | None = KERNEL
    engine: str | None = ENGINE
    cwd: str | None = CWD
    env: tuple[str, ...] = ENV
    env_files: tuple[str, ...] = option(
        "--env-file",
        help="variables from a .env file",
        default=(),
        metavar="FILE",
        group=ENVIRONMENT,
    )
    preload: tuple[str, ...] = option(
        "--preload",
        help="modules to load before the kernel is forked",
        default=(),
        metavar="NAMES",
        group=ENVIRONMENT,
    )
    cell_timeout: float | None = option(
        "--cell-timeout",
        help="longest time for a cell",
        metavar="TIME",
        parse=seconds,
        group=TIMEOUTS,
    )
    timeout: float | None = option(
        "--timeout", help="longest time for a run", metavar="TIME", parse=seconds, group=TIMEOUTS
    )
    silence_timeout: float | None = option(
        "--silence-timeout",
        help="longest time without any output",
        metavar="TIME",
        parse=seconds,
        group=TIMEOUTS,
    )
    start_timeout: float | None = option(
        "--start-timeout",
        help="longest time until the kernel answers",
        metavar="TIME",
        parse=seconds,
        group=TIMEOUTS,
    )
    memory: int | None = option(
        "--memory",
        help="most memory for the kernel and its children",
        metavar="SIZE",
        parse=size,
        group=TIMEOUTS,
    )
    processes: int | None = option(
        "--processes", help="most processes of the kernel", metavar="N", parse=int, group=TIMEOUTS
    )
    cpu: float | None = option(
        "--cpu", help="most processor time", metavar="TIME", parse=seconds, group=TIMEOUTS
    )
    file_size: int | None = option(
        "--file-size",
        help="largest file that may be written",
        metavar="SIZE",
        parse=size,
        group=TIMEOUTS,
    )
    output_cap: int = option(
        "--output-cap",
        help="output per cell that stays in the notebook",
        default=DEFAULT_OUTPUT_CAP,
        metavar="SIZE",
        parse=size,
        group=TIMEOUTS,
    )
    offline: bool = option(
        "--offline", help="use no network to build environments", default=False, group=ENVIRONMENT
    )
    parent_run: str | None = option("--parent-run", help="the run this one repeats", hidden=True)
    values: Mapping[str, Any] = EMPTY
    source: SourceFile | None = None
    unchecked: bool = False
    prepared: bool = False
    checkout: str = ""
    observe: bool = False
    coverage: Mapping[str, Any] | None = None
