"""Curves of muscles and joint contact in the clinical report: which cycles they are of, and where they have gaps."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

from biomec.body.muscles.lacking import lower_bounds
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import cycles_of_joints
from biomec.reporting.clinical.blocks import Grid, Page
from biomec.reporting.clinical.definition import PageEntry, ReportDefinition
from biomec.reporting.clinical.muscle_curves import activation_grid, contact_grid
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import visit_of
from tests.core.pipeline.muscled import with_muscles
from tests.core.reporting.clinical.walks import walk


@cache
def muscled() -> Analysis:
    settings = walk().settings
    return walk().with_settings(replace(settings, muscles=replace(settings.muscles, set="legs"))).run_until("muscles")


def panels(grid: Grid) -> dict:
    return {panel.name: panel for row in grid.rows for panel in row if panel is not None}


def test_contact_is_that_of_the_counted_cycles_with_gaps_where_torque_is_lacking():
    """Three cycles of each foot, the first of the right one with an estimated ground reaction."""
    analysis = muscled()
    drawn = panels(contact_grid(visit_of([analysis])))
    assert list(drawn) == ["hip", "knee", "ankle"]
    found = analysis.muscles
    j = found.contacts.index("right hip")
    cycles = cycles_of_joints(analysis, ("right hip",))["Right"]
    assert cycles.valid.tolist() == [False, True, True]
    course = next(one for one in drawn["hip"].courses if one.side == "right")
    assert [origin.number for origin in course.origins] == [1, 2]
    least = lower_bounds(found.model, found.forces)[:, j]
    for curve, (first, last) in zip(course.curves, cycles.spans[cycles.valid], strict=True):
        size = found.contacts.size[first : last + 1, j] / found.contacts.body_weight
        known = np.isfinite(curve)
        at = np.linspace(0.0, last - first, 101)
        lacking = np.interp(at, np.arange(last - first + 1), least[first : last + 1]) > 0.01
        assert (known == ~lacking).all()
        cubic = np.clip(CubicSpline(np.arange(last - first + 1), size)(at), size.min(), size.max())
        assert_allclose(curve[known], cubic[known], rtol=0, atol=1e-6)
    assert 50.0 < course.foot_off < 70.0


def test_activation_has_usual_timing_and_parts_rather_than_wholes():
    drawn = panels(activation_grid(visit_of([muscled()])))
    assert {"soleus", "medial gastrocnemius", "gluteus medius"} <= set(drawn)
    assert not {"hamstrings", "gastrocnemius", "vastus medialis obliquus"} & set(drawn)
    soleus = drawn["soleus"]
    assert soleus.active
    forces = muscled().muscles.forces
    course = next(one for one in soleus.courses if one.side == "left")
    first, last = course.origins[0].first, course.origins[0].last
    level = 100.0 * forces.activation[first : last + 1, forces.index("soleus_l")]
    assert course.curves[0].max() == pytest.approx(level.max(), rel=0.05)
    assert all(panel.high <= 100.0 for panel in drawn.values())


def test_cycles_of_several_recordings_are_pooled_and_excluded_ones_are_not():
    once, twice = contact_grid(visit_of([muscled()])), contact_grid(visit_of([muscled(), muscled()]))
    for name, panel in panels(once).items():
        for one, both in zip(panel.courses, panels(twice)[name].courses, strict=True):
            assert len(both.curves) == 2 * len(one.curves)
            assert {origin.trial for origin in both.origins} == {0, 1}


def test_the_pages_stand_in_the_report_and_movements_without_steps_have_their_busiest_muscles():
    made = clinical_report([visit_of([muscled()])], ReportDefinition(pages=(PageEntry("muscles"),)))
    assert [page.title.rpartition(", ")[2] for page in made.pages] == [
        "Muscles and joint contact", "activation", "tables",
    ]  # fmt: skip
    assert all(isinstance(page, Page) and page.blocks for page in made.pages)
    push_up = visit_of([with_muscles()])
    grid = activation_grid(push_up)
    if grid is not None:
        assert all(not panel.active for panel in panels(grid).values())
    assert contact_grid(visit_of([walk()])) is None
    assert activation_grid(visit_of([walk()])) is None
