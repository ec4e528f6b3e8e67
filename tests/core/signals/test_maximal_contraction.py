"""Maximal contractions: a known amplitude comes out, the greatest of several trials counts, and files are refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.io.registry import write_trial
from biomec.recording import Analog
from biomec.signals.emg_muscles import USUAL, EmgReading, load_muscles
from biomec.signals.maximal_contraction import (
    MaximalContraction,
    maximal_contractions,
    named_contractions,
    same_channels,
)
from tests.core.recording.examples import full_trial

RATE = 1000.0


def sine(amplitude, seconds=4.0):
    """EMG of 100 Hz whose envelope is 2/π of its amplitude."""
    t = np.arange(int(seconds * RATE)) / RATE
    return amplitude * np.sin(2.0 * np.pi * 100.0 * t)


def written(folder, name, **channels):
    """A file with these channels."""
    emg = Analog(tuple(channels), np.stack(list(channels.values()), axis=1), ("V",) * len(channels), RATE)
    path = folder / name
    write_trial(replace(full_trial(), emg=emg, plates=()), path)
    return path


RECORDED = Analog(("R_RF", "L_TA", "R_SOL"), np.zeros((2000, 3)), ("V",) * 3, RATE)


def test_the_greatest_envelope_of_several_trials_counts(tmp_path):
    first = written(tmp_path, "mvc_1.c3d", R_RF=sine(200e-6), L_TA=sine(50e-6))
    second = written(tmp_path, "mvc_2.c3d", R_RF=sine(100e-6), L_TA=sine(80e-6))
    found = maximal_contractions([first, second], RECORDED)
    values = {one.channel: (one.value, one.source) for one in found.found}
    # 2/π of the amplitude; the ripple of the 6 Hz low-pass and the rise at the ends of the trial stay within 4 %
    assert_allclose(values["R_RF"][0], 2.0 / np.pi * 200e-6, rtol=0.04)
    assert_allclose(values["L_TA"][0], 2.0 / np.pi * 80e-6, rtol=0.04)
    assert (values["R_RF"][1], values["L_TA"][1]) == ("mvc_1.c3d", "mvc_2.c3d")
    assert found.without == ("R_SOL",)
    reading = found.given_to(EmgReading(mvc={"R_SOL": 1e-4}, mvc_from={"R_SOL": "typed"}))
    assert set(reading.mvc) == {"R_RF", "L_TA", "R_SOL"}
    assert reading.mvc_from["L_TA"] == "mvc_2.c3d"


def test_channels_are_found_by_name_and_by_muscle():
    table = load_muscles(USUAL)
    assert same_channels(["r rf", "left tib ant"], RECORDED.names) == {"r rf": "R_RF"}
    assert same_channels(["Right rectus femoris", "L_TA", "EMG9"], RECORDED.names, table) == {
        "Right rectus femoris": "R_RF", "L_TA": "L_TA",
    }  # fmt: skip


def test_files_beside_a_recording_are_known_by_their_names(tmp_path):
    names = ("walk.c3d", "MVC_quad.c3d", "subject-mvic-2.csv", "maximal contraction.emt", "smvc.c3d", "MVC.docx")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    found = {path.name for path in named_contractions(tmp_path / "walk.c3d")}
    assert found == {"MVC_quad.c3d", "subject-mvic-2.csv", "maximal contraction.emt"}
    assert named_contractions(tmp_path / "gone" / "walk.c3d") == ()


def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path):
    other = written(tmp_path, "mvc.c3d", X9=sine(1e-4))
    with pytest.raises(BiomecError, match=r"mvc.c3d: none of its channels \(X9, Trigger\) is one of the recording"):
        maximal_contractions([other], RECORDED)
    millivolts = replace(RECORDED, names=("X9", "b", "c"), units=("mV",) * 3)
    with pytest.raises(BiomecError, match="X9 is in V, but the recording's in mV"):
        maximal_contractions([other], millivolts)
    silent = tmp_path / "mvc_silent.c3d"
    write_trial(replace(full_trial(), emg=None, analog=None, plates=()), silent)
    with pytest.raises(BiomecError, match="holds no EMG"):
        maximal_contractions([silent], RECORDED)
    with pytest.raises(BiomecError, match="No trial"):
        maximal_contractions([], RECORDED)
    with pytest.raises(BiomecError, match="R_RF: the value of the maximal contraction is -1; it must be positive"):
        EmgReading(mvc={"R_RF": -1.0})
    assert MaximalContraction("R_RF", 1e-4, "V").source == "typed"
