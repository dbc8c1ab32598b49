"""GitHub, on github.com or as Enterprise Server."""

from __future__ import annotations

from octavo.forges.github.forge import GitHubForge

__all__ = ["GitHubForge"]
