"""The slow parts of getting an environment: building, looking for an interpreter, trying it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from octavo.environments.build import build
from octavo.environments.choose import (
    check_ipython,
    check_python,
    choose,
    install_command,
)
from octavo.environments.find import find_interpreter
from octavo.environments.known import Known, remember
from octavo.environments.launch import Environment
from octavo.environments.layout import CONFIGURATION, ipython_version
from octavo.environments.overlay import ensure_overlay, marker
from octavo.environments.probe import probe
from octavo.environments.request import Choice, Request
from octavo.errors import EnvironmentFailure

Say = Callable[[str], None]


def prepare(choice: Choice, request: Request, say: Say) -> Environment:
    """The environment of a choice, after everything has been done that it needs."""
    if choice.work == "find":
        python = find_interpreter(request, choice.version)
        known = Known(python, None, None)
        remember(request.cache, f"version {choice.version}", known, [python])
        choice = choose(request)
    if choice.work == "build":
        build(choice, request, say)
    if choice.work == "probe":
        return try_out(choice.environment, request, say)
    return choice.environment


def try_out(environment: Environment, request: Request, say: Say) -> Environment:
    """Start an environment's interpreter once, with an overlay if it has no IPython."""
    facts = probe(environment.python, request.environ)
    check_python(str(facts["version"]), environment)
    overlay = None
    if facts["ipython"]:
        check_ipython(ipython_version(facts["sites"]) or "", environment)
    else:
        overlay = ensure_overlay(request, environment.python, str(facts["tag"]), say)
    booted = probe(environment.python, request.environ, overlay, boot=True)
    if booted["failure"]:
        raise _broken(environment, overlay, str(booted["failure"]))
    known = Known(str(facts["executable"]), overlay, environment.root or str(facts["prefix"]))
    remember(request.cache, environment.python, known, _watched(environment, facts, overlay))
    return environment.replace(python=known.python, overlay=overlay, root=known.root)


def _watched(environment: Environment, facts: dict[str, Any], overlay: str | None) -> list[str]:
    """What must not change for the answer to stay true."""
    watched = [environment.python, str(facts["executable"]), *map(str, facts["sites"])]
    if environment.root:
        watched.append(os.path.join(environment.root, CONFIGURATION))
    if overlay:
        watched.append(marker(overlay))
    return watched


def _broken(environment: Environment, overlay: str | None, failure: str) -> EnvironmentFailure:
    has = "has no IPython, and Octavo's does not work with its packages"
    if overlay is None:
        has = "has an IPython that does not start"
    return EnvironmentFailure(
        "environment-broken",
        f"{environment.root or environment.python} {has}: {failure}",
        place=environment.why,
        hint=f"install one that fits with: {install_command(environment.python)}",
    )
