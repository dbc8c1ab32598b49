"""The archive: executed notebooks with their records, on a branch of their own."""
