"""What the ribs bear: loads with all constraints kept, in the table, the summary, the report and over cycles."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.loads.load_components import NEWTON_EULER, LoadReading
from biomec.body.loads.options import LoadOptions
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.load_reading import chosen_loads, chosen_power, read_loads
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.reporting.content.load_section import LOADS
from biomec.reporting.content.report import report_content
from biomec.reporting.files.load_files import contact_columns, loads_csv, loads_summary
from biomec.reporting.files.other_programs import write_loads
from biomec.reporting.statistics.load_condition import loads_over_cycles
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
SHOULDER = "right sternoclavicular"
ELBOW = "right elbow superior force [multibody, distal axes, internal] (N)"
TABLE, NEWTON = LoadReading("distal"), LoadReading("distal", method=NEWTON_EULER)


@pytest.fixture(scope="module")
def plain() -> Analysis:
    one = record(PushUp("closed", cycles=2), VirtualPerson(), RecordOptions(50.0, 50.0))
    return analyze(Session(one.dynamic, one.static, subject=one.person.subject), UNFILTERED)


@pytest.fixture(scope="module")
def borne(plain) -> Analysis:
    kept = replace(UNFILTERED, loads=LoadOptions(constraints="all"))
    return plain.with_settings(kept).run_until("loads")


def columns(analysis: Analysis) -> dict[str, np.ndarray]:
    distal = analysis.with_settings(replace(analysis.settings, load_reading=TABLE))  # axes at right angles
    head, *lines = csv.reader(io.StringIO(loads_csv(distal)))
    return dict(zip(head, np.array(lines, dtype=np.float64).T, strict=True))


def test_one_place_decides_which_loads_count(plain, borne):
    for analysis in (plain, borne):
        assert chosen_loads(analysis) is analysis.loads.multibody
        other = analysis.with_settings(replace(analysis.settings, load_reading=NEWTON))
        assert chosen_loads(other) is analysis.loads.newton_euler
        assert "contact, " not in loads_csv(other)


def test_keeping_all_constraints_changes_the_table(plain, borne):
    """`--joints all` left loads.csv as it was: the joints of the shoulder still bore what the ribs bear."""
    before, after = columns(plain), columns(borne)
    at = borne.loads.multibody.index(SHOULDER)
    forces = [name for name in before if name.startswith(SHOULDER) and " force [" in name]
    size = {when: np.sqrt(sum(table[name] ** 2 for name in forces)) for when, table in (("-", before), ("+", after))}
    assert_allclose(size["-"], np.linalg.norm(plain.loads.newton_euler.force[:, at], axis=1), rtol=1e-5)
    assert_allclose(size["+"], np.linalg.norm(borne.loads.multibody.force[:, at], axis=1), rtol=1e-5)
    assert np.abs(size["+"] - size["-"]).max() > 50.0
    assert_allclose(after[ELBOW], before[ELBOW], atol=1e-4)


def test_the_table_has_the_force_of_every_contact_and_what_of_it_presses(plain, borne):
    before, after, loads = columns(plain), columns(borne), borne.loads.multibody
    assert len(loads.contacts) == 4
    assert set(after) - set(before) == {name for contact in loads.contacts for name in contact_columns(contact)}
    for c, contact in enumerate(loads.contacts):
        *axes, pressed = contact_columns(contact)
        force = np.stack([after[name] for name in axes], axis=1)
        assert_allclose(force, loads.contact_force[:, c], rtol=1e-5, atol=1e-4)
        assert_allclose(np.abs(after[pressed]), np.linalg.norm(force, axis=1), rtol=1e-5, atol=1e-4)  # along the normal


def test_pressing_pushes_the_scapula_away_from_the_ribs(borne):
    """The sign by geometry: out of the ribcage is away from the middle of the thorax, for both sides."""
    loads, motion = borne.loads.multibody, borne.segments
    middle = motion.p_com[:, motion.index("thorax")]
    outward = np.einsum("tci,tci->tc", loads.contact_force, loads.contact_point - middle[:, None])
    heavy = np.abs(loads.contact_pressing) > 20.0
    assert heavy.sum() > 100
    assert np.array_equal(np.sign(outward[heavy]), np.sign(loads.contact_pressing[heavy]))


def test_the_scapula_is_in_balance_with_the_contacts(borne):
    """Newton's equation of one segment, written out: what the ribs do is what the joints of the scapula leave open."""
    found, motion = borne.loads.multibody, borne.segments
    s = motion.index("right scapula")
    above = found.force[:, found.index("right acromioclavicular")]
    below = found.force[:, found.index("right glenohumeral")]
    ribs = sum(found.contact_force[:, c] for c, name in enumerate(found.contacts) if name.startswith("right"))
    needed = motion.mass[s] * (motion.a_com[:, s] - borne.body.person.system.gravity)
    assert_allclose(above + ribs - below, needed, atol=1e-8)


def test_summary_report_cycles_and_export_tell_the_same_loads(plain, borne, tmp_path):
    loads = borne.loads.multibody
    largest = np.linalg.norm(loads.force[:, loads.index(SHOULDER)], axis=1)
    facts = loads_summary(borne)
    assert facts["loads_of"] == loads.method
    assert facts["joints"][SHOULDER]["force_peak_N"] == pytest.approx(largest.max(), rel=0.02)
    over = loads_over_cycles(borne, "closed", TABLE, [SHOULDER])
    without = loads_over_cycles(plain, "closed", TABLE, [SHOULDER])
    assert np.abs(over.curves - without.curves).max() > 50.0
    peaks = next(t for t in report_content(borne).section(LOADS).tables if t.caption.startswith("Peaks, right"))
    row = next(row for row in peaks.rows if row[0] == "Sternoclavicular")
    assert float(row[1].strip("*")) == pytest.approx(facts["joints"][SHOULDER]["force_peak_N"], abs=0.5)
    write_loads(borne, tmp_path / "loads.sto")
    head, *lines = (tmp_path / "loads.sto").read_text("utf-8").split("endheader\n")[1].splitlines()
    at = head.split().index("right_sternoclavicular_on_right_clavicle_in_ground_fx")
    assert_allclose([float(line.split()[at]) for line in lines], loads.force[:, loads.index(SHOULDER), 0], atol=1e-4)


def test_power_is_that_of_the_loads_that_count_and_still_accounts_for_all_energy(plain, borne):
    """Contacts without friction do no net work, so that the joints together still deliver the same power."""
    one, other = plain.loads.power, borne.loads.power
    j = one.joints.index("right acromioclavicular")
    assert np.abs(other.joint[:, j] - one.joint[:, j]).max() > 0.1
    assert np.abs(other.imbalance).max() < 1e-6
    newton = chosen_power(borne.with_settings(replace(borne.settings, load_reading=NEWTON)))
    assert_allclose(newton.joint, one.joint, atol=1e-6)  # without the ribs nothing has changed
    assert np.abs(other.contact).max() < 1e-6  # the motion glides along the ellipsoids to round-off
    assert_allclose(
        other.joint.sum(axis=1) + other.gap.sum(axis=1), one.joint.sum(axis=1) + one.gap.sum(axis=1), atol=1e-6
    )


def test_both_methods_can_still_be_read(borne):
    newton, multibody = (read_loads(borne, reading) for reading in (NEWTON, TABLE))
    assert np.array_equal(read_loads(borne, TABLE).values, multibody.values)
    assert np.abs(newton.values - multibody.values).max() > 50.0


def test_ribs_that_would_have_to_pull_are_told_everywhere(plain, borne):
    """The push-up was called good while the ribs pulled on the scapulae by up to 337 N."""
    assert plain.loads.trust.level == "good"
    facts = loads_summary(borne)
    assert facts["trust"] == "check"
    assert "would have to pull" in facts["verdict"]
    loads, table = borne.loads.multibody, columns(borne)
    for c, contact in enumerate(loads.contacts):
        inner, summary = loads.contact_pressing[2:-2, c], facts["scapula_contacts"][contact]
        assert summary["pressed_min_N"] == inner.min()
        assert summary["pressed_mean_N"] == pytest.approx(inner.mean())
        assert summary["pulled_frames"] == (inner < -5.0).sum() > 0
        assert summary["pulled_share"] == summary["pulled_frames"] / len(inner)
        first, last = summary["pulled_most_frames"]  # as the table counts them, which begins with 1
        there = (table["frame"] >= first) & (table["frame"] <= last)
        assert_allclose(table[contact_columns(contact)[3]][there].min(), summary["pressed_min_N"], rtol=1e-5)
        assert table[contact_columns(contact)[3]][there].max() < -5.0
    mean = facts["force_mean_N"][SHOULDER]
    for key, one in (("with_contacts", loads), ("without_contacts", borne.loads.newton_euler)):
        assert mean[key] == pytest.approx(np.linalg.norm(one.force[2:-2, one.index(SHOULDER)], axis=1).mean())
    tables = {table.caption: table for table in report_content(borne).section(LOADS).tables}
    assert len(tables["What the ribs bear of the scapulae"].rows) == 4
    row = next(r for r in tables["Mean joint force with and without these contacts"].rows if SHOULDER in r[0].lower())
    assert row[1:] == (f"{mean['with_contacts']:.0f}", f"{mean['without_contacts']:.0f}")
    assert loads_summary(plain)["scapula_contacts"] == {}
