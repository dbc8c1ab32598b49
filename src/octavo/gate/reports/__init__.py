"""A check told to other programs: test reports, code scanning, forges. Pure, text from values."""
