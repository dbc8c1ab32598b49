"""What is loaded late is as if it had always been there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import octavo_runtime

_ROOT = str(Path(octavo_runtime.__file__).parent.parent)


def _run(code: str) -> object:
    """The JSON that code prints in an interpreter that was started as a zygote is."""
    start = f"import sys, json; sys.path.insert(0, {_ROOT!r})\nfrom octavo_runtime import later\n"
    start += "later.import_asyncio(); later.import_traitlets()\n"
    ran = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_asyncio_comes_without_ssl() -> None:
    code = "print(json.dumps(['asyncio' in sys.modules, 'ssl' in sys.modules]))"
    assert _run(code) == [True, False]


def test_importing_ssl_gives_it_to_asyncio_too() -> None:
    code = (
        "import ssl, asyncio.sslproto, asyncio.base_events as b, asyncio.selector_events as s\n"
        "print(json.dumps([b.ssl is ssl, s.ssl is ssl, b.sslproto is asyncio.sslproto,"
        " asyncio.sslproto.ssl is ssl, hasattr(asyncio.sslproto, 'SSLAgainErrors'),"
        " ssl.__spec__.name, [f for f in sys.meta_path if type(f).__name__ == 'AfterImport']]))"
    )
    assert _run(code) == [True, True, True, True, True, "ssl", []]


def test_the_module_of_asyncio_can_be_imported_first() -> None:
    code = (
        "import asyncio.sslproto, ssl, asyncio.base_events as b\n"
        "print(json.dumps([asyncio.sslproto.ssl is ssl, b.sslproto is asyncio.sslproto]))"
    )
    assert _run(code) == [True, True]


def test_a_secure_connection_may_be_the_first_to_ask(tmp_path: Path) -> None:
    """`ssl=True` without anybody having imported `ssl`; the other end just hangs up."""
    code = (
        "import asyncio\n"
        "async def main():\n"
        "    async def hang_up(reader, writer): writer.close()\n"
        f"    server = await asyncio.start_unix_server(hang_up, {str(tmp_path / 's')!r})\n"
        "    before = 'ssl' in sys.modules\n"
        "    try:\n"
        f"        await asyncio.open_unix_connection({str(tmp_path / 's')!r}, ssl=True,"
        " server_hostname='x')\n"
        "    except Exception as error:\n"
        "        server.close()\n"
        "        return [before, 'ssl' in sys.modules, type(error).__name__]\n"
        "print(json.dumps(asyncio.run(main())))"
    )
    before, after, error = _run(code)  # type: ignore[misc]
    assert (before, after) == (False, True)
    assert error in ("ConnectionResetError", "SSLError", "SSLEOFError", "ConnectionAbortedError")


@pytest.mark.parametrize("module", ["logging.config", "logging.handlers"])
def test_logging_can_be_configured(module: str) -> None:
    code = (
        "import traitlets.config.application as a\n"
        f"before = {module!r} in sys.modules\n"
        "a.dictConfig({'version': 1})\n"
        f"import {module}, logging.config\n"
        "print(json.dumps([before, callable(logging.config.dictConfig)]))"
    )
    assert _run(code) == [False, True]


def test_urllib_and_http_work_as_ever() -> None:
    code = (
        "import http.client, urllib.request, ssl\n"
        "print(json.dumps([hasattr(http.client, 'HTTPSConnection'),"
        " ssl.create_default_context() is not None]))"
    )
    assert _run(code) == [True, True]
