"""What can be asked of a check."""

from __future__ import annotations

from octavo.requests import Request, argument, option, seconds, size

OUTPUTS = "Outputs"
BOUNDS = "Bounds"
REPORTS = "Reports"


def _share(text: str) -> float:
    number = _number(text)
    if number > 1:
        raise ValueError(f"{text!r} is not a share; write a number from 0 to 1")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(f"{text!r} is not a number from 0 on")
    return number


class CheckRequest(Request):
    """Which notebooks to check, and how. What a notebook's own check block says wins over bounds,
    tolerance and mode that are given here.
    """

    paths: tuple[str, ...] = argument(
        "notebooks or folders (default: the configured notebooks)", metavar="PATH", default=()
    )
    since: str | None = option(
        "--since", help="only those that changed, or what they use, since this", metavar="REVISION"
    )
    jobs: int = option(
        "-j",
        "--jobs",
        help="how many run at once (default: a processor each)",
        default=0,
        metavar="N",
    )
    no_cache: bool = option(
        "--no-cache", help="run also what has not changed since it passed", default=False
    )
    no_lint: bool = option("--no-lint", help="only run, do not lint first", default=False)
    strict: bool = option(
        "--strict",
        help="compare the outputs of all cells that are not marked otherwise",
        default=False,
        group=OUTPUTS,
    )
    update: bool = option(
        "--update",
        help="accept outputs that changed as the new reference",
        default=False,
        group=OUTPUTS,
    )
    tolerance: float | None = option(
        "--tolerance",
        help="how far numbers may be apart, as a share of them",
        metavar="SHARE",
        parse=_number,
        group=OUTPUTS,
    )
    image_threshold: float | None = option(
        "--image-threshold",
        help="compare images: the share of pixels that may differ",
        metavar="SHARE",
        parse=_share,
        group=OUTPUTS,
    )
    sanitize_with: str | None = option(
        "--sanitize-with",
        help="replacements in outputs before they are compared",
        metavar="FILE",
        group=OUTPUTS,
    )
    require_records: bool = option(
        "--require-records",
        help="reject committed outputs that no known run produced",
        default=False,
        group=OUTPUTS,
    )
    timeout: float | None = option(
        "--timeout", help="longest time for a notebook", metavar="TIME", parse=seconds, group=BOUNDS
    )
    cell_timeout: float | None = option(
        "--cell-timeout",
        help="longest time for a cell",
        metavar="TIME",
        parse=seconds,
        group=BOUNDS,
    )
    memory: int | None = option(
        "--memory", help="most memory for a notebook", metavar="SIZE", parse=size, group=BOUNDS
    )
    cov: bool = option(
        "--cov",
        help="measure how much of the project's own code is covered",
        default=False,
        group=REPORTS,
    )
    junit: str | None = option("--junit", help="JUnit XML", metavar="PATH", group=REPORTS)
    sarif: str | None = option("--sarif", help="SARIF", metavar="PATH", group=REPORTS)
    markdown: str | None = option(
        "--markdown", help="a summary in Markdown, added to the file", metavar="PATH", group=REPORTS
    )
    report: str | None = option(
        "--report", help="all of it as JSON, for `octavo announce`", metavar="PATH", group=REPORTS
    )
    annotations: bool = option(
        "--annotations",
        help="print the annotations that a forge shows beside lines",
        default=False,
        group=REPORTS,
    )
