"""Does it help an agent? Ten tasks, each by the shortest policy, with three sets of tools."""
