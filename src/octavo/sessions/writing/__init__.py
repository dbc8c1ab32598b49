"""What was done in a session, as a notebook."""
