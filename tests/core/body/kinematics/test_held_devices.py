"""Hinges that nobody drives: a swing with a known course, hinges that are loose, and rounds that run out."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics import held_devices
from biomec.body.kinematics.held_devices import HeldDevice, SpringRows, unsettled
from biomec.engine.forces.device_springs import PointElement

INERTIA, STIFFNESS, DAMPING = 0.05, 60.0, 0.6  # kg m², N m/rad, N m s/rad: 5.5 Hz, a sixth of critical damping
PUSH, OMEGA = 3.0, 9.0  # N m, rad/s


def pushed(rate_hz: float, hinges: int = 1, stiffness: float = STIFFNESS) -> HeldDevice:
    """The first hinge, with a lever of 1 m on a cuff, is pushed by a sine for 3 s; nothing holds the others."""
    t = np.arange(0.0, 3.0, 1.0 / rate_hz)
    G = np.zeros((len(t), 3, hinges))
    G[:, 0, 0] = 1.0
    cuff = PointElement("cuff", first="a", second="b", k=stiffness, c=DAMPING)
    row = SpringRows(cuff, np.zeros((len(t), 3)), np.zeros((len(t), 3)), G)
    needed = np.zeros((len(t), hinges))
    needed[:, 0] = -PUSH * np.sin(OMEGA * t)
    M = np.broadcast_to(INERTIA * np.eye(hinges), (len(t), hinges, hinges))
    return HeldDevice(("hinge", "other")[:hinges], np.array(M), needed, (row,), rate_hz)


def error(rate_hz: float) -> float:
    """Largest difference [rad] from the forced oscillation in closed form; the start has died out by 1.5 s."""
    device = pushed(rate_hz)
    t = np.arange(device.frames) / rate_hz
    answer = PUSH / (STIFFNESS - INERTIA * OMEGA**2 + 1j * DAMPING * OMEGA)
    known = np.imag(answer * np.exp(1j * OMEGA * t))
    return float(np.abs(device.balanced().u[:, 0] - known)[t > 1.5].max())


def test_a_pushed_hinge_swings_as_the_closed_form_at_any_frame_rate():
    """At all these rates K < 4 M rate²: central differences found no motion. The error falls with the square."""
    errors = [error(rate) for rate in (50.0, 100.0, 200.0)]
    assert 4.0 * INERTIA * 50.0**2 > STIFFNESS
    assert errors[1] < 0.02 * PUSH / STIFFNESS  # (ω h)² of the sine is 0.008 at 100 Hz
    assert errors[1] < errors[0] / 3.0  # 4 by the order; 50 Hz is coarse
    assert errors[2] < errors[1] / 3.5


def test_it_starts_at_rest_in_static_balance():
    device = pushed(100.0)
    device.needed[:, 0] = -PUSH  # constant: it stays where K u = push
    turns = device.balanced()
    np.testing.assert_allclose(turns.u[:, 0], PUSH / STIFFNESS, rtol=1e-12)  # round-off
    np.testing.assert_allclose(turns.udot, 0.0, atol=1e-10)


def test_only_hinges_that_nothing_holds_are_named():
    with pytest.raises(BiomecError, match="Nothing holds other against"):
        pushed(100.0, hinges=2).balanced()
    with pytest.raises(BiomecError, match="Nothing holds hinge against"):
        pushed(100.0, stiffness=1e-6).balanced()  # turns by more than 1 rad: too soft, not free


def test_newtons_rounds_that_run_out_are_told(monkeypatch):
    assert unsettled(("hinge",), pushed(100.0).balanced().left_rad) == ()
    monkeypatch.setattr(held_devices, "NEWTON", 1)
    (said,) = unsettled(("hinge",), pushed(100.0).balanced().left_rad)
    assert said.code == "device-not-settled"
    assert "The balance of hinge did not settle" in said.sentence
