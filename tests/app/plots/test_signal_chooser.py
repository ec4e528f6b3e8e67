"""Choosing what is plotted."""

import pytest
from PySide6.QtCore import Qt

from biomec.pipeline.analysis import Analysis
from biomec_app.curves.catalogue import catalogue
from biomec_app.plots.signal_chooser import KEY, SignalChooser


@pytest.fixture
def chooser(qtbot, demo_analysis: Analysis) -> SignalChooser:
    chooser = SignalChooser()
    qtbot.addWidget(chooser)
    chooser.show_catalogue(catalogue(demo_analysis), ("angle/right elbow flexion",))
    return chooser


def listed(chooser: SignalChooser) -> dict[str, list[str]]:
    model = chooser.model
    heads = [model.item(r) for r in range(model.rowCount())]
    return {head.text(): [head.child(k).data(KEY) for k in range(head.rowCount())] for head in heads}


def head(chooser: SignalChooser, text: str):
    return next(chooser.model.item(r) for r in range(chooser.model.rowCount()) if chooser.model.item(r).text() == text)


def test_what_is_plotted_is_ticked(chooser: SignalChooser) -> None:
    elbow = head(chooser, "Elbow")
    assert [elbow.child(k).checkState() for k in range(2)] == [Qt.CheckState.Checked, Qt.CheckState.Unchecked]
    assert elbow.checkState() == Qt.CheckState.PartiallyChecked
    assert chooser.count.text() == "1 curve chosen"


def test_a_tick_adds_and_takes_away(chooser: SignalChooser, qtbot) -> None:
    elbow = head(chooser, "Elbow")
    with qtbot.waitSignal(chooser.chosen) as signal:
        elbow.child(1).setCheckState(Qt.CheckState.Checked)
    assert signal.args == [("angle/right elbow flexion", "angle/left elbow flexion")]
    with qtbot.waitSignal(chooser.chosen) as signal:
        elbow.child(0).setCheckState(Qt.CheckState.Unchecked)
    assert signal.args == [("angle/left elbow flexion",)]


def test_a_joint_is_ticked_as_a_whole(chooser: SignalChooser, qtbot) -> None:
    with qtbot.waitSignal(chooser.chosen) as signal:
        head(chooser, "Wrist").setCheckState(Qt.CheckState.Checked)
    assert len(signal.args[0]) == 5


def test_sides_and_components_are_filters(chooser: SignalChooser) -> None:
    chooser.side.setCurrentText("Left")
    chooser.component.setCurrentText("abduction")
    found = [key for keys in listed(chooser).values() for key in keys]
    assert found == ["angle/left shoulder abduction", "angle/left glenohumeral abduction", "angle/left hip abduction"]


def test_every_kind_can_be_listed(chooser: SignalChooser, demo_analysis: Analysis) -> None:
    for kind, groups in catalogue(demo_analysis).kinds.items():
        chooser.kind.setCurrentText(kind)
        assert [name.partition("  ")[0] for name in listed(chooser)] == list(groups)


def test_codes_are_explained_and_found_by_their_words(chooser: SignalChooser) -> None:
    chooser.kind.setCurrentText("Markers")
    assert "AA_D  acromial angle, right" in listed(chooser)
    chooser.search.setText("acromial angle right Y")
    assert "marker/AA_D/Y" in [key for keys in listed(chooser).values() for key in keys]
    tips = {chooser.model.item(r).toolTip() for r in range(chooser.model.rowCount())}
    assert any("direita" in tip for tip in tips)


def test_the_search_looks_through_all_kinds(chooser: SignalChooser) -> None:
    chooser.search.setText("triceps_d")
    assert [key for keys in listed(chooser).values() for key in keys] == ["emg/triceps_D", "emg raw/triceps_D"]
    chooser.search.setText("no such thing")
    assert not listed(chooser)


def test_clear_plots_nothing(chooser: SignalChooser, qtbot) -> None:
    with qtbot.waitSignal(chooser.chosen) as signal:
        chooser.none.click()
    assert signal.args == [()]
