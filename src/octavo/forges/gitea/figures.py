"""Attachments of a pull request on Gitea, told apart by a digest in their names."""

from __future__ import annotations

import re
from hashlib import sha256

from octavo.errors import UsageError
from octavo.forges.gitea.api import RepositoryApi
from octavo.forges.http import Refused, understood

_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


def stored_name(name: str, content: bytes) -> str:
    """The name that one content has under a name."""
    stem, dot, suffix = _ODD.sub("-", name.replace("\\", "/").rpartition("/")[2]).rpartition(".")
    if not dot:
        stem, suffix = suffix, ""
    digest = sha256(name.encode("utf-8", "replace") + b"\0" + content).hexdigest()[:12]
    return f"{stem.strip('.-')[:_LONGEST] or 'file'}-{digest}{dot}{suffix}"


def attach(api: RepositoryApi, number: int, name: str, content: bytes, media_type: str) -> str:
    """Put a file there, unless it is; its address."""
    stored = stored_name(name, content)

    def there() -> str | None:
        assets = api.all(f"issues/{number}/assets")
        with understood("attachments"):
            return next((a["browser_download_url"] for a in assets if a["name"] == stored), None)

    def put() -> str:
        data, multipart = _form(stored, content, media_type)
        path = f"issues/{number}/assets"
        made = api.call("POST", path, data=data, media_type=multipart, query={"name": stored})
        with understood("attachment"):
            return str(made.body["browser_download_url"])

    found = there()
    if found is not None:
        return found
    try:
        return api.http.once(put, there)
    except Refused as error:
        raise _not_taken(name, len(content), error) from error


def _form(name: str, content: bytes, media_type: str) -> tuple[bytes, str]:
    boundary = f"octavo-{sha256(content).hexdigest()}"
    kind = media_type if media_type.isascii() and media_type.isprintable() else "image/png"
    head = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="attachment"; filename="{name}"\r\n'
        f"Content-Type: {kind}\r\n\r\n"
    )
    data = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return data, f"multipart/form-data; boundary={boundary}"


def _not_taken(name: str, size: int, error: Refused) -> UsageError | Refused:
    if error.status == 413:
        return UsageError(
            "forge-refused",
            f"the forge takes no attachment of {size:,} bytes",
            place=name,
            hint="make the figure smaller, or raise MAX_SIZE in [attachment] of its app.ini",
        )
    if error.status == 422:
        return UsageError(
            "forge-refused",
            f"the forge takes no attachment of this kind: {error.said}",
            place=name,
            hint="use PNG, SVG or JPEG, or add the kind to ALLOWED_TYPES in its app.ini",
        )
    return error
