"""100 MB of text through ipykernel: all of it arrives, in portions, whoever writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from octavo.environments.launch import Launch
from octavo.events.types import KernelEvent, Stream
from octavo.kernels.jupyter.engine import JupyterEngine
from octavo.kernels.port import Code

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

SIZE = 100_000_000


@pytest.mark.parametrize(
    "source",
    [
        "line = 'x' * 99\nfor i in range(1_000_000): print(line)",
        "!yes $(printf 'x%.0s' $(seq 99)) | head -c 100000000",
    ],
    ids=["print", "process"],
)
def test_a_hundred_megabytes_arrive(source: str, loop: asyncio.Runner, launch: Launch) -> None:
    sizes: list[int] = []

    def sink(events: Sequence[KernelEvent]) -> None:
        sizes.append(sum(len(event.text) for event in events if isinstance(event, Stream)))

    async def drive() -> None:
        kernel = await JupyterEngine().start(launch, sink)
        assert (await kernel.execute(Code(0, source))).status == "ok"
        await kernel.stop()

    loop.run(drive())
    assert sum(sizes) == SIZE
    assert max(sizes) <= 9_000_000, "a batch must not grow with the output"
