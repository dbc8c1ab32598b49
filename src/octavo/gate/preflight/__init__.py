"""What can be seen to be wrong with a notebook before anything runs."""
