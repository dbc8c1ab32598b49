"""`octavo create`: a new notebook from a template."""
