"""`python -m octavo` is `octavo`."""

from __future__ import annotations

from octavo.surfaces.cli.main import entry

if __name__ == "__main__":
    entry()
