"""Notebooks as items of pytest: `pytest --octavo`."""
