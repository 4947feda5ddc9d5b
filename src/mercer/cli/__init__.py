"""The `mercer` command: one file for every verb."""
