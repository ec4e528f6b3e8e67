"""What muscles can pull a moment from now, against the same muscles integrated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biomec.engine.forces.activation import constant
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.forces.muscle_targets import excitations_for, fibres_at_force, forces_after
from biomec.engine.forces.muscles import HillMuscles, MuscleOptions
from biomec.engine.paths.cords import Cord, Cords, PathPoint
from tests.core.engine.forces.test_muscles import rod

NAMES = ("long tendon", "short tendon", "pennate")
SYSTEM = rod()
CORDS = Cords(
    ("ground", "rod"),
    tuple(Cord(name, (PathPoint("ground", np.array([0.0, 0.3, 0.0])), PathPoint("rod", np.array([0.06, 0.0, 0.0]))))
          for name in NAMES),
)  # fmt: skip
PARAMETERS = HillParameters(
    np.array([900.0, 600.0, 3000.0]), np.array([0.06, 0.20, 0.05]), np.array([0.30, 0.10, 0.25]),
    np.array([0.0, 0.1, 0.4]), np.full(3, 10.0),
)  # fmt: skip
LENGTH, SPEED, CHANGE = np.array([0.365, 0.31, 0.305]), np.array([-0.2, 0.3, 0.1]), np.array([4.0, -6.0, 0.0])
INTERVAL = 0.01


def muscles(tendon: str, excitation: np.ndarray) -> HillMuscles:
    return HillMuscles(SYSTEM, CORDS, PARAMETERS, constant(excitation), MuscleOptions(tendon))


def begun(tendon: str) -> np.ndarray:
    made = muscles(tendon, np.full(3, 0.3))
    fibre = fibres_at_force(made, LENGTH, np.array([250.0, 150.0, 700.0]))
    return np.concatenate([np.full(3, 0.3), fibre, np.zeros(2)])


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_forces_are_foreseen(tendon: str) -> None:
    """As the same states integrated along the same path; the implicit rule with steps of 1 ms is 2 % of Fmax off."""
    for level in (0.0, 0.4, 1.0):
        made, y = muscles(tendon, np.full(3, level)), begun(tendon)

        def rate(s: float, y: np.ndarray, made: HillMuscles = made) -> np.ndarray:
            return made.pulling(s, LENGTH + s * SPEED + 0.5 * s * s * CHANGE, SPEED + s * CHANGE, y)[1]

        run = solve_ivp(rate, (0.0, INTERVAL), y, "LSODA", rtol=1e-9, atol=1e-11)
        there = LENGTH + INTERVAL * SPEED + 0.5 * INTERVAL**2 * CHANGE, SPEED + INTERVAL * CHANGE
        expected = made.pulling(INTERVAL, *there, run.y[:, -1])[0]
        foreseen = forces_after(made, y, LENGTH, SPEED, CHANGE, INTERVAL, np.full(3, level))
        assert np.abs(foreseen - expected).max() < 60.0
        assert foreseen / PARAMETERS.fmax == pytest.approx(expected / PARAMETERS.fmax, abs=0.02)


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_an_excitation_is_found_for_every_force_in_reach(tendon: str) -> None:
    made, y = muscles(tendon, np.zeros(3)), begun(tendon)
    course = (made, y, LENGTH, SPEED, CHANGE, INTERVAL)
    least, most = forces_after(*course, np.full(3, 0.02)), forces_after(*course, np.ones(3))
    assert (most - least > 0.03 * PARAMETERS.fmax).all()
    for share in (0.1, 0.5, 0.9):
        target = (1.0 - share) * least + share * most
        excitation = excitations_for(*course, target, 0.02)
        assert forces_after(*course, excitation) / PARAMETERS.fmax == pytest.approx(target / PARAMETERS.fmax, abs=1e-5)
    assert excitations_for(*course, least - 10.0, 0.02) == pytest.approx(0.02)
    assert excitations_for(*course, most + 10.0, 0.02) == pytest.approx(1.0)


def test_a_fibre_is_found_for_a_force() -> None:
    made, y = muscles("elastic", np.full(3, 0.3)), begun("elastic")
    assert made.pulling(0.0, LENGTH, SPEED, y)[0] == pytest.approx([250.0, 150.0, 700.0], rel=1e-9)
