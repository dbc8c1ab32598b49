"""Three versions of a notebook file into one: lines, metadata, outputs, texts, and conflicts."""
