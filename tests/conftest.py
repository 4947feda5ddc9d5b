"""Settings for all tests."""

from hypothesis import settings

# the first call of a compiled function takes as long as compiling it, so a deadline per example means nothing here
settings.register_profile("mercer", deadline=None)
settings.load_profile("mercer")
