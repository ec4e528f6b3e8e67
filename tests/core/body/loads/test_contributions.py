import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.contributions import PARTS, LoadContributions, load_contributions, multibody_part
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import no_loads
from tests.core.body.loads.people import MODELS, push_up, random_states, truth_of

ARRAYS = ("force", "torque", "residual_force", "residual_torque")


@pytest.mark.parametrize("model", MODELS)
def test_parts_sum_to_the_whole(model):
    moving = random_states(model).moving
    whole = newton_euler(moving.tree, moving.segments, moving.q, moving.external)
    parts = load_contributions(moving.tree, moving.segments, moving.q, moving.external)
    for what in ARRAYS:
        expected = getattr(whole, what)
        np.testing.assert_allclose(parts.total(what), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    for name in PARTS:
        assert np.abs(parts.part(name).force).max() > 1.0
        assert parts.part(name).method.endswith(f"{name} only")


@pytest.mark.parametrize("method", ["newton", "lagrange"])
def test_parts_with_gliding_contacts_sum_to_the_whole_and_so_do_the_contact_forces(method):
    moving = truth_of(push_up())
    given = (moving.tree, moving.q, moving.qddot, moving.external, method, "all")
    whole = multibody_loads(*given)
    parts = LoadContributions(*(multibody_part(part, *given) for part in PARTS))
    assert whole.contacts
    for what in (*ARRAYS, "contact_force", "contact_pressing"):
        expected = getattr(whole, what)
        np.testing.assert_allclose(parts.total(what), expected, rtol=0, atol=1e-11 * max(np.abs(expected).max(), 1.0))
    plain = load_contributions(moving.tree, moving.segments, moving.q, moving.external)
    elbow = whole.index("right elbow")  # beyond the scapula: the ribs do not change it
    for part in PARTS:
        np.testing.assert_allclose(parts.part(part).torque[:, elbow], plain.part(part).torque[:, elbow], atol=1e-9)


def test_gravity_is_what_holding_still_takes_and_inertia_what_is_left_without_it():
    moving = truth_of(push_up())
    parts = load_contributions(moving.tree, moving.segments, moving.q, moving.external)
    still = segment_motion(moving.tree.system, moving.q, np.zeros_like(moving.q), np.zeros_like(moving.q))
    held = newton_euler(moving.tree, still, moving.q, no_loads(len(moving.q)))
    np.testing.assert_allclose(parts.gravity.torque, held.torque, rtol=0, atol=1e-12)
    # an arm's weight hangs on the shoulder: mass of humerus, ulna, radius and hand
    arm = sum(b.mass for b in moving.tree.system.bodies if b.name.split()[-1] in ("humerus", "ulna", "radius", "hand"))
    lifted = parts.gravity.force[:, parts.gravity.index("right glenohumeral"), 1]
    np.testing.assert_allclose(lifted, 0.5 * arm * 9.81, rtol=1e-12)
    hand = moving.external.segments.index("right hand")
    np.testing.assert_allclose(
        parts.external.force[:, parts.external.index("right wrist")], -moving.external.force[:, hand], atol=1e-12
    )


def test_gravity_of_another_planet_scales_its_part():
    moving = random_states("legs").moving
    earth = load_contributions(moving.tree, moving.segments, moving.q, moving.external)
    moon = load_contributions(
        moving.tree, moving.segments, moving.q, moving.external, gravity=np.array([0.0, -1.62, 0.0])
    )
    np.testing.assert_allclose(moon.gravity.torque, earth.gravity.torque * 1.62 / 9.81, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(moon.inertia.torque, earth.inertia.torque)


def test_there_are_three_parts():
    moving = random_states("legs").moving
    parts = load_contributions(moving.tree, moving.segments, moving.q, moving.external)
    with pytest.raises(BiomecError, match='gravity, inertia, external, not "muscles"'):
        parts.part("muscles")
