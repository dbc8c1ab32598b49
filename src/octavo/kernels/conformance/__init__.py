"""A suite that every engine can run: `for check in SUITE: await run_check(check, engine, launch)`.

An engine that lacks something says so by the names in `CAPABILITIES`; a check whose needs it does
not meet is left out by the caller, with `Check.lacking`.
"""

from __future__ import annotations

from octavo.environments.launch import Launch
from octavo.kernels.conformance import (
    anywhere,
    asynchronous,
    displays,
    endings,
    errors,
    interrupts,
    libraries,
    magics,
    parallel,
    port,
    snapshots,
    streams,
    surroundings,
    widgets,
)
from octavo.kernels.conformance.check import CAPABILITIES, Check
from octavo.kernels.conformance.probe import Probe, Ran
from octavo.kernels.port import Engine

__all__ = ["CAPABILITIES", "SUITE", "Check", "Probe", "Ran", "run_check"]

SUITE: tuple[Check, ...] = tuple(
    check
    for module in (
        port,
        anywhere,
        streams,
        displays,
        errors,
        asynchronous,
        magics,
        libraries,
        widgets,
        parallel,
        interrupts,
        endings,
        surroundings,
        snapshots,
    )
    for check in module.room.checks
)


async def run_check(check: Check, engine: Engine, launch: Launch) -> None:
    """Drive one check against an engine; AssertionError when it does not conform."""
    probe = Probe(engine, launch)
    try:
        await check.drive(probe)
    finally:
        await probe.close()
