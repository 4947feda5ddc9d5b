"""Settings for all tests."""

from hypothesis import settings

# The first call of a compiled function takes as long as compiling it, so a deadline per example means nothing here;
# and the same examples are drawn every time, so that a failure is a change of ours.
settings.register_profile("mercer", deadline=None, derandomize=True)
settings.load_profile("mercer")
