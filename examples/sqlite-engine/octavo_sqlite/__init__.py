"""Notebooks whose cells are SQL: `octavo run report.md --engine sqlite`."""
