"""The expected error of a joint's moments, part by part, from figures put in by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.notices import Grade
from biomec.body.loads import joint_verdict
from biomec.body.loads.contact_figures import ContactFigures
from biomec.body.loads.joint_verdict import JointErrors, JointVerdict, MeasuredMarkers

FRAMES, MASS_KG, FORCE_N = 10, 70.0, 700.0


def ankle(monkeypatch, misfit_m: float, moved_m: float | None) -> JointVerdict:
    """The ankle under a force of 10 N/kg; its markers and its centre are this far from where they should be."""
    body = SimpleNamespace(name="right foot")
    monkeypatch.setattr(joint_verdict, "path_signs", lambda tree: np.ones((1, 1)))
    force, point = np.zeros((FRAMES, 1, 3)), np.zeros((FRAMES, 1, 3))
    force[..., 1], point[..., 0] = FORCE_N, 0.1
    loads = SimpleNamespace(
        joints=("right ankle",), proximal=("right shank",), distal=("right foot",),
        centre=np.zeros((FRAMES, 1, 3)), torque=np.full((FRAMES, 1, 3), 50.0),
    )  # fmt: skip
    moved = {} if moved_m is None else {"right ankle": np.full(FRAMES, moved_m)}
    markers = MeasuredMarkers(("right foot",), np.full((FRAMES, 1), misfit_m), moved)
    errors = JointErrors(
        tree=SimpleNamespace(system=SimpleNamespace(bodies=[body])),
        loads=loads,
        motion=None,
        external=SimpleNamespace(segments=("right foot",), force=force, point=point),
        markers=markers,
    )
    (found,) = errors.verdicts("right foot", (0, FRAMES - 1), MASS_KG, Grade.GOOD, ContactFigures(delta=0.0)).values()
    return found


@pytest.mark.parametrize(("misfit", "moved", "w"), [(0.005, None, 0.005), (0.005, 0.002, 0.005), (0.005, 0.02, 0.02)])
def test_a_centre_that_was_moved_makes_the_error_larger(monkeypatch, misfit, moved, w):
    """A fit to many markers leaves them near the model and moves the centre: the larger of both counts."""
    found = ankle(monkeypatch, misfit, moved)
    force = FORCE_N / MASS_KG
    assert found.error == pytest.approx(force * np.sqrt(0.5 * (0.005**2 + 0.005**2 + (0.7 * w) ** 2)), rel=1e-12)
    assert (found.misfit_m, found.lever_m) == pytest.approx((misfit, 0.1))


def test_a_moved_centre_is_named_as_the_cause(monkeypatch):
    found = ankle(monkeypatch, 0.005, 0.04)
    assert found.grade is Grade.POOR  # e = 0.20 N m/kg, just beyond the limit
    assert "its centre lies 40 mm from where its markers put it" in found.sentence


def test_the_part_of_a_moved_centre_is_what_the_moment_changes_by(monkeypatch):
    """By moving the centre: seven tenths of 20 mm, in every horizontal direction, RMS of a horizontal component."""
    part = np.sqrt(ankle(monkeypatch, 0.0, 0.02).error ** 2 - ankle(monkeypatch, 0.0, 0.0).error ** 2)
    force, point = np.array([0.0, FORCE_N, 0.0]) / MASS_KG, np.array([0.1, 0.0, 0.0])
    heading = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)
    centre = 0.7 * 0.02 * np.stack([np.cos(heading), np.zeros(36), np.sin(heading)], axis=1)
    change = np.cross(point - centre, force) - np.cross(point, force)
    assert part == pytest.approx(np.sqrt((change[:, [0, 2]] ** 2).mean()), rel=1e-9)
