"""By which rules outputs are compared."""

from __future__ import annotations

from octavo.gate.nbval.sanitize import Sanitizer
from octavo.gate.tolerance import Tolerance
from octavo.value import Value

#: The kinds of output that are compared by their pixels, and how their files end.
IMAGES = {"image/png": "png", "image/jpeg": "jpg"}


class Rules(Value):
    """Without any, outputs are compared as nbval does it: texts as they are, images not at all.

    `image_threshold` is the share of pixels that may differ; `image_folder` is where both images
    are put when more do.
    """

    sanitizer: Sanitizer = Sanitizer()
    tolerance: Tolerance | None = None
    image_threshold: float | None = None
    image_folder: str | None = None
