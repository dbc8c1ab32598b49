"""Notebooks and runs, read by those who pay for every word: outlines, parts, budgets."""
