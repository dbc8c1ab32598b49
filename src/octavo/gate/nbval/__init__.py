"""nbval's language: what comments, tags and sanitize files say of outputs."""
