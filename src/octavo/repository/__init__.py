"""Repositories with notebooks in them: filters, drivers, hooks, and what is amiss."""
