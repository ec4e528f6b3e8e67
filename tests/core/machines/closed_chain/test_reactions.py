"""Forces and moments of all kinds of joints, of springs and stops, in inverse, forward and optimal-control results."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.machines.columns import columns_of
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from

G, M = 10.0, 2.0


def answer(machine, key, **options):
    chosen = study(key)
    run = chosen.run(machine, options_from(chosen, options), None)
    assert run.succeeded, run.status
    return run


def curves(run):
    return {f"{one.group}: {one.name}": one.values for one in run.curves}


BLOCK = f"""
name = "held block"
dimension = 2
gravity = [0.0, {-G}]

[ground]
hook = [0.0, 1.0]
rail = [-0.3, 0.0]

[[body]]
name = "block"
points = {{ P = [0.0, 0.0] }}
basis = ["P", "x"]
mass = {M}
centre_of_mass = [0.4, 0.0]
inertia = 0.1
"""
WELD = '[[joint]]\ntype = "weld"\nname = "W"\nproximal = "ground.origin"\ndistal = "block.P"\n'
ROD = '[[joint]]\ntype = "distance"\nname = "R"\nfirst = "ground.hook"\nsecond = "block.com"\n'
SPRING = '[[spring]]\nname = "S"\nfirst = "ground.hook"\nsecond = "block.com"\nstiffness = 50.0\nfree_length = 0.8\n'
FORMULATIONS = ["partitioned", "Baumgarte", "lagrangian multipliers"]


def formulation(name):
    from biomec.machines.closed_chain.engine import FORMULATIONS as natural

    return (
        name
        if name in ("partitioned", "Baumgarte")
        else next(k for k, one in natural.items() if not one.finds_positions)
    )


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_weld_bears_weight_and_moment(name):
    """Nothing moves: the force is the weight, the moment its lever arm times it."""
    if name == FORMULATIONS[0]:  # partitioned: nothing is free
        run = answer(parse_machine(BLOCK + WELD, "w.toml"), "forward", samples=3, duration_s=0.1)
    else:
        run = answer(
            parse_machine(BLOCK + WELD, "w.toml"), "forward", samples=3, duration_s=0.1, formulation=formulation(name)
        )
    found = curves(run)
    assert found["Joint forces, components: W y"] == pytest.approx(M * G)
    assert found["Joint forces, components: W x"] == pytest.approx(0.0, abs=1e-9)
    assert found["Joint moments: W"] == pytest.approx(0.4 * M * G)
    assert run.figures["W_joint_moment_max_Nm"] == pytest.approx(0.4 * M * G)


def test_a_rod_bears_weight_and_centripetal_force():
    """A mass on a rod, let go from a slant: T = m (g cos θ + l ω²), with ω² from its energy."""
    run = answer(parse_machine(BLOCK + ROD, "r.toml"), "forward", samples=41, duration_s=0.8)
    x, y = (run.poses["block"][:, k] for k in (0, 1))
    angle = run.poses["block"][:, 2]
    centre = np.stack([x + 0.4 * np.cos(angle), y + 0.4 * np.sin(angle) - 1.0], axis=1)
    length = np.hypot(0.4, 1.0)
    fallen = -centre[:, 1] - 1.0
    tension = M * (G * -centre[:, 1] / length + 2.0 * G * fallen / length)
    assert curves(run)["Tension of rods: R"] == pytest.approx(tension, rel=1e-7)
    assert fallen.max() > 0.05


def test_a_spring_pulls_with_its_stretch():
    run = answer(parse_machine(BLOCK + SPRING + WELD, "s.toml"), "forward", samples=3, duration_s=0.1)
    found = curves(run)
    length = np.hypot(0.4, 1.0)
    pull = 50.0 * (length - 0.8)
    assert found["Forces of springs and dampers: S"] == pytest.approx(pull)
    assert found["Joint forces, components: W y"] == pytest.approx(M * G - pull * 1.0 / length)


def slider_balance(run, machine, acceleration):
    """What remains of the balance of the slider: pin, guide, spring, weight; largest of both components [N]."""
    found, v = curves(run), machine.values
    pull = found["Forces of springs and dampers: spring"]  # of the slider towards the wall, along x
    across = found["Joint forces, components: B y"] + found["Joint forces, components: guide y"] - v["m3"] * v["g"]
    along = found["Joint forces, components: B x"] + found["Joint forces, components: guide x"] + pull
    return max(np.abs(across).max(), np.abs(along - v["m3"] * acceleration).max())


def stroke_acceleration(machine, phi, w, a):
    """ẍ of x = r cos φ + √(l² − r² sin² φ)."""
    r, l = machine.values["r"], machine.values["l"]
    s, c = np.sin(phi), np.cos(phi)
    root = np.sqrt(l**2 - (r * s) ** 2)
    first = -r * s - r**2 * s * c / root
    second = -r * c - r**2 * ((c**2 - s**2) / root + r**2 * s**2 * c**2 / root**3)
    return first * a + second * w**2


@pytest.mark.parametrize("study_key", ["inverse", "forward"])
def test_pin_guide_and_spring_balance_the_slider(study_key):
    machine = load_machine("crank-press")
    run = answer(machine, study_key, samples=41)
    found = curves(run)
    phi, w = (np.deg2rad(found[f"{group}: crank"]) for group in ("Angles", "Angular velocities"))
    acceleration = stroke_acceleration(machine, phi, w, found["Angular accelerations: crank"])
    assert slider_balance(run, machine, acceleration) < 1e-9
    assert np.abs(found["Joint forces, components: guide x"]).max() < 1e-12  # a guide pushes across only
    assert np.abs(found["Joint moments: guide"]).max() < 1e-9  # the pin is at the centre of mass


def test_joint_forces_of_an_optimal_motion_are_those_of_its_replay():
    """The sources' way: optimal control, forward, inverse dynamics; the joints bear the same in all three."""
    machine = load_machine("crank-press")
    plan = answer(machine, "optimal-control", end="angle_crank = 10*pi/9; rate_crank = 0", intervals=30)
    given = machine.with_torques(columns_of(plan.files["torques.csv"], "plan"))
    replay = answer(given, "forward", tolerance=1e-7, samples=61)
    planned, replayed = curves(plan), curves(replay)
    for name in ("Joint forces: O", "Joint forces: A", "Joint forces: B", "Joint forces: guide"):
        there = np.interp(replay.time_s, plan.time_s, planned[name])
        # forces of up to 60 N; torques jump by some 0.01 N·m at the ends of intervals of 0.02 s
        assert replayed[name] == pytest.approx(there, abs=0.3)
    phi, w = (np.deg2rad(planned[f"{group}: crank"]) for group in ("Angles", "Angular velocities"))
    assert "spring_spring_force_max_N" in plan.figures
    torque = planned["Motor torques: O"]
    assert phi.shape == w.shape == torque.shape


STOP = """
[[driver]]
type = "point"
name = "push"
point = "block.P"

[[driver]]
type = "angle"
name = "turn"
start = "ground.x"
end = "block.x"

[[law]]
driver = "push.x"
type = "polynomial"
coefficients = [0.0, 0.1]

[[law]]
driver = "push.y"
type = "polynomial"
coefficients = [0.0]

[[law]]
driver = "turn"
type = "polynomial"
coefficients = [0.0]

[[stop]]
name = "wall"
circle = "block"
centre = [0.0, 0.0]
radius = 0.05
face = "ground"
point = [0.1, 0.0]
normal = [-1.0, 0.0]
law = "flores"
stiffness = 1e6
restitution = 0.5
"""


def test_a_prescribed_motion_presses_its_stop():
    """Touched at 0.05 m; beyond, F = K δ^1.5 (1 + f δ̇/δ̇⁻) with δ̇ = δ̇⁻, and the driver pushes as hard."""
    run = answer(parse_machine(BLOCK + STOP, "p.toml"), "inverse", duration_s=0.52, samples=105)
    depth = np.maximum(0.1 * run.time_s - 0.05, 0.0)
    force = 1e6 * depth**1.5 * (1.0 + 8.0 * 0.5 / (5.0 * 0.5))
    found = curves(run)
    assert found["Contact force: wall"] == pytest.approx(force, abs=1e-6 * force.max())
    assert found["Driving forces: push.x"] == pytest.approx(force, abs=1e-6 * force.max())
    assert run.figures["wall_stop_force_max_N"] == pytest.approx(force.max())


def test_forward_dynamics_meets_stops():
    """The knee: forward dynamics now ends where the swing does, with the force of its stop."""
    machine = load_machine("knee-prosthesis").with_preset("sim2")[0]
    swing = answer(machine, "swing", every_s=0.002, duration_s=0.24)
    forward = answer(machine, "forward", samples=121, duration_s=0.24, tolerance=1e-8)
    for name in ("Angles: shank", "Contact force: " + machine.stops[0].name):
        assert curves(forward)[name] == pytest.approx(curves(swing)[name], rel=1e-6, abs=1e-3)
    assert max(curves(forward)["Contact force: " + machine.stops[0].name]) > 8000.0


def test_joints_that_repeat_others_say_so():
    twice = WELD + WELD.replace('"W"', '"V"')
    run = answer(parse_machine(BLOCK + twice, "v.toml"), "forward", samples=3, duration_s=0.1, formulation="Baumgarte")
    assert any("repeat" in one for one in run.notices)
    total = curves(run)["Joint forces, components: W y"] + curves(run)["Joint forces, components: V y"]
    assert total == pytest.approx(M * G)
