"""Git's filter for notebooks: what is committed has no results, what lies in the folder keeps them.

Git speaks to one process for all files of a command (its long-running filter protocol, version 2);
where it is older than that, it starts one for each file. What is no notebook goes through as it is.
"""

from __future__ import annotations

from octavo.notebook.cleaning import NotANotebook, cleaned_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

#: What a packet holds at most, besides the four digits of its length.
LARGEST = 65516
_FLUSH = b"0000"


class ProtocolError(Exception):
    """What came is not what git sends."""


def clean_content(content: bytes, name: str, tell: Callable[[str], None]) -> bytes:
    """The content of a notebook to be committed; other content as it is, which is told."""
    try:
        return cleaned_bytes(content)
    except NotANotebook as error:
        if _is_text_form(content):
            return content
        shown = name if name.isprintable() else ascii(name)
        tell(f"octavo: {shown or 'the file'} stays as it is: {error}")
        return content


def _is_text_form(content: bytes) -> bool:
    """Whether this is what `octavo git-textconv` made: `git blame` has that cleaned too."""
    return content.startswith((b"# ", b"\n# %%")) and b"\n# %%" in content


def serve(incoming: BinaryIO, outgoing: BinaryIO, tell: Callable[[str], None]) -> None:
    """Answer git until it has no more files."""
    _Service(incoming, outgoing, tell).run()


class _Service:
    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, tell: Callable[[str], None]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._tell = tell

    def run(self) -> None:
        self._introduce()
        while (asked := self._facts()) is not None:
            content = b"".join(self._packets())
            command = asked.get("command")
            if command == "clean":
                content = clean_content(content, asked.get("pathname", ""), self._tell)
            elif command != "smudge":
                self._send([b"status=error"])
                continue
            self._answer(content)

    def _introduce(self) -> None:
        """Agree on the protocol, and on what this filter can do."""
        if next(self._packets(), b"").strip() != b"git-filter-client":
            raise ProtocolError("this is started by git, as a filter")
        list(self._packets())
        self._send([b"git-filter-server", b"version=2"])
        self._facts()
        self._send([b"capability=clean", b"capability=smudge"])

    def _facts(self) -> dict[str, str] | None:
        """The lines of a list as names and values; None when git is done."""
        lines = [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in self._packets()]
        if not lines:
            return None
        return dict(line.partition("=")[::2] for line in lines)

    def _packets(self) -> Iterator[bytes]:
        """The packets up to the next flush, or to the end."""
        while True:
            head = self._incoming.read(4)
            if not head:
                return
            try:
                length = int(head, 16)
            except ValueError:
                raise ProtocolError("a packet has no length") from None
            if length == 0:
                return
            data = self._incoming.read(length - 4)
            if length < 4 or len(data) < length - 4:
                raise ProtocolError("a packet is torn")
            yield data

    def _send(self, lines: list[bytes]) -> None:
        for line in lines:
            self._packet(line + b"\n")
        self._outgoing.write(_FLUSH)
        self._outgoing.flush()

    def _packet(self, data: bytes) -> None:
        self._outgoing.write(b"%04x" % (len(data) + 4))
        self._outgoing.write(data)

    def _answer(self, content: bytes) -> None:
        """The content, and an empty list after it: the status was right."""
        self._send([b"status=success"])
        for start in range(0, len(content), LARGEST):
            self._packet(content[start : start + LARGEST])
        self._outgoing.write(_FLUSH)
        self._outgoing.write(_FLUSH)
        self._outgoing.flush()
