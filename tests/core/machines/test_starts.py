"""Where motions begin: [start] means one thing for all studies, whatever the order of joints; angles have units."""

from __future__ import annotations

import re

import numpy as np
import pytest

from biomec.base.errors import DescriptionError
from biomec.machines.machine import machine_text, parse_machine
from biomec.machines.optimal_control.planar_model import planar_model
from biomec.machines.optimal_control.task import in_radians
from biomec.machines.reference_points import reference_point_model
from biomec.machines.studies import study
from biomec.machines.study import options_from
from biomec.machines.symbolic.placing import start_state as symbolic_start

PRESS = machine_text("crank-press")
MOVING = PRESS.replace("angles_deg = { crank = 20.0 }", "angles_deg = { crank = 50.0 }\nrates_deg_s = { crank = 90.0 }")
STEADY = MOVING.replace("rates_deg_s = { crank = 90.0 }\n", "").replace(
    'type = "sine"\nmean = 110.0\namplitude = 90.0\nfrequency_Hz = "=1/1.2"\nphase_deg = -90.0\n',
    'type = "constant rate"\nstart = 50.0\nrate = 700.0\n',
)


def answer(machine, key, **options):
    chosen = study(key)
    return chosen.run(machine, options_from(chosen, options), None)


def with_joints(text, names):
    """The text with its joints in another order."""
    blocks = re.findall(r"\[\[joint\]\]\n(?:[a-z]+ = .*\n)+", text)
    by_name = {re.search(r'name = "(.*)"', one)[1]: one for one in blocks}
    places = iter([by_name[name] for name in names])
    return re.sub(r"\[\[joint\]\]\n(?:[a-z]+ = .*\n)+", lambda _: next(places), text)


ORDERS = [("O", "A", "B", "guide"), ("guide", "B", "A", "O"), ("B", "guide", "O", "A")]


def beginnings(text):
    """Crank angle and rate [deg, deg/s] with which forward dynamics, optimal control and symbolic equations begin."""
    machine = parse_machine(text, "press.toml")
    found = {}
    for key, options in (("forward", {"samples": 3, "duration_s": 0.001}),
                         ("optimal-control", {"intervals": 4, "audit": False})):  # fmt: skip
        run = answer(machine, key, **options)
        values = {f"{one.group}: {one.name}": one.values[0] for one in run.curves}
        found[key] = values["Angles: crank"], values["Angular velocities: crank"]
    x = np.rad2deg(symbolic_start(machine))
    found["equations"] = x[[k for k, one in enumerate(x) if abs(one - 50.0) < 1e-9]][0], np.nan
    return found


@pytest.mark.parametrize(("text", "rate"), [(MOVING, 90.0), (STEADY, 0.0)], ids=["rate", "angle only"])
def test_a_start_means_the_same_for_every_study(text, rate):
    """With an angle only, optimal control began at the speed of the law, and forward dynamics at rest."""
    for angle, speed in beginnings(text).values():
        assert angle == pytest.approx(50.0, abs=1e-9)
        assert np.isnan(speed) or speed == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_a_way_is_a_coordinate_whatever_the_order_of_joints(order):
    machine = parse_machine(with_joints(MOVING, order), "press.toml")
    model = planar_model(machine)
    assert "way of slider" in model.coordinates
    k = model.coordinates.index("way of slider")
    phi, r, l = np.deg2rad(50.0), 0.15, 0.4
    root = np.sqrt(l**2 - (r * np.sin(phi)) ** 2)
    assert model.start[0][k] == pytest.approx(r * np.cos(phi) + root, abs=1e-12)
    speed = np.deg2rad(90.0) * (-r * np.sin(phi) - r**2 * np.sin(phi) * np.cos(phi) / root)
    assert model.start[1][k] == pytest.approx(speed, abs=1e-12)


@pytest.mark.parametrize("language", ["python", "c", "matlab"])
def test_exported_programs_hold_a_consistent_start(language):
    machine = parse_machine(MOVING, "press.toml")
    run = answer(machine, "equations", language=language)
    (text,) = run.files.values()
    if language == "python":
        space: dict = {}
        exec(text, space)  # what a user does
        start = np.array(space["START"])
        assert np.isfinite(space["equations"](0.0, start, (0.0,))).all()
    else:
        begun = re.search(r"start\[\d+\] = \{(.*)\}" if language == "c" else r"dx = \[(.*?)\]; return", text)[1]
        start = np.array([float(one) for one in re.split("[,;]", begun)])
    points = reference_point_model(machine, "none")
    from biomec.machines.symbolic.placing import poses_of

    poses, rates, _ = poses_of(machine).at(start)
    q = points.guess.copy()
    v = np.zeros_like(q)
    for k, name in enumerate(points.bodies):
        com = -points.origins[k]
        c, s = np.cos(poses[name][2]), np.sin(poses[name][2])
        arm = np.array([c * com[0] - s * com[1], s * com[0] + c * com[1]])
        q[3 * k : 3 * k + 3] = *(poses[name][:2] + arm), poses[name][2]
        turned = rates[name][2] * np.array([-arm[1], arm[0]])
        v[3 * k : 3 * k + 3] = *(rates[name][:2] + turned), rates[name][2]
    assert np.abs(points.residual(q)).max() < 1e-12
    assert np.abs(points.jacobian(q) @ v).max() < 1e-12


@pytest.mark.parametrize(
    ("text", "value"),
    [("180 deg", np.pi), ("pi/2 + 90deg", np.pi), ("-45°", -np.pi / 4), ("1.5e2 deg - 30 deg", np.deg2rad(120.0))],
)
def test_angles_may_have_degrees(text, value):
    from biomec.machines.expressions import value_of

    assert value_of(in_radians(text), {}) == pytest.approx(value)


def test_degrees_do_not_touch_names():
    assert in_radians("x2deg + angle_deg - 3*degree") == "x2deg + angle_deg - 3*degree"


def test_an_end_in_degrees_is_reached_and_radians_that_look_like_degrees_get_a_hint():
    machine = parse_machine(PRESS, "press.toml")
    run = answer(machine, "optimal-control", end="angle_crank = 200 deg; rate_crank = 0 deg", intervals=12)
    angle = next(one.values for one in run.curves if (one.group, one.name) == ("Angles", "crank"))
    assert angle[-1] == pytest.approx(200.0, abs=0.1)
    assert not any("in radians" in one for one in run.notices)
    hinted = answer(machine, "optimal-control", end="angle_crank = 200", intervals=4, max_iterations=3, audit=False)
    assert any("write 200 deg" in one for one in hinted.notices)


# ------------------------------------------------------------------------------------ ways of guides, rates and units


def started(start):
    return parse_machine(PRESS.replace("angles_deg = { crank = 20.0 }", start), "press.toml")


CRANK, R, L = np.deg2rad(50.0), 0.15, 0.4
ROOT = np.sqrt(L**2 - (R * np.sin(CRANK)) ** 2)
WAY = R * np.cos(CRANK) + ROOT  # of the slider, by the law of cosines
PER_ANGLE = -R * np.sin(CRANK) - R**2 * np.sin(CRANK) * np.cos(CRANK) / ROOT  # its derivative by the crank's angle


def test_a_slider_begins_where_its_way_is_given_in_every_study():
    """Only angles could be given. Way and speed of the slider are those of a crank at 50°, with 2 rad/s."""
    machine = started(f"ways_m = {{ guide = {WAY:.17g} }}\nspeeds_m_s = {{ guide = {2.0 * PER_ANGLE:.17g} }}")
    run = answer(machine, "forward", samples=3, duration_s=0.001)
    values = {f"{one.group}: {one.name}": one.values[0] for one in run.curves}
    assert values["Angles: crank"] == pytest.approx(50.0, abs=1e-8)
    assert values["Angular velocities: crank"] == pytest.approx(np.rad2deg(2.0), abs=1e-7)
    model = planar_model(machine)
    k = model.coordinates.index("way of slider")
    assert model.start[0][k] == pytest.approx(WAY, abs=1e-11)
    assert model.start[1][k] == pytest.approx(2.0 * PER_ANGLE, abs=1e-11)
    x = symbolic_start(machine)
    assert min(abs(x - WAY)) < 1e-9
    assert min(abs(x - 2.0 * PER_ANGLE)) < 1e-9


def test_angles_and_rates_may_be_in_radians():
    one, other = (
        started("angles_rad = { crank = 0.5 }\nrates_rad_s = { crank = 2.0 }"),
        started(
            f"angles_deg = {{ crank = {np.rad2deg(0.5):.17g} }}\nrates_deg_s = {{ crank = {np.rad2deg(2.0):.17g} }}"
        ),
    )
    np.testing.assert_allclose(symbolic_start(one), symbolic_start(other), atol=1e-12)


@pytest.mark.parametrize(
    ("start", "words"),
    [("angles_rad = { crank = 50.0 }", "write it under angles_deg"),
     ('angles_deg = { crank = "=pi/2" }', "write it under angles_rad")],
)  # fmt: skip
def test_an_angle_that_looks_like_the_other_unit_is_pointed_out(start, words):
    run = answer(started(start), "kinematics", samples=3)
    assert any(words in one for one in run.notices)


def test_an_ordinary_start_is_not_commented():
    assert started("angles_deg = { crank = 45.0, rod = -3.2 }").start.hints == ()
    assert started("angles_rad = { crank = 0.7 }").start.hints == ()


@pytest.mark.parametrize(
    ("start", "words"),
    [("ways_m = { gide = 0.4 }", "no prismatic joint gide; did you mean \"guide\"?"),
     ("angles_deg = { crank = 20 }\nangles_rad = { crank = 0.3 }", "in the other unit already")],
)  # fmt: skip
def test_a_start_that_does_not_fit_is_refused(start, words):
    with pytest.raises(DescriptionError, match=re.escape(words)):
        started(start)


def test_a_way_that_the_crank_cannot_reach_is_said():
    run = answer(started("ways_m = { guide = 0.9 }"), "forward", samples=3, duration_s=0.001)
    assert not run.succeeded
    assert "cannot be joined" in run.status
