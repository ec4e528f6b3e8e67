"""The panel of the muscles: list, search, keys, and how it goes together with the 3-D view and the plots."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu

from biomec_app.curves.catalogue import catalogue
from biomec_app.features.muscles import actions
from biomec_app.features.muscles.curves import COURSES, muscle_key
from biomec_app.features.muscles.heat_content import SAMPLES, over_cycle
from biomec_app.features.muscles.heat_map import thinned
from biomec_app.features.muscles.panel import MusclePanel
from biomec_app.features.muscles.plotted import ARM, contact_keys, keys_of, muscle_of_keys
from biomec_app.features.muscles.readings import readings_of


@pytest.fixture
def panel(qtbot, context, muscle_analysis):
    made = MusclePanel(context)
    qtbot.addWidget(made)
    context.document.open(muscle_analysis)
    made.resize(420, 700)
    made.show()
    qtbot.waitUntil(lambda: bool(made.map.rows))
    return made


def test_without_muscles_it_says_what_to_do(qtbot, context, short_analysis):
    made = MusclePanel(context)
    qtbot.addWidget(made)
    assert "No recording" in made.pages.nothing.text()
    context.document.open(short_analysis)
    assert "Muscle Forces" in made.pages.nothing.text()
    assert 'href="run"' in made.pages.nothing.text()


def test_emg_without_muscles_asks_for_nothing(qtbot, context, short_analysis):
    """It was looked for in the background, so that a message said to run Muscles first, and pictures failed."""
    made = MusclePanel(context)
    qtbot.addWidget(made)
    failures = []
    context.aside.failed.connect(lambda title, sentence: failures.append(sentence))
    context.document.open(short_analysis)
    made.show()
    assert short_analysis.session.dynamic.emg is not None
    made._aside_finished("other work")
    qtbot.waitUntil(lambda: not context.aside.busy)
    assert failures == []


def test_every_muscle_has_a_row_and_a_search_leaves_those_it_names(panel, muscle_analysis):
    assert len(panel.map.rows) == len(muscle_analysis.muscles.forces.names)
    panel.search.setText("vastus right")
    assert {row.muscle for row in panel.map.rows} == {"vas_med_r", "vas_int_r", "vas_lat_r"}
    panel.search.setText("nothing of the kind")
    assert panel.map.rows == ()
    panel.search.clear()
    panel._filter(side="left")
    assert all(row.side == "left" for row in panel.map.rows)
    panel._filter(side="", order="activity")
    means = [np.nanmean(row.values) for row in panel.map.rows]
    assert means == sorted(means, reverse=True)


def test_a_click_chooses_plots_and_goes_there_in_time(qtbot, panel, context):
    rows, shown = panel.map.rows, panel.map
    x = round(shown.map_left + 0.5 * (shown.map_right - shown.map_left))
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton, pos=QPoint(x, shown._tops[3] + 8))
    assert context.document.selection.muscle == rows[3].muscle
    assert context.document.selection.curves == (muscle_key("activation", rows[3].muscle),)
    assert abs(context.document.frame - 0.5 * context.document.frames) < 2
    qtbot.mouseClick(
        shown, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, QPoint(20, shown._tops[5] + 8)
    )
    assert context.document.selection.curves[-1] == muscle_key("activation", rows[5].muscle)
    assert len(context.document.selection.curves) == 2


def test_keys_go_through_the_list(qtbot, panel, context):
    looked = []
    context.plots.look_asked.connect(lambda: looked.append(True))
    first = QShortcut(QKeySequence("Home"), panel)  # as the timeline's in the same window
    first.activated.connect(lambda: looked.append("first frame"))
    for key, line in ((Qt.Key.Key_Down, 0), (Qt.Key.Key_Down, 1), (Qt.Key.Key_End, len(panel.map.rows) - 1),
                      (Qt.Key.Key_Up, len(panel.map.rows) - 2), (Qt.Key.Key_Home, 0)):  # fmt: skip
        qtbot.keyClick(panel.map, key)
        assert panel.map.line == line
        assert context.document.selection.muscle == panel.map.rows[line].muscle
    qtbot.keyClick(panel.map, Qt.Key.Key_Return)
    assert looked == [True]
    assert "row 1 of" in panel.map.accessibleDescription()


def test_a_muscle_picked_in_the_3d_view_is_plotted_and_marked(panel, context):
    context.document.select(muscle="soleus_r", segment=None, point=None)
    assert panel.map.muscle == "soleus_r"
    assert context.document.selection.curves == (muscle_key("activation", "soleus_r"),)
    assert "soleus" in panel.facts.text().lower()


def test_curves_of_one_muscle_let_it_stand_out(panel, context):
    context.document.select(curves=(muscle_key("force", "soleus_l"), muscle_key("power", "soleus_l")))
    assert context.document.selection.muscle == "soleus_l"
    context.document.select(curves=(muscle_key("force", "soleus_l"), muscle_key("force", "soleus_r")))
    assert context.document.selection.muscle == "soleus_l"
    assert muscle_of_keys(("angle/right knee flexion",)) is None


def test_groups_are_switched(panel, context, muscle_analysis):
    button = panel.groups
    group = readings_of(muscle_analysis).groups[0]
    button.switch(group)
    assert context.document.view.no_muscles == {group}
    assert all(row.dim for row in panel.map.rows if muscle_analysis.muscles.fitted.muscles[0].name == row.muscle)
    button.menu().aboutToShow.emit()
    parts = button.menu().findChildren(QMenu)
    assert {action.text() for part in parts for action in part.actions() if action.isCheckable()} >= {
        group.capitalize()
    }
    button.switch(group)
    assert not context.document.view.no_muscles


def test_buttons_show_overlays(qtbot, panel, context):
    for name, button in panel.overlays.items():
        before = name in context.document.view.overlays
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert (name in context.document.view.overlays) != before
        assert button.isChecked() != before


def test_curves_are_those_of_the_result(muscle_analysis):
    found, forces = catalogue(muscle_analysis), muscle_analysis.muscles.forces
    m = forces.index("soleus_r")
    assert np.array_equal(found[muscle_key("activation", "soleus_r")].values, 100.0 * forces.activation[:, m])
    assert np.array_equal(found[muscle_key("force", "soleus_r")].values, forces.force[:, m])
    power = found[muscle_key("power", "soleus_r")].values
    assert power == pytest.approx(muscle_analysis.muscles.work.power[:, m], abs=1e-12, nan_ok=True)
    readings = readings_of(muscle_analysis)
    for key in (*keys_of(readings, ("soleus_r",), (*COURSES, ARM)), *contact_keys(muscle_analysis)):
        assert key in found
    arm = found["muscle arm/soleus_r/right ankle dorsiflexion"]
    assert (arm.values[np.isfinite(arm.values)] < 0.0).all()  # the soleus turns the foot down
    hip = found["joint contact/right hip/with muscles [× body weight]"]
    assert hip.values.max() * muscle_analysis.muscles.contacts.body_weight == pytest.approx(
        muscle_analysis.muscles.contacts.size[:, muscle_analysis.muscles.contacts.index("right hip")].max()
    )


def test_thinned_values_keep_their_greatest():
    values = np.sin(np.linspace(0.0, 9.0, 5000))
    assert len(thinned(values, 700)) <= 700
    assert thinned(values, 700).max() == values.max()
    assert np.isnan(over_cycle(values, None)).all()
    assert len(over_cycle(values, None)) == SAMPLES


def test_items_say_why_they_cannot_run(context, muscle_analysis, short_analysis):
    items = {action.key: action for action in actions.ACTIONS if action.run is not None}
    assert items["muscles.forces"].blocked(context) == "Open or import a recording first."
    context.document.open(short_analysis)
    assert items["muscles.forces"].blocked(context) is None
    assert "Muscle Forces" in items["muscles.joints"].blocked(context)
    context.document.open(muscle_analysis)
    assert "up to date" in items["muscles.forces"].blocked(context)
    assert "up to date" in items["muscles.lower"].blocked(context)
    assert items["muscles.upper"].blocked(context) is None
    items["muscles.joints"].run(context)
    assert "contact forces" in context.document.view.overlays
    assert context.document.selection.curves == contact_keys(muscle_analysis)


def test_the_trust_page_tells_verdict_reserves_and_other_assumptions(qtbot, panel, context, muscle_analysis):
    tab = panel.trust
    assert muscle_analysis.muscles.trust.verdict.split(". ")[0] in tab.verdict.text()
    assert "Gait2392" in tab.facts.text()
    assert tab.try_.isEnabled()
    tab.find_sensitivity()
    qtbot.waitUntil(lambda: tab.sensitivity is not None)
    assert "weaker" in tab.changes.text()
    assert not tab.try_.isEnabled()
    titles = [one.title for one in tab.sensitivity.assumptions]
    assert titles == ["all muscles 20 % weaker", "all muscles 25 % stronger", "criterion Σ a³",
                      "criterion least greatest activation"]  # fmt: skip
    weaker = tab.sensitivity.assumptions[0]
    assert weaker.solved == 1.0
