"""Size of the residual: closed forms, thresholds at their borders, frames that do not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.residuals import THRESHOLDS, residuals
from tests.core.body.loads.performed import performed


def with_residual(force: FloatArray, torque: FloatArray) -> JointLoads:
    frames = len(force)
    nothing = np.zeros((frames, 0, 3))
    return JointLoads(
        "test", (), (), (), nothing, nothing, nothing, "thorax", np.zeros((frames, 3)), force, torque, (), nothing,
        nothing, nothing[..., 0],
    )  # fmt: skip


def constant(force: float, torque: float, frames: int = 10) -> JointLoads:
    axis = np.array([0.6, 0.0, 0.8])
    return with_residual(np.tile(force * axis, (frames, 1)), np.tile(torque * axis, (frames, 1)))


def test_sizes_of_a_sine() -> None:
    t = np.arange(1000) / 1000.0
    force = np.stack([3.0 * np.sin(2 * np.pi * t), np.zeros_like(t), 4.0 * np.sin(2 * np.pi * t)], axis=1)
    found = residuals(with_residual(force, 2.0 * force))
    assert np.allclose(found.force_rms, np.array([3.0, 0.0, 4.0, 5.0]) / np.sqrt(2.0))
    assert np.allclose(found.force_peak, [3.0, 0.0, 4.0, 5.0], rtol=1e-5)
    assert np.allclose(found.torque_rms, 2.0 * found.force_rms)


def test_rms_modulus_is_that_of_the_published_table() -> None:
    """[Nunes2017] Table 5.13: components 25.6, 42.7, 14.0 N have the modulus 51.7 N; 7.0, 7.7, 21.3 N m have 23.7."""
    for parts, modulus in (((25.6, 42.7, 14.0), 51.7), ((7.0, 7.7, 21.3), 23.7)):
        signs = np.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [1, 1, -1]])
        found = residuals(with_residual(signs * parts, signs * parts))
        assert found.force_rms[3] == pytest.approx(modulus, abs=0.05)


@pytest.mark.parametrize(
    ("force", "torque", "nunes", "opensim"),
    [(9.9, 24.9, True, True), (10.1, 24.9, True, False), (24.9, 25.1, False, False), (9.9, 25.1, False, True)],
)
def test_thresholds(force: float, torque: float, nunes: bool, opensim: bool) -> None:
    found = residuals(constant(force, torque))
    assert [verdict.kept for verdict in found.verdicts] == [nunes, opensim]
    assert found.kept is (nunes and opensim)
    if found.kept:
        assert "below both limits" in found.sentence
    else:
        assert "limit" in found.sentence


def test_a_short_peak_breaks_only_the_threshold_that_has_peaks() -> None:
    force = np.zeros((1000, 3))
    force[500:503, 1] = 26.0
    found = residuals(with_residual(force, np.zeros_like(force)))
    assert [verdict.kept for verdict in found.verdicts] == [True, False]
    assert found.verdicts[1].exceeded == ("force peak 26 N, limit 25",)
    assert found.worst == (500, 502)


def test_both_published_thresholds_are_there_with_their_source() -> None:
    nunes, opensim = THRESHOLDS
    assert (nunes.force_rms, nunes.torque_rms, nunes.force_peak) == (25.0, 25.0, None)
    assert (opensim.force_rms, opensim.force_peak, opensim.torque_rms, opensim.torque_peak) == (10, 25, 50, 75)
    assert "[Nunes2017]" in nunes.source
    assert "OpenSim" in opensim.source


def test_frames_off_the_plates_are_no_error() -> None:
    loads = constant(0.0, 0.0)
    force = np.array(loads.residual_force)
    force[3:5] = [0.0, 700.0, 0.0]
    measured = np.ones(10, dtype=np.bool_)
    measured[3:5] = False
    found = residuals(replace(loads, residual_force=force), measured)
    assert found.force_rms[3] == 0.0
    assert found.left_out == ((3, 4),)
    assert found.kept
    assert residuals(replace(loads, residual_force=force)).kept is False
    nothing = residuals(loads, np.zeros(10, dtype=np.bool_))
    assert nothing.kept is None
    assert np.isnan(nothing.force_rms).all()
    assert "no frame" in nothing.sentence


def test_a_perfect_recording_has_none() -> None:
    found = residuals(performed("push-up").loads())
    assert found.force_peak[3] < 1e-9
    assert found.torque_peak[3] < 1e-9
