"""What if for aids: variants beside each other, what joints bear, and what cannot be answered."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.aid_what_if import AidComparison, AidVariant
from biomec.pipeline.aids import aids_as_recorded, what_if_aids
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session
from biomec.virtual import RecordOptions, VirtualPerson, assisted_walk, record
from biomec_app.features.aids import what_if_window
from biomec_app.features.aids.actions import needs_aids, open_aids
from biomec_app.features.aids.changes import targets_of
from biomec_app.features.aids.what_if_window import MOST, QUANTITIES, AidWindow
from biomec_app.kit.theme import DARK
from biomec_app.session.view_options import CONSISTENT
from biomec_app.viewer.poses import ScenePoses


@pytest.fixture(scope="module")
def assisted() -> Analysis:
    """One stride with two crutches and two orthoses at 20 Hz, as far as its joint loads."""
    one = record(assisted_walk(1), VirtualPerson(65.0, 1.60, "female"), RecordOptions(20.0, 20.0))
    usual = AnalysisSettings()
    signals = replace(usual.signals, marker_filter=None, plate_filter=None)
    settings = replace(usual, signals=signals, body=BodySettings(model="m18-orthoses"))
    return Analysis(Session(one.dynamic, one.static, subject=one.person.subject), settings).run_until("loads")


@pytest.fixture
def window(context, qtbot, assisted) -> AidWindow:
    context.document.open(assisted)
    assert needs_aids(context) is None
    made = open_aids(context)
    qtbot.addWidget(made)
    qtbot.waitUntil(lambda: len(made.results) == len(made.variants) > 3)
    return made


def cells(window: AidWindow, joint: str) -> list[str]:
    rows = [window.table.verticalHeaderItem(k).text() for k in range(window.table.rowCount())]
    return [window.table.item(rows.index(joint), k).text() for k in range(window.table.columnCount())]


def test_usual_questions_are_answered_at_once(window):
    titles = [window.table.horizontalHeaderItem(k).text() for k in range(window.table.columnCount())]
    assert titles == [one.title for one in window.variants]
    assert titles[:2] == ["As recorded", "No orthosis"]
    shoulder = cells(window, "Right shoulder")
    assert shoulder[0] == shoulder[1]  # the movement stays
    assert float(shoulder[titles.index("Arms give 20 % less")]) < float(shoulder[0])
    assert window.joint == "right shoulder"
    assert "The movement and the forces of floor and crutches stay as recorded" in window.said.text()
    window.quantity.setCurrentText(next(name for name in QUANTITIES if "device" in name))
    knee = cells(window, "Right knee")
    assert float(knee[0]) > 5.0
    assert float(knee[1]) == 0.0


def test_a_variant_is_added_and_removed(window, qtbot):
    titles = [window.target.itemText(k) for k in range(window.target.count())]
    assert titles[:3] == ["All locks", "Crutches", "What the arms give"]
    window.target.setCurrentText("Right knee lock")
    window.value.setValue(300.0)
    before = len(window.variants)
    window.add_entered()
    qtbot.waitUntil(lambda: len(window.results) == before + 1)
    assert window.variants[-1].title == "Right knee lock at 300 %"
    window.add_entered()
    assert "is already in the list" in window.wrong.text()
    window.list.setCurrentRow(before)
    window.remove_chosen()
    assert len(window.variants) == before
    assert window.table.columnCount() == before
    window.list.setCurrentRow(0)
    assert not window.remove.isEnabled()  # what was recorded stays


def test_a_variant_without_an_answer_says_why_in_its_row(window, qtbot):
    """The window stayed empty: a variant that failed took the answers of the others with it."""
    before = len(window.variants)
    window.variants.append(AidVariant("Longer stick", longer_m={"stick": 0.1}))
    window._fill_list()
    window._answer()
    qtbot.waitUntil(lambda: bool(window.found.unanswered) and not window.jobs.busy)
    assert window.table.columnCount() == before
    title, _, reason = window.list.item(before).text().partition("\n")
    assert title == "Longer stick"
    assert "there is no crutch stick" in reason
    assert not window.wrong.text()


@pytest.mark.parametrize("fails", [False, True])
def test_a_change_while_it_computes_is_answered_too(window, qtbot, monkeypatch, fails):
    """The window stayed empty, or reported of the new recording what was wrong with the old one."""
    first = window.context.document.analysis

    def answer(known, variants):
        if fails and known is first:
            raise BiomecError("The old recording is wrong.")
        return what_if_aids(known, variants)

    monkeypatch.setattr(what_if_window, "what_if_aids", answer)
    window._answer()
    loads = replace(first.done["loads"], value=replace(first.loads))
    window.context.document.open(replace(first, done={**first.done, "loads": loads}))  # its end is not heard of before
    assert window.results == ()
    qtbot.waitUntil(lambda: len(window.results) == len(window.variants) > 3 and not window.jobs.busy)
    assert not window.wrong.text()


def test_a_change_beside_the_loads_keeps_their_answer(window, qtbot):
    """Another step was run while variants were computed, and the window stayed empty."""
    window.found = AidComparison(())
    window._answer()
    window.context.document.open(replace(window.context.document.analysis))
    qtbot.waitUntil(lambda: len(window.results) == len(window.variants) > 3 and not window.jobs.busy)


def test_why_nothing_could_be_computed_is_said(window, qtbot, monkeypatch):
    def fail(known, variants):
        raise BiomecError("the loads are of no use.")

    monkeypatch.setattr(what_if_window, "what_if_aids", fail)
    window._answer()
    qtbot.waitUntil(lambda: window.wrong.text() == "The loads are of no use.")
    assert window.list.count() == len(window.variants)


def test_crutches_without_channels_are_not_offered(assisted):
    titles = [one.title for one in targets_of(assisted.body.person, ())]
    assert "all locks" in titles
    assert not [title for title in titles if "crutch" in title or "arms" in title]


def test_no_more_than_fit_beside_each_other(window, qtbot):
    window.target.setCurrentText("All locks")
    for value in (10.0, 20.0, 30.0, 40.0):
        window.value.setValue(value)
        window.add_entered()
    assert len(window.variants) == MOST
    assert "Remove one first" in window.wrong.text()
    qtbot.waitUntil(lambda: len(window.results) == MOST)


def test_tables_are_written(window, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(window.context.user, "ask_folder", lambda *_: tmp_path, raising=False)
    monkeypatch.setattr(window.context.user, "show_written", lambda *one: shown.append(one), raising=False)
    window.write()
    assert {path.name for path in tmp_path.iterdir()} == {
        "aids_what_if.csv", "aids_what_if_curves.csv", "aids_what_if.json"
    }  # fmt: skip
    assert len(shown) == 1


def test_titles_of_changes_say_what_changes(assisted):
    found = {one.title: one for one in targets_of(assisted.body.person, aids_as_recorded(assisted).tips)}
    assert found["all locks"].variant(0.0).title == "Without all locks"
    assert found["crutches"].variant(-3.0).title == "Crutches 3 cm shorter"
    assert found["what the arms give"].variant(70.0).arms == pytest.approx(0.7)


def test_without_loads_it_says_what_to_do(context, qtbot):
    assert needs_aids(context) is not None
    window = open_aids(context)
    qtbot.addWidget(window)
    assert window.wrong.text() == "There are no joint loads. Compute them first."
    assert not window.add.isEnabled()
    window.set_theme(DARK)


def test_a_free_orthosis_is_drawn_where_its_cuffs_hold_it():
    """It was drawn where geometry puts it, 9 mm from where its forces are computed."""
    one = record(assisted_walk(1, "one free"), VirtualPerson(65.0, 1.60, "female"), RecordOptions(20.0, 20.0))
    usual = AnalysisSettings()
    signals = replace(usual.signals, marker_filter=None)
    settings = replace(usual, signals=signals, body=BodySettings(model="m18-free-orthosis"))
    analysis = Analysis(Session(one.dynamic, one.static, subject=one.person.subject), settings).run_until("motion")
    scene, layout = ScenePoses(analysis), analysis.body.person.system.layout
    top = "left orthosis thigh.OHP_E"
    shown = scene.pose(CONSISTENT, 12).points[scene.names.index(top)]
    held, by_geometry = (layout.point(top)(one.q[12]) for one in (analysis.motion, analysis.positions))
    np.testing.assert_allclose(shown, held, rtol=0, atol=1e-12)
    assert np.linalg.norm(held - by_geometry) > 1e-3
