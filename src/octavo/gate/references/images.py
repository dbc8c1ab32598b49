"""The images of a reference file: they lie in a folder beside it, named by what they show."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from octavo.authoring.files import unwritable
from octavo.gate.comparing.rules import IMAGES
from octavo.gate.references.file import folder_of
from octavo.gate.references.toml_text import string
from octavo.records.disk import replacing

_FILE = re.compile(r'file = "([^"\n/]+/[^"\n/]+)"')


class Images:
    """Images that are about to be written with a reference file."""

    def __init__(self, path: Path) -> None:
        self._folder = folder_of(path)
        self._new: dict[str, bytes] = {}

    def holds(self, mime: str) -> bool:
        return mime in IMAGES

    def add(self, mime: str, value: str, name: str) -> str:
        """What the reference says in place of an image: its file and its hash."""
        try:
            content = b64decode(value)
        except (NotBase64, ValueError):
            return string(value)
        known = sha256(content).hexdigest()
        plain = re.sub(r"[^\w.-]+", "-", name).strip(".-")[:60] or "image"
        file = f"{plain}-{known[:8]}.{IMAGES[mime]}"
        self._new[file] = content
        return f'{{ file = {string(f"{self._folder.name}/{file}")}, sha256 = "{known}" }}'

    def write(self) -> None:
        """Put the images there; a reference that names them comes after."""
        for name, content in self._new.items():
            path = self._folder / name
            try:
                self._folder.mkdir(exist_ok=True)
                with replacing(path) as file:
                    file.write(content)
            except OSError as error:
                raise unwritable(error, path) from error

    def remove_others(self, text: str, before: str) -> None:
        """Take away what only the reference before named."""
        for name in {*_FILE.findall(before)} - {*_FILE.findall(text)}:
            folder, _, file = name.partition("/")
            if folder == self._folder.name and file not in (".", ".."):
                (self._folder / file).unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()
