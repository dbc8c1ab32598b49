"""Images for a terminal, in whichever way it can show them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Literal

from octavo.render.png import Pixel, Undrawable, decode, size_of

#: How images are shown. `blocks` are characters in two colours, `blocks-256` in fewer colours.
How = Literal["kitty", "iterm", "sixel", "blocks", "blocks-256", "none"]

#: Pixels that a character is about as wide and high as.
_CELL_WIDTH, _CELL_HEIGHT = 8, 16
_KITTY_CHUNK = 4096
_MOST_ROWS = 40


def image_lines(encoded: str, how: How, columns: int) -> list[str] | None:
    """A PNG image (base64, as notebooks hold it) as lines; None where it cannot be drawn."""
    if how == "none":
        return None
    try:
        data = b64decode(encoded)
        width, height = size_of(data)
        across = max(1, min(columns, -(-width // _CELL_WIDTH)))
        if how == "kitty":
            return [_kitty(data, across)]
        if how == "iterm":
            return [_iterm(data, across)]
        if how == "sixel":
            return [_sixel(data, across)]
        return _blocks(data, across, height / width, true_colour=how == "blocks")
    except (Undrawable, ValueError):
        return None


def _kitty(data: bytes, columns: int) -> str:
    """The graphics protocol of kitty, in chunks."""
    text = b64encode(data).decode()
    pieces = [text[at : at + _KITTY_CHUNK] for at in range(0, len(text), _KITTY_CHUNK)]
    commands = []
    for at, piece in enumerate(pieces):
        more = int(at < len(pieces) - 1)
        first = f"a=T,f=100,q=2,c={columns}," if at == 0 else ""
        commands.append(f"\x1b_G{first}m={more};{piece}\x1b\\")
    return "".join(commands)


def _iterm(data: bytes, columns: int) -> str:
    """The inline images of iTerm2."""
    text = b64encode(data).decode()
    options = f"inline=1;size={len(data)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={options}:{text}\x07"


def _blocks(data: bytes, columns: int, shape: float, *, true_colour: bool) -> list[str]:
    """Half blocks: every character is two pixels, one above the other."""
    rows = max(1, round(columns * shape * _CELL_WIDTH / _CELL_HEIGHT))
    if rows > _MOST_ROWS:
        columns, rows = max(1, columns * _MOST_ROWS // rows), _MOST_ROWS
    pixels = decode(data).scaled(columns, rows * 2)
    spell = _true_colour if true_colour else _of_256
    return [
        _block_row(pixels[2 * row], pixels[2 * row + 1], spell) + "\x1b[0m" for row in range(rows)
    ]


def _block_row(upper: Sequence[Pixel], lower: Sequence[Pixel], spell: object) -> str:
    line, last = [], ("", "")
    for above, below in zip(upper, lower, strict=True):
        colours = (spell(above), spell(below))  # type: ignore[operator]
        if colours != last:
            line.append(f"\x1b[38;{colours[0]};48;{colours[1]}m")
            last = colours
        line.append("▀")
    return "".join(line)


def _true_colour(pixel: Pixel) -> str:
    return f"2;{pixel[0]};{pixel[1]};{pixel[2]}"


def _of_256(pixel: Pixel) -> str:
    red, green, blue = pixel
    if max(pixel) - min(pixel) < 12:
        grey = (red + green + blue) // 3
        return "5;231" if grey > 246 else f"5;{232 + min(23, max(0, (grey - 3) // 10))}"
    return f"5;{16 + 36 * _fifth(red) + 6 * _fifth(green) + _fifth(blue)}"


def _fifth(part: int) -> int:
    return 0 if part < 48 else 1 if part < 115 else (part - 35) // 40


def _sixel(data: bytes, columns: int) -> str:
    """Six rows of pixels at a time, in the colours of a cube with six steps a side."""
    image = decode(data)
    width = min(image.width, columns * _CELL_WIDTH)
    height = max(1, image.height * width // image.width)
    pixels = image.scaled(width, height)
    indices = [[36 * ((r + 25) // 51) + 6 * ((g + 25) // 51) + (b + 25) // 51
                for r, g, b in row] for row in pixels]  # fmt: skip
    used = sorted({index for row in indices for index in row})
    palette = "".join(
        f"#{index};2;{index // 36 * 20};{index // 6 % 6 * 20};{index % 6 * 20}" for index in used
    )
    bands = [_sixel_band(indices[top : top + 6], width) for top in range(0, height, 6)]
    return f'\x1bPq"1;1;{width};{height}{palette}{"-".join(bands)}\x1b\\'


def _sixel_band(rows: Sequence[Sequence[int]], width: int) -> str:
    """One band: for each colour in it, which of its pixels have that colour."""
    bits: dict[int, bytearray] = {}
    for y, row in enumerate(rows):
        for x, index in enumerate(row):
            bits.setdefault(index, bytearray(width))[x] |= 1 << y
    return "$".join(f"#{index}{_run_lengths(marks)}" for index, marks in bits.items())


def _run_lengths(marks: bytearray) -> str:
    parts: list[str] = []
    start = 0
    for at in range(1, len(marks) + 1):
        if at == len(marks) or marks[at] != marks[start]:
            length, sign = at - start, chr(63 + marks[start])
            parts.append(f"!{length}{sign}" if length > 3 else sign * length)
            start = at
    return "".join(parts)
