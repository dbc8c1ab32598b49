"""Notebooks from the web: bounded in size, time and redirects."""

from __future__ import annotations

from octavo.errors import InfrastructureError, NotebookError, OctavoError, UsageError

SCHEMES = ("http", "https")
LARGEST = 100_000_000
#: What may stand in a path or a query as it is; the rest is written with percent signs.
_PLAIN = "/%:=&~+!$,;'@()*-._"


def scheme_of(path: str) -> str:
    """`https` of an address, nothing of a file name."""
    scheme, mark, rest = path.partition("://")
    plain = scheme.replace("+", "").replace("-", "").replace(".", "")
    return scheme.lower() if mark and rest and plain.isalnum() else ""


def refuse_other_stores(path: str, verb: str) -> None:
    """Stores that Papermill knows and we do not (yet) are named, not taken for folders."""
    scheme = scheme_of(path)
    if scheme and not (scheme in SCHEMES and verb == "read"):
        raise UsageError(
            "wrong-argument",
            f"{scheme}:// cannot be {verb}: it is not supported",
            place=public(path),
            hint=_instead(verb),
        )


def _instead(verb: str) -> str:
    if verb == "read":
        return "copy the notebook here first, with the tool of that store"
    return "write to a file with -o, then copy it with the tool of that store"


def public(address: str) -> str:
    """An address that may be shown and kept: without login, query and fragment."""
    from urllib.parse import urlsplit, urlunsplit

    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{scheme_of(address)}://…"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def file_name(address: str) -> str:
    """The last part of the address, as a file name."""
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(address).path.rpartition("/")[2]).replace("/", "_")


def download(address: str) -> bytes:
    """The content at an address; every way in which that can fail is an OctavoError."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    from octavo.runs import fetch

    login, bare = _split_login(address)
    try:
        return fetch.fetch(bare, {"Accept": "application/json, text/*, */*", **login}, LARGEST)
    except HTTPError as error:
        raise _refused(error.code, str(error.reason), public(address)) from error
    except URLError as error:
        raise _unreachable(error.reason, address) from error
    except fetch.TooLarge as error:
        raise _too_large(public(address)) from error
    except fetch.Broken as error:
        raise _broken(str(error), address) from error
    except HTTPException as error:
        raise _broken(f"the answer makes no sense: {str(error)[:80]!r}", address) from error
    except (OSError, ValueError) as error:
        raise _unreachable(error, address) from error


def _split_login(address: str) -> tuple[dict[str, str], str]:
    """A login in the address as the header that carries it, and the address without it."""
    from urllib.parse import quote, unquote, urlsplit, urlunsplit

    try:
        parts = urlsplit(address)
        login, at, _ = parts.netloc.rpartition("@")
        host = _host(parts.hostname or "", parts.port)
    except ValueError as error:
        raise _no_address(address, error) from None
    query = quote(parts.query, safe=_PLAIN + "?")
    bare = urlunsplit((parts.scheme, host, quote(parts.path, safe=_PLAIN), query, ""))
    if not at:
        return {}, bare
    from base64 import b64encode

    token = b64encode(unquote(login).encode()).decode()
    return {"Authorization": f"Basic {token}"}, bare


def _host(name: str, port: int | None) -> str:
    """A host as the network knows it; ValueError where there can be none such."""
    if not name or name != "".join(name.split()):
        raise ValueError(f"{name!r} is no name of a server")
    plain = f"[{name}]" if ":" in name else name.encode("idna").decode()
    return plain if port is None else f"{plain}:{port}"


def _no_address(address: str, error: ValueError) -> UsageError:
    return UsageError(
        "wrong-argument",
        f"this is no address: {str(error).lower()}",
        place=public(address),
        hint="an address looks like https://example.org/notebook.ipynb",
    )


def _too_large(address: str) -> NotebookError:
    return NotebookError(
        "notebook-unreadable",
        f"the answer is larger than {LARGEST // 1_000_000} MB",
        place=address,
        hint="fetch it yourself and run the file, if it really is a notebook",
    )


def _refused(code: int, reason: str, address: str) -> OctavoError:
    told = f"the server answers {code} {reason}".strip()
    if code in (404, 410):
        hint = "check the address; on GitHub and Gitea use the link of `Raw`"
        return NotebookError("notebook-not-found", told, place=address, hint=hint)
    if 400 <= code < 500:
        hint = "it may need a login: https://NAME:PASSWORD@…"
        return NotebookError("notebook-unreadable", told, place=address, hint=hint)
    if 300 <= code < 400:
        hint = "give the address that it leads to in the end"
        return NotebookError("notebook-unreadable", told, place=address, hint=hint)
    return InfrastructureError("download", told, place=address, hint="try again later")


def _broken(told: str, address: str) -> InfrastructureError:
    hint = "try again, or fetch it yourself and run the file"
    return InfrastructureError("download", told, place=public(address), hint=hint)


def _unreachable(reason: object, address: str) -> InfrastructureError:
    told = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return InfrastructureError(
        "download",
        f"the server cannot be reached: {str(told).lower()}",
        place=public(address),
        hint="check the address and the network; HTTPS_PROXY is used where it is set",
    )
