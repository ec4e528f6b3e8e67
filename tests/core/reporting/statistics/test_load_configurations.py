"""Six ways to prepare a recording, and the band around its loads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.load_sensitivity import CUTOFF, TABLE, load_sensitivity
from biomec.recording import Session
from biomec.reporting.statistics.load_configurations import CONFIGURATIONS, load_study
from biomec.signals import FilterOptions
from biomec.signals.filtering import CutoffChoice
from biomec.virtual import PushUp, RecordOptions, record


@pytest.fixture(scope="module")
def noisy() -> Analysis:
    """A push-up with noise and skin that moves."""
    options = RecordOptions(50.0, 50.0, noise_mm=0.3, soft_tissue_mm=4.0, plate_noise_n=0.5, seed=7)
    made = record(PushUp(cycles=1), options=options)
    return analyze(Session(made.dynamic, made.static, subject=made.person.subject))


def test_what_differs_and_what_does_not(noisy: Analysis) -> None:
    """Published: filter and consistent positions matter, consistent velocities and accelerations do not."""
    study = load_study(noisy)
    force, torque = study.force_difference, study.torque_difference
    assert study.configurations == CONFIGURATIONS
    late = np.ix_([3, 4, 5], [3, 4, 5])
    assert force[late].max() < 0.05  # N; 4 = 5 = 6
    assert torque[late].max() < 0.01  # N m
    assert force[1, [0, 2, 3, 4, 5]].min() > 20.0 * force[late].max()  # without a filter
    assert torque[2, 3:].min() > 20.0 * torque[late].max()  # without consistent positions
    assert force[2, 3] < torque[2, 3] * 10.0  # which move torques, by their levers, more than forces
    assert np.array_equal(study.table, np.triu(force) + np.tril(torque))
    assert np.allclose(force, force.T)


def test_the_last_configuration_is_the_analysis(noisy: Analysis) -> None:
    study = load_study(noisy, "right elbow", frames=(20, 60))
    loads = noisy.loads.newton_euler
    assert np.allclose(study.force[5], loads.force[:, loads.index("right elbow")], equal_nan=True)
    assert set(np.flatnonzero(study.counted)) <= set(range(20, 61))
    alone = np.linalg.norm(study.torque[1] - study.torque[5], axis=1)[study.counted].mean()
    assert study.torque_difference[1, 5] == pytest.approx(alone)
    cutoffs = noisy.signals.filtered.cutoff_hz
    assert study.first_cutoff_hz == pytest.approx(0.5 * (np.nanmax(cutoffs) + np.nanmin(cutoffs)))
    assert "force_difference" in study.to_result().arrays


def prepared(noisy: Analysis, markers: FilterOptions | None, plates: FilterOptions | None, how: str) -> Analysis:
    """The whole analysis with filters of its own."""
    settings = noisy.settings
    signals = replace(settings.signals, marker_filter=markers, plate_filter=plates)
    loads = replace(settings.loads, plate_forces=how)
    return noisy.with_settings(replace(settings, signals=signals, loads=loads)).run_until("loads")


def test_plates_are_prepared_like_the_markers_as_published(noisy: Analysis) -> None:
    """The second configuration is an analysis without any filter; the first has plates at its one cut-off."""
    study = load_study(noisy, "right elbow")
    assert study.plates_prepared
    assert "Plates are prepared like the markers, as published" in study.notices[0].sentence
    bare = prepared(noisy, None, None, "recorded").loads.newton_euler
    at = bare.index("right elbow")
    assert np.allclose(study.force[1], bare.force[:, at], equal_nan=True, atol=1e-9)
    assert np.allclose(study.torque[1], bare.torque[:, at], equal_nan=True, atol=1e-9)

    middle = FilterOptions(CutoffChoice.FIXED, study.first_cutoff_hz, shared=True)
    slow = prepared(noisy, noisy.settings.signals.marker_filter, middle, "own").loads.external
    same = load_study(noisy, "right elbow", plates=False)
    assert "The ground reaction is the same in all six" in same.notices[0].sentence
    # the ground reaction reaches the elbow through hand and forearm undiminished: both differ by what it differs
    hand = slow.segments.index("right hand")
    change = (slow.force - noisy.loads.external.force)[:, hand]
    assert np.nanmax(np.abs(change)) > 0.01  # N
    assert np.allclose(study.force[0] - same.force[0], -change, equal_nan=True, atol=1e-9)
    assert np.allclose(study.force[2:], same.force[2:], equal_nan=True)
    assert not same.plates_prepared


def test_a_study_needs_a_filter_and_a_joint(noisy: Analysis) -> None:
    plain = replace(noisy.settings, signals=replace(noisy.settings.signals, marker_filter=None))
    with pytest.raises(BiomecError, match="choose a filter"):
        load_study(noisy.with_settings(plain))
    with pytest.raises(BiomecError, match="no joint"):
        load_study(noisy, "third knee")


def test_band_of_the_cutoff_is_what_other_cutoffs_give(noisy: Analysis) -> None:
    settings = noisy.settings
    fixed = replace(
        settings, signals=replace(settings.signals, marker_filter=FilterOptions(CutoffChoice.FIXED, cutoff_hz=4.0))
    )
    base = noisy.with_settings(fixed).run_all()
    band = load_sensitivity(base, cutoff_hz=1.5)
    squares = np.zeros_like(base.loads.newton_euler.torque)
    for hz in (2.5, 5.5):
        other = replace(
            settings, signals=replace(settings.signals, marker_filter=FilterOptions(CutoffChoice.FIXED, hz))
        )
        again = noisy.with_settings(other).run_all().loads.newton_euler
        squares += 0.5 * (again.torque - base.loads.newton_euler.torque) ** 2
    assert np.allclose(band.half_width("torque", CUTOFF), np.sqrt(squares), atol=1e-9)


def test_band_of_another_table(noisy: Analysis) -> None:
    band = load_sensitivity(noisy, cutoff_hz=0.0, tables=("dumas-wojtusch-2018",))
    assert CUTOFF not in band.sources
    assert 0.0 < np.nanmax(band.half_width("torque", TABLE)) < 20.0
