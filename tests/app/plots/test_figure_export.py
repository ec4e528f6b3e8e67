"""Numbers of a figure, read back."""

import csv
import io

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec_app.curves.catalogue import catalogue
from biomec_app.plots.figure_export import figure_table, figure_text
from biomec_app.plots.plot_content import panes
from biomec_app.session.plot_view import MEAN, PlotView

KEYS = ("angle/right elbow flexion", "angle/left elbow flexion", "plate/Mao_D/force Y")


def test_columns_are_the_curves(demo_analysis: Analysis) -> None:
    curves = catalogue(demo_analysis)
    text = figure_text(panes(curves.found(KEYS), PlotView(), demo_analysis))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == [
        "time [s]", "right elbow flexion [°]", "left elbow flexion [°]", "time [s]", "right hand (Mao_D), force Y [N]",
    ]  # fmt: skip
    read = np.array([float(row[1]) for row in rows[1:] if row[1]])
    assert np.allclose(read, curves[KEYS[0]].values, rtol=1e-9)
    assert len(rows) - 1 == len(curves[KEYS[2]].values)


def test_only_the_window_is_given(demo_analysis: Analysis) -> None:
    shown = panes(catalogue(demo_analysis).found(KEYS[:2]), PlotView(), demo_analysis)
    _, columns = figure_table(shown, (2.0, 3.0))
    assert columns[0][0] == 2.0
    assert columns[0][-1] == 3.0
    assert len(columns[1]) == 101


def test_mean_cycles_come_with_their_spread(demo_analysis: Analysis) -> None:
    shown = panes(catalogue(demo_analysis).found(KEYS[:1]), PlotView(over=MEAN), demo_analysis)
    heads, columns = figure_table(shown)
    assert heads == [
        "cycle [%]", "right elbow flexion, mean [°]", "right elbow flexion, standard deviation [°]",
    ]  # fmt: skip
    assert len(columns[2]) == 101


def test_missing_numbers_are_empty(demo_analysis: Analysis) -> None:
    (pane,) = panes(catalogue(demo_analysis).found(KEYS[:1]), PlotView(), demo_analysis)
    y = pane.traces[0].y.copy()
    y[3] = np.nan
    from dataclasses import replace

    gap = replace(pane, traces=(replace(pane.traces[0], y=y),))
    assert figure_text([gap], separator="\t").splitlines()[4] == "0.03\t"
