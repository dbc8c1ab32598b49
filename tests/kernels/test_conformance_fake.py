"""The fake passes what any kernel owes its caller, so tests that use it mean something."""

from __future__ import annotations

import asyncio

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import SUITE, Check, run_check
from octavo.kernels.fake import FakeEngine, error, result, text, wait

_LACKS = ("python", "code")
_CHECKS = [check for check in SUITE if not check.lacking(_LACKS)]

_SCRIPT = {
    "print('hello')": [text("hello\n")],
    "1 + 1": [result("2")],
    "1 / 0": [error("ZeroDivisionError", "division by zero")],
    "print('started', flush=True)\nwhile True: pass": [text("started\n"), wait()],
}


@pytest.mark.parametrize("check", _CHECKS, ids=lambda check: check.name)
def test_the_fake_conforms(check: Check, launch: Launch) -> None:
    asyncio.run(run_check(check, FakeEngine(_SCRIPT), launch))


def test_it_is_measured_by_more_than_a_few_checks() -> None:
    assert len(_CHECKS) >= 10
