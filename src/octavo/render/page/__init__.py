"""A notebook, or a run of one, as one HTML page that needs nothing else: no script, no network.

What notebooks hold is not trusted. All that can be text is text; HTML goes through a sanitizer
(`foreign`), images are data, and a policy in the page forbids what should get past that.
"""

from __future__ import annotations

from octavo.render.page.about import About, about_run
from octavo.render.page.whole import page

__all__ = ["About", "about_run", "page"]
