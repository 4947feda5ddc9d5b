"""Pictures of machines; every function takes `ax` and returns it."""
