"""Damaged files of every format, the way a user opens them: a sentence or a report, never a trace of calls."""

import json
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.io.evidence import examined
from biomec.io.registry import FORMATS, read_trial, write_trial
from biomec.io.summary import summary, summary_text
from tests.core.recording.examples import full_trial


def opened(path: Path) -> bool:
    """True if the file opens and its report can be made; False if a sentence says why not. Warnings are errors."""
    try:
        facts = summary(examined(read_trial(path)))
    except FileError as error:
        refused = error.file
    else:
        refused = None
    if refused is not None:
        assert refused == path.name
        return False
    json.dumps(facts, allow_nan=False)
    summary_text(facts)
    return True


@pytest.mark.parametrize("extension", [one.extensions[0] for one in FORMATS])
def test_cut_or_changed_anywhere(extension, tmp_path):
    path = tmp_path / f"ensaio ç{extension}"
    write_trial(full_trial(), path)
    assert opened(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 1024):
        path.write_bytes(whole[:length])
        opened(path)
    rng = np.random.default_rng(len(whole))
    for _ in range(120):
        changed = bytearray(whole)
        reach = len(whole) if rng.random() < 0.5 else min(len(whole), 1500)  # headers break in more ways than numbers
        for position in rng.integers(reach, size=rng.integers(1, 6)):
            changed[position] = rng.integers(256)
        path.write_bytes(changed)
        opened(path)
