"""Settings for all tests."""

import os
import signal

from hypothesis import settings

# Matrices are small here, and BLAS threads that wait for each other crawl on a busy machine.  NumPy is not loaded yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A machine with other work to do is slow now and then, so a deadline per example means nothing here; and the same
# examples are drawn every time, so that a failure is a change of ours.
settings.register_profile("mercer", deadline=None, derandomize=True)
settings.load_profile("mercer")

# A shell that starts the tests in the background has interrupts ignored, and some tests send themselves one.
signal.signal(signal.SIGINT, signal.default_int_handler)
