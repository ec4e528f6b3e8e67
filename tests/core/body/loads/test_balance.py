"""The whole body against the ground, compared with the residual of the recursion and with the virtual laboratory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.balance import body_balance, body_wrench
from biomec.engine.forces.external_loads import no_loads
from tests.core.body.loads.performed import performed


def test_balance_is_minus_the_residual_of_the_recursion() -> None:
    one = performed("push-up")
    external = replace(one.external, force=read_only(0.9 * one.external.force))
    found, loads = body_balance(one.system, one.motion, external), one.loads(external)
    assert np.allclose(found.force, -loads.residual_force, atol=1e-9)
    arm = loads.root_point - one.motion.whole_body_com
    about_centre = loads.residual_torque + np.cross(arm, loads.residual_force)
    assert np.allclose(found.moment, -about_centre, atol=1e-9)
    assert found.force_rms == pytest.approx(np.sqrt((loads.residual_force**2).sum(axis=1).mean()))


def test_required_wrench_is_what_the_ground_does() -> None:
    one = performed("walk")
    required = body_wrench(one.system, one.motion)
    assert np.allclose(required.total_force, one.external.total_force, atol=1e-9)
    assert np.allclose(required.total_moment, one.external.total_moment(one.motion.whole_body_com), atol=1e-9)


def test_plates_weigh_the_body() -> None:
    one = performed("squat")
    heavy = replace(one.external, force=read_only(1.1 * one.external.force))
    found = body_balance(one.system, one.motion, heavy, entered_kg=75.0)
    assert found.model_kg == pytest.approx(75.0)
    assert found.plates_kg == pytest.approx(82.5, rel=1e-9)


def test_nothing_measured() -> None:
    one = performed("squat")
    found = body_balance(one.system, one.motion, no_loads(one.motion.frames))
    assert found.plates_kg is None
    assert np.isnan(found.force_rms)
    assert not found.measured.any()
    assert found.force[:, 1].mean() == pytest.approx(-75.0 * 9.81, rel=0.02)
    with pytest.raises(BiomecError, match="must match"):
        body_balance(one.system, one.motion, no_loads(2))
