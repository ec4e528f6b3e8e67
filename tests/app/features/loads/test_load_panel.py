"""The panel of the loads, as a user meets it; and inverse dynamics from the menu."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from biomec.base.notices import Grade
from biomec.body.loads.options import LoadOptions
from biomec.pipeline.analysis import Analysis, Done
from biomec.pipeline.load_sensitivity import CUTOFF, doubts_of, load_sensitivity
from biomec.pipeline.outlook import obstacle_of_loads
from biomec.pipeline.replay import script
from biomec_app.features.loads.actions import run_loads
from biomec_app.features.loads.arrow_row import scale_of, step_of
from biomec_app.features.loads.panel import LoadPanel
from biomec_app.features.loads.readings import Readings
from biomec_app.features.loads.trust_content import trust_page
from biomec_app.features.trust.verdicts import recording_told
from biomec_app.kit.theme import DARK
from biomec_app.shell.actions import all_actions
from biomec_app.shell.tree_content import tree
from tests.core.pipeline.standing import swaying_session

BY_KEY = {action.key: action for action in all_actions()}
SLOW_MS = 120_000


@pytest.fixture
def panel(qtbot, context, grips):
    context.document.open(grips["closed"])
    widget = LoadPanel(context)
    qtbot.addWidget(widget)
    widget.resize(440, 640)
    widget.show()
    qtbot.waitUntil(lambda: bool(widget.doubts), timeout=SLOW_MS)
    return widget


def test_the_page_says_verdict_limits_balance_and_agreement(panel, grips):
    loads = grips["closed"].loads
    assert loads.trust.verdict in panel.verdict.text()
    table = panel.table.text()
    for limit in ("25", "10", "50", "75"):
        assert f">{limit}<" in table
    assert "[Nunes2017] Appendix B" in table
    assert f"{loads.trust.residuals.force_rms[3]:.1f}" in table
    facts = panel.facts.text()
    assert "Balance of the whole body" in facts
    assert "published: 1.5 N and 0.75 N·m" in facts


def test_bars_show_how_far_every_joint_may_be_off(panel, grips):
    analysis = grips["closed"]
    band = load_sensitivity(analysis, cutoff_hz=0.0)
    expected = doubts_of(analysis.loads, band)
    assert [one.joint for one in panel.doubts] == [one.joint for one in expected]
    assert [one.moment for one in panel.doubts] == [one.moment for one in expected]
    panel.bars.chosen.emit(expected[0].joint)
    assert all(expected[0].joint.split()[-1] in key for key in panel.context.document.selection.curves)


def test_the_filter_joins_the_doubt_when_asked(panel, qtbot, monkeypatch, grips):
    analysis, asked = grips["closed"], []
    band = load_sensitivity(analysis, cutoff_hz=0.0)
    wider = replace(band, force={**band.force, CUTOFF: next(iter(band.force.values()))},
                    torque={**band.torque, CUTOFF: next(iter(band.torque.values()))})  # fmt: skip

    def found(known, cutoff_hz, progress):  # two more analyses take a quarter of a minute; the library tests them
        asked.append((known, cutoff_hz))
        return wider

    monkeypatch.setattr("biomec_app.features.loads.panel.load_sensitivity", found)
    assert panel.filter.isEnabled()
    panel.filter.click()
    qtbot.waitUntil(lambda: not panel.context.aside.busy, timeout=SLOW_MS)
    assert asked == [(analysis, 1.0)]
    assert not panel.filter.isEnabled()
    assert [one.moment for one in panel.doubts] == [one.moment for one in doubts_of(analysis.loads, wider)]
    Readings(analysis).keep_band(band)


def test_links_and_clicks_go_to_the_frame(panel):
    document = panel.context.document
    k, place = next((k, one) for k, one in enumerate(panel.page.places) if one.title == "Largest residual")
    document.set_frame(50)
    panel.places.linkActivated.emit(str(k))
    assert document.frame == place.frame
    assert document.selection.segment == place.segment

    class Click:
        def scenePos(self) -> QPointF:
            return panel.course.plots[0].vb.mapViewToScene(QPointF(1.0, 1.0))

    panel.course._clicked(Click())
    assert document.frame == 50


def test_contacts_are_listed_with_their_joints_and_lead_to_their_frame(panel):
    """The verdict by newtons for the whole recording gave way to one for each contact and joint."""
    step = panel.page.steps[0]
    text = panel.steps.text()
    assert step.title.replace(" ", "&nbsp;") in text
    assert "expected error of their moments" in text
    panel.context.document.set_frame(50)
    panel.steps.linkActivated.emit("0")
    assert panel.context.document.frame == step.frame


def test_a_poor_contact_is_named_and_leads_to_its_frames(grips):
    analysis = grips["closed"]
    judged = analysis.loads.trust.judged
    bad = replace(judged.contacts[0], segment="right foot", grade=Grade.POOR, fault="force missing", frames=(10, 20))
    known = replace(judged, contacts=(bad, *judged.contacts[1:]))
    trust = replace(analysis.loads.trust, level=Grade.POOR, judged=known)
    done = {**analysis.done, "loads": Done(replace(analysis.loads, trust=trust), "")}
    page = trust_page(replace(analysis, done=done))
    assert page.level == "poor"
    assert page.stale
    place = page.places[0]
    assert (place.frame, place.segment, place.severe) == (10, "right foot", True)
    assert "force missing" in place.words
    assert page.steps[0].grade == "poor"


def test_what_is_chosen_is_plotted(panel):
    document = panel.context.document
    for field, value in (
        ("what", "forces"),
        ("joint", "knee"),
        ("axes", "distal"),
        ("unit", "mass"),
        ("method", "both"),
    ):
        combo = panel.plotted.combos[field]
        combo.setCurrentIndex(combo.findData(value))
    asked = []
    panel.context.plots.look_asked.connect(lambda: asked.append(1))
    panel.plotted.plot.click()
    assert asked == [1]  # the panel Signals stands behind this one
    assert len(document.selection.curves) == 12
    assert document.selection.curves[0] == "load/distal/mass/right knee anterior force"
    unit = panel.plotted.combos["unit"]
    unit.setCurrentIndex(unit.findData("weight"))
    unit.activated.emit(unit.currentIndex())  # loads are plotted already: the change is seen at once
    assert all("/weight/" in key for key in document.selection.curves)
    assert asked == [1]  # who tries one choice after the other stays here
    document.select(curves=("load/laboratory/none/right elbow moment about X",))
    assert panel.plotted.combos["axes"].currentData() == "laboratory"
    assert panel.plotted.combos["what"].currentData() == "moments"


def test_arrows_are_switched_and_scaled(panel):
    document = panel.context.document
    panel.arrows.arrows["joint forces"].click()
    assert "joint forces" in document.view.overlays
    panel.arrows.arrows["joint forces"].click()
    assert "joint forces" not in document.view.overlays
    panel.arrows.scale.setValue(30)
    assert document.view.force_scale == scale_of(30)
    panel.arrows.auto.click()
    largest = np.nanmax(np.linalg.norm(document.analysis.loads.multibody.force[5:-5], axis=2))
    assert document.view.force_scale * largest * 1e-3 == pytest.approx(0.5, rel=0.02)
    assert panel.arrows.scale.value() == step_of(document.view.force_scale)
    assert all(step_of(scale_of(k)) == k for k in range(41))


def test_the_theme_is_taken(panel):
    panel.set_theme(DARK)
    assert DARK.contact in panel.frame.styleSheet()


def test_without_loads_they_can_be_computed_from_here(qtbot, context, grips):
    analysis = grips["closed"]
    bare = replace(analysis, done={k: v for k, v in analysis.done.items() if k != "loads"})
    context.document.open(bare)
    widget = LoadPanel(context)
    qtbot.addWidget(widget)
    widget.show()
    assert "Joint Loads" in widget.pages.nothing.text()
    widget.pages.nothing.linkActivated.emit("run")
    qtbot.waitUntil(lambda: "loads" in context.document.analysis.done, timeout=SLOW_MS)
    qtbot.waitUntil(lambda: widget.page is not None, timeout=SLOW_MS)
    assert np.array_equal(
        context.document.analysis.loads.newton_euler.force, analysis.loads.newton_euler.force, equal_nan=True
    )


def test_the_menu_runs_a_method_in_one_step_that_can_be_undone_and_replayed(qtbot, context, grips):
    document = context.document
    document.open(grips["closed"])
    before = document.analysis
    item = BY_KEY["dynamics.multibody.lagrange"]
    assert item.blocked(context) is None
    assert BY_KEY["dynamics.multibody.newton"].blocked(context).startswith("Its result is up to date")
    item.run(context)
    assert "is running" in item.blocked(context)
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=SLOW_MS)
    after = document.analysis
    assert after.settings.loads.method == "lagrange"
    assert after.is_current("loads")
    assert after.loads.multibody.method != before.loads.multibody.method
    assert document.undo_stack.count() == 1
    written = script(after, document.history)
    assert "loads=replace(analysis.settings.loads, method='lagrange')" in written
    assert 'run_until("loads")' in written
    document.undo_stack.undo()
    assert document.analysis is before


def test_all_constraints_are_kept_by_an_item_that_is_ticked_then(qtbot, context, grips):
    context.document.open(grips["closed"])
    item = BY_KEY["dynamics.multibody.all"]
    assert not item.checked(context)
    item.run(context)
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=SLOW_MS)
    assert item.checked(context)
    assert context.document.analysis.loads.multibody.contacts
    page, loads = trust_page(context.document.analysis), context.document.analysis.loads
    assert any("keeps all constraints" in fact for fact in page.facts)
    one = loads.trust.effects[0]
    assert f"{one.joint} {one.force:.0f} N instead of {one.force_without:.0f} N" in " ".join(page.facts)
    assert page.level == "check"  # closed grip: the ribs would have to pull
    pulls = [place for place in page.places if place.title == "Ribs would pull"]
    assert [place.frame for place in pulls] == [one.worst[0] for one in loads.trust.contacts if one.worst]


def test_changed_settings_make_the_loads_stale(context, grips):
    analysis = grips["closed"]
    changed = analysis.with_settings(replace(analysis.settings, loads=LoadOptions(external="none")))
    context.document.open(changed)
    assert trust_page(changed).stale
    assert BY_KEY["dynamics.loads"].blocked(context) is None
    assert Readings(changed).joints == Readings(analysis).joints


def test_a_root_that_is_not_there_is_refused_with_a_sentence(qtbot, context, grips):
    context.document.open(grips["closed"])
    heard = []
    context.jobs.failed.connect(lambda title, sentence: heard.append(sentence))
    run_loads(context, root="tail")
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=SLOW_MS)
    assert heard[0].startswith("The model has no tail to carry the residual")
    assert context.document.undo_stack.count() == 0


def test_loads_that_no_joint_passes_on_are_not_offered(qtbot, context):
    """Menu, tree and panel offered to compute them, and only then was it told that joints are missing."""
    analysis = Analysis(swaying_session(without=("AC_D", "AC_E")))
    context.document.open(analysis)
    asked = ("dynamics.loads", "dynamics.multibody.lagrange", "dynamics.multibody.all", "dynamics.simulate")
    assert [BY_KEY[key].blocked(context) for key in asked] == [None] * 4  # nobody knows before there is a model
    analysis = analysis.run_until("body")
    reason = obstacle_of_loads(analysis)
    assert "no joint leads from the thorax to right scapula, left scapula" in reason
    context.document.change("Body Model", analysis)
    assert [BY_KEY[key].blocked(context) for key in asked] == [reason] * 4
    assert BY_KEY["dynamics.settings"].blocked(context) is None  # where it can be put right
    widget = LoadPanel(context)
    qtbot.addWidget(widget)
    assert widget.pages.nothing.text() == reason
    node = next(node for node in tree(analysis).walk() if node.key == "results/loads")
    assert (node.step, node.detail, node.tip) == (None, "not possible", reason)
    assert recording_told(analysis).endswith("analysis: 5 steps to do")
