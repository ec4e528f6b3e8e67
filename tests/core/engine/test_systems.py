"""Systems: counts, names, refusals, energy, and the drive."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError, DescriptionError
from biomec.engine import (
    AngleDriver,
    CoordinateDriver,
    Cylindrical,
    Distance,
    EllipsoidContact,
    LengthCoordinate,
    LengthDriver,
    PointContacts,
    PointDriver,
    PositionSolver,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Universal,
    Weld,
    planar_bar,
)
from biomec.engine.reference.human import contact_points, human_system, human_tree
from biomec.engine.reference.planar import four_bar, pendulum, slider_crank
from biomec.engine.reference.spatial import bennett, random_tree, spatial_pendulum
from biomec.engine.reference.trees import FREEDOMS
from biomec.engine.structure import structure
from tests.core.engine.examples import planar_body, spatial_body

# coordinates, rows, rank, redundant, degrees of freedom
COUNTS = {
    "double pendulum": (lambda: pendulum([0.1, 0.2]), (8, 6, 6, 0, 2)),
    "double pendulum, shared point": (lambda: pendulum([0.1, 0.2], shared=True), (4, 2, 2, 0, 2)),
    "four-bar": (lambda: four_bar(shared=False), (12, 11, 11, 0, 1)),
    "four-bar, shared points": (four_bar, (4, 3, 3, 0, 1)),
    "slider-crank": (lambda: slider_crank(driven=False), (12, 11, 11, 0, 1)),
    "spatial pendulum": (lambda: spatial_pendulum(4), (48, 36, 36, 0, 12)),
    "Bennett": (bennett, (48, 54, 47, 7, 1)),
    "21-body tree": (human_system, (252, 214, 208, 6, 44)),
    "inverse-dynamics tree": (lambda: System(human_system().bodies, _spherical_only()), (252, 186, 186, 0, 66)),
}


def _spherical_only():
    return [Spherical(j.name, f"{j.parent}.{j.name}", f"{j.child}.{j.name}") for j in human_tree().joints[1:]]


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    build, expected = COUNTS[name]
    found = structure(build())
    assert found.residual < 1e-12
    assert (found.coordinates, found.rows, found.rank, len(found.redundant), found.degrees_of_freedom) == expected


def test_whole_body_pattern_by_type_and_with_temporary_points():
    system = human_system()
    found = structure(system)
    assert found.rows_by_type == {"rigid": 126, "spherical": 60, "universal": 6, "revolute": 18, "ellipsoid": 4}
    assert sorted(found.redundant) == sorted(
        f"revolute: {joint}_{side}" for joint in ("elbow", "ulnar", "knee") for side in "RL"
    )
    closed = structure(system, contacts=contact_points(system, system.reference[None]))
    assert (closed.rows, closed.rank, closed.degrees_of_freedom) == (226, 220, 32)
    assert closed.rows_by_type["temporary"] == 12
    doubled = PointContacts.at(system.layout, system.reference[None], {"foot_R": (0, 0, 0), "hand_R": (0, 1, 0)})
    again = structure(system, contacts=replace(doubled, entries=np.zeros_like(doubled.entries)))
    assert [name for name in again.redundant if "temporary" in name] == ["temporary: foot_R"] * 3 + [
        "temporary: hand_R"
    ] * 3
    assert "252 coordinates, 226 rows" in str(closed)
    assert "32 degrees of freedom" in str(closed)


def test_cumulative_rank_of_the_blocks():
    """Rigid 126, spherical 186, universal 192, revolute 204, ellipsoid 208 [Nunes2017]."""
    system = human_system()
    Phi_q = system.jacobian(system.reference)
    blocks = np.cumsum([rows.size for rows in system.row_types.values()])
    ranks = [np.linalg.matrix_rank(Phi_q[:last], tol=1e-9) for last in blocks]
    assert ranks == [126, 186, 192, 204, 208]


def test_mass_matrix_is_block_diagonal_and_gravity_is_the_weight():
    system = human_system()
    M = system.mass_matrix.toarray()
    assert_allclose(M, M.T, atol=1e-15)
    assert np.linalg.eigvalsh(M).min() > 0.0
    for body in system.bodies:
        columns = system.layout.columns(body.name)
        assert np.abs(np.delete(M[columns], columns, axis=1)).max() == 0.0
    total = sum(body.mass for body in system.bodies)
    lift = np.zeros(system.n)  # the velocity of all points when everything rises at 1 m/s
    for body in system.bodies:
        lift[system.layout.columns(body.name)] = body.coordinates((0, 1, 0)) - body.coordinates((0, 0, 0))
    assert_allclose(lift @ system.gravity_force, -total * 9.81, rtol=1e-13)
    assert_allclose(lift @ M @ lift, total, rtol=1e-13)
    q = system.reference
    assert_allclose(
        system.potential_energy(q + 0.3 * lift) - system.potential_energy(q), total * 9.81 * 0.3, rtol=1e-12
    )
    assert_allclose(system.kinetic_energy(lift), 0.5 * total, rtol=1e-13)


def _pair(*constraints, **options):
    return System([spatial_body("i"), spatial_body("j", seed=2)], constraints, **options)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: System([]), "at least one body"),
        (lambda: System([spatial_body("i"), spatial_body("i")]), "Body name i is taken"),
        (lambda: System([spatial_body("ground")]), "ground is reserved"),
        (lambda: System([spatial_body("i"), planar_body("p")]), "Body p is 2-D, but the system is 3-D"),
        (lambda: _pair(Spherical("hip", "i.Q", "k.S")), "Joint hip: there is no body k; the bodies are i, j"),
        (lambda: _pair(Spherical("hip", "i.Q", "j.knee")), "Joint hip: body j has no knee; it has origin, P"),
        (lambda: _pair(Spherical("hip", "i.Q", "jS")), 'Joint hip: write "body.name" instead of "jS"'),
        (lambda: _pair(Spherical("hip", "i.Q", "i.S")), "Joint hip: it joins i.Q to i.S, two points of the same body"),
        (lambda: _pair(Spherical("a", "i.Q", "j.S"), Weld("a", "i.Q", "j.S")), "called a; give each its own name"),
        (lambda: _pair(Spherical("i", "i.Q", "j.S")), "Two bodies, joints or drivers are called i"),
        (lambda: _pair(Revolute("k", "i.Q", "j.S", "i.x", "i.y")), "Joint k: its distal axis i.y must belong to j"),
        (lambda: _pair(Universal("u", "i.Q", "j.S", "j.x", "j.y")), "Joint u: its proximal axis j.x must belong to i"),
        (lambda: _pair(Prismatic("p", "i.Q", "i.S", "i.a")), "Joint p: it joins i.Q to i.S, two points of the same"),
        (lambda: _pair(Distance("rod", "i.Q", "i.S")), "Joint rod: it joins i.Q to i.S, two points of the same"),
        (lambda: _pair(PointDriver("d", "ground.origin")), "Driver d: nothing that it constrains can move"),
        (
            lambda: _pair(AngleDriver("d", "ground.x", "ground.y", "ground.z")),
            "Driver d: ground.x and ground.y belong together",
        ),
        (lambda: _pair(LengthCoordinate("s", "i.P", "i.P")), "Coordinate s: i.P and i.P belong together"),
        (lambda: _pair(AngleDriver("d", "i.x", "i.y", "i.z")), "Driver d: i.x and i.y belong together"),
        (lambda: _pair(LengthDriver("d", "i.P", "i.Q")), "Driver d: i.P and i.Q belong together"),
        (lambda: _pair(AngleDriver("d", "i.x", "j.y", "i.z")), "Driver d: direction j.y must be normal to"),
        (lambda: _pair(EllipsoidContact("s", "i.S", "i.P", (1, 1, 1))), "Joint s: it joins i.S to i.P, two points of"),
        (lambda: _pair(EllipsoidContact("s", "j.S", "i.P", (1, 1, np.inf))), "Joint s: give three positive radii"),
        (lambda: _pair(Distance("rod", "i.Q", "j.S", np.inf)), "Joint rod: its length is inf m"),
        (lambda: _pair(ground={"origin": (1, 2, 3)}), "Ground: its origin is the laboratory's"),
        (lambda: _pair(directions={"x": (0, 1, 0)}), "Ground: direction x is the laboratory's"),
        (lambda: System([spatial_body("a.b")]), "Body a.b: a name has no dot"),
        (
            lambda: System(
                [
                    planar_bar("free", 1.0),
                    planar_bar("a", 1.0, shared={"A": "ground.origin", "B": "ground.P"}),
                ],
                ground={"P": (5.0, 0.0)},
            ),
            "Body a: the ground points it shares are not as far apart as its own",
        ),
        (lambda: _pair(gravity=(0, -9.81)), "System system: gravity needs 3 components"),
        (lambda: _pair(ground={"G": (0, 1)}), "Ground: point G needs 3 coordinates"),
        (lambda: _pair(directions={"d": (0, 0, 0)}), "Ground: direction d needs 3 components, not all zero"),
        (
            lambda: _pair(EllipsoidContact("s", "j.S", "i.P", (1, 1, 1), np.zeros((3, 3)))),
            "Joint s: the attitude of its ellipsoid is not a rotation",
        ),
        (lambda: _pair(Revolute("knee", "i.Q", "j.S")), "Joint knee: a revolute joint in space needs an axis"),
        (lambda: _pair(Revolute("knee", "i.Q", "j.S", "j.x")), "Joint knee: its axis j.x must belong to i"),
        (lambda: _pair(Universal("u", "i.Q", "j.S", "i.x", "j.y", 1.5)), "Joint u: the cosine .* is 1.5"),
        (lambda: _pair(Distance("rod", "i.Q", "j.S", -1.0)), "Joint rod: its length is -1 m"),
        (lambda: _pair(EllipsoidContact("s", "j.S", "i.P", (1, 0, 1))), "Joint s: give three positive radii"),
        (lambda: _pair(AngleDriver("d", "i.x", "j.y")), "Driver d: an angle in space needs the axis"),
        (lambda: _pair(AngleDriver("d", "i.x", "j.y", "i.x")), "Driver d: direction i.x must be normal to"),
        (lambda: _pair(CoordinateDriver("d", "s")), "Driver d: there is no added coordinate s"),
        (
            lambda: System([planar_body("p")], [EllipsoidContact("s", "p.P", "ground.origin", (1, 1, 1))]),
            "Joint s: EllipsoidContact exists in space only",
        ),
        (
            lambda: System([planar_body("p")], [Universal("u", "ground.origin", "p.P", "ground.x", "p.x")]),
            "Joint u: Universal exists in space only",
        ),
        (
            lambda: System(
                [planar_bar("a", 1.0, shared={"A": "ground.origin", "B": "ground.P"})], ground={"P": (1, 0)}
            ),
            "Nothing can move",
        ),
        (
            lambda: System([planar_bar("u", 1.0), planar_bar("a", 1.0, shared={"A": "u.A", "B": "u.A"})]),
            "Body a: two of its basis elements share the same one",
        ),
        (
            lambda: System([planar_bar("a", 1.0, shared={"A": "b.A"}), planar_bar("b", 1.0)]),
            "Body a: shares A with b.A, which is not a basis point of a body listed before it",
        ),
    ],
)
def test_impossible_descriptions_are_refused_by_name(build, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        build()


def test_drivers_need_values_and_names():
    system = slider_crank()
    with pytest.raises(BiomecError, match="slider-crank is driven by crank angle: pass their values"):
        system.residual(system.reference)
    with pytest.raises(BiomecError, match="no driver speed; its drivers are: crank angle"):
        system.drive({"speed": 1.0})
    with pytest.raises(BiomecError, match="no value was given for driver crank angle"):
        system.drive({})
    with pytest.raises(BiomecError, match=r"shape \(3,\).*12 coordinates"):
        system.residual(np.zeros(3), system.drive({"crank angle": 0.0}))


def test_added_coordinates_start_at_the_reference_configuration():
    """The defining row is satisfied, the count grows by one coordinate and one row, the freedoms stay."""
    bars = four_bar().bodies
    added = LengthCoordinate("diagonal", "ground.origin", "coupler.B")
    system = System(bars, [added], ground={"P": (3.0, 0.0)})
    assert_allclose(system.residual(system.reference), 0.0, atol=1e-14)
    assert_allclose(system.reference[system.layout.added["diagonal"]], np.hypot(3.0160076504, 2.4999487505), atol=1e-9)
    found = structure(system)
    assert (found.coordinates, found.rows, found.degrees_of_freedom) == (5, 4, 1)


@pytest.mark.parametrize("root", ["spherical", "universal", "revolute"])
def test_a_tree_can_hang_on_the_ground(root, rng):
    """The ground has named points and directions, so every joint can attach to it."""
    tree = random_tree(5, rng, root)
    system = tree.system()
    motion = {joint.name: rng.normal(size=(4, FREEDOMS[joint.kind])) for joint in tree.joints}
    assert np.abs(system.residual(tree.coordinates(system, motion))).max() < 1e-12
    freedoms = sum(FREEDOMS[joint.kind] for joint in tree.joints)
    assert structure(system).degrees_of_freedom == freedoms


def test_joints_remove_the_freedoms_they_say():
    removed = {
        "Spherical": (Spherical("c", "i.Q", "j.S"), 3),
        "Universal": (Universal("c", "i.Q", "j.S", "i.a", "j.y", None), 4),
        "Revolute": (Revolute("c", "i.Q", "j.S", "i.a"), 5),
        "Cylindrical": (Cylindrical("c", "i.Q", "j.S", "i.a"), 4),
        "Prismatic": (Prismatic("c", "i.Q", "j.S", "i.a"), 5),
        "Weld": (Weld("c", "i.Q", "j.S"), 6),
        "Distance": (Distance("c", "i.Q", "j.S"), 1),
    }
    i, j = spatial_body("i"), spatial_body("j", seed=2)
    meeting = np.asarray(i.position) + i.attitude_matrix @ i.points["Q"]
    for name, (joint, count) in removed.items():
        gap = (0.1, 0.2, 0.3) if name == "Distance" else (0, 0, 0)
        placed = spatial_body("j", seed=2)
        object.__setattr__(placed, "position", meeting - j.attitude_matrix @ j.points["S"] + gap)
        found = structure(System([i, placed], [joint]))
        assert found.residual < 1e-12, name
        assert found.degrees_of_freedom == 12 - count, name


@pytest.mark.parametrize("copy", [lambda x: pickle.loads(pickle.dumps(x)), deepcopy], ids=["pickle", "deepcopy"])
def test_systems_and_results_travel(copy):
    """Process pools and clusters send them; the copy gives the same numbers."""
    system = human_system()
    twin = copy(system)
    q = system.reference + np.linspace(0.0, 1e-3, 252)
    assert_allclose(twin.residual(q), system.residual(q), rtol=0, atol=0)
    result = copy(PositionSolver(system)).solve(q)
    again = copy(result)
    assert_allclose(again.q, PositionSolver(twin).solve(q).q, rtol=0, atol=0)
    assert again.before.keys() == result.before.keys()
    assert "21 bodies, 252 coordinates, 214 rows" in repr(twin)


def test_energies_take_any_batch(rng):
    system = human_system()
    q = rng.normal(size=(2, 3, system.n))
    for energy in (system.kinetic_energy, system.potential_energy):
        assert_allclose(energy(q)[1, 2], energy(q[1, 2]), rtol=1e-12)
