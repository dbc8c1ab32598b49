"""The remote engine: kernels that run in a Jupyter server."""
