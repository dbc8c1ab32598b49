"""Looking at runs: list them, show one, compare two, gather what they handed out."""
