"""Plug-in Gait of real walks against what Vicon stored in the same files; nothing is fitted, no offset is removed."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.plug_in_gait import PlugInGaitOptions
from biomec.body.plug_in_gait.angles import is_leg_angle
from biomec.body.plug_in_gait.comparison import ANGLE, MOMENT, POWER, compared, curves, stored_curves
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.plug_in_gait import plug_in_gait_of
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.pipeline.steps.body import body, plug_in_gait_calibration
from tests.real_data import recording

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


def walked(*files: str) -> Analysis:
    dynamic, static = (recording(*file.split("/")) for file in files)
    return Analysis(import_session(dynamic, static=static, keep_originals=False), UNFILTERED).run_until("signals")


@pytest.fixture(scope="module")
def pair() -> Analysis:
    return walked("gait_pig_pair/HC030A05.c3d", "gait_pig_pair/HC030A01.c3d")


@pytest.fixture(scope="module")
def partial() -> Analysis:
    return walked("gait_pig_partial_strike/walk.c3d", "gait_pig_partial_strike/static.c3d")


def differences(analysis: Analysis, kind: str):
    model = plug_in_gait_of(analysis)
    found = compared(curves(model.angles, model.loads), stored_curves(analysis.session.dynamic.outputs))
    return {one.name: one for one in found if one.kind == kind}


# --------------------------------------------------------------------------------------------- a clean pair of trials
def test_every_angle_of_the_pair_is_the_stored_one(pair, record_property):
    found = differences(pair, ANGLE)
    assert sum(map(is_leg_angle, found)) == 2 * 15
    assert len(found) == 2 * 34  # trunk, head and arms too
    record_property("worst angle [°]", max(one.rms for one in found.values()))
    for one in found.values():
        assert one.rms < 2e-5, one  # single precision of the stored markers: 6e-8 of a metre over 0.1 m, and of 180°


def test_centres_of_the_pair_are_the_stored_ones(pair):
    model, trial = plug_in_gait_of(pair), pair.session.dynamic
    for centre, stored in {"CAQ": "FEP", "KJC": "FEO", "CAT": "TIO"}.items():
        for side, letter in {"D": "R", "E": "L"}.items():
            place = trial.axes.turn(trial.outputs[f"{letter}{stored}"], pair.preparation.dynamic.axes)
            apart_mm = 1e3 * model.segments.centres[f"{centre}_{side}"] - place
            assert np.sqrt(np.mean(np.sum(apart_mm**2, axis=1))) < 3e-4  # markers are stored to 6e-5 mm


def test_offsets_of_the_feet_follow_from_the_static(pair):
    """Stored in the files to single precision; a flat foot is recognised by them."""
    model, stored = plug_in_gait_of(pair), pair.session.subject.measures
    assert model.calibration.flat == {"D": True, "E": True}
    for side in "DE":
        for offset in ("foot_plantar_flexion", "foot_rotation"):
            key = f"{offset}_{side}"
            assert model.calibration.sources[key] == "static"
            assert model.calibration.measures[key] == pytest.approx(stored[key], abs=1e-6)


def test_the_wrong_foot_in_the_static_costs_degrees(pair):
    other = replace(UNFILTERED, body=BodySettings(plug_in_gait=PlugInGaitOptions(foot_flat="as-worn")))
    found = differences(pair.with_settings(other), ANGLE)
    assert found["right ankle dorsiflexion"].rms == pytest.approx(4.7, abs=0.3)
    assert found["right hip flexion"].rms < 2e-5


def test_measures_that_do_not_give_the_stored_angles_are_reported(pair):
    """A thigh rotation in the wrong unit turned the knee by 60 to 130° unnoticed, though the file stores its angles."""
    subject = pair.session.subject
    wrong = replace(subject, measures={**subject.measures, "thigh_rotation_D": -0.4})
    for person, expected in ((subject, 0), (wrong, 1)):
        found = body(pair.preparation, pair.signals, person).notices
        sentences = [notice.sentence for notice in found if notice.code == "stored-angles-differ"]
        assert len(sentences) == expected
    assert "off the angles stored in HC030A05.c3d" in sentences[0]
    assert "right" in sentences[0]


def test_moments_and_powers_of_the_pair_are_the_stored_ones(pair, record_property):
    """All frames in which the ground reaction is known: a stance on a plate, and the swing after it."""
    for kind, limit in ((MOMENT, 0.006), (POWER, 0.02)):  # N·m/kg, W/kg
        found = differences(pair, kind)
        assert len(found) == {MOMENT: 18, POWER: 6}[kind]
        record_property(f"worst {kind}", max(one.rms for one in found.values()))
        for one in found.values():
            assert one.frames > 100
            assert one.rms < limit, one


def test_forces_of_the_pair_are_the_stored_ones(pair):
    """Newton's equation alone: acceleration of the centres of mass by a natural quintic spline, means of the plates."""
    loads, outputs = plug_in_gait_of(pair).loads, pair.session.dynamic.outputs
    for k, joint in enumerate(loads.joints):
        side, part = joint.split()
        apart = loads.force[:, k] - outputs[f"{side[0].upper()}{part.capitalize()}Force"]
        assert np.nanmax(np.abs(apart)) < 2e-6  # N/kg


# ----------------------------------------------------------------------- unsmoothed markers, parameters of another run
def test_the_walk_with_parameters_of_another_static(partial, record_property):
    """Its points were made with a one-frame static that is not there: pelvis and arms agree, the rest to 0.12°."""
    known = plug_in_gait_of(partial).calibration
    assert known.measures["marker_diameter"] == pytest.approx(0.016, abs=1e-5)
    assert known.sources["marker_diameter"] == "derived"
    person = partial.session.subject
    stated = replace(person, measures={**person.measures, "marker_diameter": 0.014})
    by_hand, _ = plug_in_gait_calibration(partial.preparation, stated, PlugInGaitOptions())
    assert by_hand.sources["marker_diameter"] == "entered"
    for one in differences(partial, ANGLE).values():
        record_property(one.name, one.rms)
        joint = one.name.split()[1]
        limit = {"head": 1.7, "neck": 1.7, "hip": 0.12, "knee": 0.12, "ankle": 0.1, "foot": 0.1}.get(joint, 4e-5)
        assert one.rms < limit, one


def test_loads_of_the_clean_stance_of_that_walk(partial):
    """The right foot. Vicon smooths the accelerations of these unsmoothed markers by a rule that is not published."""
    for kind, limit in ((MOMENT, 0.02), (POWER, 0.05)):
        for one in differences(partial, kind).values():
            if one.name.startswith("right"):
                assert one.rms < limit, one
