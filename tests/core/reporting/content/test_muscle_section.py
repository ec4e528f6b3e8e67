"""What a report says about muscles."""

import numpy as np
import pytest

from biomec.pipeline.muscle_cycles import muscle_timing
from biomec.reporting.content.muscle_section import MUSCLES, muscles_section
from biomec.reporting.content.report import report_content
from biomec.reporting.tables import Table
from tests.core.pipeline.muscled import before_muscles, with_muscles


def table(caption: str) -> Table:
    return next(one for one in muscles_section(with_muscles()).tables if one.caption.startswith(caption))


def test_the_report_has_muscles_where_they_were_asked_for():
    assert report_content(before_muscles()).section(MUSCLES) is None
    section = report_content(with_muscles()).section(MUSCLES)
    assert section is not None
    assert section.sentences[0] == with_muscles().muscles.trust.verdict
    facts = dict(section.tables[0].rows)
    assert facts["Muscle set"] == "legs, 86 muscles"
    assert "CC BY 3.0" in facts["Source of the numbers"]
    assert facts["Frames solved"] == "83 of 83"


def test_contact_forces_are_those_of_the_peaks():
    rows = {row[0]: row[1:] for row in table("Contact forces").rows}
    assert list(rows) == ["Hip", "Knee", "Ankle", "Patellofemoral"]
    peaks = {one.joint: one for one in with_muscles().muscles.peaks}
    assert rows["Hip"][0] == f"{peaks['right hip'].times_weight:.2f}"
    assert rows["Hip"][4] == f"{peaks['left hip'].times_weight:.2f}"
    weight = with_muscles().muscles.contacts.body_weight
    sizes = with_muscles().muscles.contacts.size[:, with_muscles().muscles.contacts.index("right knee")]
    best = with_muscles().loads.trust.frames_of["right knee"].best
    assert peaks["right knee"].times_weight == pytest.approx(np.nanmax(sizes[best]) / weight)


def test_a_whole_muscle_is_the_mean_of_its_parts_by_what_they_could_give():
    rows = {row[0]: row[1:] for row in table("Activation and force").rows}
    forces = with_muscles().muscles.forces
    which = [forces.index(f"glut_med{k}_r") for k in (1, 2, 3)]
    whole = np.average(forces.activation[:, which], axis=1, weights=None)
    low, high = forces.activation[:, which].min(), forces.activation[:, which].max()
    mean = float(rows["Gluteus medius"][0].removesuffix(" %")) / 100.0
    assert low <= mean <= high
    assert mean == pytest.approx(whole.mean(), abs=0.05)
    assert float(rows["Gluteus medius"][2]) == pytest.approx(forces.force[:, which].sum(axis=1).max(), abs=0.5)


def test_only_a_walk_has_usual_timing():
    assert muscle_timing(with_muscles()) == ()
