"""The tools as Hermes wants them: a schema, and a handler that answers JSON text.

They are those of the MCP server, made from the same declarations, so the two cannot drift apart.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Mapping
from typing import Any, get_type_hints

from octavo.compat.hermes.desks import Desks, project
from octavo.errors import UsageError
from octavo.surfaces.mcp.brevity import brief
from octavo.surfaces.mcp.declaring import Declared, slim
from octavo.surfaces.mcp.desk import StillRunning
from octavo.surfaces.mcp.failing import problem_of, unknown_arguments
from octavo.surfaces.mcp.wording import Wording


class Tool:
    """One tool. A failing cell is an answer; an error says what was wrong with the call."""

    def __init__(self, declared: Declared, desks: Desks) -> None:
        self.name = declared.called
        self.description = declared.about
        self._arguments = arguments_of(declared)
        self._desks = desks
        parameters = slim(self._arguments.model_json_schema())
        parameters.pop("description", None)
        self.schema = {
            "name": self.name,
            "description": self.description,
            "parameters": {"properties": {}, **parameters},
        }

    def __call__(self, arguments: Mapping[str, Any] | None = None, **about: Any) -> str:
        """What Hermes calls; `about` says for which task and session, which we need not know."""
        try:
            answer = self._desks.call(self.name, self._checked(arguments or {}))
            told = _filled(answer.model_dump(mode="json", exclude_none=True))
            told = brief(self._wording.answer(told, self._names))
        except StillRunning as going_on:
            job = going_on.job
            told = {"status": "running", "job": job, "next": f'job_wait(job="{job}")'}
        except Exception as error:
            told = {"error": self._wording.error(problem_of(error, self.name), self._names)}
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=str)

    @property
    def _wording(self) -> Wording:
        return self._desks.wording(project())

    @property
    def _names(self) -> Collection[str]:
        names: Collection[str] = self._arguments.model_fields
        return names

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of the right types."""
        known = self._arguments.model_fields
        problem = unknown_arguments(given, known, self.name)
        if problem is not None:
            raise UsageError("wrong-argument", problem, place=self.name, hint="leave it out")
        read = self._arguments.model_validate(dict(given))
        return {name: getattr(read, name) for name in read.model_fields_set}


def _filled(told: dict[str, Any]) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: each for name, each in told.items() if each not in ("", [], {})}


def tools_for(desks: Desks) -> list[Tool]:
    """All tools, in the order of the work."""
    return [Tool(declared, desks) for declared in desks.tools(project()).values()]


def arguments_of(declared: Declared) -> Any:
    """A model of the arguments that a tool takes."""
    from pydantic import create_model

    hints = get_type_hints(declared.method, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if each.default is inspect.Parameter.empty else each.default)
        for name, each in inspect.signature(declared.method).parameters.items()
    }
    return create_model(f"{declared.called}Arguments", **fields)
