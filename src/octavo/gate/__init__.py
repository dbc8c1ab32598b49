"""The gate: what merges has been executed. `check` judges notebooks, `lint` and `graph` read them."""
