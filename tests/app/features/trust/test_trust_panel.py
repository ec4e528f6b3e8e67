"""Trust at a glance, as a user meets it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFont, QFontMetricsF

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.reporting.trust import Level
from biomec_app.features.trust.panel import TrustPanel
from biomec_app.kit.bar_chart import LINE, TITLE, Bar, BarChart
from biomec_app.kit.theme import DARK


@pytest.fixture
def panel(qtbot, context, document_with_demo):
    widget = TrustPanel(context)
    qtbot.addWidget(widget)
    widget.resize(460, 520)
    widget.show()
    qtbot.waitUntil(lambda: widget.trust is not None, timeout=5000)
    return widget


def test_the_verdict_and_the_worst_parts_are_said(panel):
    assert panel.trust.level is Level.GOOD
    assert "1885 frames obey the model" in panel.verdict.text()
    text = panel.findings.text()
    for finding in panel.trust.findings:
        assert finding.title in text
        assert finding.words in text


def test_links_go_to_the_frames_and_pick_what_they_name(panel, document_with_demo):
    for k, finding in enumerate(panel.trust.findings):
        panel.findings.linkActivated.emit(str(k))
        assert document_with_demo.frame == finding.frame
        if finding.marker or finding.landmark:
            assert document_with_demo.selection.point == (finding.marker or finding.landmark)
        elif finding.segment:
            assert document_with_demo.selection.segment == finding.segment


def test_a_bar_picks_its_marker(qtbot, panel, document_with_demo):
    second = panel.trust.markers[1].name
    qtbot.mouseClick(panel.markers, Qt.MouseButton.LeftButton, pos=QPoint(20, TITLE + LINE + 5))
    assert document_with_demo.selection.point == second


def test_a_click_on_the_course_goes_there(panel, document_with_demo):
    class Click:
        def scenePos(self) -> QPointF:
            return panel.course.fit.vb.mapViewToScene(QPointF(7.5, 1.0))

        def button(self):
            return Qt.MouseButton.LeftButton

    panel.course._clicked(Click())
    assert document_with_demo.frame == 750
    assert panel.course._hands[0].value() == pytest.approx(7.5)


def test_it_waits_until_somebody_looks(qtbot, context, document_with_demo):
    hidden = TrustPanel(context)
    qtbot.addWidget(hidden)
    qtbot.turns()
    assert hidden.trust is None
    hidden.show()
    qtbot.waitUntil(lambda: hidden.trust is not None, timeout=5000)


def test_before_the_analysis_it_says_what_to_do(qtbot, context, demo_analysis):
    context.document.open(Analysis(demo_analysis.session, demo_analysis.settings))
    widget = TrustPanel(context)
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: "Consistent Positions" in widget.pages.nothing.text(), timeout=5000)
    assert widget.pages.currentIndex() == 0
    context.document.close()
    assert widget.pages.nothing.text() == "No recording is open."


def test_before_the_analysis_a_link_runs_it(qtbot, context, demo_analysis):
    """The panel of the loads could run what it asks for, this one only told of it."""
    widget = TrustPanel(context)
    qtbot.addWidget(widget)
    widget.show()
    earlier = {name: demo_analysis.done[name] for name in ("preparation", "signals", "body")}
    context.document.open(Analysis(demo_analysis.session, demo_analysis.settings, earlier))
    qtbot.waitUntil(lambda: 'href="run"' in widget.pages.nothing.text(), timeout=5000)
    asked = []
    context.run_until = lambda step, title="": asked.append((step, title))
    widget.pages.nothing.linkActivated.emit("run")
    assert asked == [("cycles", "Kinematic Analysis")]
    messages = []
    context.user.tell = context.user.fail = lambda title, sentence: messages.append((title, sentence))

    def busy(step: str, title: str = "") -> None:
        raise BiomecError("Something else is running.")

    context.run_until = busy
    widget.pages.nothing.linkActivated.emit("run")
    assert messages == [("Kinematic Analysis", "Something else is running.")]


def test_results_of_older_settings_are_marked(qtbot, panel, document_with_demo, demo_analysis):
    assert "Settings have changed" not in panel.verdict.text()
    settings = demo_analysis.settings
    other = replace(settings, positions=replace(settings.positions, contacts="never"))
    document_with_demo.change("no contacts", demo_analysis.with_settings(other))
    qtbot.waitUntil(lambda: "Settings have changed" in panel.verdict.text(), timeout=5000)


def test_both_themes_are_drawn(panel):
    light = panel.grab().toImage()
    panel.set_theme(DARK)
    dark = panel.grab().toImage()
    assert light != dark


def test_bars_are_as_long_as_their_numbers(qtbot):
    chart = BarChart("chart", "Chart")
    qtbot.addWidget(chart)
    chart.set_bars([Bar("a", (4.0,), "4"), Bar("b", (1.0,), "1"), Bar("c", (float("nan"),), "–")], limit=2.0)
    assert [chart._part(value) for value in (4.0, 1.0, np.nan, 8.0)] == [1.0, 0.25, 0.0, 1.0]
    chart.set_bars([Bar("a", (1e-4, 1e-8), "")], ("rebuilt", "measured"), log=(-8.0, 0.0))
    assert [chart._part(value) for value in (1e-4, 1e-8, 1.0, 0.0)] == [0.5, 0.0, 1.0, 0.0]


def test_a_chart_works_by_keyboard(qtbot):
    chart = BarChart("chart", "Chart")
    qtbot.addWidget(chart)
    chart.set_bars([Bar("a", (1.0,), "1", payload="first"), Bar("b", (1.0,), "1", payload="second")])
    chart.show()
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    with qtbot.waitSignal(chart.chosen) as chosen:
        qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert chosen.args == ["second"]


def test_violations_say_their_unit_and_what_is_good():
    from biomec.reporting.trust import TypeViolation
    from biomec_app.features.trust.panel import _judged, _violation

    joints = TypeViolation("spherical", "Ball joints", 3e-3, 2e-15)
    assert _violation(joints) == "3·10⁻³ → 2·10⁻¹⁵ m"
    assert "(m), the mean of a row. This is good" in _judged(joints)
    assert "too much" in _judged(TypeViolation("spherical", "Ball joints", 3e-3, 1e-3))
    assert _violation(TypeViolation("ellipsoid", "Scapula on ribs", 1e-2, 1e-12)).endswith("(scaled)")


@pytest.mark.parametrize("width", [220, 330, 460])
def test_title_note_and_legend_of_bars_never_lie_over_each_other(qtbot, width):
    """The note is cut where there is no room for it: the title alone has the pixels of the title."""
    legend = ("as measured", "consistent")
    charts = [BarChart("x", "Constraints", note) for note in ("", "a note that is much longer than any room beside it")]
    for chart in charts:
        qtbot.addWidget(chart)
        chart.resize(width, 60)
        chart.set_bars([Bar("Hinges", (1.0, 0.5), "1")], ("rebuilt", "measured"), legend=legend)
    font = QFont(charts[0].font())
    font.setBold(True)
    title = QRect(0, 0, round(QFontMetricsF(font).horizontalAdvance("Constraints")), TITLE)
    alone, beside = (chart.grab(title).toImage() for chart in charts)
    assert alone == beside
