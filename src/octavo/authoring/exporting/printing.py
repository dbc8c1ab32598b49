"""PDF: the page, printed by a Chromium of its own that ends with it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from octavo.authoring.exporting.request import ExportContext
from octavo.errors import EnvironmentFailure, UsageError

#: What is looked for on the way to programs, and where macOS keeps them.
PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)  # fmt: skip
#: Printing takes seconds; a browser that hangs is ended after this many.
LONGEST = 180.0


async def printed(page: str, browser: str, context: ExportContext) -> bytes:
    """The PDF of a page."""
    program = _program(browser, context.environ.get("PATH"))
    with TemporaryDirectory(prefix="octavo-print-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "page.html", folder / "page.pdf"
        source.write_text(page, encoding="utf-8", errors="replace")
        said = await _run(_words(program, folder, source, target), folder, context)
        if not target.is_file() or not target.stat().st_size:
            raise _failed(program, said)
        return target.read_bytes()


def _program(browser: str, path: str | None) -> str:
    if browser:
        found = shutil.which(browser, path=path)
        if found is None:
            message = f"--browser {browser}: there is no such program"
            raise UsageError("wrong-argument", message, hint="name a Chromium, or leave it out")
        return os.path.abspath(found)  # it is started in a folder of its own
    found = next(filter(None, (shutil.which(each, path=path) for each in PROGRAMS)), None)
    if found is None:
        raise EnvironmentFailure(
            "extra-missing",
            "a PDF is printed by Chromium or Chrome, and none is found",
            hint="apt-get install chromium, name one with --browser, or export --to html and print",
        )
    return found


def _words(program: str, folder: Path, source: Path, target: Path) -> list[str]:
    """Nothing of the user's profile is read, and no address resolves."""
    words = [
        program, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-extensions", "--disable-background-networking", "--disable-sync",
        "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
        "--no-pdf-header-footer", "--generate-pdf-document-outline",
        f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}",
        source.as_uri(),
    ]  # fmt: skip
    # It refuses to start as root with its sandbox.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.insert(1, "--no-sandbox")
    return words


async def _run(words: list[str], folder: Path, context: ExportContext) -> str:
    """What it said. Whatever happens, none of its processes is left."""
    env = {"HOME": str(folder), "PATH": context.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    try:
        process = await asyncio.create_subprocess_exec(
            *words, cwd=folder, env=env, start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    except OSError as error:
        raise _failed(words[0], error.strerror or str(error)) from error
    try:
        _, said = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError as error:
        raise _failed(words[0], f"it did not end within {LONGEST:.0f} s") from error
    finally:
        # Its helpers are in the group of the first one, and may outlive it.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            await process.wait()
    return said.decode("utf-8", "replace")


def _failed(program: str, said: str) -> EnvironmentFailure:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1][:300] if lines else "it said nothing"
    hint = "try another with --browser, or export --to html and print that"
    return EnvironmentFailure(
        "extra-missing", f"Chromium printed nothing: {last}", place=program, hint=hint
    )
