"""Walks simulated on contact that was identified from their own plates, through the whole analysis."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_run import stored_run
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.walking_contact import TRIES, WalkingContact, refuse_hands, refuse_incomplete
from tests.core.body.tracking.followed import followed
from tests.core.body.tracking.test_foot_contact import identified, measured, walk
from tests.real_data import recording

FEET = SimulationSettings(root="feet", cycle="Right 1")


@pytest.fixture(scope="module")
def gait() -> Analysis:
    return analyze(import_session(recording("gait_pig_pair", "HC030A05.c3d")))


@pytest.fixture(scope="module")
def walked(gait):
    shares = []
    return run_simulation(gait, FEET, shares.append), shares


def test_a_real_walk_stays_up_for_its_recorded_cycle(gait, walked, record_property):
    """5 cm of the pelvis is asked for; nobody adjusts anything."""
    run, shares = walked
    assert run.completed
    pelvis = gait.body.person.system.layout.point("pelvis.com")
    away = np.linalg.norm(pelvis(run.q) - pelvis(gait.motion.q[run.frames]), axis=1)
    record_property("pelvis_mm", float(1e3 * away.max()))
    assert away.max() < 0.05
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_nothing_holds_the_root_of_the_walk(gait, walked):
    """Inverse dynamics of what was simulated, under the contact forces, leaves next to nothing at the root."""
    run, _ = walked
    weight = sum(body.mass for body in gait.body.person.system.bodies) * 9.81
    # forces of contact are linearised over steps of 1 ms, and read at the frames: a few per cent where feet strike
    assert np.median(np.linalg.norm(run.residual_force, axis=1)) < 0.02 * weight


def test_the_run_says_what_was_identified_and_how_far_it_went(walked):
    run, _ = walked
    told = next(notice for notice in run.notices if notice.code == "contact-identified")
    assert "% of body weight RMS" in told.sentence
    assert "mm at most" in told.sentence
    assert run.contacts == ("right foot", "left foot")
    assert run.ground_change.shape == (len(run.q), 2, 3)


def test_the_run_can_be_stored_and_read_back(walked):
    run, _ = walked
    again = stored_run(run.to_result())
    assert again.settings == run.settings
    np.testing.assert_array_equal(again.q, run.q)


def test_a_run_that_goes_astray_is_a_warning():
    space = walk().space
    contact = identified()
    one = WalkingContact(contact, contact.on(space.system), walk().raw, walk().raw, measured(), 1e3, 1e-3, None)
    near, far = (one._notices(TRIES[0], away, 2) for away in (0.02, 0.2))
    assert [notice.code for notice in near] == ["contact-identified"]
    assert [notice.code for notice in far] == ["contact-identified", "walk-left-recording"]
    assert "by 200 mm" in far[1].sentence
    fallen = one._notices(TRIES[0], 0.2, 4, 1.819)
    assert [notice.code for notice in fallen] == ["contact-identified", "walk-fell"]
    assert "ended at 1.82 s" in fallen[1].sentence
    assert "choose one cycle" in fallen[1].sentence


def test_a_model_that_lacks_segments_is_a_sentence():
    body = followed().acquisition.model
    refuse_incomplete(body, 75.0)
    refuse_incomplete(body, None)
    with pytest.raises(BiomecError, match="of the person's 150 kg"):
        refuse_incomplete(body, 150.0)


def test_hands_that_bear_load_are_a_sentence():
    one = followed()
    with pytest.raises(BiomecError, match="for feet only"):
        refuse_hands(one.space.system, one.external, slice(0, 10))
