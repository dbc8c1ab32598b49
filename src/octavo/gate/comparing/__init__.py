"""Whether the outputs of a cell are those of its reference, and how they differ."""
