"""Walks on identified contact that are hard: markers with noise and moving skin, and crutches that bear load."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.tracking.foot_contact import identified_contact
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.tracking_figures import tracking_figures
from biomec.recording import Session
from biomec.virtual import RecordOptions, Walk, record
from biomec.virtual.acquisition import DEMO
from biomec.virtual.assisted_walking import AssistedWalk

NOISY = replace(DEMO, rate_hz=100.0)
NEAR_M = 0.05  # of the pelvis, as is asked for


def analysed(movement: Walk | AssistedWalk, options: RecordOptions = NOISY) -> Analysis:
    one = record(movement, options=options)
    return analyze(Session(one.dynamic, one.static, subject=one.person.subject))


@pytest.fixture(scope="module")
def assisted() -> Analysis:
    return analysed(AssistedWalk(strides=2))


def away_m(analysis: Analysis, run) -> float:
    pelvis = analysis.body.person.system.layout.point("pelvis.com")
    return float(np.linalg.norm(pelvis(run.q) - pelvis(analysis.motion.q[run.frames]), axis=1).max())


def test_a_noisy_walk_stays_up_for_its_recorded_cycle(record_property):
    gait = analysed(Walk(strides=2))
    run = run_simulation(gait, SimulationSettings(root="feet", cycle="Right 1"))
    assert run.completed
    record_property("pelvis_mm", 1e3 * away_m(gait, run))
    assert away_m(gait, run) < NEAR_M


def test_a_walk_with_two_crutches_stays_up_on_feet_and_tips(assisted, record_property):
    run = run_simulation(assisted, SimulationSettings(root="feet", cycle="Right 1"))
    assert run.completed
    assert set(run.contacts) == {"right foot", "left foot", "right hand", "left hand"}
    record_property("pelvis_mm", 1e3 * away_m(assisted, run))
    assert away_m(assisted, run) < NEAR_M
    figures = tracking_figures(assisted, run)
    assert figures["root_place_m"] <= away_m(assisted, run)  # a mean, and the largest
    assert figures["angles_rad"] < 0.05
    tips = [k for k, name in enumerate(run.contacts) if "hand" in name]
    weight = 9.81 * sum(body.mass for body in assisted.body.person.system.bodies)
    # nothing decides from moment to moment how arms and legs share a load (66 N RMS here); over the cycle they do as
    # measured: 5 % of body weight, as is asked of identified contact
    assert (np.linalg.norm(run.ground_change[:, tips].mean(axis=0), axis=1) < 0.05 * weight).all()
    told = next(one.sentence for one in run.notices if one.code == "contact-identified")
    assert "tips of crutches" in told


def test_crutches_whose_forces_nobody_measured_are_a_sentence(assisted):
    external, motion = assisted.loads.external, assisted.motion
    force = np.array(external.force)
    force[:, [k for k, name in enumerate(external.segments) if "hand" in name]] = 0.0
    lacking = replace(external, force=force)
    with pytest.raises(BiomecError, match="nothing measured what their tips bear"):
        identified_contact(assisted.body.person.system, motion.q, motion.qdot, lacking, 100.0)
