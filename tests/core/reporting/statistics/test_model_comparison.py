"""Two models of one recording: a model beside itself differs by nothing, a simpler one leaves the settings alone."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.reporting.statistics.model_comparison import compare_models, other_models
from tests.core.pipeline.standing import swaying_session
from tests.real_data import recording

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


def test_a_model_beside_itself_differs_by_nothing(whole):
    found = compare_models(whole, "m21")
    assert found.names == whole.angles.names
    assert_array_equal(found.own, found.other)
    assert max(one.largest for one in found.differences) == 0.0


def test_another_model_gives_the_numbers_of_its_own_analysis(whole):
    found = compare_models(whole, "m17")
    alone = analyze(swaying_session(), replace(UNFILTERED, body=BodySettings(model="m17")))
    assert (found.own_model, found.other_model) == ("m21", "m17")
    assert 20 < len(found.names) < len(whole.angles.names)
    for k, name in enumerate(found.names):
        assert_array_equal(found.other[:, k], alone.angles[name])
        assert_array_equal(found.own[:, k], whole.angles[name])
    one = next(error for error in found.differences if error.name == "right knee flexion")
    difference = alone.angles["right knee flexion"] - whole.angles["right knee flexion"]
    assert_allclose(one.rms, np.sqrt(np.mean(difference**2)), atol=1e-12)


def test_the_second_run_can_be_cancelled(whole):
    def stop(fraction):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        compare_models(whole, "m17", stop)


def test_only_models_that_suit_the_recording_are_offered_the_nearest_first(whole):
    found = other_models(whole)
    assert next(iter(found)) == "m17"
    assert "m21" not in found
    assert found["legs"] == ""


def test_a_model_that_does_not_suit_the_recording_says_why_and_comes_last():
    file = recording("gait_pig_pair/HC030A05.c3d")
    analysis = Analysis(import_session(file)).run_until("body")
    found = other_models(analysis)
    assert analysis.body.person.model.name == "plug-in-gait"
    reasons = list(found.values())
    assert reasons == sorted(reasons, key=bool)  # those that can be used come first
    for model, reason in found.items():
        again = analysis.with_settings(AnalysisSettings(body=BodySettings(model=model)))
        if reason:
            with pytest.raises(BiomecError, match=r"does not suit|none of"):
                again.run_until("body")
        else:
            again.run_until("body")
