"""PNG files as pixels, in plain Python: enough to draw a chart with characters."""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: More bytes than this take too long without a compiled decoder.
MOST_BYTES = 24_000_000
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

Pixel = tuple[int, int, int]


class Undrawable(ValueError):
    """The file is no PNG, or one of a kind that is not read here."""


class Image:
    """Rows of raw samples of one byte each, and what they mean."""

    def __init__(self, width: int, height: int, kind: int, rows: list[bytes], palette: bytes):
        self.width = width
        self.height = height
        self._kind = kind
        self._channels = _CHANNELS[kind]
        self._rows = rows
        self._palette = palette

    def pixel(self, x: int, y: int) -> Pixel:
        """Red, green and blue on a white ground."""
        row, at = self._rows[y], x * self._channels
        if self._kind == 2:
            return row[at], row[at + 1], row[at + 2]
        if self._kind == 6:
            return _on_white((row[at], row[at + 1], row[at + 2]), row[at + 3])
        if self._kind == 3:
            place = row[at] * 3
            red, green, blue = self._palette[place : place + 3].ljust(3, b"\0")
            return red, green, blue
        grey = (row[at],) * 3
        return _on_white(grey, row[at + 1]) if self._kind == 4 else grey

    def rgb_rows(self) -> list[bytes]:
        """All pixels on a white ground, three bytes each, a row at a time."""
        return [self._rgb(row, y) for y, row in enumerate(self._rows)]

    def _rgb(self, row: bytes, y: int) -> bytes:
        if self._kind == 2:
            return row[: self.width * 3]
        if self._kind == 6 and not row[3::4].strip(b"\xff"):
            solid = bytearray(self.width * 3)
            for channel in range(3):
                solid[channel::3] = row[channel::4]
            return bytes(solid)
        return bytes(part for x in range(self.width) for part in self.pixel(x, y))

    def scaled(self, columns: int, rows: int) -> list[list[Pixel]]:
        """The image in fewer pixels, each the mean of a few of the area it stands for."""
        return [[self._mean(x, y, columns, rows) for x in range(columns)] for y in range(rows)]

    def _mean(self, x: int, y: int, columns: int, rows: int) -> Pixel:
        xs = _samples(x * self.width, (x + 1) * self.width, columns, self.width)
        ys = _samples(y * self.height, (y + 1) * self.height, rows, self.height)
        found = [self.pixel(each_x, each_y) for each_y in ys for each_x in xs]
        count = len(found)
        return (
            sum(p[0] for p in found) // count,
            sum(p[1] for p in found) // count,
            sum(p[2] for p in found) // count,
        )


def _samples(start: int, end: int, scale: int, size: int) -> range:
    """At most four places between two ends."""
    first = min(start // scale, size - 1)
    last = max(first + 1, min(-(-end // scale), size))
    return range(first, last, max(1, (last - first) // 4))


def _on_white(colour: Pixel, alpha: int) -> Pixel:
    if alpha == 255:
        return colour
    red, green, blue = (255 - (255 - part) * alpha // 255 for part in colour)
    return red, green, blue


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height."""
    if data[:8] != SIGNATURE or len(data) < 33:
        raise Undrawable("not a PNG file")
    width, height = struct.unpack(">II", data[16:24])
    if not width or not height:
        raise Undrawable("an image without pixels")
    return width, height


def decode(data: bytes) -> Image:
    """Read a PNG file; Undrawable where it is damaged, interlaced or very large."""
    width, height = size_of(data)
    depth, kind, _, _, interlaced = struct.unpack(">5B", data[24:29])
    if kind not in _CHANNELS or interlaced or depth not in (1, 2, 4, 8, 16):
        raise Undrawable("a kind of PNG that is not read here")
    channels = _CHANNELS[kind]
    stride = (width * channels * depth + 7) // 8
    if height * (stride + 1) > MOST_BYTES:
        raise Undrawable("too large to draw")
    palette, packed = _chunks(data)
    try:
        raw = zlib.decompressobj().decompress(packed, height * (stride + 1))
    except zlib.error as error:
        raise Undrawable(str(error)) from error
    if len(raw) < height * (stride + 1):
        raise Undrawable("the file is cut short")
    step = max(1, channels * depth // 8)
    rows = _unfiltered(raw, height, stride, step)
    return Image(
        width, height, kind, [_bytes(r, width * channels, depth, kind) for r in rows], palette
    )


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    palette, parts, at = b"", [], 8
    while at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if name == b"PLTE":
            palette = body
        elif name == b"IDAT":
            parts.append(body)
        at += 12 + length
    return palette, b"".join(parts)


def _unfiltered(raw: bytes, height: int, stride: int, step: int) -> list[bytes]:
    rows: list[bytes] = []
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = bytearray(raw[start + 1 : start + 1 + stride])
        _unfilter(raw[start], row, above, step)
        rows.append(bytes(row))
        above = row
    return rows


def _unfilter(method: int, row: bytearray, above: bytearray, step: int) -> None:
    if method == 1:
        for at in range(step, len(row)):
            row[at] = (row[at] + row[at - step]) & 255
    elif method == 2:
        for at, up in enumerate(above):
            row[at] = (row[at] + up) & 255
    elif method == 3:
        for at, up in enumerate(above):
            left = row[at - step] if at >= step else 0
            row[at] = (row[at] + (left + up) // 2) & 255
    elif method == 4:
        _unfilter_paeth(row, above, step)
    elif method:
        raise Undrawable("the file is damaged")


def _unfilter_paeth(row: bytearray, above: bytearray, step: int) -> None:
    for at, up in enumerate(above):
        left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
        by_left, by_up = abs(up - corner), abs(left - corner)
        by_corner = abs(left + up - 2 * corner)
        if by_left <= by_up and by_left <= by_corner:
            nearest = left
        else:
            nearest = up if by_up <= by_corner else corner
        row[at] = (row[at] + nearest) & 255


def _bytes(row: bytes, samples: int, depth: int, kind: int) -> bytes:
    """A row with one byte a sample."""
    if depth == 8:
        return row
    if depth == 16:
        return row[::2]
    each = 8 // depth
    mask = (1 << depth) - 1
    scale = 1 if kind == 3 else 255 // mask
    return bytes(
        ((row[at // each] >> (8 - depth * (at % each + 1))) & mask) * scale for at in range(samples)
    )
