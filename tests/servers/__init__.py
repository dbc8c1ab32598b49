"""Real servers that tests talk to: built once per machine, started once per test session."""
