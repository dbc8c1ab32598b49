"""What cells are expected to output: read, and accepted anew."""
