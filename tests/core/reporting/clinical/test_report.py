"""The clinical report of a walk: its pages, numbers beside other sources, what is missing, and no name if so asked."""

from dataclasses import replace
from datetime import date
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.physics import GRAVITY
from biomec.pipeline.analysis import Analysis
from biomec.recording import ClinicalNotes, Subject
from biomec.reporting.clinical.blocks import EVERY, Bars, ClinicalReport, FreeText, Grid, PathOfPressure, Words
from biomec.reporting.clinical.definition import KINDS, PageEntry, ReportDefinition
from biomec.reporting.clinical.ground_reaction import FORWARD, MEDIAL, VERTICAL, ground_reactions
from biomec.reporting.clinical.pages.own_angles import end_of_axis
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import Visit, visit_of
from biomec.reporting.norms.norm_file import shipped_norm
from biomec.reporting.statistics.time_and_distance import time_and_distance
from biomec.reporting.tables import NOTHING, Table
from tests.core.pipeline.muscled import with_muscles
from tests.core.reporting.clinical.walks import walk

ADULTS = "adults-fukuchi2018"


def noted(notes: ClinicalNotes, **session) -> Analysis:
    return replace(walk(), session=replace(walk().session, notes=notes, **session))


@cache
def visit() -> Visit:
    return visit_of([walk()])


@cache
def report() -> ClinicalReport:
    return clinical_report([visit()])


def only(kind: str, **definition) -> ReportDefinition:
    return ReportDefinition(pages=(PageEntry(kind),), **definition)


def blocks(made: ClinicalReport, kind: str, of: type) -> list:
    return [block for page in made.pages if page.kind == kind for block in page.blocks if isinstance(block, of)]


def table(made: ClinicalReport, kind: str, caption: str) -> Table:
    return next(one for one in blocks(made, kind, Table) if one.caption == caption)


def cells(made: Table) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in made.rows}


def texts(content: object) -> str:
    """Every text of a report, in one."""
    if isinstance(content, str):
        return content + "\n"
    if isinstance(content, tuple | list):
        return "".join(map(texts, content))
    if hasattr(content, "__dataclass_fields__"):
        return "".join(texts(getattr(content, name)) for name in content.__dataclass_fields__)
    return ""


def test_pages_come_in_order_and_those_without_data_say_why():
    made = report()
    kinds = list(dict.fromkeys(page.kind for page in made.pages))
    assert kinds == [kind for kind in KINDS if kind in kinds]
    assert set(KINDS) - set(kinds) == {"muscles", "comparison"}
    assert [(one.title, one.reason) for one in made.left_out] == [
        ("Muscles and joint contact", "Muscle forces were not asked for."),
        ("Comparison", "There is no other visit to compare with."),
    ]
    for page in made.pages:
        assert page.title
        assert page.blocks
    assert made.notices == ()


def test_highlights_are_at_most_five_and_true():
    found = time_and_distance(walk())
    shown = report().highlights
    assert len(shown) == 5
    assert shown[0] == (f"{found.mean('speed', 'both'):.2f} m/s", "speed")
    assert shown[1][0] == f"{found.mean('cadence', 'both'):.0f} steps/min"
    assert shown[4] == ("good", "trust in the measurement")


def test_the_gait_profile_score_is_that_of_the_curves_on_paper():
    """Oracle: root mean square distance of the drawn cycles from the drawn norm, nine curves, every 2 %, by hand."""
    grid = blocks(report(), "kinematics", Grid)[0]
    panels = {panel.name: panel for row in grid.rows for panel in row}
    nine = [panel for name, panel in panels.items() if panel.band is not None]
    assert len(nine) == 9
    for side, column in (("right", 0), ("left", 1)):
        squares = []
        for panel in nine:
            course = next(one for one in panel.courses if one.side == side)
            squares.append(np.mean((course.curves[:, ::2] - panel.band.mean[::2]) ** 2, axis=1))
        by_hand = np.sqrt(np.mean(squares, axis=0)).mean()
        profile = cells(table(report(), "indices", "Movement Analysis Profile"))
        assert float(profile["Gait Profile Score"][column].split(" ")[0]) == pytest.approx(by_hand, abs=0.051)
        bars = blocks(report(), "indices", Bars)[0]
        assert getattr(bars.bars[-1], side) == pytest.approx(by_hand, rel=1e-9)


def test_the_right_score_may_leave_the_pelvis_out_as_visual3d_does():
    """Six of the nine curves on the right: from the same profile by hand; left and both sides as before."""
    made = clinical_report([visit()], ReportDefinition(pages=(PageEntry("indices", six_right=True),)))
    bars = {one.label: one for one in blocks(made, "indices", Bars)[0].bars}
    usual = {one.label: one for one in blocks(report(), "indices", Bars)[0].bars}
    score, before = bars["Gait Profile Score"], usual["Gait Profile Score"]
    assert (score.left, score.both) == (before.left, before.both)
    legs = [one.right for name, one in bars.items() if not name.startswith(("Pelvis", "Gait"))]
    assert len(legs) == 6
    # of means over cycles instead of cycles: alike to the second order of the small spread between them
    assert score.right == pytest.approx(np.sqrt(np.mean(np.square(legs))), abs=0.05)
    assert score.right != pytest.approx(before.right, abs=1e-6)
    assert "As in Visual3D" in table(made, "indices", "Movement Analysis Profile").note


def test_the_emg_of_the_walk_has_a_page():
    grid = blocks(report(), "emg", Grid)[0]
    names = [panel.name for row in grid.rows for panel in row]
    assert names[:2] == ["right gluteus medius", "left gluteus medius"]
    assert all(panel.active and panel.courses[0].raw is not None for row in grid.rows for panel in row)


def test_values_have_the_windows_of_the_curves_and_the_norm_beside():
    norm = next(one for one in shipped_norm(ADULTS).discrete if one.name == "knee flexion, peak in swing")
    found = cells(table(report(), "indices", "Values of the curves"))["Knee flexion, peak in swing [°]"]
    course = blocks(report(), "kinematics", Grid)[0].rows[2][0].courses[0]
    peaks = [curve[round(course.foot_off) :].max() for curve in course.curves]
    assert float(found[0].split(" ")[0]) == pytest.approx(np.mean(peaks), abs=0.06)
    assert found[2] == f"{norm.mean:.1f} ± {norm.sd:.1f}"
    assert float(found[3].replace("−", "-")) == pytest.approx((np.mean(peaks) - norm.mean) / norm.sd, abs=0.06)


def test_time_and_distance_are_those_of_the_walk():
    found, shown = time_and_distance(walk()), cells(table(report(), "time and distance", "Straight strides"))
    assert shown["Step length [m]"][0].startswith(f"{found.mean('step_length', 'Right'):.2f}")
    assert shown["Cadence [steps/min]"][2] == f"{found.mean('cadence', 'both'):.0f}"
    speed = next(one for one in shipped_norm(ADULTS).parameters if one.name == "speed")
    assert shown["Speed [m/s]"][3] == f"{speed.mean:.2f} ± {speed.sd:.2f}"


# ------------------------------------------------------------------------------------------------------ ground reaction
def test_ground_reaction_is_what_the_plates_measured():
    found, weight = ground_reactions(visit()), GRAVITY * float(walk().body.person.measures["mass"])
    assert set(found) == {"right", "left"}
    trial, external = walk().session.dynamic, walk().loads.external
    for side, one in found.items():
        assert len(one.origins) == 2
        for k, origin in enumerate(one.origins):
            mine = [n for n, name in enumerate(external.segments) if name == f"{side} foot"]
            up = external.force[origin.first : origin.last + 1, mine, 1].sum(axis=1) / weight
            percent = np.linspace(0.0, 100.0, len(up))
            at_frames = np.interp(percent, np.linspace(0.0, 100.0, 101), one.forces[VERTICAL][k])
            # a spline through frames at 50 Hz, read between its 101 points by lines: up to 1 % off where it bends most
            assert_allclose(at_frames, up, atol=0.015)
    plates = np.concatenate([plate.force[:, 1] for plate in trial.plates])
    largest = max(one.forces[VERTICAL].max() for one in found.values())
    assert largest == pytest.approx(np.abs(plates).max() / weight, rel=0.05)  # plates are filtered before


def test_components_are_towards_the_other_foot_and_along_the_way():
    """A leg in stance pushes the body to the other side, slows it first and drives it on later; both sides alike."""
    found = ground_reactions(visit())
    for one in found.values():
        assert np.nanmean(one.stance(MEDIAL)) > 0.0
        assert np.isfinite(one.stance(FORWARD)[:, :50]).all()
        assert np.isnan(one.stance(FORWARD)[:, 65:]).all()
    assert_allclose(
        np.nanmean(found["right"].stance(MEDIAL)), np.nanmean(found["left"].stance(MEDIAL)), atol=0.01
    )  # the walk is symmetric


def test_pressure_goes_from_heel_to_toes():
    made = blocks(report(), "ground reaction", PathOfPressure)[0]
    assert {side for side, _, _ in made.paths} == {"right", "left"}
    for _, _, path in made.paths:
        assert path[0, 1] < 60.0
        assert 120.0 < path[-1, 1] < 300.0
        assert np.abs(path[:, 0]).max() < 80.0
    assert "from the heel marker" in made.note


# ------------------------------------------------------------------------------------------------------ what is missing
def test_without_a_norm_nothing_is_scored_and_the_page_says_so():
    made = clinical_report([visit()], ReportDefinition(norm="none"))
    for kind in ("kinematics", "kinetics"):
        for grid in blocks(made, kind, Grid):
            assert all(panel.band is None for row in grid.rows for panel in row)
    assert ("There is no norm to score against.",) in [one.sentences for one in blocks(made, "indices", Words)]
    assert not any("Gait Profile" in what for _, what in made.highlights)
    assert {row[3] for row in table(made, "indices", "Values of the curves").rows} == {NOTHING}


def test_a_norm_that_is_not_there_costs_a_sentence():
    made = clinical_report([visit()], only("kinematics", norm="adults-fukuchi2019"))
    assert "adults-fukuchi2018" in made.notices[0]
    assert made.notices[0].endswith("The nearest norm is taken.")
    assert blocks(made, "kinematics", Grid)[0].rows[0][0].band is not None


def test_one_cycle_of_one_side():
    first = walk().session.dynamic.first_frame
    notes = ClinicalNotes()
    for side, kept in (("right", 0), ("left", None)):
        borders = walk().cycles.groups[side.capitalize()].borders
        for k, border in enumerate(borders[:-1]):
            if k != kept:
                notes = notes.with_excluded_cycle(side, border + first, "not wanted")
    made = clinical_report([visit_of([noted(notes)])])
    grid = blocks(made, "kinematics", Grid)[0]
    courses = [course for row in grid.rows for panel in row for course in panel.courses]
    assert {(course.side, len(course.curves)) for course in courses} == {("right", 1)}
    assert "kinematics of every cycle" not in {page.kind for page in made.pages}
    reasons = {one.title: one.reason for one in made.left_out}
    assert reasons["Kinematics, every cycle"] == "There is one cycle; it is shown on the page before."
    assert len(table(made, "measured", "Left out").rows) == 5
    assert [what for _, what in made.highlights][2] == "Gait Profile Score, right / left"
    assert made.highlights[2][0].endswith("° / –")


def test_without_plates_pages_of_loads_are_left_out():
    bare = replace(walk().session.dynamic, plates=())
    analysis = Analysis(replace(walk().session, dynamic=bare, results={}), walk().settings).run_until("cycles")
    made = clinical_report([visit_of([analysis])])
    reasons = {one.title: one.reason for one in made.left_out}
    assert reasons["Kinetics, mean"] == "No force plate."
    assert reasons["Ground reaction"] == "There is no force plate in the recordings."
    assert "kinematics" in {page.kind for page in made.pages}


def test_a_visit_whose_recordings_are_all_excluded_still_gives_a_report():
    made = clinical_report([visit_of([noted(ClinicalNotes(excluded="ran"))])])
    assert "left out: ran" in texts(made)
    assert {"summary", "measured"} <= {page.kind for page in made.pages}
    assert "No cycle counts." in {one.reason for one in made.left_out}


def test_many_cycles_have_a_page_for_each_side():
    made = clinical_report([visit_of([walk()] * 3)], only("kinematics of every cycle"))
    assert [page.title for page in made.pages] == ["Kinematics, every cycle, right", "Kinematics, every cycle, left"]
    for page, side in zip(made.pages, ("right", "left"), strict=True):
        grid = page.blocks[0]
        assert grid.style == EVERY
        assert {course.side for row in grid.rows for panel in row for course in panel.courses} == {side}
        assert len(grid.rows[1][0].courses[0].curves) == 9
    single = clinical_report([visit()], only("kinematics of every cycle"))
    assert [page.title for page in single.pages] == ["Kinematics, every cycle"]


def test_comparisons_have_no_panels_for_angles_that_the_model_does_not_have():
    pages = [page for page in clinical_report([visit(), visit()]).pages if page.kind == "comparison"]
    grid = next(block for block in pages[0].blocks if isinstance(block, Grid))
    assert [panel.missing for row in grid.rows for panel in row if panel is not None] == [""] * 9


@pytest.mark.parametrize(
    ("words", "short"),
    [("extension", "extension"), ("radial deviation", "radial dev."), ("left lateral flexion", "left lat. flex."),
     ("internal rotation", "int. rot.")],
)  # fmt: skip
def test_words_at_the_end_of_an_axis_are_short(words, short):
    assert end_of_axis(words) == short


def test_several_visits_are_laid_over_each_other():
    before = visit_of([noted(ClinicalNotes(condition="barefoot"))])
    after = visit_of([noted(ClinicalNotes(condition="shod"))])
    made = clinical_report([after, before], only("comparison", detectable_change={"Gait Profile Score": 0.7}))
    assert "0.7" in {cell for row in table(made, "comparison", "Scores").rows for cell in row}
    grids = [block for page in made.pages for block in page.blocks if isinstance(block, Grid)]
    assert {course.visit for grid in grids for row in grid.rows for panel in row for course in panel.courses} == {0, 1}


# ---------------------------------------------------------------------------------------------------------------- names
SOMEBODY = Subject("Anna Maria Beispiel", "male", 81.6, 1.79, date(1990, 5, 4))


def of_somebody(**notes) -> Visit:
    written = ClinicalNotes(findings="Anna bends\nthe knee; Beispiel, born 1990-05-04.", referrer="Dr. Ward", **notes)
    source = replace(walk().session.dynamic.source, name="Anna_Beispiel_walk1.c3d")
    trial = replace(walk().session.dynamic, source=source)
    session = {"subject": SOMEBODY, "recorded": date(2026, 3, 2), "dynamic": trial}
    return visit_of([noted(written, **session)])


@pytest.mark.parametrize("identifier", ["P-017", "", "Anna-17"])
def test_without_name_there_is_neither_name_nor_birth_in_any_text(identifier):
    named = clinical_report([of_somebody(identifier=identifier)])
    assert named.heading.who == "Anna Maria Beispiel"
    assert named.heading.born == "4 May 1990"
    assert "Anna_Beispiel_walk1" in texts(named)
    made = clinical_report([of_somebody(identifier=identifier)], nameless=True)
    everything = texts(made).lower()
    for word in ("anna", "maria", "beispiel", "1990", "4 may"):
        assert word not in everything
    assert made.heading.who == "35 years"
    assert made.heading.identifier == ("P-017" if identifier == "P-017" else "subject")
    assert made.heading.born == ""
    assert "dr. ward" in everything  # whoever sent the person is not the person
    assert "recording 1" in everything
    free = next(one for one in blocks(made, "summary", FreeText) if one.key == "findings")
    assert "bends\nthe knee" in free.text
    assert len(made.pages) == len(named.pages)


def test_words_of_the_clinician_are_kept_as_they_are_and_empty_ones_leave_room():
    markup = "<b>Knee</b> & hip\n\n=1+1"
    made = clinical_report([visit_of([noted(ClinicalNotes(interpretation=markup, question="Why?"))])])
    free = {one.key: one for one in blocks(made, "summary", FreeText)}
    assert list(free) == ["findings", "interpretation", "recommendation", "signature"]
    assert free["interpretation"].text == markup
    assert (free["findings"].text, free["findings"].lines) == ("", 6)
    assert [(one.title, one.sentences) for one in blocks(made, "summary", Words)] == [
        ("Question of the referral", ("Why?",))
    ]


def test_a_name_of_two_hundred_letters_with_markup_stays_words():
    name = "<b>" + "Å" * 200 + "</b> & $x$"
    made = clinical_report([visit_of([noted(ClinicalNotes(), subject=replace(SOMEBODY, name=name))])], only("summary"))
    assert made.heading.who == name
    assert cells(blocks(made, "summary", Table)[0])["Name"] == (name,)


def test_a_report_with_muscles_has_a_page_of_what_joints_bear():
    made = clinical_report([visit_of([with_muscles()])])
    page = next(one for one in made.pages if one.kind == "muscles")
    assert isinstance(page.blocks[0], Words)
    assert page.blocks[0].sentences[0] == with_muscles().muscles.trust.verdict
    captions = [block.caption for block in page.blocks[1:] if isinstance(block, Table)]
    assert captions[1] == "Contact forces, right and left"
