"""The desktop program of Biomec: it calls the library and shows the result."""

import biomec.pipeline.analysis  # noqa: F401  before PySide6, which looks through every module imported after it
