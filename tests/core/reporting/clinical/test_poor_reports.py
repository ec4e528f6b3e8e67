"""A report of little: one cycle, no plates, no norm, no name. It is made, and says what it lacks."""

from dataclasses import replace

import pytest

from biomec.recording import ClinicalNotes, Subject
from biomec.reporting.clinical.blocks import Grid
from biomec.reporting.clinical.definition import NONE, ReportDefinition
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import visit_of
from tests.core.reporting.clinical.walks import walk


def texts(report):
    return " ".join(f"{one.title}: {one.reason}" for one in report.left_out)


def grids(report, kind):
    page = report.page(kind)
    return [] if page is None else [one for one in page.blocks if isinstance(one, Grid)]


def changed(**session):
    return replace(walk(), session=replace(walk().session, **session))


def without_plates(**session):
    """The walk where no plate lies, with other parts of its session."""
    bare = {name: done for name, done in walk().done.items() if name != "loads"}
    return replace(changed(dynamic=replace(walk().session.dynamic, plates=()), **session), done=bare)


def notes_of_one_cycle():
    """All cycles of the right foot but one are excluded, and all of the left one."""
    notes = ClinicalNotes()
    for side in ("right", "left"):
        for frame in walk().cycles.groups[side.capitalize()].borders[1 if side == "right" else 0 : -1]:
            notes = notes.with_excluded_cycle(side, frame + walk().session.dynamic.first_frame, "kept out")
    return notes


def test_one_cycle():
    report = clinical_report([visit_of([changed(notes=notes_of_one_cycle())])])
    (grid,) = grids(report, "kinematics")
    knee = next(panel for row in grid.rows for panel in row if panel.name == "knee flexion")
    assert [(one.side, len(one.curves), one.banded) for one in knee.courses] == [("right", 1, False)]
    assert "angles 1 R, 0 L" in grid.note
    assert "kept out" in repr(report.page("measured"))


def test_no_plates():
    report = clinical_report([visit_of([without_plates()])])
    assert report.page("kinematics") is not None
    assert report.page("kinetics") is None
    assert report.page("ground reaction") is None
    assert "plate" in texts(report)


def test_no_norm():
    report = clinical_report([visit_of([walk()])], ReportDefinition(norm=NONE))
    (grid,) = grids(report, "kinematics")
    assert "No norm." in grid.note
    assert {panel.band for row in grid.rows for panel in row} == {None}
    assert "There is no norm to score against." in repr(report)


@pytest.mark.parametrize("name", ["", "<b>Maria</b> & Co", "M" * 200])
def test_no_name_and_odd_names(name):
    report = clinical_report([visit_of([changed(subject=Subject(name, mass_kg=81.6))])])
    assert report.heading.who == (name or "Person without a name")
    assert report.page("summary") is not None


def test_one_cycle_without_plates_norm_and_name():
    poor = without_plates(notes=notes_of_one_cycle(), subject=Subject("", mass_kg=81.6))
    report = clinical_report([visit_of([poor])], ReportDefinition(norm=NONE))
    kinds = [page.kind for page in report.pages]
    assert {"summary", "measured", "time and distance", "kinematics", "indices", "quality"} <= set(kinds)
    assert {one.title for one in report.left_out} >= {"Kinetics, mean", "Ground reaction", "Kinematics, every cycle"}
    assert all(one.reason for one in report.left_out)
    assert report.heading.who == "Person without a name"
    (grid,) = grids(report, "kinematics")
    assert "angles 1 R, 0 L" in grid.note
    assert "No norm." in grid.note
    assert "There is no norm to score against." in repr(report.page("indices"))


def test_nothing_counts():
    report = clinical_report([visit_of([changed(notes=ClinicalNotes(excluded="ran"))])])
    assert report.page("kinematics") is None or "no cycle counts" in repr(report.page("kinematics"))
    assert "ran" in repr(report)
