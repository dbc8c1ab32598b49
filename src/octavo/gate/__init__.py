"""The gate: what merges has been executed. `check` runs and judges; `lint`, `graph` only read."""
