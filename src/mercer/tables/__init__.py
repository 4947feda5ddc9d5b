"""Tables from files: read, checked by line and column, with a kernel for their columns."""
