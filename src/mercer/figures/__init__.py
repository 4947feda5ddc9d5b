"""The figures of textbooks on kernels: each asserts its claim, then draws it."""
