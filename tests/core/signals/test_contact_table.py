from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.signals.contact_detection import detect_contacts
from biomec.signals.contact_table import contact_table
from biomec.signals.contacts import assign, assign_contacts, unassign
from biomec.signals.plate_resampling import plate_at_frames
from tests.core.signals.gait_recordings import PIG_SEGMENTS, pig_trial
from tests.core.signals.virtual_walk import SEGMENTS, Walk


def made(trial, segments=SEGMENTS):
    result = assign_contacts(trial, detect_contacts(trial), segments)
    return result, contact_table(result)


def test_frames_show_the_walkers_own_contacts_forces_and_points():
    walk = Walk(plates_for=(0, 1))
    _, table = made(walk.trial())
    assert table.segments == ("Pe_D", "Pe_E")
    t = np.arange(300) / 100.0
    for s, step in ((0, 0), (1, 1)):
        active = table.active[:, s]
        # thresholds shorten the contact by some milliseconds at each end, and a frame is 10 ms
        assert t[active][0] == pytest.approx(walk.strike_s(step), abs=0.025)
        assert t[active][-1] == pytest.approx(walk.off_s(step), abs=0.025)
        sure = active & ~table.held[:, s]
        # the mean over 10 ms of a force that bends by f'' (< 4e5 N/s²) differs from the value by f'' h²/24 < 2 N
        assert_allclose(table.force[sure, s], walk.force(step, t)[sure], atol=3.0)
        assert_allclose(table.cop[sure, s], walk.cop(step, t)[sure], atol=1e-3)
        steady = sure & (walk.force(step, t)[:, 2] > 100)
        assert_allclose(table.moment[steady, s], walk.free_moment(step, t)[steady], atol=0.15)


def test_the_wrench_about_the_laboratory_origin_is_exact_in_every_frame():
    """Held points and shared plates may move the point, never the wrench."""
    result, table = made(Walk(plates_for=(0, 1)).trial())
    for s, segment in enumerate(table.segments):
        touched = np.linalg.norm(table.force[:, s], axis=1) > 0
        about_origin = table.moment[:, s] + np.cross(np.nan_to_num(table.cop[:, s]), table.force[:, s])
        for item in result.of(segment):
            plate, contact = result.plate(item.contact.plate), item.contact
            part = slice(contact.first, contact.last + 1)
            moment = plate.moment[part] + np.cross(plate.origin, plate.force[part])
            assert_allclose(table.force[touched, s].sum(axis=0) / 100.0, contact.impulse, rtol=1e-10)
            assert_allclose(
                about_origin[touched].sum(axis=0) / 100.0, moment.sum(axis=0) / 1000.0, rtol=1e-9, atol=1e-9
            )


def test_points_of_weak_frames_are_held_and_marked():
    _, table = made(Walk(plates_for=(1,)).trial())
    held = np.flatnonzero(table.held[:, 0])
    assert held.size >= 1
    vertical = table.force[:, 0, 2]
    assert (vertical[held] <= 20.0).all()
    known = np.flatnonzero((vertical > 20.0) & ~table.held[:, 0])
    for frame in held:
        nearest = known[np.argmin(np.abs(known - frame))]
        assert_allclose(table.cop[frame, 0], table.cop[nearest, 0])
    assert np.isnan(table.cop[vertical == 0.0, 0]).all()


def test_a_foot_on_two_plates_gets_the_sum_of_both():
    """One foot on two plates, with other forces at other points: about the laboratory's origin the wrenches add up."""
    walk = Walk(plates_for=(1,))
    trial = walk.trial()
    plate, t = trial.plates[0], np.arange(3000) / 1000.0
    parts = []
    for k, (share, shift) in enumerate((([1.0, 0.2, 0.3], [0.02, -0.05, 0.0]), ([0.0, 0.8, 0.7], [-0.03, 0.06, 0.0]))):
        force, cop = walk.force(1, t) * share, walk.cop(1, t) + np.array(shift)
        origin = plate.origin + 4 * np.array(shift)
        moment = np.cross(cop - origin, force) + walk.free_moment(1, t)
        parts.append(replace(plate, name=f"Half {k}", force=force, moment=moment, origin=origin))
    halves = replace(trial, plates=tuple(parts))
    result = assign_contacts(halves, detect_contacts(halves), SEGMENTS)
    table = contact_table(assign(assign(result, "Half 0", 1, "Pe_E"), "Half 1", 1, "Pe_E"))
    at_frames = [plate_at_frames(part, 100.0, 300) for part in parts]
    strong = at_frames[0].force[:, 2] > 50.0  # whole frames within both contacts
    force = sum(w.force for w in at_frames)
    moment = sum(w.moment + np.cross(part.origin, w.force) for w, part in zip(at_frames, parts, strict=True))
    about_origin = table.moment[:, 0] + np.cross(table.cop[:, 0], table.force[:, 0])
    assert_allclose(table.force[strong, 0], force[strong], rtol=1e-9)
    assert_allclose(about_origin[strong], moment[strong], rtol=1e-9)
    # the resultant acts between the two points, by their vertical forces 3 : 7
    middle = walk.cop(1, np.arange(300) / 100.0) + 0.3 * np.array([0.02, -0.05, 0]) + 0.7 * np.array([-0.03, 0.06, 0])
    assert_allclose(table.cop[strong, 0], middle[strong], atol=1e-3)


def test_unassigned_contacts_are_not_in_the_table():
    result, _ = made(Walk(plates_for=(0, 1)).trial())
    table = contact_table(unassign(result, "Plate 1", 1), ["Pe_D", "Pe_E"])
    assert not table.active[:, 0].any()
    assert (table.force[:, 0] == 0.0).all()
    assert table.active[:, 1].any()


def test_arrays_are_read_only():
    _, table = made(Walk().trial())
    with pytest.raises(ValueError, match="read-only"):
        table.force[0] = 1.0


def test_the_real_walk_has_its_impulse_at_the_frames():
    trial = pig_trial("HC030A05")
    result, table = made(trial, PIG_SEGMENTS)
    for s, segment in enumerate(table.segments):
        (item,) = result.of(segment)
        assert_allclose(table.force[:, s].sum(axis=0) / trial.rate_hz, item.contact.impulse, rtol=1e-9, atol=1e-9)
        assert table.active[:, s].sum() / trial.rate_hz == pytest.approx(item.contact.duration_s, abs=0.011)
