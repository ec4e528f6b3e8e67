"""Where the bodies of machines are drawn."""

import numpy as np
import pytest

from biomec.engine.joints import Revolute, Spherical
from biomec.engine.layout import GROUND
from biomec.machines.machine import load_machine, machine_names
from biomec.machines.motion import STRAYED, STUCK, MachineMotion, along_laws, at_start, of_run
from biomec.machines.study import Run
from tests.core.machines.swing_study import STUDY

ROUND_OFF = 1e-8  # m: what the position problem leaves open, squared lengths of 1e-10


def gaps(machine, motion: MachineMotion) -> list[float]:
    """How far the two points of every pin are apart in the drawing."""
    layout = machine.system.layout

    def place(reference):
        owner, name = reference.split(".")
        return motion.place(owner, layout.ground[name] if owner == GROUND else layout.bodies[owner].points[name])

    pins = [one for one in machine.system.constraints if isinstance(one, Revolute | Spherical)]
    return [float(np.abs(place(one.proximal) - place(one.distal)).max()) for one in pins]


@pytest.mark.parametrize("name", machine_names())
def test_the_parts_of_every_machine_are_joined_at_its_start(name):
    machine = load_machine(name)
    motion = at_start(machine)
    assert motion.fault == ""
    assert max(gaps(machine, motion), default=0.0) < ROUND_OFF
    for body, angle in machine.start.angles.items() if along_laws(machine, 2) is None else ():
        x = motion.axes[body][0][:, 0]
        assert np.arctan2(x[1], x[0]) == pytest.approx(np.arctan2(np.sin(angle), np.cos(angle)), abs=1e-7)


def test_the_crank_turns_as_its_law_says():
    machine = load_machine("four-bar", {"L1": 0.4})
    motion = along_laws(machine, 25)
    assert motion is not None
    assert motion.fault == ""
    angle = np.radians(60.0) + 2.0 * np.pi * motion.time_s
    tip = motion.place("crank", [0.4, 0.0])
    assert np.allclose(tip, 0.2 + 0.4 * np.stack([np.cos(angle), np.sin(angle)], axis=-1), atol=ROUND_OFF)
    assert max(gaps(machine, motion)) < ROUND_OFF


def test_values_that_do_not_fit_are_told_and_drawn_nevertheless():
    apart = at_start(load_machine("four-bar", {"L1": 5.0}))
    assert apart.fault == STRAYED
    assert np.isfinite(apart.place("crank", [0.0, 0.0])).all()
    stuck = along_laws(load_machine("four-bar", {"L1": 0.95}))
    assert stuck is not None
    assert stuck.fault == STUCK
    assert np.isfinite(stuck.place("follower", [0.0, 0.0])).all()


def test_a_machine_in_space_turns_once():
    machine = load_machine("bennett")
    motion = along_laws(machine, 13)
    assert motion is not None
    assert motion.dimension == 3
    assert max(gaps(machine, motion)) < ROUND_OFF
    poses = {name: np.concatenate([motion.axes[name], at[..., None]], axis=-1) for name, at in motion.origins.items()}
    again = of_run(Run("kinematics", "", machine, None, motion.time_s, (), {}, poses))
    assert again is not None
    for name, at in motion.origins.items():
        assert np.array_equal(again.origins[name], at)
        assert np.array_equal(again.axes[name], motion.axes[name])


def test_nothing_is_played_where_something_is_free():
    assert along_laws(load_machine("double-pendulum")) is None


def test_poses_of_a_run_are_points():
    machine = load_machine("four-bar")
    run = STUDY.run(machine, STUDY.options(frames=3, turn=90.0), None)
    motion = of_run(run)
    assert motion is not None
    assert np.allclose(motion.place("crank", [0.5, 0.0])[-1], [0.2, 0.7])
    assert np.array_equal(motion.place("coupler", [0.1, 0.0])[0], motion.place("coupler", [0.1, 0.0])[-1])
    assert np.array_equal(motion.place(GROUND, [1.0, 2.0]), np.tile([1.0, 2.0], (3, 1)))
