"""`papermill --engine octavo`: Papermill finds this by its entry point `papermill.engine`.

Papermill looks here in the middle of its own import, and whoever imports this first begins that
import: so the class is looked up when it is asked for, and nothing heavy is loaded before a
notebook is executed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.compat.papermill.managed import OctavoEngine

__all__ = ["OctavoEngine", "use_by_default"]


def __getattr__(name: str) -> object:
    if name != "OctavoEngine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _engine()


def use_by_default() -> None:
    """Let Papermill use this engine where nobody names one, as Airflow's operator does."""
    from papermill.engines import papermill_engines

    papermill_engines.register(None, _engine())


def _engine() -> type[OctavoEngine]:
    import papermill.engines  # noqa: F401  (first: it asks for our class before it has ended)

    from octavo.compat.papermill.managed import OctavoEngine

    return OctavoEngine
