"""Files of one laboratory state the same wrong unit: what was put right in one of them holds for the next."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.io.unit_evidence import in_unit_of
from biomec.recording import LabAxes, Markers, Source, Trial

NAMES = ("A", "B", "C", "D", "E")


@pytest.fixture
def known() -> Trial:
    """Somebody of usual size."""
    p = np.random.default_rng(7).normal(0.0, 0.4, (1, 5, 3)) + np.zeros((80, 1, 1))
    return Trial(Source.of_bytes("walk.c3d", "C3D", b""), Markers(NAMES, p, 50.0), LabAxes("+y", "+x"))


def moved(known: Trial, factor: float) -> Trial:
    """The same person in another posture, elsewhere, in another unit, with gaps."""
    p = np.array(known.markers.p_WM)
    p[:, :2] += [0.2, 0.1, -0.3]
    p = factor * (p + np.array([4.0, 0.0, 2.0]))
    p[3:60, 2] = np.nan
    p[:, 4] = np.nan
    source = Source.of_bytes("hip.c3d", "C3D", b"1")
    return replace(known, source=source, markers=replace(known.markers, p_WM=p))


@pytest.mark.parametrize(
    ("given", "factor_words"), [(1000.0, "0.001"), (100.0, "0.01"), (1e-3, "1000"), (1e6, "1e-06"), (1e-6, "1e+06")]
)
def test_a_trial_in_another_unit_is_read_in_that_of_the_recording(known, given, factor_words):
    trial, (notice,) = in_unit_of(moved(known, given), known)
    np.testing.assert_allclose(trial.markers.p_WM, moved(known, 1.0).markers.p_WM, rtol=1e-12)
    assert notice.code == "unit-by-recording"
    assert notice.sentence.startswith("In hip.c3d the markers are ")
    assert f"as in walk.c3d; its lengths were multiplied by {factor_words}," in notice.sentence


def test_the_same_unit_stays_whatever_the_posture(known):
    trial = moved(known, 1.0)
    assert in_unit_of(trial, known) == (trial, ())


def test_a_size_that_no_unit_explains_is_told_and_nothing_changed(known):
    trial, (notice,) = in_unit_of(moved(known, 30.0), known)
    np.testing.assert_array_equal(trial.markers.p_WM, moved(known, 30.0).markers.p_WM)
    assert "no usual unit of length explains it" in notice.sentence


@pytest.mark.parametrize("names", [(), ("A",), ("A", "B"), ("A", "B", "E")])
def test_too_few_markers_in_both_tell_nothing(known, names):
    trial = moved(known, 1000.0)
    fewer = replace(trial, markers=trial.markers.select(list(names)))
    assert in_unit_of(fewer, known) == (fewer, ())
