"""For all tests: where nothing may be missing, a test that is skipped has failed.

Whoever starts the tests in the background may have told them to ignore Ctrl-C and the end of a
terminal, and so would every program that they start: here they are heard again.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from servers.fixtures import gitea  # noqa: F401

#: Reasons that no installation can mend, and Pythons that are used where they are found.
ALLOWED = (
    "root may read everything",
    "no control group of our own",
    "there is no Python",
    "is not here",
)

signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)

# A busy machine is no mistake of the code.
settings.register_profile("octavo", deadline=None)
settings.load_profile("octavo")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever talks to a real server is slow. What is thorough is left to CI, or asked for."""
    for item in items:
        if "gitea" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
    if os.environ.get("OCTAVO_NO_SKIPS") or config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("thorough")]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    for command, what in (("make servers", "real servers"), ("make agents", "real agents")):
        count = sum(command in str(report.longrepr) for report in skipped)
        if count:
            terminalreporter.write_line(f"{count} tests need {what}: run `{command}` once")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("OCTAVO_NO_SKIPS") and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not any(allowed in reason for allowed in ALLOWED):
            report.outcome = "failed"
            report.longrepr = f"skipped, but nothing may be missing here: {reason}"
    return report
