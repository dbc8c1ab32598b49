"""What kernels on this machine have in common: their pipes, their wire, their ends in words."""
