"""Dynamically consistent motion of somebody with crutches and free orthoses."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads import residual_reduction
from biomec.body.loads.dynamic_options import DynamicOptions
from biomec.body.loads.measured_aids import AidOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session
from biomec.virtual import RecordOptions, VirtualPerson, assisted_walk, record


@pytest.fixture(scope="module")
def walked() -> Analysis:
    """One stride on two crutches with two free orthoses, half a millimetre of noise."""
    options = RecordOptions(rate_hz=50.0, plate_rate_hz=50.0, noise_mm=0.5)
    made = record(assisted_walk(1, "two free"), VirtualPerson(65.0, 1.60, "female"), options)
    usual = AnalysisSettings()
    settings = replace(
        usual, body=BodySettings(model="m18-free-orthoses"), loads=replace(usual.loads, aids=AidOptions())
    )
    return analyze(Session(made.dynamic, made.static, subject=made.person.subject), settings)


@pytest.mark.parametrize("trust", ["both", "motion"])
def test_crutches_and_cuffs_are_part_of_the_balance(walked, trust):
    """Cuffs press on two points, and their damping turns the body by 0.02 N·m as a whole: that is balanced as well."""
    before = walked.loads.trust.residuals
    assert before.force_rms[3] > 1.0
    reduction = ReductionOptions(None, None, DynamicOptions(trust=trust))
    settings = replace(walked.settings, loads=replace(walked.settings.loads, reduction=reduction))
    loads = walked.with_settings(settings).run_until("loads").loads
    change = loads.reduced.dynamics
    for left in (loads.newton_euler.residual_force, loads.newton_euler.residual_torque):
        assert np.abs(left[change.consistent]).max() <= 1e-6
    assert change.consistent.sum() > 50
    names = loads.external.segments
    tips = [k for k, name in enumerate(names) if name.endswith("hand")]
    assert len(tips) == 2
    assert not change.moment[:, tips].any()  # the tip of a crutch bears no moment
    assert change.force_most > 0.0


def test_cuffs_that_do_not_settle_are_refused(walked, monkeypatch):
    """One round leaves what the cuffs' damping does to the body as a whole; it was reported as consistent."""
    monkeypatch.setattr(residual_reduction, "CUFF_ROUNDS", 1)
    reduction = ReductionOptions(None, None, DynamicOptions())
    settings = replace(walked.settings, loads=replace(walked.settings.loads, reduction=reduction))
    with pytest.raises(BiomecError, match="could not be made to agree with the cuffs"):
        walked.with_settings(settings).run_until("loads")
