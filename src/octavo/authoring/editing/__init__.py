"""`octavo edit`: cells are changed one by one, and the rest of a file stays as it is."""
