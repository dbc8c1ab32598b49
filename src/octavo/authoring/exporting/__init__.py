"""`octavo export`: runs and notebooks for readers who have nothing of Octavo."""
