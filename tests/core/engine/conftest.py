"""Fixtures of the multibody tests."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """The same random numbers in every run."""
    return np.random.default_rng(20170317)
