"""A study as one page of HTML that needs nothing else."""
