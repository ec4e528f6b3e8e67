"""Plates as they come: empty, noisy, missing, longer or shorter than the markers. Nothing may break."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.io.storage import read_storage
from biomec.recording import ForcePlate, Markers
from biomec.signals.body_mass import mass_from_plates
from biomec.signals.contact_detection import ContactOptions, detect_contacts
from biomec.signals.contact_table import contact_table
from biomec.signals.contacts import assign_contacts
from biomec.signals.gait_events import gait_events
from biomec.signals.gait_parameters import gait_parameters
from biomec.signals.plate_quality import check_plates
from tests.core.signals.virtual_walk import GAIT, SEGMENTS, UP, Walk
from tests.real_data import recording


def everything(trial, segments=SEGMENTS, gait=GAIT, options=ContactOptions()):
    contacts = assign_contacts(trial, detect_contacts(trial, options), segments)
    quality = check_plates(trial, contacts)
    table = contact_table(contacts)
    assert np.isfinite(table.force).all()
    assert np.isfinite(table.cop[np.linalg.norm(table.force, axis=2) > 0]).all()
    events = gait_events(trial, gait, contacts, quality)
    assert all(e.time_s >= 0 for e in events.events)
    gait_parameters(events.events, trial.markers, gait, trial.axes.up_vector, events.forward)
    return contacts, table, events


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    samples=st.sampled_from([0, 1, 7, 500, 3000, 4000]),
    rate=st.sampled_from([50.0, 100.0, 777.0, 1000.0]),
    kind=st.sampled_from(["noise", "nan", "steps", "negative", "zero", "huge"]),
    start=st.sampled_from([0.0, -1.0, 0.5, 2.99]),
    corners=st.booleans(),
    offset=st.sampled_from(["keep", "remove", "remove with drift"]),
)
def test_any_plate_gives_a_result(seed, samples, rate, kind, start, corners, offset):
    rng = np.random.default_rng(seed)
    force = 300.0 * rng.normal(size=(samples, 3))
    if kind == "nan":
        force[rng.random(samples) < 0.3] = np.nan
    elif kind == "steps":
        force = np.repeat(rng.integers(0, 2, size=(samples // 100 + 1, 3)) * 500.0, 100, axis=0)[:samples]
    elif kind == "negative":
        force = -np.abs(force)
    elif kind == "zero":
        force = 0.0 * force
    elif kind == "huge":
        force = force * 1e9
    trial = Walk().trial()
    old = trial.plates[0]
    plate = ForcePlate("X", force, 0.1 * force, rate, old.origin, UP, old.corners if corners else None, start_s=start)
    everything(replace(trial, plates=(plate, trial.plates[1])), options=ContactOptions(offset=offset))


def test_plates_that_outlast_the_markers_end_with_them():
    trial = Walk().trial()
    short = replace(trial, markers=replace(trial.markers, p_WM=trial.markers.p_WM[:100]))  # step 1 lasts beyond 1 s
    contacts, table, _ = everything(short)
    assert table.frames == 100
    assert len(contacts.contacts) == 2


def test_forces_without_markers_are_found_and_belong_to_nobody():
    trial = Walk().trial()
    bare = replace(trial, markers=Markers.none(300, 100.0))
    contacts = assign_contacts(bare, detect_contacts(bare), {})
    assert [a.segment for a in contacts.contacts] == [None, None]
    assert {n.code for n in contacts.notices} == {"contact-unassigned"}
    assert contact_table(contacts).segments == ()
    nothing = replace(trial, markers=Markers.none(0, 100.0))
    contacts = assign_contacts(nothing, detect_contacts(nothing), SEGMENTS)
    check_plates(nothing, contacts)
    assert contact_table(contacts, ["Pe_D"]).force.shape == (0, 1, 3)
    with pytest.raises(BiomecError):
        mass_from_plates(nothing, stretch_s=(0.0, 1.0))


def test_a_real_file_of_forces_alone_is_detected():
    trial = read_storage(recording("gait_opensim2354", "subject01_walk1_grf.mot"))
    contacts = assign_contacts(trial, detect_contacts(trial), {})
    # the right foot is down at the start, twice more after it; the left at the start, once, and at the very end
    assert len(contacts.contacts) == 6
    check_plates(trial, contacts)


def test_no_plates_no_contacts():
    trial = replace(Walk().trial(), plates=())
    contacts, table, events = everything(trial)
    assert contacts.contacts == ()
    assert table.segments == ()
    assert {e.origin for e in events.events} == {"kinematics"}
