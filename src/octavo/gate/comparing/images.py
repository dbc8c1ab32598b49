"""Images compared by their pixels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from octavo.errors import InfrastructureError
from octavo.gate.comparing.rules import IMAGES, Rules
from octavo.gate.verdicts import Difference
from octavo.render.png import Undrawable, decode
from octavo.value import Value

#: Of larger images no pixels are compared.
MOST_PIXELS = 24_000_000


class Pixels(Value):
    """Rows of red, green and blue."""

    width: int
    height: int
    rows: list[bytes]


class _Side(NamedTuple):
    """An image as it stands in a notebook, and as a file."""

    data: bytes | None
    wrong: str = ""


def compare_images(
    key: str, wanted: list[Any], found: list[Any], rules: Rules
) -> Iterator[Difference]:
    """Images of one kind, in their order. Both are put into files where they differ."""
    for at in range(max(len(wanted), len(found))):
        one = _side(wanted[at]) if at < len(wanted) else None
        other = _side(found[at]) if at < len(found) else None
        message = _message(key, one, other, rules.image_threshold or 0.0)
        if message:
            yield Difference(
                key,
                message,
                expected_file=_kept(one, key, rules),
                got_file=_kept(other, key, rules),
            )


def _side(value: Any) -> _Side:
    import base64
    import binascii

    try:
        return _Side(base64.b64decode("".join(str(value).split()), validate=True))
    except (binascii.Error, ValueError):
        return _Side(None, "is not base64")


def _message(key: str, one: _Side | None, other: _Side | None, threshold: float) -> str:
    if one is None:
        return "is not expected"
    if other is None:
        return "is missing"
    if one == other:
        return ""
    if one.data is None or other.data is None:
        return f"differs, and {'the reference' if one.wrong else 'the new one'} is damaged"
    return _pixels_differ(key, one.data, other.data, threshold)


def _pixels_differ(key: str, one: bytes, other: bytes, threshold: float) -> str:
    try:
        before, after = pixels(one, key), pixels(other, key)
    except Undrawable as error:
        return f"differs, and its pixels cannot be compared: {error}"
    if (before.width, before.height) != (after.width, after.height):
        sizes = f"{after.width}×{after.height}, not {before.width}×{before.height}"
        return f"has another size: {sizes}"
    share = differing(before, after)
    if share <= threshold:
        return ""
    return f"differs in {share:.2%} of its pixels (allowed: {threshold:.2%})"


def differing(one: Pixels, other: Pixels) -> float:
    """The share of pixels that are not the same in two images of one size."""
    count = 0
    for before, after in zip(one.rows, other.rows, strict=True):
        if before != after:
            channels = (zip(before[c::3], after[c::3], strict=True) for c in range(3))
            apart = ([a != b for a, b in pairs] for pairs in channels)
            count += sum(map(any, zip(*apart, strict=True)))
    return count / (one.width * one.height)


def pixels(data: bytes, key: str) -> Pixels:
    """The pixels of an image on white: by Pillow where it is, which is faster; else PNG only."""
    if key != "image/png" or _has_pillow():
        return _by_pillow(data, key)
    image = decode(data)
    return Pixels(image.width, image.height, image.rgb_rows())


def _has_pillow() -> bool:
    try:
        import PIL  # noqa: F401
    except ImportError:
        return False
    return True


def _by_pillow(data: bytes, key: str) -> Pixels:
    from io import BytesIO

    if not _has_pillow():
        raise InfrastructureError(
            "extra-missing",
            f"{key} cannot be compared: Pillow is not installed",
            hint="pip install 'octavo[charts]', or leave out the image threshold",
        )
    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=["PNG", "JPEG"]) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise Undrawable("too large")
            whole = opened.convert("RGBA")
    except Undrawable:
        raise
    except Exception as error:  # Pillow raises many kinds for files that are damaged or a bomb
        raise Undrawable(str(error)) from error
    ground = Image.new("RGBA", whole.size, (255, 255, 255, 255))
    raw = Image.alpha_composite(ground, whole).convert("RGB").tobytes()
    stride = whole.width * 3
    rows = [raw[at : at + stride] for at in range(0, len(raw), stride)]
    return Pixels(whole.width, whole.height, rows)


def _kept(side: _Side | None, key: str, rules: Rules) -> str | None:
    """The path of a file with the image, named by its content."""
    if side is None or side.data is None or rules.image_folder is None:
        return None
    from hashlib import sha256

    from octavo.records.disk import replacing

    name = f"{sha256(side.data).hexdigest()[:16]}.{IMAGES[key]}"
    path = Path(rules.image_folder, name)
    if not path.exists():
        os.makedirs(rules.image_folder, exist_ok=True)
        with replacing(path, sync=False) as file:
            file.write(side.data)
    return str(path)
