"""The process of a session: how it begins, what it holds, what can be asked of it."""
