"""Images compared by their pixels."""

from __future__ import annotations

import base64
import struct
import sys
import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.gate.comparing.outputs import compare
from octavo.gate.comparing.rules import Rules

Colour = tuple[int, ...]


def png(pixels: Sequence[Sequence[Colour]], level: int = 6) -> bytes:
    """A PNG of rows of pixels, each with three or four channels."""
    kind = 2 if len(pixels[0][0]) == 3 else 6
    raw = b"".join(b"\0" + b"".join(map(bytes, row)) for row in pixels)
    head = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, kind, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(raw, level)), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def shown(data: bytes | str, mime: str = "image/png") -> dict[str, Any]:
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    return {"output_type": "display_data", "data": {mime: text}, "metadata": {}}


WHITE, BLACK = (255, 255, 255), (0, 0, 0)
BLANK = [[WHITE] * 10 for _ in range(10)]
DOTTED = [[BLACK, *[WHITE] * 9], *BLANK[1:]]


@pytest.fixture(autouse=True, params=["by Pillow", "by ourselves"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "by ourselves":
        monkeypatch.setitem(sys.modules, "PIL", None)


def rules(threshold: float, folder: Path) -> Rules:
    return Rules(image_threshold=threshold, image_folder=str(folder))


def test_the_share_of_pixels_decides(tmp_path: Path) -> None:
    one, other = shown(png(BLANK)), shown(png(DOTTED))
    assert compare([one], [other], rules(0.01, tmp_path)) == ()
    (found,) = compare([one], [other], rules(0.009, tmp_path))
    assert found.message == "differs in 1.00% of its pixels (allowed: 0.90%)"


def test_both_images_are_put_into_files(tmp_path: Path) -> None:
    folder = tmp_path / "compared"
    (found,) = compare([shown(png(BLANK))], [shown(png(DOTTED))], rules(0, folder))
    assert found.expected_file is not None
    assert found.got_file is not None
    assert Path(found.expected_file).read_bytes() == png(BLANK)
    assert Path(found.got_file).read_bytes() == png(DOTTED)
    assert len(list(folder.iterdir())) == 2


def test_the_same_pixels_in_other_bytes_are_equal(tmp_path: Path) -> None:
    clear = [[(*pixel, 255) for pixel in row] for row in DOTTED]
    for other in (png(DOTTED, level=0), png(clear)):
        assert compare([shown(png(DOTTED))], [shown(other)], rules(0, tmp_path)) == ()


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    clear = [[(0, 0, 0, 0)] * 10 for _ in range(10)]
    assert compare([shown(png(BLANK))], [shown(png(clear))], rules(0, tmp_path)) == ()


def test_another_size_is_a_difference(tmp_path: Path) -> None:
    (found,) = compare([shown(png(BLANK))], [shown(png(BLANK[:5]))], rules(1, tmp_path))
    assert found.message == "has another size: 10×5, not 10×10"


def test_missing_and_unexpected_images(tmp_path: Path) -> None:
    (missing,) = compare([shown(png(BLANK))], [], rules(1, tmp_path))
    assert (missing.message, missing.got_file) == ("is missing", None)
    (new,) = compare([], [shown(png(BLANK))], rules(1, tmp_path))
    assert (new.message, new.expected_file) == ("is not expected", None)


@pytest.mark.parametrize("damage", ["no base64!", "aaaa", "", base64.b64encode(png(BLANK)[:48])])
def test_a_damaged_image_differs(tmp_path: Path, damage: Any) -> None:
    text = damage if isinstance(damage, str) else damage.decode()
    for one, other in ((shown(png(BLANK)), shown(text)), (shown(text), shown(png(BLANK)))):
        (found,) = compare([one], [other], rules(1, tmp_path))
        assert "differs" in found.message


def test_an_image_of_many_pixels_is_not_unpacked(tmp_path: Path) -> None:
    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = png(BLANK)[:16] + head + png(BLANK)[29:]
    (found,) = compare([shown(png(BLANK))], [shown(bomb)], rules(1, tmp_path))
    assert "cannot be compared" in found.message


def test_photographs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    from PIL import Image

    files = []
    for colour in ((250, 250, 250), (10, 20, 30)):
        file = BytesIO()
        Image.new("RGB", (8, 8), colour).save(file, "JPEG")
        files.append(shown(file.getvalue(), "image/jpeg"))
    assert compare(files[:1], files[:1], rules(0, tmp_path)) == ()
    (found,) = compare(files[:1], files[1:], rules(0.5, tmp_path))
    assert found.message == "differs in 100.00% of its pixels (allowed: 50.00%)"
    assert str(found.got_file).endswith(".jpg")


def test_without_pillow_it_is_said_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(OctavoError) as caught:
        compare([shown(b"a", "image/jpeg")], [shown(b"b", "image/jpeg")], rules(1, tmp_path))
    assert caught.value.kind == "extra-missing"
    assert "octavo[charts]" in caught.value.hint
