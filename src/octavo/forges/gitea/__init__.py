"""Gitea, and Forgejo where it answers alike."""

from octavo.forges.gitea.forge import GiteaForge

__all__ = ["GiteaForge"]
