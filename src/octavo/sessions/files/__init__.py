"""Files of the working directory as part of a state."""
