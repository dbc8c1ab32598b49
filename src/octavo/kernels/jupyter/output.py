"""The pipes of a kernel's process, and the side channel of a guest in it.

Without a guest the pipes carry what the program says of itself: only the end of it is kept, for
the day it is needed. With one they carry what cells write, in order with the guest's events.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

from octavo.kernels.jupyter.running import TAIL_CHARACTERS, Pieces
from octavo.kernels.local.pipes import Piece, Pipes, wide_pipe
from octavo.kernels.local.wire import PacketReader, acknowledge


class Output:
    """Both pipes and, where a guest is to come, its socket and its acknowledgements.

    `on_packet` is called with what was written before a packet of the guest, and with the packet;
    `on_text` with text that no packet has waited for.
    """

    def __init__(
        self,
        with_guest: bool,
        on_text: Callable[[Pieces], None],
        on_packet: Callable[[Pieces, dict[str, Any]], None],
        on_garbage: Callable[[str], None],
    ) -> None:
        self.guest = False
        self._tail = ""
        self._on_text = on_text
        self._on_packet = on_packet
        out, their_out = wide_pipe()
        err, their_err = wide_pipe()
        self._theirs = [their_out, their_err]
        self._pipes = Pipes(out, err, self._collect)
        self._acknowledgements = -1
        self._packets: PacketReader | None = None
        if with_guest:
            ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
            read, self._acknowledgements = os.pipe()
            self._theirs += [theirs.detach(), read]
            self._packets = PacketReader(ours, self._heard, on_garbage)

    def descriptors(self) -> list[int]:
        """The kernel's ends, to be handed over."""
        return list(self._theirs)

    def handed_over(self) -> None:
        for descriptor in self._theirs:
            os.close(descriptor)
        self._theirs.clear()

    def last_words(self) -> str:
        """The end of what the program has said of itself."""
        if not self.guest:
            self._keep(self._pipes.written())
        return self._tail

    def forget(self) -> None:
        """Begin anew: what was said before a cell has nothing to do with its end."""
        self.last_words()
        self._tail = ""

    def rest(self) -> Pieces:
        """What cells wrote until the end, when nobody writes any more."""
        pieces = self._pipes.rest()
        if self.guest:
            return pieces
        self._keep(pieces)
        return []

    def close(self) -> None:
        self.handed_over()
        self._pipes.close()
        if self._packets is not None:
            self._packets.close()
        if self._acknowledgements >= 0:
            os.close(self._acknowledgements)
            self._acknowledgements = -1

    def _collect(self) -> None:
        pieces = self._pipes.some()
        if self.guest:
            self._on_text(pieces)
        else:
            self._keep(pieces)
        self._pipes.resume()

    def _keep(self, pieces: list[Piece]) -> None:
        said = "".join(text for _, text in pieces)
        self._tail = (self._tail + said)[-TAIL_CHARACTERS:]

    def _heard(self, packet: dict[str, Any], reply: int | None) -> None:
        pieces = self._pipes.written()
        if not self.guest:
            self._keep(pieces)
            pieces = []
            self.guest = packet.get("type") == "ready"
        self._on_packet(pieces, packet)
        acknowledge(self._acknowledgements if reply is None else reply, packet.get("n"))
