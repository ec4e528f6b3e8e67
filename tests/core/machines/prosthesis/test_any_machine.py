"""Stops of machines that are not knees: a pendulum against a wall, two pendulums, stops on the ground."""

import numpy as np
import pytest
from scipy.optimize import brentq

from biomec.machines.machine import parse_machine
from biomec.machines.prosthesis import impact_study, integration
from biomec.machines.prosthesis.impact_study import impact_swing
from biomec.machines.prosthesis.integration import endless
from biomec.machines.prosthesis.swing import SwingSettings, simulate_swing

PENDULUM = """
name = "pendulum at a wall"
dimension = 2
gravity = [0.0, -9.81]
duration = 0.95
[[body]]
name = "rod"
points = { O = [0.0, 0.0], P = [1.0, 0.0] }
basis = ["O", "P"]
mass = 2.0
centre_of_mass = [0.5, 0.0]
inertia = 0.1666666666666667
angle_deg = -150.0
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "rod.O"
[[stop]]
name = "wall"
circle = "rod"
centre = [1.0, 0.0]
radius = 0.01
face = "ground"
point = [0.01, 0.0]
normal = [-1.0, 0.0]
law = "hertz"
stiffness = 1e8
restitution = 0.5
[start]
angles_deg = { rod = -150.0 }
"""
SECOND = """
[[body]]
name = "second"
points = { P = [0.0, 0.0], E = [0.6, 0.0] }
basis = ["P", "E"]
mass = 1.0
centre_of_mass = [0.3, 0.0]
inertia = 0.03
position = [-0.866, -0.5]
angle_deg = -120.0
[[joint]]
type = "revolute"
name = "P"
proximal = "rod.P"
distal = "second.P"
"""
SETTINGS = SwingSettings(every=0.01)


def speed_at_the_bottom():
    """ω there: ½ J ω² = m g h, J = m L²/3, the centre of mass falls from −0.25 to −0.5 m."""
    return np.sqrt(2.0 * 2.0 * 9.81 * 0.25 / (2.0 / 3.0))


def test_a_pendulum_meets_a_wall_and_swings_back():
    swing = simulate_swing(parse_machine(PENDULUM, "wall.toml"), SETTINGS)
    assert swing.completed
    onset = swing.events[0]
    assert -onset.rate == pytest.approx(speed_at_the_bottom(), rel=1e-6)
    after = next(one for one in swing.events if one.kind == "separation")
    assert after.rate == pytest.approx(-onset.rate, rel=1e-6)  # an elastic wall gives back what it took
    assert swing.figures["contact_impulse_Ns"] == pytest.approx(2.0 * speed_at_the_bottom() * 2.0 / 3.0, rel=2e-3)
    assert abs(swing.figures["energy_residual_J"]) < 1e-5
    back = np.argmin(np.abs(swing.history.time_s - 2.0 * onset.time_s))
    assert swing.history.q[back, 2] == pytest.approx(np.deg2rad(-150.0), abs=0.02)  # at rest again, sampled each 10 ms


def test_a_rigid_wall_has_the_impulse_of_the_books():
    """J = (1 + e) m_eff v with m_eff = J_O/L² at the rod's end."""
    made = impact_swing(parse_machine(PENDULUM, "wall.toml"), 0.5, SwingSettings(every=0.01, duration=0.45))
    _, hit = made.impacts[0]
    assert hit.effective_mass == pytest.approx(2.0 / 3.0, rel=1e-9)
    assert hit.impulse == pytest.approx(1.5 * 2.0 / 3.0 * speed_at_the_bottom(), rel=1e-6)


def test_a_machine_of_two_degrees_of_freedom_meets_its_stop():
    swing = simulate_swing(parse_machine(PENDULUM + SECOND, "two.toml"), SETTINGS)
    assert swing.moving.f == 2
    assert swing.completed
    assert swing.figures["contact_touches"] >= 1.0
    assert abs(swing.figures["energy_residual_J"]) < 1e-3


def chain():
    """A driven crank pulls a chain of three bars, pinned at its other end, until bars are in line."""
    bars = [("crank", 1.0, (0.0, 0.0), 0.0), ("one", 0.5, (1.0, 0.0), 100.0), ("two", 0.5, (0.913, 0.492), 10.0),
            ("three", 0.5, (1.406, 0.579), -80.0)]  # fmt: skip
    text = 'name = "chain"\ndimension = 2\nduration = 1.0\n[ground]\nR = [1.5, 0.1]\n'
    for name, length, (x, y), angle in bars:
        text += (
            f'[[body]]\nname = "{name}"\npoints = {{ a = [0.0, 0.0], b = [{length}, 0.0] }}\nbasis = ["a", "b"]\n'
            f"mass = 1.0\ncentre_of_mass = [{length / 2}, 0.0]\ninertia = 0.05\nposition = [{x}, {y}]\n"
            f"angle_deg = {angle}\n"
        )
    pins = [("ground.origin", "crank.a"), ("crank.b", "one.a"), ("one.b", "two.a"), ("two.b", "three.a"),
            ("three.b", "ground.R")]  # fmt: skip
    for k, (proximal, distal) in enumerate(pins):
        text += f'[[joint]]\ntype = "revolute"\nname = "pin {k}"\nproximal = "{proximal}"\ndistal = "{distal}"\n'
    text += '[[driver]]\ntype = "angle"\nname = "crank angle"\nstart = "ground.x"\nend = "crank.x"\n'
    text += '[[law]]\ndriver = "crank angle"\ntype = "constant rate"\nstart = 0.0\nrate = 180.0\nkept = true\n'
    text += (
        '[[stop]]\nname = "far"\ncircle = "crank"\ncentre = [0.0, 0.0]\nradius = 0.01\nface = "ground"\n'
        'point = [0.0, -9.0]\nnormal = [0.0, 1.0]\nlaw = "hertz"\nstiffness = 1e6\n'
    )
    return parse_machine(text, "chain.toml")


def test_a_motion_that_tears_its_parts_apart_ends_with_what_it_reached():
    swing = simulate_swing(chain(), SwingSettings(every=0.01, tolerance=1e-6))
    assert not swing.completed
    assert "cannot be joined" in swing.status
    assert "another free angle" in swing.status
    reached = swing.history.time_s[-1]
    assert 0.2 < reached < 0.6
    assert np.isfinite(swing.history.q).all()


FLOOR = (
    PENDULUM.replace("-150.0", "-0.5").replace("point = [0.01, 0.0]", "point = [0.0, -0.02]")
    .replace("normal = [-1.0, 0.0]", "normal = [0.0, 1.0]").replace("duration = 0.95", "duration = 20.0")
)  # fmt: skip


def falls_s(start_deg=0.5):
    """Time of the first touch, and speed there: the end of the rod falls by 0.01 m − sin 0.5° with 3/2 g."""
    way = 0.01 - np.sin(np.deg2rad(start_deg))
    return np.sqrt(2.0 * way / (1.5 * 9.81)), np.sqrt(2.0 * 1.5 * 9.81 * way)


def test_a_rod_that_bounces_regularly_goes_on_for_as_long_as_it_likes():
    """It ended at 61 touches as a contact that chatters; before that at 47, "too stiff"."""
    swing = simulate_swing(parse_machine(FLOOR, "floor.toml"), SwingSettings(every=0.1, tolerance=1e-4, duration=2.0))
    assert swing.completed
    times = np.array([one.time_s for one in swing.events if one.kind == "onset"])
    assert len(times) > 65
    np.testing.assert_allclose(np.diff(times), times[1] - times[0], rtol=1e-3)


def test_a_rod_on_a_rigid_elastic_floor_bounces_regularly():
    made = impact_swing(parse_machine(FLOOR, "floor.toml"), 1.0, SwingSettings(every=0.1, tolerance=1e-6, duration=2.0))
    assert made.swing.completed
    fall, _ = falls_s()
    times = np.array([at for at, _ in made.impacts])
    assert len(times) == 1 + int((2.0 - fall) / (2.0 * fall))
    np.testing.assert_allclose(np.diff(times), 2.0 * fall, rtol=1e-4)  # cos of 1°, of the weight's arm: 1.5e-4


@pytest.mark.parametrize(("restitution", "start_deg"), [(0.5, 0.5), (0.9, 0.5), (0.95, 0.5728)])
def test_a_rod_on_a_rigid_floor_comes_to_rest_in_the_time_of_the_geometric_series(restitution, start_deg):
    """It "chattered" at 0.039 s, in bounces of 1e-13 s: gaps that are zero but for round-off were touched again.

    From 3 µm above the floor it bounced "too fast to be followed" shortly before it came to rest.
    """
    settings = SwingSettings(every=0.01, tolerance=1e-6, duration=0.3)
    made = impact_swing(parse_machine(FLOOR.replace("-0.5", f"-{start_deg}"), "floor.toml"), restitution, settings)
    assert made.swing.completed
    fall, speed = falls_s(start_deg)
    e = restitution
    impacts = int(np.ceil(np.log(impact_study.REST_SPEED / speed) / np.log(e)))  # the last one leaves less than that
    assert len(made.impacts) == impacts
    rest = next(one for one in made.swing.events if one.kind == "rest")
    flights = np.sum(e ** np.arange(1, impacts))
    assert rest.time_s == pytest.approx(fall * (1.0 + 2.0 * flights), rel=1e-4)  # cos of 1°, of the weight's arm
    assert not any(one.kind == "release" for one in made.swing.events)


TABLE = (
    FLOOR.replace("duration = 20.0", "duration = 0.6").replace("-0.5", "0.0").replace("-0.02", "-0.01")
    + """
[[body]]
name = "table"
points = { O = [0.0, 0.0], P = [1.0, 0.0] }
basis = ["O", "P"]
mass = 1.0
centre_of_mass = [0.5, 0.0]
inertia = 0.1
[[joint]]
type = "revolute"
name = "T"
proximal = "ground.origin"
distal = "table.O"
[[driver]]
type = "angle"
name = "table angle"
start = "ground.x"
end = "table.x"
[[law]]
driver = "table angle"
type = "sine"
amplitude = 5.0
frequency_Hz = 2.5
kept = true
"""
)


def test_a_rod_on_a_shaking_table_is_thrown_rests_and_is_thrown_again():
    """It leaves where the table falls faster than the rod would: A ω² sin ωt = 3/2 g cos(A sin ωt)."""
    machine = parse_machine(TABLE.replace('face = "ground"', 'face = "table"'), "table.toml")
    made = impact_swing(machine, 0.0, SwingSettings(every=0.01, tolerance=1e-7))
    assert made.swing.completed
    A, pulsation = np.deg2rad(5.0), 5.0 * np.pi
    leaves = brentq(lambda t: A * pulsation**2 * np.sin(pulsation * t) - 1.5 * 9.81 * np.cos(A * np.sin(pulsation * t)),
                    0.0, 0.1)  # fmt: skip
    kinds = [one.kind for one in made.swing.events]
    assert kinds == ["impact", "rest", "release"] * 2
    released = [one.time_s for one in made.swing.events if one.kind == "release"]
    np.testing.assert_allclose(released, [leaves, leaves + 0.4], atol=1e-9)
    assert made.swing.history.gap.min() > -1e-12
    assert made.swing.history.gap.max() > 0.01


def test_a_pendulum_comes_to_rest_on_a_wall_that_does_not_press_it():
    """Upright it hangs by itself: the force of the wall is zero but for round-off, and it was "touched" without end."""
    made = impact_swing(parse_machine(PENDULUM, "wall.toml"), 0.0, SETTINGS)
    assert made.swing.completed
    assert [one.kind for one in made.swing.events] == ["impact", "rest"]
    after = made.swing.history.time_s > made.swing.events[0].time_s
    assert after.sum() > 40
    np.testing.assert_allclose(made.swing.history.gap[after], 0.0, atol=1e-12)
    np.testing.assert_allclose(made.swing.history.force[after], 0.0, atol=1e-9)


@pytest.mark.parametrize(("start_deg", "rate_deg_s", "point"), [(-0.5, -30.0, -0.02), (0.0, 0.0, -0.01)])
def test_without_gravity_what_has_lost_its_speed_stays_at_its_stop(start_deg, rate_deg_s, point):
    text = FLOOR.replace("[0.0, -9.81]", "[0.0, 0.0]").replace("-0.5", f"{start_deg}").replace("-0.02", f"{point}")
    machine = parse_machine(text + f"rates_deg_s = {{ rod = {rate_deg_s} }}\n", "floating.toml")
    made = impact_swing(machine, 0.0, SwingSettings(every=0.01, duration=0.1))
    assert made.swing.completed
    assert [one.kind for one in made.swing.events] == ["impact", "rest"]
    np.testing.assert_allclose(made.swing.history.gap[1:], 0.0, atol=1e-12)


def test_a_rod_that_begins_on_its_stop_at_rest_stays_there():
    machine = parse_machine(FLOOR.replace("-0.5", "0.0").replace("-0.02", "-0.01"), "floor.toml")
    for restitution in (0.0, 1.0):
        made = impact_swing(machine, restitution, SwingSettings(every=0.01, duration=0.1))
        assert [one.kind for one in made.swing.events] == ["impact", "rest"]
        np.testing.assert_allclose(made.swing.history.gap, 0.0, atol=1e-12)
        force = made.swing.history.force[1:]  # it is touched 1e-13 s after the start
        np.testing.assert_allclose(force, 2.0 * 9.81 / 2.0, rtol=1e-9)  # half of its weight


def test_times_between_touches_tell_chatter_from_bouncing():
    regular = np.arange(1000) * 0.03
    assert endless("wall", regular) == ""
    assert endless("wall", 0.03 * (1.0 - 0.99 ** np.arange(300)) / 0.01) == ""  # slowly towards rest
    shrinking = 0.03 * (1.0 - 0.7 ** np.arange(61)) / 0.3
    assert endless("wall", shrinking[:60]) == ""
    assert endless("wall", shrinking) == "stopped: the contact of the wall chatters (61 touches by 0.1000 s)"
    fast = 1e-5 * np.arange(100)
    assert endless("wall", fast) == (
        "stopped: the contact of the wall bounces too fast to be followed (100 touches by 0.0010 s)"
    )
    assert endless("wall", fast, 40) == ""


def test_a_long_gentle_motion_is_not_called_stiff(monkeypatch):
    """Steps of 20 ms at most are many in a long time; what counts is how far they come."""
    monkeypatch.setattr(integration, "MOST_STEPS", 50)
    hanging = PENDULUM.replace("-150.0", "-90.0").replace("point = [0.01, 0.0]", "point = [0.1, 0.0]")
    swing = simulate_swing(parse_machine(hanging, "long.toml"), SwingSettings(every=0.1, duration=2.0, tolerance=1e-4))
    assert swing.completed
    assert swing.figures["contact_touches"] == 0.0
