"""EMG beside computed activations: channels found by name, delay, bursts, agreement, usual timing."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.muscles.emg_comparison import (
    EmgComparisonOptions,
    computed_bursts,
    emg_agreement,
    group_activation,
    measured_activation,
    measured_bursts,
    proposed_muscles,
    usual_timing,
)
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.set_file import load_muscle_set
from biomec.recording import Analog
from biomec.signals.emg_muscles import USUAL, load_muscles
from biomec.signals.stretches import stretches
from tests.core.body.muscles.test_muscle_forces import walking

RATE, EMG_RATE = 100.0, 1000.0


def noise_in(bursts, seconds=4.0, seed=0):
    """EMG: noise of standard deviation 1 µV at rest and up to 100 µV in bursts (s), rounded at their ends."""
    t = np.arange(int(seconds * EMG_RATE)) / EMG_RATE
    level = np.full(len(t), 1.0)
    for first, last in bursts:
        level += 99.0 * np.clip(np.minimum((t - first) / 0.05, (last - t) / 0.05), 0.0, 1.0)
    return level * np.random.default_rng(seed).normal(size=len(t)) * 1e-6


def forces_of(activation):
    """A result with two muscles of a size whose activations are these (T, 2)."""
    some = muscle_forces(walking().model())
    frames = len(activation)
    return replace(
        some, names=("one", "two"), activation=activation, optimum=np.full((frames, 2), 1000.0),
        status=np.zeros(frames, dtype=np.int64),
    )  # fmt: skip


def test_channels_find_their_elements():
    muscles = load_muscle_set("legs").muscles
    channels = load_muscles(USUAL).assigned(["R_RF", "Voltage.L Gast Med", "LTA", "Right hamstrings", "R_GMED", "EMG9"])
    assert proposed_muscles(channels, muscles) == {
        "R_RF": ("rect_fem_r",),
        "Voltage.L Gast Med": ("med_gas_l",),
        "LTA": ("tib_ant_l",),
        "Right hamstrings": ("semimem_r", "semiten_r", "bifemlh_r"),
        "R_GMED": ("glut_med1_r", "glut_med2_r", "glut_med3_r"),
    }


def test_every_muscle_of_the_table_that_legs_have_is_found():
    table, muscles = load_muscles(USUAL), load_muscle_set("legs").muscles
    found = proposed_muscles(table.assigned([f"R {one.name}" for one in table.muscles]), muscles)
    missing = {one.name for one in table.muscles if one.active and f"R {one.name}" not in found}
    assert missing == set()


def test_envelopes_come_later_by_the_delay():
    emg = Analog(("a",), noise_in([(1.0, 1.5), (2.5, 3.0)])[:, None], ("V",), EMG_RATE)
    now = measured_activation(emg, 380, RATE, EmgComparisonOptions(delay_s=0.0))
    late = measured_activation(emg, 380, RATE, EmgComparisonOptions(delay_s=0.05))
    assert_allclose(late.activation[5:, 0], now.activation[:-5, 0], rtol=0, atol=1e-9)
    assert np.isnan(late.activation[:5, 0]).all()
    assert now.own_maximum == ("a",)
    assert "emg-own-maximum" in {one.code for one in now.notices}
    assert np.nanmax(now.activation) <= 1.0
    on = measured_bursts(now.activation[:, 0], RATE)
    starts = [first for first, _ in stretches(on)]
    assert len(starts) == 2
    assert_allclose(np.array(starts) / RATE, [1.0, 2.5], rtol=0, atol=0.1)  # the low-pass of 6 Hz smears by that


def test_a_maximal_contraction_sets_the_unit_and_shaping_bends():
    emg = Analog(("a",), noise_in([(1.0, 3.0)])[:, None], ("V",), EMG_RATE)
    plain = measured_activation(emg, 380, RATE, mvc={"a": 200e-6})
    assert not plain.own_maximum
    assert 0.2 < np.nanmax(plain.activation) < 0.7  # mean of |noise| is 0.8 of 100 µV
    bent = measured_activation(emg, 380, RATE, EmgComparisonOptions(shaping=-2.0), mvc={"a": 200e-6})
    u = plain.activation[200, 0]
    assert_allclose(bent.activation[200, 0], (np.exp(-2.0 * u) - 1.0) / (np.exp(-2.0) - 1.0))
    targets = plain.targets({"a": ("x", "y")})
    assert targets.muscles == ("x", "y")
    assert_allclose(targets.activation[:, 0], targets.activation[:, 1])


def test_channels_with_a_maximal_contraction_stand_beside_those_without():
    bursts = noise_in([(1.0, 3.0)])
    emg = Analog(("a", "b", "c"), np.stack([bursts] * 3, axis=1), ("V",) * 3, EMG_RATE)
    own = measured_activation(emg, 380, RATE)
    mvc = {"a": 2.0 * own.reference[0], "b": 0.5 * own.reference[0]}
    found = measured_activation(emg, 380, RATE, mvc=mvc, mvc_from={"a": "MVC.c3d"})
    assert found.sources == ("MVC.c3d", "typed", "own maximum in this trial")
    assert found.own_maximum == ("c",)
    assert_allclose(found.activation[:, 0], 0.5 * own.activation[:, 0])
    assert_allclose(found.activation[:, 2], own.activation[:, 2])
    assert np.nanmax(found.activation[:, 1]) == 1.0  # beyond a contraction that was not maximal
    words = {one.code: one.sentence for one in found.notices}
    assert "EMG of c is in units" in words["emg-own-maximum"]
    assert "EMG b reaches 200 % of its maximal contraction (typed)" in words["emg-beyond-maximum"]


def test_equal_courses_agree_and_a_shift_is_found():
    t = np.arange(400) / RATE
    course = 0.5 * np.clip(np.sin(2.0 * np.pi * t), 0.0, 1.0)
    emg = Analog(("a",), noise_in([(k, k + 0.5) for k in range(4)])[:, None], ("V",), EMG_RATE)
    measured = measured_activation(emg, 400, RATE, EmgComparisonOptions(delay_s=0.0))
    same = replace(measured, activation=course[:, None])
    later = np.roll(course, 8)
    forces = forces_of(np.stack([course, later], axis=1))
    equal, shifted = emg_agreement(forces, replace(same, channels=("a",)), {"a": ("one",)}, RATE), emg_agreement(
        forces, same, {"a": ("two",)}, RATE)  # fmt: skip
    assert_allclose((equal[0].r, equal[0].lag_s, equal[0].rms), (1.0, 0.0, 0.0), rtol=0, atol=1e-9)
    assert equal[0].agreement > 0.9  # EMG is called active from its noise on, activation from a fifth of its maximum
    assert_allclose(shifted[0].lag_s, 0.08)
    assert shifted[0].r > 0.999
    assert "80 ms later" in shifted[0].sentence
    assert_allclose(group_activation(forces, ("one", "two")), 0.5 * (course + later))
    with pytest.raises(BiomecError, match="400 frames"):
        emg_agreement(forces_of(np.zeros((10, 2))), same, {"a": ("one",)}, RATE)


def test_usual_timing_is_compared_over_the_cycle():
    """A soleus that is active exactly when it should, and a tibialis anterior that never is."""
    table, muscles = load_muscles(USUAL), load_muscle_set("legs").muscles
    percent = np.arange(201) % 100
    first, last = table.active("soleus", 60.0)[0]
    activation = np.zeros((201, 2))
    activation[:, 0] = np.where((percent >= first) & (percent <= last), 0.5, 0.01)
    forces = replace(forces_of(activation), names=("soleus_r", "tib_ant_r"))
    found = {
        one.muscle: one for one in usual_timing(forces, muscles, table, "right", lambda _: [(0, 100), (100, 200)], 60.0)
    }
    assert set(found) == {"soleus", "tibialis anterior"}
    assert found["soleus"].agreement > 0.97
    assert_allclose(found["soleus"].computed[0], (first, last), rtol=0, atol=1.5)
    assert found["tibialis anterior"].computed == ()
    assert found["tibialis anterior"].agreement < 0.5


def test_short_pauses_and_bursts_do_not_count():
    assert not computed_bursts(np.full(20, 0.04)).any()
    envelope = np.full(200, 0.01) + 0.0001 * np.random.default_rng(0).normal(size=200)
    envelope[100:102] = 0.5  # 20 ms
    assert not measured_bursts(envelope, RATE).any()
    envelope[100:150] = 0.5
    envelope[120:122] = 0.01
    assert stretches(measured_bursts(envelope, RATE)).tolist() == [[100, 150]]


def test_options_refuse_what_muscles_do_not_do():
    with pytest.raises(BiomecError, match="delay"):
        EmgComparisonOptions(delay_s=1.0)
    with pytest.raises(BiomecError, match="curvature"):
        EmgComparisonOptions(shaping=0.5)
