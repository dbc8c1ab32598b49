"""A check told on the forge: one comment that is kept up to date, and the status of a commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from octavo.errors import OctavoError
from octavo.forges.port import About, Comment, Forge, Status, StatusState
from octavo.gate.reports.markdown import MARKER, NO_LINKS, markdown
from octavo.gate.verdicts import CheckReport, Difference
from octavo.render.check_words import headline, rest
from octavo.value import EMPTY, Value

#: The name of the status that a protected branch can ask for.
CONTEXT = "octavo/check"
_MOST_IMAGES = 20
_LARGEST_IMAGE = 2_000_000
_IMAGES = {".png": (b"\x89PNG\r\n\x1a\n", "image/png"), ".jpg": (b"\xff\xd8\xff", "image/jpeg")}
_IMAGES[".jpeg"] = _IMAGES[".jpg"]
_FILES_AT = {"gitea": "src/commit", "github": "blob"}

#: What became of the comment; `outdated` leaves that of a newer commit alone.
What = Literal["", "made", "edited", "unchanged", "outdated"]


class Announced(Value):
    """The status that was set, and the comment as it stands where there is a proposal."""

    status: Status
    commit: str
    number: int | None = None
    comment: Comment | None = None
    what: What = ""

    def to_json(self) -> dict[str, Any]:
        comment = self.comment and self.comment.to_dict()
        return {**self.to_dict(), "comment": comment}


def begin(forge: Forge, commit: str, *, url: str = "") -> Status:
    """Say of a commit that its check is under way."""
    status = Status(CONTEXT, "pending", "the notebooks are being checked", url)
    forge.set_status(commit, status)
    return status


def broken_off(forge: Forge, commit: str, *, url: str = "") -> None:
    """Say of a check that was under way that it left no report: nobody has to wait for it."""
    known = {each.context: each.state for each in forge.statuses(commit)}
    if known.get(CONTEXT) == "pending":
        words = "the check broke off and left no report"
        forge.set_status(commit, Status(CONTEXT, "error", words, url))


def status_of(report: CheckReport, *, url: str = "") -> Status:
    """What a report says of its commit: what was broken around the notebooks is an `error`."""
    states: Mapping[int, StatusState] = {0: "success", 1: "failure"}
    words = ", ".join([headline(report), *rest(report)])
    return Status(CONTEXT, states.get(report.exit_code, "error"), words, url)


def announce(
    report: CheckReport,
    forge: Forge,
    commit: str,
    *,
    number: int | None = None,
    branch: str | None = None,
    folder: Path | None = None,
    prefix: str = "",
    url: str = "",
) -> Announced:
    """Set the status of the commit that was checked; bring the comment on its proposal up to date.

    Without a number it is the open proposal of the branch, if there is one. `folder` is the
    project, from which images are shown, and `prefix` its path within the repository.
    """
    status = status_of(report, url=url)
    forge.set_status(commit, status)
    proposal = None
    if number is not None:
        proposal = forge.proposal(number)
    elif branch:
        proposal = forge.find(branch)
    if proposal is None:
        return Announced(status, commit)
    about = _about(forge)
    mine = _our_comment(forge, proposal.number, about.user if about else None)
    announced = Announced(status, commit, proposal.number, mine)
    if mine is not None and commit != proposal.head and proposal.head[:10] in mine.body:
        return announced.replace(what="outdated")
    images = _attached(report, forge, proposal.number, folder) if folder else EMPTY
    links = NO_LINKS.replace(
        source=_source(forge, about, commit, prefix), run=url, commit=commit, images=images
    )
    return _told(announced, forge, markdown(report, links=links))


def _told(announced: Announced, forge: Forge, body: str) -> Announced:
    """The comment made, or the one that is there changed where the forge can do that."""
    number, mine = announced.number, announced.comment
    assert number is not None
    if mine is not None and mine.body.strip() == body.strip():
        return announced.replace(what="unchanged")
    edit = getattr(forge, "edit_comment", None)
    if mine is not None and edit is not None:
        return announced.replace(comment=edit(number, mine.id, body), what="edited")
    return announced.replace(comment=forge.comment(number, body), what="made")


def _about(forge: Forge) -> About | None:
    """Who we are there; None where the token of a job may not ask for it."""
    try:
        return forge.about()
    except OctavoError as error:
        if error.kind not in ("token-scope", "forge-refused"):
            raise
    return None


def _our_comment(forge: Forge, number: int, user: str | None) -> Comment | None:
    """Our comment: by us, and with our mark as its last line, which others' text cannot be."""
    if user is None:
        return None
    found = [
        each
        for each in forge.comments(number)
        if each.author == user and each.path is None and each.body.rstrip().endswith(MARKER)
    ]
    return found[-1] if found else None


def _source(forge: Forge, about: About | None, commit: str, prefix: str) -> str:
    """The address that paths of the project are put behind; empty where files have none."""
    between = _FILES_AT.get(forge.name)
    if about is None or between is None:
        return ""
    return "/".join(filter(None, (about.url.rstrip("/"), between, commit, prefix.strip("/"))))


def _attached(report: CheckReport, forge: Forge, number: int, folder: Path) -> dict[str, str]:
    """The addresses of images that differ, by their paths. One that cannot be put there is left
    out: the rest of the summary is worth more.
    """
    addresses: dict[str, str] = {}
    for difference in _pictured(report):
        for name in (difference.expected_file, difference.got_file):
            if not name or name in addresses or len(addresses) >= _MOST_IMAGES:
                continue
            found = _image(folder, name)
            if found is None:
                continue
            try:
                addresses[name] = forge.attach(number, Path(name).name, *found)
            except OctavoError:
                return addresses
    return addresses


def _pictured(report: CheckReport) -> Iterator[Difference]:
    for verdict in report.verdicts:
        for cell in verdict.cells:
            yield from (each for each in cell.differences if each.expected_file and each.got_file)


def _image(folder: Path, name: str) -> tuple[bytes, str] | None:
    """An image below the project. The report does not say which other files are to be shown."""
    known = _IMAGES.get(Path(name).suffix.lower())
    path = (folder / name).resolve()
    if known is None or not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    begin, media_type = known
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_IMAGE + 1)
    except OSError:
        return None
    fits = content.startswith(begin) and len(content) <= _LARGEST_IMAGE
    return (content, media_type) if fits else None
