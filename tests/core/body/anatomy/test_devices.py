"""Crutches, orthoses and other devices of body models: counts, masses, springs, and refusals of their files."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import DescriptionError
from biomec.body.anatomy.mixed_coordinates import mixed_coordinates, mixed_coordinates_of
from biomec.body.anatomy.model_file import load_model, parse_model
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model
from biomec.engine.forces.springs import springs
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.position import PositionSolver
from biomec.engine.structure import structure
from biomec.virtual import VirtualPerson
from biomec.virtual.wearing import static_markers
from tests.core.body.anatomy.test_shipped_models import built as built_full
from tests.core.engine.forward.reduced_equations import without_loops

PERSON = VirtualPerson(70.0, 1.70, "male")
WORN = static_markers(PERSON, "gait-43")
# [Mouzo2018]: bodies, points, unit vectors, angles, mixed coordinates, degrees of freedom; crutches are bodies there
PUBLISHED = {
    "m18": (18, 22, 36, 54, 228, 57),
    "m18-crutches": (20, 24, 40, 54, 246, 57),
    "m18-orthoses": (20, 24, 40, 54, 246, 57),
    "m18-free-orthoses": (24, 28, 52, 58, 298, 61),
    "m18-free-orthosis": (22, 26, 46, 56, 272, 59),
}


def built(model: str, text: str = "", **options) -> SubjectModel:
    chosen = parse_model(text, "mine.toml") if text else load_model(model)
    return build_subject_model(chosen, WORN.places, WORN.marker_set, PERSON.subject, ModelOptions(**options))


@pytest.fixture(scope="module")
def free() -> SubjectModel:
    return built("m18-free-orthoses")


@pytest.fixture
def rng():
    return np.random.default_rng(19)


@pytest.mark.parametrize("name", PUBLISHED)
def test_models_with_aids_have_the_published_counts(name):
    counts = mixed_coordinates(load_model(name))
    assert (
        counts.bodies, counts.points, counts.vectors, counts.angles, counts.coordinates, counts.degrees_of_freedom
    ) == PUBLISHED[name]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name != "m18"])
def test_the_engine_finds_the_same_degrees_of_freedom(name):
    body = built(name)
    found = structure(body.system)
    assert not body.left_out
    assert mixed_coordinates_of(body) == mixed_coordinates(body.model)
    assert found.degrees_of_freedom == PUBLISHED[name][-1]
    assert found.coordinates == 12 * len(body.system.bodies)


@pytest.mark.parametrize("name", ["m17", "m21", "legs", "plug-in-gait", "upper-limb"])
def test_mixed_coordinates_of_other_models_leave_the_freedoms_that_their_equations_leave(name):
    if name == "plug-in-gait":
        assert mixed_coordinates(load_model(name)).degrees_of_freedom == 48
        return
    body = built_full(name)
    assert mixed_coordinates_of(body).degrees_of_freedom == structure(body.system).degrees_of_freedom


def test_a_crutch_adds_its_mass_where_it_is():
    bare, with_crutches = built("", HEAD + 'without = ["* crutch"]'), built("m18-crutches")
    hand, both = (next(b for b in body.system.bodies if b.name == "right hand") for body in (bare, with_crutches))
    static = with_crutches.static
    assert both.mass == pytest.approx(hand.mass + 0.6)
    up = static["CR1_D"] - static["CR2_D"]
    crutch = static["PMCH_D"] - 0.25 * up / np.linalg.norm(up)  # where the file puts its centre of mass

    def place(part):
        return np.asarray(part.position) + part.attitude_matrix @ part.points["com"]

    assert_allclose(both.mass * place(both), hand.mass * place(hand) + 0.6 * crutch, atol=1e-12)
    # about any axis through the common centre, by Steiner, with the tensor of a rod along its shaft
    J = both.attitude_matrix @ both.inertia_matrix @ both.attitude_matrix.T
    axis = np.cross(up, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(up, [0.0, 0.0, 1.0]))
    own = hand.attitude_matrix @ hand.inertia_matrix @ hand.attitude_matrix.T

    def about(J, mass, at):
        d = at - place(both)
        return axis @ J @ axis + mass * (d @ d - (d @ axis) ** 2)

    rod = 0.05 * np.eye(3) - (0.05 - 0.0008) * np.outer(up, up) / (up @ up)
    assert axis @ J @ axis == pytest.approx(about(own, hand.mass, place(hand)) + about(rod, 0.6, crutch), rel=1e-12)


def test_tips_are_as_far_beyond_the_markers_as_the_file_says():
    body = built("m18-crutches")
    upper, lower, tip = (body.static[name] for name in ("CR1_E", "CR2_E", "TIP_E"))
    assert np.linalg.norm(tip - lower) == pytest.approx(0.20, abs=1e-12)
    assert_allclose(np.cross(tip - lower, lower - upper), 0.0, atol=1e-15)
    assert "TIP_E" in next(b for b in body.system.bodies if b.name == "left hand").points


def test_springs_are_free_in_the_static_pose_and_pull_back(free):
    q, still = np.asarray(free.system.reference), np.zeros(free.system.n)
    assert len(free.elements) == 8
    for element in free.elements:
        assert np.abs(element.force(free.system, q, still).Q).max() < 1e-9
        K = element.force(free.system, q, still).K
        assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -1e-6  # a spring at rest resists or is indifferent


@pytest.mark.parametrize(
    ("name", "hinges"),
    [
        ("m18-orthoses", ()),
        ("m18-prosthesis", ()),  # its foot is moved like an ankle: nothing holds it to the leg
        ("m18-free-orthosis", ("left orthosis ankle", "left orthosis knee")),
    ],
)
def test_hinges_of_orthoses_are_nobodys(name, hinges):
    assert built(name).passive_joints == hinges


def random_state(body: SubjectModel, rng):
    """A posture that the joints allow, away from standing, and velocities."""
    disturbed = np.asarray(body.system.reference) + 0.02 * rng.normal(size=body.system.n)
    q = PositionSolver(body.system).solve(disturbed[None]).q[0]
    free_motions = np.linalg.svd(body.system.jacobian(q))[2][structure(body.system, q).rank :]
    return q, free_motions.T @ rng.normal(size=len(free_motions))


@pytest.mark.parametrize("name", ["m18-crutches", "m18-orthoses", "m18-free-orthoses"])
def test_matrix_r_and_semi_recursive_agree_with_devices(name, rng):
    free = built(name)
    q, qdot = random_state(free, rng)
    Q = free.system.gravity_force + springs(free.system, free.elements)(0.0, q, qdot)
    ours = IndependentCoordinates(free.system).terms(q, qdot, Q)
    theirs = without_loops(SemiRecursive(free.system, roots=free.model.roots).terms(q, qdot, Q))
    chosen = IndependentCoordinates(free.system)
    chosen.terms(q, qdot, Q)
    T = theirs.R[chosen.partition.independent]
    M = T.T @ ours.M_bar @ T
    force = T.T @ (ours.Q_bar - ours.M_bar @ theirs.bias[chosen.partition.independent])
    assert np.abs(M - theirs.M_bar).max() < 1e-9 * np.abs(M).max()
    assert np.abs(force - theirs.Q_bar).max() < 1e-9 * np.abs(force).max()


UNDAMPED = """
spring = [
  { name = "* knee lock", type = "hinge", joint = "* orthosis knee", stiffness_nm_per_rad = 1000.0 },
  { name = "* ankle spring", type = "hinge", joint = "* ankle", stiffness_nm_per_rad = 400.0 },
  { name = "* cuff at the hip", type = "cuff", between = ["* thigh", "* orthosis thigh"], point = "OHP_*", stiffness_n_per_m = 1e4 },
  { name = "* cuff at the knee", type = "strut", between = ["* shank.ML_*", "* orthosis thigh.OHP_*"], stiffness_n_per_m = 1e3 },
]
"""  # noqa: E501


def test_springs_pull_down_their_potential_and_turn_joints_by_their_torque(rng):
    """Q = −∂V/∂q by central differences; of a ball joint that is bent aside, the torque that does the same work."""
    body = built("", HEAD.replace("m18-crutches", "m18-free-orthoses") + UNDAMPED)
    system, still = body.system, np.zeros(body.system.n)
    q, _ = random_state(body, rng)
    Q = sum(element.force(system, q, still).Q for element in body.elements)
    h = 1e-6
    for v in rng.normal(size=(4, system.n)):
        slope = (elastic_energy(body, q + h * v) - elastic_energy(body, q - h * v)) / (2.0 * h)
        assert Q @ v == pytest.approx(-slope, rel=1e-6, abs=1e-5 * np.abs(Q).max())  # h² of the third derivatives
    space = JointSpace(system, body.model.roots)
    spring = next(one for one in body.elements if one.name == "right ankle spring")
    p, direction = float(spring.state(system, q, still).force), spring.direction(system, q)
    u = space.efforts(q, {"right ankle": p * direction})
    assert abs(p) > 1.0
    assert np.abs(np.cross(direction, system.layout.vector(spring.axis)(q))).max() > 1e-3  # not the axis itself
    assert_allclose(u, space.projected(q, spring.force(system, q, still).Q), rtol=0, atol=1e-9 * abs(p))


def test_energy_is_conserved_with_devices(rng):
    """Falling and tumbling for 20 ms with springs that do not damp: what energy changes is the error of the steps.

    Springs on hinges, on ball joints, of cuffs and struts. Half the step leaves a sixteenth of it, by the order of the
    Runge-Kutta method.
    """
    body = built("", HEAD.replace("m18-crutches", "m18-free-orthoses") + UNDAMPED)
    start = random_state(body, rng)
    before = total_energy(body, *start)
    drift = [abs(total_energy(body, *fallen(body, start, steps)) - before) for steps in (20, 40)]
    end = fallen(body, start, 20)
    assert abs(elastic_energy(body, end[0]) - elastic_energy(body, start[0])) > 0.1  # the springs do take part [J]
    assert drift[0] < 1e-3  # [J] of 700
    assert drift[1] < drift[0] / 10.0


def fallen(body, start, steps):
    """State after 20 ms under weight and springs, by steps of the classic Runge-Kutta method."""
    formulation = SemiRecursive(body.system, roots=body.model.roots)
    pull, weight = springs(body.system, body.elements), body.system.gravity_force
    n, h = body.system.n, 0.020 / steps

    def rate(y):
        q, qdot = y[:n], y[n:]
        return np.concatenate([qdot, formulation.accelerations(q, qdot, weight + pull(0.0, q, qdot)).qddot])

    y = np.concatenate(start)
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[:n], y[n:]


def elastic_energy(body, q):
    """½ k x² of all springs [J]."""
    total = 0.0
    for spring, element in zip(body.springs, body.elements, strict=True):
        if spring.kind == "strut":
            a, b = (body.system.layout.point(end)(q) for end in (spring.first, spring.second))
            x = np.linalg.norm(b - a) - element.spring.rest
        else:
            x = element.state(body.system, q, np.zeros(body.system.n)).position
            x = x - (element.spring.rest if spring.kind == "hinge" else 0.0)
        total += 0.5 * spring.stiffness * float(np.sum(np.square(x)))
    return total


def total_energy(body, q, qdot):
    system = body.system
    return 0.5 * qdot @ system.mass_matrix @ qdot - system.gravity_force @ q + elastic_energy(body, q)


def test_a_spring_that_acts_on_one_side_only():
    body = built("", HEAD + SPRING.replace("* knee", "* ankle") + 'acts = "below"\n')
    q, still = np.asarray(body.system.reference), np.zeros(body.system.n)
    for element in body.elements:
        rest = element.spring.rest
        assert element.spring.value(np.array([rest - 0.1, rest + 0.1])) == pytest.approx([-10.0, 0.0])
        assert float(element.state(body.system, q, still).position) == pytest.approx(rest)


def test_a_device_whose_markers_are_missing_is_left_out_with_a_sentence():
    text = 'name = "x"\ntitle = "x"\nbase = "m18"\nlandmarks = ["BAG_*"]\n' + BACKPACK
    body = built("", text)
    assert [str(n) for n in body.notices if n.code == "device-left-out"] == [
        "The backpack is left out of the model: BAG_D, BAG_E are absent. Its mass does not count."
    ]


BACKPACK = """
[[device]]
name = "backpack"
on = "thorax"
frame = { origin = "BAG_D", z = "BAG_D - BAG_E", y = "C7 - T8" }
mass_kg = 8.0
com_m = [-0.15, 0.0, 0.0]
inertia_kgm2 = [0.2, 0.15, 0.2, 0.0, 0.0, 0.0]
"""
HEAD = 'name = "x"\ntitle = "x"\nbase = "m18-crutches"\n'
DEVICE = BACKPACK.replace("BAG_D", "CIAS_D").replace("BAG_E", "CIAS_E")
SPRING = """
[[spring]]
name = "* lock"
type = "hinge"
joint = "* knee"
stiffness_nm_per_rad = 100.0
"""
CUFF = """
[[spring]]
name = "* cuff"
type = "cuff"
between = ["* thigh", "* shank"]
point = "KJC_*"
stiffness_n_per_m = 1e4
"""
PIECE = """
joint = [
  { name = "* brace", type = "revolute", proximal = "* shank", distal = "* piece", centre = "CAT_*", axis = "z" },
]
[[segment]]
name = "* piece"
frames = [{ origin = "CAT_*", y = "KJC_* - CAT_*", x = "s y x (CLAT_* - CAT_*)" }]
basis = ["CAT_*", "KJC_*", "x", "z"]
mass_kg = 1.0
com_m = [0.0, 0.1, 0.0]
inertia_kgm2 = [0.01, 0.002, 0.01, 0, 0, 0]
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (DEVICE, "thorax", "torax", 'line 7: Device backpack: on names "torax", which is not a segment here; did you'),
        (DEVICE, "8.0", "8000.0", "mass_kg is 8000; it must be more than 0 and at most 50. Check the unit: kg, not g"),
        (DEVICE, "0.2, 0.15", "0.9, 0.15", "the inertia is impossible: its largest principal moment of inertia"),
        (DEVICE, "mass_kg", "mass", 'there is no key "mass"; did you mean "mass_kg"'),
        (DEVICE, "CIAS_E", "CAIS_E", 'z names the landmark "CAIS_E", which no marker set'),
        (SPRING, "100.0", "-100.0", "stiffness_nm_per_rad is -100; a spring that drives the movement is not possible"),
        (SPRING, "* knee", "* kne", 'joint names "right kne", which is not a joint here; did you mean "right knee"'),
        (SPRING, "hinge", "coil", 'there is no type "coil". There are hinge, cuff, strut'),
        (SPRING, "nm_per_rad", "n_per_m", 'there is no key "stiffness_n_per_m"; did you mean "stiffness_nm_per_rad"'),
        (CUFF, "* shank", "* thigh", "between needs two different ends"),
        (CUFF, "KJC_*", "KJX_*", 'point names the landmark "KJX_D", which no marker set'),
        (PIECE, 'distal = "* piece"', 'distal = "* thigh"', "right thigh is the distal segment of two joints"),
        (PIECE, "mass_kg = 1.0\n", "", "com_m needs mass_kg beside it"),
    ],
)  # fmt: skip
def test_files_of_devices_are_refused_with_a_sentence(text, old, new, words):
    parse_model(HEAD + text, "mine.toml")
    assert old in text
    with pytest.raises(DescriptionError) as refusal:
        parse_model(HEAD + text.replace(old, new), "mine.toml")
    assert words.replace("\\", "") in str(refusal.value), str(refusal.value)


@pytest.mark.parametrize(("name", "kg"), [("m18-backpack", 8.0), ("m18-bar", 10.0), ("m18-prosthesis", 0.0)])
def test_shipped_examples_carry_their_device(name, kg):
    worn = static_markers(PERSON, "gait-37")
    body = build_subject_model(load_model(name), worn.places, worn.marker_set, PERSON.subject)
    assert not body.left_out
    assert body.device_kg == pytest.approx(kg)
    assert structure(body.system).degrees_of_freedom == 57
    assert [notice for notice in body.notices if notice.code in ("device-left-out", "spring-left-out")] == []


def test_a_prosthesis_is_part_of_the_mass_and_replaces_the_limb():
    """What scales show with it on is divided: as given below the knee, by the table in proportion elsewhere."""
    worn = static_markers(PERSON, "gait-37")
    with_it, without = (
        build_subject_model(load_model(name), worn.places, worn.marker_set, PERSON.subject)
        for name in ("m18-prosthesis", "m18")
    )
    mass = float(with_it.measures["mass"])
    assert sum(part.mass for part in with_it.system.bodies) == pytest.approx(mass, rel=1e-12)
    parts = {"right shank": 2.3, "right foot": 0.6, "right toes": 0.1}
    limb = sum(without.inertia.segments[name].mass for name in parts)
    factor = (mass - 3.0) / (mass - limb)
    assert 1.0 < factor < 1.05
    for name, whole in without.inertia.segments.items():
        mine = with_it.inertia.segments[name]
        assert mine.mass == pytest.approx(parts[name] if name in parts else factor * whole.mass, rel=1e-12)
        if name not in parts:
            np.testing.assert_allclose(mine.J_W, factor * whole.J_W, rtol=1e-12, atol=1e-15)
    (notice,) = (one for one in with_it.notices if one.code == "prosthesis-mass")
    assert f"3.00 kg as the model gives them, instead of {limb:.2f} kg by the table" in notice.sentence


BAG = """
name = "bag"
title = "A bag on the right side"
base = "m12-sagittal"

[[device]]
name = "bag"
on = "trunk"
frame = { origin = "PMCP", y = "C7 - PMCP", z = "(IJ - PMCP) x (C7 - PMCP)" }
mass_kg = 8.0
com_m = [0.0, 0.1, 0.1]
inertia_kgm2 = [0.14, 0.12, 0.17, 0.0, 0.02, 0.0]
"""


def test_devices_of_a_planar_model_stay_in_its_plane(tmp_path):
    """A bag 10 cm to the right, with a product of inertia, took the trunk's centre of mass out of the plane."""
    file = tmp_path / "bag.toml"
    file.write_text(BAG, encoding="utf-8")
    worn = static_markers(PERSON, "gait-37")
    body = build_subject_model(load_model(str(file)), worn.places, worn.marker_set, PERSON.subject)
    assert body.device_kg == 8.0
    trunk = body.system.layout.bodies["trunk"]
    assert abs(trunk.points["com"][2]) < 1e-12  # m; round-off
    np.testing.assert_allclose(trunk.inertia[2, :2], 0.0, atol=1e-12)
