"""Real recordings by others, for tests only: kept beside the project, never in it. Tests skip where they are absent."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("BIOMEC_REAL_DATA") or Path(__file__).parents[2] / "shared" / "data")


def recording(*parts: str) -> Path:
    """Path of a real recording; skips the test where the recordings are not at hand."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip("the real recordings are not beside the project")
    return path
