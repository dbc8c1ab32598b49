"""Octavo under the names and signatures of other tools."""
