"""A cycle counts for loads of a side only if its own stance was measured; others are reported apart."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import Ground, cycles_of_joint, load_cycles
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session
from biomec.recording.marker_set import Side
from biomec.reporting.files.load_files import load_statistics_csv
from biomec.reporting.statistics.cycle_statistics import signal_cycles
from biomec.reporting.statistics.load_condition import exercise_of, loads_over_cycles
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record, squat

MEASURED, FREE, ESTIMATED, MISSING, POOR = Ground


def performed(movement) -> Session:
    found = record(movement, VirtualPerson(), RecordOptions(100.0, 500.0, noise_mm=0.2, seed=4))
    return Session(found.dynamic, found.static, subject=found.person.subject)


def analysed(session, external="auto") -> Analysis:
    settings = AnalysisSettings()
    return Analysis(session, replace(settings, loads=replace(settings.loads, external=external))).run_all()


@pytest.fixture(scope="module")
def session():
    """Six footfalls, of which the first two are on plates."""
    return performed(Walk(strides=3, plates=2))


@pytest.fixture(scope="module")
def partly(session):
    return analysed(session)


def stances(analysis):
    """Group -> whether each cycle begins with a measured contact of its foot."""
    assert analysis.signals.contacts is not None
    began = [(c.contact.on_s, c.segment) for c in analysis.signals.contacts.contacts]
    rate = analysis.signals.trial.rate_hz
    return {
        name: [
            any(abs(first / rate - on) < 0.05 and segment == f"{name.lower()} foot" for on, segment in began)
            for first in group.spans[:, 0]
        ]
        for name, group in analysis.cycles.groups.items()
    }


def rows_of(analysis):
    return list(csv.DictReader(io.StringIO(load_statistics_csv(analysis))))


def test_only_cycles_whose_own_stance_is_on_a_plate_count(partly):
    """An estimated ankle moment was among the measured ones, in a cycle that was 100 % usable."""
    on_plates = stances(partly)
    assert sum(sum(one) for one in on_plates.values()) == 2  # as many as there are plates
    assert any(not all(one) for one in on_plates.values())
    for name, group in load_cycles(partly).items():
        for joint in ("ankle", "knee", "hip"):
            found = group.ground[f"{name.lower()} {joint}"]
            assert list(found) == [MEASURED if there else ESTIMATED for there in on_plates[name]]
        assert set(group.ground["left elbow"]) == {FREE}


@pytest.mark.parametrize("external", ["plates", "estimated"])
def test_plates_never_let_an_unmeasured_cycle_in(session, partly, external):
    found = load_cycles(analysed(session, external))
    for name, there in stances(partly).items():
        other = [MEASURED if one else MISSING for one in there] if external == "plates" else [ESTIMATED] * len(there)
        assert list(found[name].ground[f"{name.lower()} knee"]) == other


def test_the_file_keeps_measured_and_estimated_cycles_apart(partly):
    rows = [row for row in rows_of(partly) if row["joint"] == "right knee" and row["cycles"] == "Right"]
    load = next(row["load"] for row in rows)
    rows = [row for row in rows if row["load"] == load]
    single = [row for row in rows if row["cycle"].isdigit()]
    for row in single:  # an estimated stance was said to be usable throughout
        assert (float(row["frames that can be used (%)"]) > 90.0) == (row["ground reaction"] == str(MEASURED))
    assert {row["ground reaction"] for row in single} == {str(MEASURED), str(ESTIMATED)}
    for source in (MEASURED, ESTIMATED):
        (mean,) = (row for row in rows if row["cycle"] == "mean" and row["ground reaction"] == str(source))
        peaks = [float(row["peak"]) for row in single if row["ground reaction"] == str(source)]
        assert float(mean["peak"]) == pytest.approx(np.mean(peaks), rel=1e-5)  # digits of the file


def test_a_file_of_plates_alone_has_no_estimated_rows(session):
    rows = rows_of(analysed(session, "plates"))
    assert {row["ground reaction"] for row in rows} == {str(MEASURED), str(MISSING), str(FREE)}
    means = [row for row in rows if row["cycle"] == "mean"]
    assert {row["ground reaction"] for row in means} == {str(MEASURED)}


def test_curves_and_comparisons_average_measured_cycles(partly):
    name = next(name for name, one in stances(partly).items() if any(one) and not all(one))
    joint, time = f"{name.lower()} knee", partly.signals.trial.time_s
    torque = np.linalg.norm(partly.loads.newton_euler.torque[:, partly.loads.newton_euler.index(joint)], axis=1)
    over = signal_cycles(cycles_of_joint(partly, joint), Side(name.lower()), time, torque)
    there = stances(partly)[name]
    assert over.used == sum(there)
    assert f"{len(there) - sum(there)} left out: {ESTIMATED}" in over.words
    compared = loads_over_cycles(partly, "walk", joints=[joint], side=name)
    assert np.isfinite(compared.curves).all(axis=(1, 2)).tolist() == there
    assert np.isfinite(compared.measures["peak"]).all(axis=1).tolist() == there
    assert np.isfinite(exercise_of(partly, "walk").force["compression"]).any()


def test_where_nothing_was_measured_an_estimate_says_so(session):
    """Without plates there is nothing better; it is called what it is."""
    bare = analysed(replace(session, dynamic=replace(session.dynamic, plates=())))
    assert loads_over_cycles(bare, "walk", joints=["right knee"], side="Right").curves.size
    cycles = cycles_of_joint(bare, "right knee")["Right"]
    assert cycles.valid.all()
    assert cycles.source == str(ESTIMATED)
    with pytest.raises(BiomecError, match="no cycle in which the ground reaction"):
        loads_over_cycles(analysed(bare.session, "plates"), "walk", joints=["right knee"], side="Right")


def test_a_poor_contact_takes_its_cycle_out(session, partly):
    """Two thirds of the force of one plate: the cycle says why it is not in the mean."""
    plate = session.dynamic.plates[0]
    weak = replace(plate, force=0.66 * plate.force, moment=0.66 * plate.moment)
    dynamic = replace(session.dynamic, plates=(weak, *session.dynamic.plates[1:]))
    found = analysed(replace(session, dynamic=dynamic))
    grounds = {name: group.ground[f"{name.lower()} knee"] for name, group in load_cycles(found).items()}
    before = {name: group.ground[f"{name.lower()} knee"] for name, group in load_cycles(partly).items()}
    changed = [(a, b) for name in grounds for a, b in zip(before[name], grounds[name], strict=True) if a != b]
    assert changed == [(MEASURED, POOR)]
    poor = [row for row in rows_of(found) if row["ground reaction"].startswith(POOR)]
    assert poor
    assert {row["peak"] for row in poor} == {row["mean"] for row in poor} == {""}
    reasons = [one for group in load_cycles(found).values() for joint in group.reasons.values() for one in joint]
    assert any(one.startswith("poor contact: ") for one in reasons)


def test_feet_that_never_leave_their_plates_count_throughout():
    group = load_cycles(analysed(performed(squat(2))))["both"]
    for joint in ("left ankle", "right knee", "left hip", "lumbar"):
        assert set(group.ground[joint]) == {MEASURED}
