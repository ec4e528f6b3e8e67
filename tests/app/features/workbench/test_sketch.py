"""What a drawing of a machine consists of."""

import numpy as np
import pytest

from biomec.machines.machine import load_machine, machine_names, parse_machine
from biomec.machines.motion import along_laws, as_described, at_start
from biomec_app.features.workbench.sketch import Part, outline, projected, sketch

ALL = """
name = "all parts"
dimension = 2
[ground]
wall = [1.0, 0.0]
[[body]]
name = "plate"
points = { A = [0.0, 0.0], B = [1.0, 0.0], C = [0.5, 1.0], D = [0.5, 0.2] }
basis = ["A", "B"]
mass = 1.0
inertia = 1.0
[[body]]
name = "slider"
points = { P = [0.0, 0.0] }
basis = ["P", "x"]
mass = 1.0
position = [1.0, 0.0]
[[joint]]
type = "revolute"
name = "pin"
proximal = "ground.origin"
distal = "plate.A"
[[joint]]
type = "prismatic"
name = "slide"
proximal = "ground.wall"
distal = "slider.P"
axis = "ground.x"
[[motor]]
name = "M"
proximal = "ground"
distal = "plate"
[[spring]]
name = "S"
first = "plate.C"
second = "ground.wall"
stiffness = 10.0
damping = 1.0
[[tie]]
name = "T"
first = "slider.P"
second = "ground.wall"
stiffness = 10.0
[[hinge]]
name = "H"
proximal = "ground"
distal = "plate"
stiffness = 1.0
[[stop]]
name = "K"
circle = "plate"
centre = [1.0, 0.0]
radius = 0.1
face = "slider"
point = [0.0, 0.0]
normal = [-2.0, 0.0]
law = "hertz"
stiffness = 1e6
"""


@pytest.mark.parametrize("name", machine_names())
def test_every_machine_can_be_drawn(name):
    machine = load_machine(name)
    made = sketch(machine, at_start(machine))
    bodies = [shape.name for shape in made.shapes if shape.part is Part.BODY]
    assert bodies == [body.name for body in machine.system.bodies]
    assert np.isfinite(made.corners()).all()
    assert len([s for s in made.shapes if s.part is Part.MOTOR]) == len(machine.motors)


def test_every_kind_of_part_has_its_shape():
    machine = parse_machine(ALL, "all.toml")
    made = sketch(machine, as_described(machine))
    shapes = {shape.part: shape for shape in made.shapes}
    wanted = set(Part) - {Part.PIN, Part.ROD}  # the only pin is on the ground, and there is no rod
    assert set(shapes) == wanted
    assert shapes[Part.BODY].name == "slider"
    assert np.allclose(shapes[Part.SPRING].points[0], [[0.5, 1.0], [1.0, 0.0]])
    assert np.allclose(shapes[Part.MOTOR].points[0], [[0.0, 0.0]])
    assert shapes[Part.CIRCLE].radius == 0.1
    ends = shapes[Part.FACE].points[0]
    assert np.allclose(ends[:, 0], 1.0)  # the face stands upright at the slider
    assert np.allclose(ends.mean(axis=0), [1.0, 0.0])


def test_ground_that_only_a_tie_holds_on_to_is_drawn():
    machine = load_machine("tied-triple-pendulum")
    made = sketch(machine, at_start(machine))
    ground = {shape.name: shape.points[0, 0] for shape in made.shapes if shape.part is Part.GROUND}
    assert set(ground) == {"A", "D"}
    assert np.allclose(ground["D"], [1.0, 0.0])
    machine = parse_machine(ALL, "all.toml")  # a spring and a tie on one point of the wall
    shapes = sketch(machine, as_described(machine)).shapes
    assert [shape.name for shape in shapes if shape.part is Part.GROUND] == ["wall", "pin"]


def test_the_moment_nearest_to_a_time_is_drawn():
    machine = load_machine("four-bar")
    made = sketch(machine, along_laws(machine, 11))
    assert [made.frame_at(t) for t in (-1.0, 0.0, 0.04, 0.06, 0.96, 2.0)] == [0, 0, 0, 1, 10, 10]
    assert set(made.points) >= {"crank.A", "crank.B", "coupler.C", "crank.com"}


def test_the_outline_of_a_body_is_convex_and_leaves_out_inner_points():
    corners = outline(np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.5, 0.2], [0.5, 0.0]]))
    assert sorted(map(tuple, corners)) == [(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)]
    bar = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert outline(bar) is bar


def test_machines_in_space_are_seen_from_an_angle_with_y_up():
    points = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    assert np.allclose(projected(points, 0.0, 0.0), [[0.0, 1.0], [1.0, 0.0]])
    up, along = projected(points, 0.6, 0.45)
    assert up[0] == 0.0
    assert 0.0 < up[1] < 1.0
    assert along[0] == pytest.approx(np.cos(0.6))
    flat = points[:, :2]
    assert projected(flat, 0.6, 0.45) is flat
