"""What the virtual laboratory records is what happened, plus the disturbances that were asked for."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from biomec.base.arrays import rotation_about
from biomec.base.errors import BiomecError
from biomec.virtual import PushUp, RecordOptions, Squat, VirtualAcquisition, VirtualPerson, Walk, record
from biomec.virtual.movement import Movement

PERSON = VirtualPerson(68.0, 1.72, "female", "Test")
SHORT: Movement = PushUp("closed", cycles=1, lead_s=0.1)
CLEAN = RecordOptions(rate_hz=50.0, plate_rate_hz=100.0, emg_rate_hz=500.0, static_s=0.4)


@cache
def recorded(options: RecordOptions = CLEAN, movement: Movement = SHORT) -> VirtualAcquisition:
    return record(movement, PERSON, options)


def test_all_markers_stand_and_sixteen_are_taken_off() -> None:
    acquisition = recorded()
    assert len(acquisition.static.markers.names) == 87
    assert len(acquisition.dynamic.markers.names) == 71
    assert acquisition.dynamic.frames == round(SHORT.duration_s * 50.0)
    assert acquisition.dynamic.subject.mass_kg == 68.0
    assert len(recorded(replace(CLEAN, removed=False)).dynamic.markers.names) == 87


def test_markers_of_a_segment_keep_their_distances() -> None:
    acquisition = recorded(replace(CLEAN, removed=False))
    markers = acquisition.dynamic.markers
    for segment in set(acquisition.model.followed.values()):
        mine = [name for name in markers.names if acquisition.model.followed[name] == segment]
        if len(mine) > 1:
            stood = pdist(np.array([PERSON.markers[name] for name in mine]))
            for frame in markers.select(mine).p_WM[::11]:
                np.testing.assert_allclose(pdist(frame), stood, rtol=0, atol=1e-12)


def test_landmarks_of_hinges_move_with_both_segments() -> None:
    """Condyles and epicondyles belong to two segments: the truth of either is the same."""
    acquisition = recorded(movement=Squat(cycles=1))
    points = acquisition.model.points_of(acquisition.truth.q)
    static, attitudes = acquisition.model.static, acquisition.model.attitudes(acquisition.truth.q)
    reference = acquisition.model.attitudes(acquisition.model.system.reference)
    R = attitudes["right shank"] @ reference["right shank"].T
    here = points["right shank.KJC_D"] + np.einsum("tij,j->ti", R, static["CLAT_D"] - static["KJC_D"])
    np.testing.assert_allclose(here, points["right thigh.CLAT_D"], rtol=0, atol=1e-12)


def test_the_truth_is_where_the_markers_are() -> None:
    acquisition = recorded()
    truth = acquisition.truth
    np.testing.assert_array_equal(
        truth.markers.select(acquisition.dynamic.markers.names).p_WM, acquisition.dynamic.markers.p_WM
    )
    for name in ("C7", "AC_D", "EL_E", "MT1_D"):
        np.testing.assert_allclose(truth.landmarks[name], truth.markers[name], rtol=0, atol=1e-12)
    assert np.abs(acquisition.model.system.residual(truth.q)).max() < 1e-12
    assert {"CAQ_D", "GU_E", "CAC", "CAL", "CAT_D"} <= set(truth.landmarks)


def test_plates_measure_the_reactions() -> None:
    acquisition = recorded()
    for plate in acquisition.dynamic.plates:
        truth = acquisition.truth.reactions[plate.name]
        np.testing.assert_allclose(plate.force[::2], truth.force, rtol=0, atol=1e-9)
        # within the plate's own plane: the centre of pressure from its moments is that of the contact
        np.testing.assert_allclose(plate.centre_of_pressure()[::2], truth.centre_of_pressure(), rtol=0, atol=1e-9)
    total = sum(plate.force for plate in acquisition.dynamic.plates)
    assert total[:, 1].mean() == pytest.approx(68.0 * 9.81, rel=0.02)  # over a cycle weight remains


def test_plates_between_frames_are_as_if_performed_there() -> None:
    """A smooth movement is interpolated between frames: compared with frames at the rate of the plates."""
    slow, fast = recorded(), recorded(replace(CLEAN, rate_hz=100.0))
    for a, b in zip(slow.dynamic.plates, fast.dynamic.plates, strict=True):
        # cubic spline: h⁴/384 × fourth derivative ~ (20 ms)⁴/384 × 75 N × (2π 2 Hz)⁴ = 8e-4 N, more at the ends
        np.testing.assert_allclose(a.force[10:350], b.force[10:350], rtol=0, atol=5e-3)


def test_a_walker_strikes_plates_in_turn() -> None:
    acquisition = recorded(movement=Walk(strides=3))
    first = []
    for plate in acquisition.dynamic.plates:
        loaded = plate.loaded()
        assert loaded.any()
        first.append(int(np.argmax(loaded)))
        cop = plate.centre_of_pressure()[loaded]
        assert plate.corners is not None
        assert (cop >= plate.corners.min(axis=0) - 1e-9).all()
        assert (cop <= plate.corners.max(axis=0) + 1e-9).all()
    assert first == sorted(first)
    assert len(first) == 4


def test_turning_the_laboratory_turns_everything() -> None:
    angle = 0.7
    plain, turned = recorded(), recorded(replace(CLEAN, heading_rad=angle))
    R = rotation_about([0.0, 1.0, 0.0], angle)
    # a matrix product more: round-off of 2 m and of 400 N
    np.testing.assert_allclose(turned.dynamic.markers.p_WM, plain.dynamic.markers.p_WM @ R.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(turned.static.markers.p_WM, plain.static.markers.p_WM @ R.T, rtol=0, atol=1e-14)
    for a, b in zip(turned.dynamic.plates, plain.dynamic.plates, strict=True):
        np.testing.assert_allclose(a.force, b.force @ R.T, rtol=0, atol=1e-12)
        np.testing.assert_allclose(a.centre_of_pressure(), b.centre_of_pressure() @ R.T, rtol=0, atol=1e-12)
    system = plain.model.system
    assert np.abs(system.residual(turned.truth.q)).max() < 1e-12
    jacobian = system.jacobian(turned.truth.q[::20])
    assert np.abs(np.einsum("tmn,tn->tm", jacobian, turned.truth.qdot[::20])).max() < 1e-11


DISTURBED = replace(CLEAN, noise_mm=1.0, soft_tissue_mm=8.0, plate_noise_n=1.0, gaps=0.5, mislabelled=3, seed=5)


def test_one_seed_gives_one_recording() -> None:
    one, same = record(SHORT, PERSON, DISTURBED), record(SHORT, PERSON, DISTURBED)
    other = record(SHORT, PERSON, replace(DISTURBED, seed=6))
    assert one.dynamic.markers.p_WM.tobytes() == same.dynamic.markers.p_WM.tobytes()
    assert one.static.markers.p_WM.tobytes() == same.static.markers.p_WM.tobytes()
    assert one.dynamic.plates[0].force.tobytes() == same.dynamic.plates[0].force.tobytes()
    assert one.dynamic.emg is not None
    assert same.dynamic.emg is not None
    assert one.dynamic.emg.values.tobytes() == same.dynamic.emg.values.tobytes()
    assert one.truth.gaps == same.truth.gaps
    assert one.dynamic.markers.p_WM.tobytes() != other.dynamic.markers.p_WM.tobytes()


def test_noise_has_the_size_that_was_asked_for() -> None:
    noisy = recorded(replace(CLEAN, noise_mm=0.8, seed=3))
    difference = noisy.dynamic.markers.p_WM - recorded().dynamic.markers.p_WM
    count = difference.size
    assert difference.std() == pytest.approx(0.8e-3, rel=4.0 / np.sqrt(2 * count))  # four standard errors
    assert abs(difference.mean()) < 4 * 0.8e-3 / np.sqrt(count)


def test_skin_moves_with_the_joints_and_plates_move_as_one() -> None:
    moved = recorded(replace(CLEAN, soft_tissue_mm=10.0, seed=1))
    shift = np.linalg.norm(moved.dynamic.markers.p_WM - recorded().dynamic.markers.p_WM, axis=-1)
    names = moved.dynamic.markers.names
    arm = shift[:, names.index("CLBR_D_11")]
    assert 1e-3 < arm.max() < 12e-3
    assert shift[:, names.index("MC2_D")].max() < 3e-3
    # rigid to first order: the plate's turn of 0.03 rad stretches 0.1 m by half its square, 5e-5 m
    plate = [name for name in names if name.startswith("CLBR_D")]
    for frame in moved.dynamic.markers.select(plate).p_WM[::20]:
        np.testing.assert_allclose(pdist(frame), pdist(np.array([PERSON.markers[n] for n in plate])), rtol=0, atol=1e-4)


def test_gaps_and_exchanged_labels_are_told() -> None:
    broken = recorded(DISTURBED)
    p, names = broken.dynamic.markers.p_WM, broken.dynamic.markers.names
    hidden = np.zeros(p.shape[:2], dtype=bool)
    for gap in broken.truth.gaps:
        hidden[gap.first : gap.last + 1, names.index(gap.marker)] = True
    np.testing.assert_array_equal(np.isnan(p[..., 0]), hidden)
    assert hidden.any()
    assert len(broken.truth.label_errors) == 3
    clean = broken.truth.markers
    for error in broken.truth.label_errors:
        a, b = error.markers
        part = slice(error.first, error.last + 1)
        wrong = np.linalg.norm(broken.dynamic.markers[a][part] - clean[b][part], axis=-1)
        right = np.linalg.norm(broken.dynamic.markers[a][part] - clean[a][part], axis=-1)
        there = np.isfinite(wrong)
        assert (wrong[there] < 0.02).all()  # skin and noise only
        assert (right[there] > wrong[there]).mean() > 0.95


def test_hidden_markers_stay_hidden() -> None:
    names = recorded(replace(CLEAN, hidden=("C7", "EU_D"))).dynamic.markers.names
    assert "C7" not in names
    assert len(names) == 69
    with pytest.raises(BiomecError, match="XYZ"):
        record(SHORT, PERSON, replace(CLEAN, hidden=("XYZ",)))


def test_muscles_are_heard_when_they_work() -> None:
    """The triceps works most while the body rises from the lowest point."""
    acquisition = recorded(replace(CLEAN, emg_rate_hz=1000.0))
    emg = acquisition.dynamic.emg
    assert emg is not None
    assert emg.samples == round(acquisition.dynamic.duration_s * 1000.0)
    level = np.abs(emg["triceps_D"])
    rising = (emg.time_s > 0.1 + 0.58 * 3.67) & (emg.time_s < 0.1 + 0.85 * 3.67)
    sinking = (emg.time_s > 0.1 + 0.1 * 3.67) & (emg.time_s < 0.1 + 0.35 * 3.67)
    assert level[rising].mean() > 2.0 * level[sinking].mean()


@pytest.mark.parametrize(
    "change", [{"plate_rate_hz": 75.0}, {"rate_hz": 0.0}, {"noise_mm": -1.0}, {"static_s": 0.0}, {"gaps": np.nan}]
)
def test_impossible_laboratories_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(BiomecError, match="Virtual recording"):
        replace(CLEAN, **change)  # type: ignore[arg-type]
