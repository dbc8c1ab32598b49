"""A notebook that is open in a Jupyter server is changed through that server."""
