"""Grids of clinical curves: what is drawn, on which scale, and why something is not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.recording import ClinicalNotes
from biomec.reporting.clinical.blocks import EVERY
from biomec.reporting.clinical.panels import kinematic_grid, kinetic_grid
from biomec.reporting.clinical.visit import visit_of
from biomec.reporting.clinical_presentation import KINEMATIC_GRID, NINE
from biomec.reporting.norms.norm_file import shipped_norm
from tests.core.reporting.clinical.walks import walk

ADULTS, CHILDREN = "adults-fukuchi2018", "children-dixon2017"


def panels(grid):
    return {panel.name: panel for row in grid.rows for panel in row if panel is not None}


def test_twelve_panels_or_the_nine_of_the_score():
    visit = visit_of([walk()])
    twelve, nine = (panels(kinematic_grid([visit], None, nine=short)) for short in (False, True))
    assert list(twelve) == [name for row in KINEMATIC_GRID for name in row]
    assert tuple(nine) == NINE
    knee = twelve["knee flexion"]
    assert [(one.side, one.label, len(one.curves), one.banded) for one in knee.courses] == [
        ("right", "Right", 3, True), ("left", "Left", 3, True)
    ]  # fmt: skip
    for course in knee.courses:
        assert_allclose(course.mean, course.curves.mean(axis=0), atol=1e-12)
        assert_allclose(course.sd, course.curves.std(axis=0, ddof=1), atol=1e-12)
        assert course.foot_off == pytest.approx(visit.cycles()[course.side, "knee flexion"].foot_off.mean())
        assert course.opposite_contact == pytest.approx(50.0, abs=0.1)
        assert course.static == pytest.approx(visit.static()[course.side, "knee flexion"])
    assert (knee.up, knee.down, knee.title) == ("Flex", "Ext", "Knee flexion [°]")


def test_bands_are_those_of_the_norm():
    visit, norm = visit_of([walk()]), shipped_norm(CHILDREN)
    found = panels(kinetic_grid([visit], norm, deviations=2.0))
    band, curve = found["ankle power"].band, norm.curves["ankle power"]
    assert_allclose(band.high - band.mean, 2.0 * curve.sd)
    assert band.foot_off == pytest.approx(58.4574)
    assert found["knee rotator moment"].band is None
    assert "2 SD" in kinetic_grid([visit], norm, deviations=2.0).note
    assert "No norm." in kinematic_grid([visit], None).note


def test_sides_and_visits_share_one_scale():
    visit = visit_of([walk()])
    for name, panel in panels(kinematic_grid([visit, visit], None, EVERY)).items():
        if panel.missing:  # angles that this model does not have
            assert panel.missing == "not an angle of this model"
            continue
        assert len(panel.courses) == 4
        for sides in (("right",), ("left",)):
            alone = panels(kinematic_grid([visit], None, EVERY, sides=sides))[name]
            assert (alone.low, alone.high) == (panel.low, panel.high)
            assert {one.side for one in alone.courses} == set(sides)
        values = np.concatenate([one.curves.ravel() for one in panel.courses])
        assert panel.low <= values.min()
        assert values.max() <= panel.high
    assert "visit 1" in kinematic_grid([visit, visit], None).note


def test_what_is_missing_says_why():
    def why(analysis):
        return panels(kinetic_grid([visit_of([analysis])], None))["hip power"].missing

    def without(*steps):
        return {name: done for name, done in walk().done.items() if name not in steps}

    session = walk().session
    assert why(walk()) == ""
    assert why(replace(walk(), done=without("loads"))) == "loads were not computed"
    bare = replace(session, dynamic=replace(session.dynamic, plates=()))
    assert why(replace(walk(), done=without("loads"), session=bare)) == "no force plate"
    out = replace(session, notes=ClinicalNotes(excluded="ran"))
    nothing = kinematic_grid([visit_of([replace(walk(), session=out)])], shipped_norm(ADULTS))
    assert {(one.missing, one.courses, one.band) for one in panels(nothing).values()} == {("no cycle counts", (), None)}
