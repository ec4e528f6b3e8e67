"""Surfaces: closed, outward, of the right size; and a person that stands as tall as the subject."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from biomec_app.kit.colours import mixed
from biomec_app.viewer.actors import Instances, Lights, attitudes_along
from biomec_app.viewer.meshes import SurfaceMesh, arrow, bead, cylinder, ellipsoid, joined, loft, sphere, vertex_normals
from biomec_app.viewer.person import inertia_ellipsoids, person


def volume(mesh: SurfaceMesh) -> float:
    """Volume by the divergence theorem: the sum of signed tetrahedra over the faces; positive if they face outwards."""
    a, b, c = np.moveaxis(mesh.points[mesh.faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def edges(mesh: SurfaceMesh) -> dict[tuple[int, int], int]:
    """Directed edge -> how many faces have it."""
    found: dict[tuple[int, int], int] = {}
    for face in mesh.faces:
        for one, other in zip(face, np.roll(face, -1), strict=True):
            found[(int(one), int(other))] = found.get((int(one), int(other)), 0) + 1
    return found


@pytest.mark.parametrize(
    "mesh",
    [
        sphere(), sphere(12, 20), ellipsoid(np.ones(3), np.eye(3), np.array([1.0, 2.0, 3.0])),
        replace(bead(), faces=bead().quick),
    ],
)  # fmt: skip
def test_a_closed_surface_has_every_edge_twice_in_opposite_directions(mesh):
    found = edges(mesh)
    assert set(found.values()) == {1}
    assert all((b, a) in found for a, b in found)


def test_a_sphere_has_nearly_its_volume_and_its_points_as_normals():
    ball = sphere(24, 40)
    assert volume(ball) == pytest.approx(4.0 / 3.0 * np.pi, rel=0.02)  # an inscribed polyhedron of 24 rings is smaller
    assert np.allclose(ball.normals, ball.points)
    assert (np.einsum("ij,ij->i", vertex_normals(ball.points, ball.faces), ball.points) > 0.98).all()


def test_a_bead_that_moves_has_a_quarter_of_its_triangles_and_half_of_its_volume():
    quick = replace(bead(), faces=bead().quick)
    assert 4 * len(quick.faces) == len(bead().faces)
    assert 0.5 * volume(bead()) < volume(quick) < volume(bead())


def test_an_ellipsoid_obeys_its_equation_and_its_normals_the_gradient():
    angle = 0.4
    axes = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    centre, radii = np.array([0.1, -0.2, 0.3]), np.array([0.3, 0.1, 0.2])
    mesh = ellipsoid(centre, axes, radii)
    local = (mesh.points - centre) @ axes
    assert np.allclose((local**2 / radii**2).sum(axis=1), 1.0)
    gradient = (local / radii**2) @ axes.T
    assert np.allclose(mesh.normals, gradient / np.linalg.norm(gradient, axis=1, keepdims=True))


@pytest.mark.parametrize("heights", [np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0])])
def test_a_loft_faces_outwards_whichever_way_it_is_built(heights):
    radii = np.ones(3)
    mesh = loft(heights, 2.0 * radii, radii, sectors=60, ends=(heights[0], heights[-1]))
    assert volume(mesh) == pytest.approx(2.0 * np.pi * 2.0, rel=0.01)  # elliptic cylinder, area 2π, height 2


def test_cylinder_and_arrow_reach_from_0_to_1_along_y():
    for mesh, width in ((cylinder(), 1.0), (arrow(), 1.0)):
        assert mesh.points[:, 1].min() == 0.0
        assert mesh.points[:, 1].max() == pytest.approx(1.0, abs=1e-5)
        assert np.hypot(mesh.points[:, 0], mesh.points[:, 2]).max() == pytest.approx(width)


def test_instances_stand_where_they_are_put_and_what_is_unknown_has_no_size():
    balls = Instances(sphere(), 3, colours=["#FF0000", "#00FF00", "#0000FF"])
    centres = np.array([[1.0, 2.0, 3.0], [np.nan] * 3, [0.0, 0.0, 0.0]])
    balls.place(centres, 0.5)
    each = balls.points.reshape(3, -1, 3)
    assert np.linalg.norm(each[0] - centres[0], axis=1) == pytest.approx(0.5, abs=1e-6)
    assert np.ptp(each[1], axis=0) == pytest.approx(0.0)
    assert np.isfinite(balls.points).all()


def test_arrows_span_from_start_to_end():
    arrows = Instances(arrow(), 2, colours="#000000")
    starts, ends = np.array([[0.0, 0, 0], [1.0, 1, 1]]), np.array([[0.0, 0, 2.0], [1.0, -3.0, 1.0]])
    arrows.span(starts, ends, 0.01)
    for part, a, b in zip(arrows.points.reshape(2, -1, 3), starts, ends, strict=True):
        along = (part - a) @ (b - a) / np.linalg.norm(b - a) ** 2
        assert (along.min(), along.max()) == pytest.approx((0.0, 1.0), abs=1e-4)


def test_attitudes_along_are_rotations_that_turn_y():
    directions = np.random.default_rng(1).normal(size=(50, 3))
    R = attitudes_along(directions)
    assert np.allclose(R @ R.transpose(0, 2, 1), np.eye(3))
    assert np.allclose(np.linalg.det(R), 1.0)
    assert np.allclose(R[:, :, 1], directions / np.linalg.norm(directions, axis=1, keepdims=True))


def test_light_is_brighter_where_a_surface_faces_the_lamp():
    lights = Lights.of_eye(np.eye(3))
    grey = np.full((2, 3), 100.0, dtype=np.float32)
    towards, away = lights.on(grey, np.stack([lights.key, -lights.key]))
    assert (towards > away).all()


def test_a_mixed_colour_lies_between():
    assert mixed("#000000", "#FFFFFF", 0.5) == "#808080"
    assert mixed("#102030", "#FFFFFF", 0.0) == "#102030"


# ----------------------------------------------------------------------------------------------------------- the person
@pytest.fixture(scope="module")
def body(demo_analysis):
    return demo_analysis.body.person


def test_a_person_stands_as_tall_as_the_subject_from_the_floor(body):
    places = body.system.layout.bodies
    points = np.concatenate(
        [part.mesh.points @ np.asarray(places[part.segment.name].attitude).T + places[part.segment.name].position
         for part in person(body)]
    )  # fmt: skip
    height = float(body.measures["height"])
    assert np.ptp(points[:, 1]) == pytest.approx(height, abs=0.06)  # the sole is drawn 2 cm below the foot's markers
    assert {part.segment.name for part in person(body)} == {segment.name for segment in body.segments}


def test_left_and_right_are_mirror_images(body):
    parts = {part.segment.name: part.mesh for part in person(body)}
    for name in ("thigh", "shank", "humerus", "foot"):
        one, other = parts[f"right {name}"], parts[f"left {name}"]
        assert volume(one) == pytest.approx(volume(other), rel=0.1)  # both sides differ a little in the static pose
        assert volume(one) > 0.0


def test_ellipsoids_have_the_mass_and_inertia_of_their_segment(body):
    for part in inertia_ellipsoids(body):
        rigid = body.system.layout.bodies[part.segment.name]
        if part.segment.name not in ("pelvis", "right thigh", "left foot"):
            continue
        fine = part.mesh.points - np.asarray(rigid.points["com"])
        moments, axes = np.linalg.eigh(np.asarray(rigid.inertia))
        a, b, c = np.abs(fine @ axes).max(axis=0)  # half axes
        solid = rigid.mass / 5.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        assert solid == pytest.approx(moments, rel=0.06)  # the tips of a coarse mesh lie a little inside


def test_meshes_can_be_joined():
    two = joined([sphere(), sphere()])
    assert len(two.points) == 2 * len(sphere().points)
    assert two.faces.max() == len(two.points) - 1
