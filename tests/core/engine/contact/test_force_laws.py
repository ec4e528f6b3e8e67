"""Contact laws: their factors, the impact of two spheres against closed forms and published set-up, STEP."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from biomec.base.errors import DescriptionError
from biomec.engine.contact.force_laws import HYSTERESIS, LAWS, ContactLaw, step
from biomec.engine.contact.impacts import collide, compare

# Deepest overlap [µm], largest force [N], duration [µs], speed after over before, loss [mJ], of an independent program.
# Its largest force is its largest sample, which lies up to 2e-4 below the top of the curve (the closed form below).
SPHERES = {
    "hertz": (15.4675, 334.57, 151.75, 1.0000, 0.0),
    "hunt-crossley": (13.9656, 304.78, 156.81, 0.7680, 0.8491),
    "herbert-mcwhannell": (13.6542, 302.89, 158.28, 0.7227, 0.9889),
    "lee-wang": (14.6391, 313.61, 154.17, 0.8693, 0.5056),
    "lankarani-nikravesh": (14.1546, 306.58, 156.00, 0.7960, 0.7585),
    "gonthier": (13.2793, 302.20, 160.30, 0.6696, 1.1419),
    "zhiying-qishao": (13.3507, 302.15, 159.90, 0.6796, 1.1141),
    "flores": (13.3765, 302.17, 159.75, 0.6832, 1.1038),
}
MASS, SPEED, STIFFNESS = 0.046, 0.3, 5.5e9


@pytest.fixture(scope="module")
def impacts():
    return {one.law: one for one in compare()}


@pytest.mark.parametrize("law", SPHERES)
def test_two_spheres_by_every_law(impacts, law):
    depth, force, duration, restitution, loss = SPHERES[law]
    ours = impacts[law]
    assert ours.depth_m * 1e6 == pytest.approx(depth, rel=4e-5)  # the last printed digit, and its largest sample
    assert ours.force_N == pytest.approx(force, rel=2.5e-4)
    assert ours.duration_s * 1e6 == pytest.approx(duration, abs=6e-3)
    assert ours.restitution == pytest.approx(restitution, abs=6e-5)
    assert ours.loss_J * 1e3 == pytest.approx(loss, abs=6e-5)


@pytest.mark.parametrize("law", [name for name in SPHERES if name != "hertz"])
def test_the_impact_of_spheres_has_the_closed_form_of_its_energy(impacts, law):
    """m v dv = −K δⁿ (1 + c v) dδ has the integral m E(v) + K δⁿ⁺¹/(n + 1) = const, E = v/c − ln(1 + c v)/c²."""
    c = HYSTERESIS[law](0.7) / SPEED

    def energy(v):
        return v / c - np.log1p(c * v) / c**2

    depth = (2.5 * MASS * energy(SPEED) / STIFFNESS) ** 0.4
    after = -brentq(lambda v: energy(v) - energy(SPEED), -0.999 * SPEED, -1e-6) / SPEED
    speed = np.linspace(0.0, SPEED, 200001)
    force = STIFFNESS * (2.5 * MASS * (energy(SPEED) - energy(speed)) / STIFFNESS) ** 0.6 * (1.0 + c * speed)
    ours = impacts[law]
    assert ours.depth_m == pytest.approx(depth, rel=1e-5)  # a parabola through three samples
    assert ours.restitution == pytest.approx(after, rel=1e-8)
    assert ours.force_N == pytest.approx(force.max(), rel=2e-5)


def test_hertz_gives_back_what_it_took(impacts):
    assert impacts["hertz"].restitution == pytest.approx(1.0, abs=1e-9)
    assert impacts["hertz"].depth_m == pytest.approx((1.25 * MASS * SPEED**2 / STIFFNESS) ** 0.4, rel=1e-6)


def test_the_factor_of_flores_at_published_restitutions():
    found = [HYSTERESIS["flores"](cr) for cr in (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)]
    np.testing.assert_allclose(found, [30.4, 14.4, 6.4, 2.4, 24.0 / 35.0, 0.0], atol=1e-12)


def test_only_two_laws_grow_without_bound_when_nothing_comes_back():
    unbounded = {name for name, factor in HYSTERESIS.items() if factor(1e-9) > 1e6}
    assert unbounded == {"gonthier", "flores"}


@pytest.mark.parametrize("law", list(HYSTERESIS))
def test_a_perfect_restitution_needs_no_damping(law):
    assert HYSTERESIS[law](1.0) == pytest.approx(0.0, abs=1e-15)


def test_kelvin_voigt_is_linear_and_loses_as_a_damped_oscillator():
    """Until the force is zero, a damped oscillator: restitution from ζ, with the clamp at the end of the push."""
    K, D = 1e6, 100.0
    law = ContactLaw("kelvin-voigt", K, damping=D)
    assert law.force(1e-3, 0.5, 1.0) == pytest.approx(K * 1e-3 + D * 0.5)
    pulse, zeta = np.sqrt(K / MASS), D / (2.0 * np.sqrt(K * MASS))
    damped = pulse * np.sqrt(1.0 - zeta**2)
    t = np.arctan2(2.0 * zeta * np.sqrt(1.0 - zeta**2), 2.0 * zeta**2 - 1.0) / damped  # where K δ + D δ̇ = 0
    speed = np.exp(-zeta * pulse * t) * (np.cos(damped * t) - zeta / np.sqrt(1.0 - zeta**2) * np.sin(damped * t))
    assert collide(law).restitution == pytest.approx(-speed, rel=1e-7)


def test_step_rises_smoothly_between_its_ends():
    assert step(5e-5, 0.0, 0.0, 1e-4, 49915.668) == pytest.approx(24957.834, rel=1e-12)
    assert step(2.5e-5, 0.0, 0.0, 1e-4, 1.0) == pytest.approx(0.15625)  # z² (3 − 2z) at a quarter
    np.testing.assert_allclose(step([-1.0, 0.0, 1.0, 2.0, 3.0], 1.0, 1.0, 2.0, 5.0), [1.0, 1.0, 1.0, 5.0, 5.0])


def test_the_penalty_law_damps_fully_from_its_depth_on():
    law = ContactLaw("step", 99.99e6, damping=49915.668, full_depth=1e-4)
    elastic = 99.99e6 * 2e-4**1.5
    assert law.force(2e-4, 0.01, 0.0) == pytest.approx(elastic + 499.15668)
    assert law.force(5e-5, 0.01, 0.0) == pytest.approx(99.99e6 * 5e-5**1.5 + 249.57834)


@settings(deadline=None)
@given(st.sampled_from(LAWS), st.floats(-1e-3, 1e-3), st.floats(-1.0, 1.0), st.floats(0.0, 1.0))
def test_no_law_ever_pulls_and_none_acts_across_a_gap(law, depth, rate, onset):
    made = ContactLaw(law, 1e8, restitution=0.3, damping=1e4)
    force = float(made.force(depth, rate, onset))
    assert force >= 0.0
    if depth <= 0.0:
        assert force == 0.0
    elif made.unclamped(depth, rate, onset) > 0.0:
        assert force == made.unclamped(depth, rate, onset)


def test_the_stored_energy_is_the_integral_of_the_elastic_force():
    law = ContactLaw("hertz", 1e9)
    d = np.linspace(0.0, 2e-4, 20001)
    assert law.stored(2e-4) == pytest.approx(np.trapezoid(law.force(d, 0.0, 1.0), d), rel=1e-7)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "florez", "stiffness": 1.0}, "flores"),
        ({"name": "flores", "stiffness": 1.0, "restitution": 0.0}, "no value for a restitution of 0"),
        ({"name": "flores", "stiffness": 1.0, "restitution": 1.2}, "between 0 and 1"),
        ({"name": "hertz", "stiffness": 0.0}, "stiffness above 0"),
        ({"name": "step", "stiffness": 1.0, "full_depth": 0.0}, "above 0"),
    ],
)
def test_impossible_numbers_are_refused_in_a_sentence(wrong, words):
    with pytest.raises(DescriptionError, match=words):
        ContactLaw(**wrong)
