"""Images in a terminal, and the PNG reader under them."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode, b64encode
from io import BytesIO

import pytest

from octavo.render.images import image_lines
from octavo.render.png import Undrawable, decode, size_of

RED, BLUE = (255, 0, 0), (0, 0, 255)


def png(
    rows: list[bytes], width: int, kind: int = 2, depth: int = 8, filters: bytes = b"", *,
    palette: bytes = b"", interlaced: int = 0,
) -> bytes:  # fmt: skip
    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, len(rows), depth, kind, 0, 0, interlaced)
    marks = filters or bytes(len(rows))
    raw = b"".join(bytes([mark]) + row for mark, row in zip(marks, rows, strict=True))
    parts = [chunk(b"IHDR", head)]
    parts += [chunk(b"PLTE", palette)] if palette else []
    parts += [chunk(b"IDAT", zlib.compress(raw)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


TWO_BY_TWO = png([bytes(RED * 2), bytes(BLUE * 2)], 2)


def test_reads_what_matplotlib_writes() -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 1), dpi=50)
    figure.add_subplot().plot([1, 3, 2])
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    buffer.seek(0)
    from matplotlib.image import imread

    expected = imread(buffer)
    image = decode(buffer.getvalue())
    assert (image.width, image.height) == (100, 50)
    for x, y in ((0, 0), (50, 25), (30, 10), (99, 49)):
        wanted = tuple(round(float(part) * 255) for part in expected[y][x][:3])
        assert image.pixel(x, y) == wanted


@pytest.mark.parametrize("method", [0, 1, 2, 3, 4])
def test_every_filter_is_undone(method: int) -> None:
    # The first pixel is stored as it is by every filter; the rest repeats it.
    first = bytes(RED)
    rest = {0: first, 1: bytes(3), 2: first, 3: bytes([128, 0, 0]), 4: bytes(3)}[method]
    image = decode(png([first + rest], 2, filters=bytes([method])))
    assert image.pixel(1, 0) == RED


def test_kinds_of_pixels() -> None:
    assert decode(png([b"\x80"], 1, kind=0)).pixel(0, 0) == (128, 128, 128)
    assert decode(png([b"\x00\x00"], 1, kind=4)).pixel(0, 0) == (255, 255, 255)
    assert decode(png([bytes((0, 0, 255, 0))], 1, kind=6)).pixel(0, 0) == (255, 255, 255)
    assert decode(png([b"\x40"], 2, kind=3, depth=1, palette=bytes(RED + BLUE))).pixel(1, 0) == BLUE
    assert decode(png([b"\xff\x00" * 3], 1, kind=2, depth=16)).pixel(0, 0) == (255, 255, 255)


@pytest.mark.parametrize(
    "data",
    [b"", b"GIF89a", TWO_BY_TWO[:40], png([bytes(3)], 1, interlaced=1),
     png([bytes(3)], 1, filters=b"\x09"), png([b""], 0)],
    ids=["empty", "another format", "cut short", "interlaced", "bad filter", "no pixels"],
)  # fmt: skip
def test_what_cannot_be_drawn_is_said(data: bytes) -> None:
    with pytest.raises(Undrawable):
        decode(data)
    assert image_lines(encoded(data), "blocks", 40) is None


def test_half_blocks_have_the_upper_pixel_in_front() -> None:
    assert image_lines(encoded(TWO_BY_TWO), "blocks", 40) == [
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m"
    ]
    assert image_lines(encoded(TWO_BY_TWO), "blocks-256", 40) == ["\x1b[38;5;196;48;5;21m▀\x1b[0m"]


def test_a_large_image_fits_the_columns() -> None:
    wide = png([bytes(RED * 800)] * 16, 800)
    lines = image_lines(encoded(wide), "blocks", 40)
    assert lines is not None
    assert len(lines) == 1
    assert lines[0].count("▀") == 40


def test_kitty_gets_the_file_in_chunks() -> None:
    noise = zlib.compress(bytes(range(256)) * 4, 0)
    data = png([bytes(RED * 2)], 2) + noise * 8
    [line] = image_lines(encoded(data), "kitty", 40) or []
    commands = line.split("\x1b\\")[:-1]
    assert commands[0].startswith("\x1b_Ga=T,f=100,q=2,c=1,m=1;")
    assert commands[-1].startswith("\x1b_Gm=0;")
    assert b64decode("".join(c.partition(";")[2] for c in commands)) == data


def test_iterm_gets_the_file_at_once() -> None:
    [line] = image_lines(encoded(TWO_BY_TWO), "iterm", 40) or []
    assert line.startswith("\x1b]1337;File=inline=1;")
    assert b64decode(line.partition(":")[2].rstrip("\x07")) == TWO_BY_TWO


def test_sixel_has_both_colours_in_one_band() -> None:
    [line] = image_lines(encoded(TWO_BY_TWO), "sixel", 40) or []
    assert line == '\x1bPq"1;1;2;2#5;2;0;0;100#180;2;100;0;0#180@@$#5AA\x1b\\'


def test_none_draws_nothing() -> None:
    assert image_lines(encoded(TWO_BY_TWO), "none", 40) is None
    assert size_of(TWO_BY_TWO) == (2, 2)
