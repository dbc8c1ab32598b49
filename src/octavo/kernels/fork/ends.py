"""The five connections between a runner and a kernel."""

from __future__ import annotations

import os
import socket

from octavo.kernels.local.pipes import wide_pipe


class Ends:
    """One side of the five."""

    def __init__(
        self, channel: int, acknowledgements: int, out: int, err: int, keeper: int
    ) -> None:
        self._all = [channel, acknowledgements, out, err, keeper]

    @classmethod
    def open(cls) -> tuple[Ends, Ends]:
        """The runner's side and the kernel's side."""
        channel, their_channel = socket.socketpair(type=socket.SOCK_SEQPACKET)
        keeper, their_keeper = socket.socketpair()
        their_acknowledgements, acknowledgements = os.pipe()
        out, their_out = wide_pipe()
        err, their_err = wide_pipe()
        ours = cls(channel.detach(), acknowledgements, out, err, keeper.detach())
        theirs = cls(their_channel.detach(), their_acknowledgements, their_out, their_err,
                     their_keeper.detach())  # fmt: skip
        return ours, theirs

    def descriptors(self) -> list[int]:
        return list(self._all)

    def streams(self) -> tuple[int, int, int, int, int]:
        channel, acknowledgements, out, err, keeper = self._all
        return channel, acknowledgements, out, err, keeper

    def close(self) -> None:
        for descriptor in self._all:
            os.close(descriptor)
