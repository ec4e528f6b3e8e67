"""Known truth: a virtual subject's recordings, analysed as anybody's, must give its motion back."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import build_subject_model
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.joint_angles import joint_angles
from biomec.engine.position import PositionSolver
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.reporting.demo import true_angles
from biomec.reporting.files.analysis_files import summary
from biomec.reporting.statistics.angle_ranges import angle_errors
from biomec.virtual import DEMO, PushUp, RecordOptions, VirtualAcquisition, VirtualPerson, record

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
PERSON = VirtualPerson(81.6, 1.79, "male")
ONE = PushUp("closed", cycles=1)


def session_of(acquisition: VirtualAcquisition) -> Session:
    return Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)


@pytest.fixture(scope="module")
def exact() -> tuple[VirtualAcquisition, Analysis]:
    acquisition = record(ONE, PERSON, RecordOptions(rate_hz=50.0, plate_rate_hz=250.0))
    return acquisition, analyze(session_of(acquisition), UNFILTERED)


@pytest.fixture(scope="module")
def noisy() -> tuple[VirtualAcquisition, Analysis]:
    options = RecordOptions(noise_mm=1.0, soft_tissue_mm=10.0, plate_noise_n=1.0, gaps=0.2, seed=5)
    acquisition = record(PushUp("open", cycles=2), PERSON, options)
    return acquisition, analyze(session_of(acquisition))


def test_without_disturbance_the_coordinates_come_back_to_a_micrometre(exact):
    acquisition, analysis = exact
    assert analysis.motion.valid.all()
    assert np.abs(analysis.motion.q - acquisition.truth.q).max() < 1e-6


def test_without_disturbance_every_angle_of_both_sides_comes_back_to_a_ten_thousandth_of_a_degree(exact):
    acquisition, analysis = exact
    truth = true_angles(acquisition)
    assert len(truth.names) == 54
    difference = np.degrees(analysis.angles.values - truth.values)
    assert np.abs(difference).max() < 1e-4


def test_without_disturbance_joint_centres_come_back_to_a_micrometre(exact):
    acquisition, analysis = exact
    points = analysis.body.person.points_of(analysis.motion.q)
    centres = ("CAC", "CAL", "CAQ_D", "CAQ_E", "GU_D", "GU_E", "KJC_D", "PME_E", "CAP_D", "CAT_E")
    for centre in centres:
        found = next(p for name, p in points.items() if name.endswith(f".{centre}"))
        assert np.abs(found - acquisition.truth.landmarks[centre]).max() < 1e-6, centre


def test_velocities_and_accelerations_come_back_as_far_as_differences_can(exact):
    acquisition, analysis = exact
    inner = slice(3, -3)  # one-sided differences at the ends are of lower order
    for found, true in (
        (analysis.motion.qdot, acquisition.truth.qdot),
        (analysis.motion.qddot, acquisition.truth.qddot),
    ):
        scale = np.abs(true).max()
        # central differences at 50 Hz of a movement of 3.7 s with sharp turns: about (2π·2 Hz/50 Hz)²/6 = 1 %
        assert np.abs(found[inner] - true[inner]).max() < 0.02 * scale


def test_global_optimisation_gives_the_same_motion_without_disturbance(exact):
    acquisition, analysis = exact
    other = analysis.with_settings(replace(UNFILTERED, positions=ConsistencyOptions(method="markers"))).run_all()
    assert other.motion.valid.all()
    # a weak pull to the start, 1e-6 of a marker's weight, acts on a start that is right already
    assert np.abs(other.motion.q - acquisition.truth.q).max() < 1e-6


def test_with_noise_and_soft_tissue_flexions_stay_within_a_degree_and_a_half(noisy):
    acquisition, analysis = noisy
    assert analysis.motion.valid.all()
    errors = {one.name: np.degrees(one.rms) for one in angle_errors(analysis.angles, true_angles(acquisition))}
    for side in ("right", "left"):
        for joint in ("elbow", "knee", "hip"):
            assert errors[f"{side} {joint} flexion"] < 1.5


def test_every_frame_and_every_cycle_of_a_disturbed_push_up_is_valid():
    acquisition = record(PushUp("closed", cycles=3), PERSON, DEMO)
    analysis = analyze(session_of(acquisition))
    facts = summary(analysis)
    assert facts["consistency"]["converged"] == facts["consistency"]["frames"]
    assert facts["consistency"]["phi_max"] < 1e-10
    assert facts["cycles"] == {"by": "elbow flexion", "found": 3, "valid": 3}
    # where the phase changes, as published: 56.2 % of a closed, 55.8 % of an open push-up [Nunes2017]
    assert_allclose(analysis.cycles.groups["both"].phase_changes_percent, 56.0, atol=2.0)


def test_contacts_move_the_trunk_more_than_the_elbow_and_this_more_than_the_wrist(noisy):
    """The order that was published for identity weights: hands and feet are held, and error goes up the chain."""
    _, analysis = noisy
    shift = analysis.motion.landmark_mean
    assert shift["IJ"] > np.mean([shift["PME_D"], shift["PME_E"]]) > np.mean([shift["CAP_D"], shift["CAP_E"]])


def test_equally_disturbed_the_model_with_girdle_takes_more_iterations():
    """Published: 16.5 against 11.5. On a push-up the model *without* girdle takes more here: docs/validation.md."""
    mean = {}
    for name in ("m21", "m17"):
        body = build_subject_model(load_model(name), PERSON.markers, PERSON.full_set, PERSON.subject)
        rng = np.random.default_rng(1)
        disturbed = [
            np.concatenate(
                [
                    part.coordinates(
                        np.asarray(part.position) + 0.02 * rng.normal(size=3),
                        Rotation.from_rotvec(np.radians(5.0) * rng.normal(size=3)).as_matrix() @ part.attitude_matrix,
                    )
                    for part in body.system.bodies
                ]
            )
            for _ in range(200)
        ]
        result = PositionSolver(body.system).solve(disturbed)
        assert result.valid.all()
        mean[name] = result.iterations.mean()
    assert mean["m21"] > mean["m17"] + 0.3  # 8.8 against 7.9 of 400 frames


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_pronation_of_60_degrees_is_60_degrees_and_leaves_the_elbow_alone(side):
    code = side[0].replace("r", "D").replace("l", "E")
    body = build_subject_model(load_model("m21"), PERSON.markers, PERSON.full_set, PERSON.subject)
    lateral, ulnar = body.static[f"EL_{code}"], body.static[f"EU_{code}"]
    axis = (lateral - ulnar) / np.linalg.norm(lateral - ulnar)  # upwards: pronation turns the right hand about it
    turn = Rotation.from_rotvec(np.radians(60.0) * (1.0 if side == "right" else -1.0) * axis).as_matrix()
    moving = [f"{side} radius", f"{side} hand"]
    markers = {
        name: (ulnar + turn @ (p - ulnar) if body.followed[name] in moving else p)[None]
        for name, p in PERSON.markers.items()
    }
    q = body.measured_coordinates(body.points_in_motion(markers))
    angles = joint_angles(
        body.attitudes(q), body.model.angles, static=body.attitudes(body.system.reference), axes=body.joint_axes()
    )
    change = dict(zip(angles.names, np.degrees(angles.values[0] - angles.static), strict=True))
    assert change[f"{side} radioulnar pronation"] == pytest.approx(60.0, abs=1e-9)
    assert change[f"{side} elbow flexion"] == pytest.approx(0.0, abs=1e-9)
    assert change[f"{side} wrist flexion"] == pytest.approx(0.0, abs=1e-9)


def test_turning_the_laboratory_changes_no_joint_angle():
    still, turned = (
        analyze(
            session_of(record(ONE, PERSON, RecordOptions(rate_hz=25.0, plate_rate_hz=100.0, heading_rad=heading))),
            UNFILTERED,
        )
        for heading in (0.0, 0.7)
    )
    joints = [k for k, name in enumerate(still.angles.joint) if "laboratory" not in name]
    # both pass through one solution with tolerance 1e-10
    assert_allclose(turned.angles.values[:, joints], still.angles.values[:, joints], atol=1e-7)


def test_a_symmetric_movement_gives_equal_angles_left_and_right(exact):
    _, analysis = exact
    angles = analysis.angles
    for name in (name for name in angles.names if name.startswith("right ")):
        if "rotation" not in name or "laboratory" not in name:
            assert_allclose(angles[name], angles[name.replace("right ", "left ", 1)], atol=1e-7, err_msg=name)
