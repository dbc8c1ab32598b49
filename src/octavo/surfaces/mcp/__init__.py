"""The tools that agents call, over the Model Context Protocol."""
