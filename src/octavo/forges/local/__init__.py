"""Proposals kept in the repository itself, as refs that git pushes and fetches: no server."""

from __future__ import annotations

from octavo.forges.local.forge import LocalForge
from octavo.forges.local.protection import Protection

__all__ = ["LocalForge", "Protection"]
