"""A live session served as a kernel that Jupyter's own programs open."""
