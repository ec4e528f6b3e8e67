"""Muscles of recorded walks, with no setting changed: every frame solved, contact as instrumented implants show it."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.muscle_cycles import cycles_of_side, muscle_timing
from biomec.reporting.content.muscle_section import muscles_section
from tests.real_data import recording

HIP, KNEE = (
    (2.0, 5.0),
    (2.0, 4.0),
)  # body weights in stance [Bergmann2001] [Bergmann1993] [Kutzner2010], and their spread


def walked(dynamic: str, static: str) -> Analysis:
    files = [recording(*name.split("/")) for name in (dynamic, static)]
    return analyze(import_session(files[0], static=files[1])).run_until("muscles")


@pytest.fixture(scope="module")
def pair() -> Analysis:
    return walked("gait_pig_pair/HC030A05.c3d", "gait_pig_pair/HC030A01.c3d")


@pytest.fixture(scope="module")
def example() -> Analysis:
    return walked("gait_opensim2354/subject01_walk1.trc", "gait_opensim2354/subject01_static.trc")


def peaks(analysis: Analysis) -> dict[str, float]:
    return {one.joint: one.times_weight for one in analysis.muscles.peaks}


@pytest.mark.parametrize("walk", ["pair", "example"])
def test_every_frame_is_solved_and_nothing_is_left_to_reserves(walk, request):
    analysis = request.getfixturevalue(walk)
    forces = analysis.muscles.forces
    assert forces.solved.all()
    assert forces.frames == analysis.signals.trial.frames
    assert len(forces.names) == 86
    assert forces.largest_reserve_Nm < 0.1
    assert not forces.shortages


def test_contact_is_in_the_range_of_instrumented_implants(pair, example, record_property):
    """But for the left leg of the example, because of its hip centres: see the next test."""
    record_property("pair", peaks(pair))
    record_property("example", peaks(example))
    legs = [(pair, "right"), (pair, "left"), (example, "right")]
    for analysis, side in legs:
        assert HIP[0] < peaks(analysis)[f"{side} hip"] < HIP[1]
        assert KNEE[0] < peaks(analysis)[f"{side} knee"] < KNEE[1]
    assert peaks(example)["left hip"] == pytest.approx(5.9, abs=0.1)
    assert peaks(example)["left knee"] == pytest.approx(4.95, abs=0.1)
    assert "pelvis" in example.muscles.trust.clipped


# hip centres of the published model (`subject01_simbody.osim`) from the middle of its marks on the iliac spines, in the
# axes of our pelvis: forward, up, outward [m]
PUBLISHED_HIPS = {"D": (-0.0922, -0.1060, 0.0856), "E": (-0.0965, -0.1008, -0.0854)}


def test_hip_centres_are_what_takes_the_example_out_of_the_range(example):
    """With those of the published model, and all else ours, hips and knees of both legs bear what implants show."""
    static = example.body.person.static
    R = example.body.person.frames["pelvis"].attitude(static)
    middle = 0.5 * (static["CIAS_D"] + static["CIAS_E"])
    points = {f"CAQ_{side}": tuple(float(x) for x in middle + R @ np.array(at)) for side, at in PUBLISHED_HIPS.items()}
    body = replace(example.settings.body, options=replace(example.settings.body.options, points=points))
    analysis = analyze(example.session, replace(example.settings, body=body)).run_until("muscles")
    for side in ("right", "left"):
        assert HIP[0] < peaks(analysis)[f"{side} hip"] < HIP[1]
        assert KNEE[0] < peaks(analysis)[f"{side} knee"] < KNEE[1]


def test_knee_and_ankle_are_near_the_published_solution_of_the_example(example):
    """OpenSim's joint reaction at six instants, of a model with 54 muscles: same course, within a third of its peak."""
    at = [int(np.abs(example.signals.trial.time_s - t).argmin()) for t in (0.6, 0.75, 0.9, 1.05, 1.2, 1.35)]
    contacts = example.muscles.contacts
    published = {
        "right knee": (1.06, 3.12, 1.44, 3.05, 4.61, 1.45),
        "right ankle": (0.21, 1.74, 2.72, 4.43, 5.68, 2.31),
    }
    for joint, values in published.items():
        found = contacts.size[at, contacts.index(joint)] / contacts.body_weight
        assert np.corrcoef(found, values)[0, 1] > 0.9
        assert np.abs(found - values).max() < max(values) / 3.0


def test_prime_movers_are_active_when_they_usually_are(pair, example):
    """Shares of the cycle in which computed and usual activity agree; the muscles that part are named in the guide."""
    prime = ("tibialis anterior", "vastus lateralis", "vastus medialis", "gluteus maximus", "gluteus medius",
             "gastrocnemius", "semimembranosus")  # fmt: skip
    for analysis in (pair, example):
        found = {(one.muscle, one.side): one.agreement for one in muscle_timing(analysis)}
        assert all(found[muscle, side] > 0.6 for muscle in prime for side in ("right", "left"))
        assert np.mean([found[muscle, side] for muscle in prime for side in ("right", "left")]) > 0.78
        assert found["peroneus longus", "right"] < 0.5


def test_steps_whose_loads_are_not_measured_say_nothing_about_timing():
    """The left foot is half on a plate in one step, and off the plates in the other: both steps counted before."""
    walk = walked("gait_pig_partial_strike/walk.c3d", "gait_pig_partial_strike/static.c3d")
    assert walk.cycles.groups["Left"].valid.tolist() == [True, True]
    left, right = (cycles_of_side(walk, (f"soleus_{side[0]}",), side) for side in ("left", "right"))
    assert list(left.left_out.values()) == ["poor contact: partial strike"]
    assert left.source == "estimated from the motion"
    assert right.valid.all()
    assert right.source == ""
    assert {one.side for one in muscle_timing(walk)} == {"right"}


@pytest.mark.parametrize("walk", ["pair", "example"])
def test_lengths_have_no_spikes_and_agree_with_their_speeds(walk, request):
    """From frame to frame a path changes as its speed says; by at most 1 mm more where a conditional point switches."""
    result = request.getfixturevalue(walk)
    paths, rate = result.muscles.paths, result.signals.trial.rate_hz
    excess = np.abs(np.diff(paths.length, axis=0) - 0.5 * (paths.speed[1:] + paths.speed[:-1]) / rate).max(axis=0)
    switching = np.array([any(point.coordinate for point in one.points) for one in paths.fitted.muscles])
    assert excess[switching].max() < 1e-3
    assert excess[~switching].max() < 2.5e-4  # what the middle of two speeds misses at 60 Hz
    for joint in ("right knee", "left knee", "right hip", "left ankle"):
        assert np.abs(np.diff(paths.arms(joint).arms, axis=0)).max() < 8e-3


# mm; least and greatest arm of the source between the angles of a walk (knee 0 to 70°, hip −20 to 45°, ankle −30 to
# 20°) [Delp1990], and 40 % on either side: a child and a grown man, and hinges where the source's knee slides
PUBLISHED = (
    ("knee", "flexion", "vas_int", -48.7, -34.0), ("knee", "flexion", "rect_fem", -50.4, -35.3),
    ("knee", "flexion", "semimem", 31.5, 40.4), ("knee", "flexion", "bifemlh", 27.2, 34.0),
    ("knee", "flexion", "med_gas", 16.8, 23.2), ("hip", "flexion", "psoas", 33.5, 42.6),
    ("hip", "flexion", "glut_max2", -58.3, -39.3), ("hip", "flexion", "semimem", -56.8, -34.3),
    ("hip", "abduction", "glut_med1", 42.1, 49.1), ("hip", "abduction", "add_long", -67.9, -60.1),
    ("ankle", "dorsiflexion", "soleus", -48.0, -37.8), ("ankle", "dorsiflexion", "tib_ant", 34.4, 43.4),
)  # fmt: skip


@pytest.mark.parametrize("walk", ["pair", "example"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_moment_arms_are_those_that_were_published(walk, side, request):
    paths = request.getfixturevalue(walk).muscles.paths
    for joint, angle, muscle, least, greatest in PUBLISHED:
        arms = paths.arms(f"{side} {joint}")
        ours = 1e3 * arms.arms[:, arms.names.index(f"{side} {joint} {angle}"), paths.names.index(f"{muscle}_{side[0]}")]
        low, high = sorted((least, greatest), key=abs)
        assert (np.sign(ours) == np.sign(low)).all(), muscle
        assert 0.6 * abs(low) < np.median(np.abs(ours)) < 1.4 * abs(high), muscle


def test_the_report_of_a_walk_has_its_timing_once_for_each_muscle(example):
    tables = {table.caption: table for table in muscles_section(example).tables}
    names = [row[0] for row in tables["Activity over the gait cycle beside the usual"].rows]
    assert "Right tibialis anterior" in names
    assert "Left soleus" in names
    assert len(names) == len(set(names))
    assert "Right vastus medialis obliquus" not in names  # the same elements as vastus medialis
    limits = dict(tables["Muscles at their limits"].rows)
    assert "left gluteus medius, anterior part" in limits["At full strength"]


def test_contact_beyond_that_of_implants_is_told(pair, example):
    told = [sentence for sentence in muscles_section(example).sentences if "implants" in sentence]
    assert len(told) == 1
    assert "left hip 5.9" in told[0]
    assert "right hip" not in told[0]
    assert not any("implants" in sentence for sentence in muscles_section(pair).sentences)
