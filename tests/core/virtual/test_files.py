"""A virtual acquisition handed over as files comes back as it was recorded."""

import json
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.session_import import import_session
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record, write_acquisition

OPTIONS = RecordOptions(rate_hz=50.0, plate_rate_hz=100.0, emg_rate_hz=500.0, static_s=0.2)


@pytest.fixture(scope="module")
def acquisition():
    return record(PushUp("open", cycles=1, lead_s=0.1), VirtualPerson(name="Test"), OPTIONS)


def test_emt_and_mot_are_found_together_and_hold_the_same_bits(acquisition, tmp_path: Path) -> None:
    written = write_acquisition(acquisition, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "20260302_Test_PushUpOpen1.emt",
        "20260302_Test_PushUpOpen1.mot",
        "20260302_Test_PushUpOpen1_EMG.emt",
        "20260302_Test_Static.emt",
    }
    session = import_session(written["emt"])
    assert session.subject.name == "Test"
    assert (session.dynamic.axes.up, session.dynamic.axes.forward) == ("+y", "+x")
    assert session.static is not None
    assert session.dynamic.emg is not None
    np.testing.assert_array_equal(session.dynamic.markers.p_WM, acquisition.dynamic.markers.p_WM)
    np.testing.assert_array_equal(session.static.markers.p_WM, acquisition.static.markers.p_WM)
    np.testing.assert_array_equal(session.dynamic.emg.values, acquisition.dynamic.emg.values)
    for here, there in zip(session.dynamic.plates, acquisition.dynamic.plates, strict=True):
        assert here.name == there.name
        np.testing.assert_array_equal(here.force, there.force)
        # the file holds the point and not the moment about the plate: 300 N × round-off of 2 m
        np.testing.assert_allclose(here.centre_of_pressure(), there.centre_of_pressure(), rtol=0, atol=1e-12)


def test_c3d_holds_everything_in_its_single_precision(acquisition, tmp_path: Path) -> None:
    written = write_acquisition(acquisition, tmp_path, ["c3d"])
    session = import_session(written["c3d"])
    assert session.static is not None
    assert session.dynamic.emg is not None
    assert session.dynamic.subject.mass_kg == acquisition.person.mass_kg
    # single precision of 2000 mm and 400 N
    np.testing.assert_allclose(session.dynamic.markers.p_WM, acquisition.dynamic.markers.p_WM, rtol=0, atol=2e-7)
    for here, there in zip(session.dynamic.plates, acquisition.dynamic.plates, strict=True):
        every = here.samples // there.samples  # one clock for all channels: that of the EMG
        np.testing.assert_allclose(here.force[::every], there.force, rtol=0, atol=1e-4)


def test_formats_side_by_side_and_the_truth(acquisition, tmp_path: Path) -> None:
    written = write_acquisition(acquisition, tmp_path, ["emt", "c3d"], truth=True)
    assert written["emt"].parent.name == "emt"
    assert written["c3d"].parent.name == "c3d"
    stem = tmp_path / "20260302_Test_PushUpOpen1"
    with np.load(f"{stem}_truth.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["q"], acquisition.truth.q)
        np.testing.assert_array_equal(arrays["force Mao_D"], acquisition.truth.reactions["Mao_D"].force)
        np.testing.assert_array_equal(arrays["landmark GU_D"], acquisition.truth.landmarks["GU_D"])
    words = json.loads(Path(f"{stem}_truth.json").read_text(encoding="utf-8"))
    assert words["person"]["mass_kg"] == 75.0
    assert words["movement"] == "PushUpOpen"
    assert len(words["segments"]) == 21


def test_unknown_formats_are_refused(acquisition, tmp_path: Path) -> None:
    with pytest.raises(BiomecError, match="xls"):
        write_acquisition(acquisition, tmp_path, ["xls"])
