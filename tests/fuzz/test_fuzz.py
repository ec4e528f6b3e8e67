"""Some thousand damaged files, as users open them: read, or refused with a sentence. `make fuzz` tries many more."""

import pytest

from tests.fuzz.harness import fuzz
from tests.fuzz.targets import TARGETS

EACH = 200


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.name)
def test_damaged_files_are_refused_with_a_sentence(target):
    found = fuzz(range(EACH), 20261118, [target])
    assert [(one.number, one.what) for one in found] == []
