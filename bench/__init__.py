"""The benchmark: Octavo and its peers, side by side in one run (`make bench`)."""
