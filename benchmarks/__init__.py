"""Speed of the engine against independent ones, measured in one run: ``python -m benchmarks`` or ``make bench``."""

import os

# Before NumPy is imported. Two thread pools of two numerical libraries slow each other down at the sizes of a body.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
