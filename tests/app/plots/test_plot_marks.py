"""Marks of plots: hundreds of them must not cover the curves."""

import numpy as np
from PySide6.QtCore import QRectF

from biomec_app.kit.theme import LIGHT
from biomec_app.plots.plot_items import RUG, Rules
from biomec_app.plots.plot_marks import APART, RUG_APART, as_lines, thinned
from biomec_app.plots.plot_pane import BORDER, MIDDLE, Mark
from biomec_app.plots.plot_style import PlotStyle

MANY = np.arange(0.0, 90.0, 0.25)  # 360 events in 90 s


def test_marks_are_crowded_by_the_pixels_between_them():
    assert as_lines([MANY], 0.0, 90.0, 400.0) == [False]
    assert as_lines([MANY], 10.0, 12.0, 400.0) == [True]  # zoomed in: 9 lines, 44 pixels apart
    assert as_lines([MANY], 0.0, 90.0, 360 * APART) == [True]
    assert as_lines([np.array([1.0, 1.1])], 0.0, 90.0, 10.0) == [True]  # two lines cover nothing


def test_the_most_important_lines_stay_lines():
    borders, turns = np.arange(6.0), np.arange(5.0) + 0.5
    assert as_lines([borders, turns], 0.0, 5.0, 150.0) == [True, True]
    assert as_lines([borders, turns], 0.0, 5.0, 80.0) == [True, False]
    assert as_lines([borders, turns], 0.0, 5.0, 50.0) == [False, True]


def test_a_rug_has_no_two_strokes_in_one_place():
    kept = MANY[thinned(MANY, 0.0, 90.0, 400.0)]
    cells = np.floor(kept * 400.0 / (90.0 * RUG_APART))
    assert len(np.unique(cells)) == len(kept)
    assert 100 < len(kept) <= 400.0 / RUG_APART + 1
    assert len(thinned(MANY, 200.0, 300.0, 400.0)) == 0


def test_crowded_lines_become_short_strokes_at_the_bottom_and_lines_again_when_zoomed(qapp):
    rules = Rules([Mark(float(x), BORDER, MIDDLE) for x in MANY], PlotStyle(LIGHT), zero=True)
    ((_, strokes),) = rules.strokes(QRectF(0.0, -10.0, 90.0, 20.0), 400.0, 100.0)
    assert {round(line.dy(), 9) for line in strokes} == {round(RUG * 20.0 / 100.0, 9)}
    assert {line.y1() for line in strokes} == {-10.0}  # the bottom of the axis: values grow upwards
    ((pen, lines),) = rules.strokes(QRectF(10.0, -10.0, 2.0, 20.0), 400.0, 100.0)
    assert len(lines) == 9
    assert all(line.dy() == 20.0 for line in lines)
    assert pen.color().red() > 150  # borders of cycles are red dashed lines
