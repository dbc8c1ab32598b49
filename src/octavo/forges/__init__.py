"""Where proposals are reviewed: Gitea, GitHub, the repository itself. Paths and text go in."""
