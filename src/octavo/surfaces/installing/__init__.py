"""Octavo made known to other people's agents: skills and tool servers, in their own places."""
