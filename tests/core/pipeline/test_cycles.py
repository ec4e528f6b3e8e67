"""Cycles of a movement by the angle that shows them, and what is said about their number."""

from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles
from biomec.pipeline.settings import CycleSettings
from biomec.pipeline.steps.cycles import FoundCycles, cycles

RATE = 50.0


def found_cycles(angle: str, count: int, bad: int | None = None, points: int | None = 101) -> FoundCycles:
    """An arm that is raised and lowered ``count`` times in 2 s each, with one frame that is not valid."""
    t = np.arange(round((2.0 * count + 1.0) * RATE)) / RATE
    curve = np.where((t > 0.5) & (t < 2.0 * count + 0.5), 0.5 - 0.5 * np.cos(np.pi * (t - 0.5)), 0.0)
    values = np.stack([0.2 + 1.5 * curve, 0.2 + 1.5 * curve], axis=1)
    angles = JointAngles(
        (f"right {angle}", f"left {angle}"), values, np.zeros(values.shape, dtype=bool), ("up",) * 2, ("down",) * 2,
        ("right shoulder", "left shoulder"), (None, None), np.zeros(2), AngleOptions(), (),
    )  # fmt: skip
    valid = np.ones(len(t), dtype=bool)
    if bad is not None:
        valid[bad] = False
    clean = SimpleNamespace(
        trial=SimpleNamespace(rate_hz=RATE, frames=len(t)), events=SimpleNamespace(events=()), travels=False
    )
    return cycles(clean, angles, valid, CycleSettings(points=points))


@pytest.mark.parametrize("angle", ["shoulder abduction", "shoulder elevation", "shoulder flexion"])
def test_elevations_by_isb_have_cycles_as_abductions_have(angle):
    """With the convention isb no cycle was found, because there is no abduction then."""
    result = found_cycles(angle, 3)
    assert result.by == angle
    assert result.found == 3
    assert result.notices[-1].sentence == f"3 cycles were found by {angle}; 3 of them are valid throughout."


def test_one_cycle_is_not_1_cycles():
    (notice,) = (n for n in found_cycles("shoulder abduction", 1).notices if n.code == "cycles")
    assert notice.sentence == "1 cycle was found by shoulder abduction; it is valid throughout."
    (notice,) = (n for n in found_cycles("shoulder abduction", 1, bad=60).notices if n.code == "cycles")
    assert notice.sentence == "1 cycle was found by shoulder abduction; it is not valid throughout."
    (notice,) = (n for n in found_cycles("shoulder abduction", 2, bad=60).notices if n.code == "cycles")
    assert notice.sentence == "2 cycles were found by shoulder abduction; 1 of them is valid throughout."


def test_a_mean_curve_has_as_many_points_as_asked_for_or_those_of_the_published_rule():
    """2 s at 50 Hz are 101 samples from border to border, so that both rules agree on equal cycles."""
    assert found_cycles("shoulder abduction", 3, points=51).curves["both"].mean.shape == (51, 2)
    published = found_cycles("shoulder abduction", 3, points=None)
    lengths = published.groups["both"].durations_s * RATE + 1.0
    assert len(published.curves["both"].percent) == round(0.5 * (lengths.max() + lengths.min()))
    for wrong in (1, 20_000):
        with pytest.raises(BiomecError, match="a mean curve has 2 to 10001 points"):
            CycleSettings(points=wrong)
