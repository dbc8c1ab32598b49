"""Changes to notebooks, offered for review: branch, evidence, pull request, review, merge."""
