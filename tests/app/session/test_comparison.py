"""Comparing with another recording in the window: read in the background, drawn in its colour, undone, told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.io.project import save_project
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.conditions import compared_with, places
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.style import Ink
from biomec_app.kit.theme import LIGHT
from biomec_app.plots.plot_pane import CONDITIONS
from biomec_app.plots.plots import PlotPanel
from biomec_app.session.plot_view import MEAN
from biomec_app.shell.actions import signal_analysis

ELBOWS = ("angle/right elbow flexion", "angle/left elbow flexion")


@pytest.fixture(scope="module")
def demo_analysis(short_analysis: Analysis) -> Analysis:
    """Two push-ups instead of five."""
    return short_analysis


@pytest.fixture(scope="module")
def project(demo_analysis: Analysis, tmp_path_factory) -> Path:
    """The demonstration under another name, saved."""
    path = tmp_path_factory.mktemp("other") / "20260302_Demo_PushUpOpen1.biomec"
    session = demo_analysis.session
    source = replace(session.dynamic.source, name="20260302_Demo_PushUpOpen1.emt")
    other = replace(session, dynamic=replace(session.dynamic, source=source))
    save_project(Analysis(other, demo_analysis.settings).run_until("cycles").stored(), path)
    return path


@pytest.fixture
def panel(qtbot, context, document_with_demo) -> PlotPanel:
    panel = PlotPanel(context)
    qtbot.addWidget(panel)
    panel.resize(620, 700)
    panel.show()
    context.document.select(curves=ELBOWS)
    return panel


def action(key: str):
    return next(one for one in signal_analysis.actions() if one.key == key)


def compare(qtbot, context, path: Path) -> None:
    context.user.ask_file = lambda title, pattern, save, start: path
    with qtbot.waitSignal(context.jobs.finished, timeout=120_000):
        action("signals.compare").run(context)


def test_another_recording_is_drawn_beside_in_its_colour_and_taken_away_again(qtbot, context, panel, project):
    compare(qtbot, context, project)
    assert context.plots.view.over == MEAN
    panel.refresh()
    right, left = panel.panes
    assert (right.title, left.title) == ("Elbow, right", "Elbow, left")
    assert [(t.name, t.colour) for t in right.traces] == [
        ("PushUpClosed1", CONDITIONS[0]), ("PushUpOpen1", CONDITIONS[1]),
    ]  # fmt: skip
    assert_allclose(right.traces[0].y, right.traces[1].y, atol=1e-6)  # the same movement: means must agree
    legend = [name for name, _ in panel.grid.legend.entries]
    assert legend[:2] == ["PushUpClosed1", "PushUpOpen1"]
    assert "mean ± SD of 2 cycles" in legend
    assert "compared_with(" in context.document.history[-1]
    context.document.undo_stack.undo()
    panel.refresh()
    assert len(panel.panes) == 1  # both sides in one plot again
    context.document.undo_stack.redo()
    assert [one.name for one in context.comparison.conditions] == ["PushUpOpen1"]
    action("signals.compare.end").run(context)
    assert not context.comparison.conditions
    assert action("signals.compare.end").blocked(context) == "The recording is not compared with another one."


def test_over_time_the_panel_says_where_the_comparison_is(qtbot, context, panel, project):
    compare(qtbot, context, project)
    context.plots.set(over="time")
    panel.refresh()
    assert "PushUpOpen1" in panel.notice.text()
    panel.notice.linkActivated.emit("mean")
    assert context.plots.view.over == MEAN


def test_a_session_reads_its_companions_again_and_tells_what_is_gone(qtbot, context, panel, demo_analysis, project):
    context.document.open(compared_with(demo_analysis, [("open", project)]))
    qtbot.waitUntil(lambda: bool(context.comparison.conditions), timeout=120_000)
    lost = compared_with(demo_analysis, [("open", project.with_name("gone.biomec"))])
    context.document.open(lost)
    qtbot.waitUntil(lambda: bool(context.comparison.faults), timeout=60_000)
    panel.refresh()
    assert "gone.biomec" in panel.notice.text()
    assert places(context.document.analysis.session)  # nothing is forgotten


def test_a_file_that_is_no_project_leaves_everything_as_it_is(qtbot, context, panel, tmp_path):
    wrong = tmp_path / "wrong.biomec"
    wrong.write_bytes(b"not a project")
    before = context.document.analysis
    context.user.ask_file = lambda title, pattern, save, start: wrong
    with qtbot.waitSignal(context.jobs.failed, timeout=60_000):
        action("signals.compare").run(context)
    assert context.document.analysis is before
    assert not context.comparison.conditions


def test_the_figure_of_angles_draws_both_with_their_names(demo_analysis, project):
    from biomec.reporting.statistics.conditions import Place, read_condition

    kind, chosen = figure_named("angles"), {"joint": "Elbow", "shown": "Mean ± SD"}
    other = read_condition(Place("open", project))
    content = kind.compared(kind.content(demo_analysis, chosen), [other], "closed", chosen)
    figure = compose(kind, content, chosen, Ink(LIGHT), (9.0, 6.0), 60.0)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["closed", "open"]
    means = {line.get_color() for axes in figure.axes for line in axes.lines if line.get_linewidth() == 2.0}
    assert means == set(Ink(LIGHT).conditions[:2])
    names = [column.name for column in kind.data(content, chosen)]
    assert "left elbow flexion, closed, mean (deg)" in names
    assert "left elbow flexion, open, sd (deg)" in names
    assert len(set(names)) == len(names)
    assert "closed: 2 cycles; open: 2 cycles" in kind.remark(content, chosen)
    assert np.isfinite(kind.data(content, chosen)[1].values).all()
