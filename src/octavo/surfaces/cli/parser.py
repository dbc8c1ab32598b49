"""Makes the parser of a command from the fields of its request."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, NoReturn

from octavo.app.table import Entry, load
from octavo.errors import UsageError


class CommandParser(argparse.ArgumentParser):
    """Raises our own error instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("wrong-argument", message, hint=f"{self.prog} --help")


def build(entry: Entry) -> CommandParser:
    """The parser of one command."""
    request: Any = load(entry.request)
    parser = CommandParser(
        prog=f"octavo {entry.name}",
        description=entry.help[0].upper() + entry.help[1:] + ".",
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    for item in fields(request):
        if "shown" in item.metadata:
            _add(parser, item)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def request_from(entry: Entry, namespace: argparse.Namespace) -> Any:
    """The request that a parsed command line asks for."""
    request: Any = load(entry.request)
    values = {
        item.name: _frozen(getattr(namespace, item.name), item.default)
        for item in fields(request)
        if hasattr(namespace, item.name)
    }
    return request(**values)


def _add(parser: CommandParser, item: Field[Any]) -> None:
    shown = item.metadata["shown"]
    options: dict[str, Any] = {"help": argparse.SUPPRESS if shown.get("hidden") else shown["help"]}
    kind = str(item.type)
    if not shown["flags"]:
        _add_positional(parser, item, options, kind)
        return
    options["dest"] = item.name
    options["default"] = item.default
    if kind == "bool":
        options["action"] = "store_true"
    else:
        options.update(_taking_value(shown, kind))
    parser.add_argument(*shown["flags"], **options)


def _add_positional(
    parser: CommandParser, item: Field[Any], options: dict[str, Any], kind: str
) -> None:
    options["metavar"] = item.metadata["shown"]["metavar"] or item.name.upper()
    optional = item.default is not MISSING
    if kind.startswith("tuple"):
        options["nargs"] = "*" if optional else "+"
        options["default"] = () if optional else None
    elif optional:
        options["nargs"] = "?"
        options["default"] = item.default
    parser.add_argument(item.name, **options)


def _taking_value(shown: Any, kind: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if shown["metavar"]:
        options["metavar"] = shown["metavar"]
    if shown["choices"]:
        options["choices"] = shown["choices"]
    if kind.startswith("tuple") or kind == "Pairs":
        options["action"] = "append"
        options["default"] = None
    if isinstance(shown["metavar"], tuple):
        options["nargs"] = len(shown["metavar"])
    elif shown["parse"] is not None:
        options["type"] = _parsed(shown["parse"])
    elif kind.startswith(("int", "float")):
        options["type"] = int if kind.startswith("int") else float
    return options


def _parsed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def _frozen(value: Any, default: Any = None) -> Any:
    """Lists as tuples, as requests hold them; what was not given is as the request says."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return default if value is None else value


class _Formatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=34, width=100)
