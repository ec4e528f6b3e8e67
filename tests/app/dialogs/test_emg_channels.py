"""Muscles of EMG channels: a proposal by name, corrected by hand, kept, undone, and proposed again next time."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton

from biomec.io.registry import write_trial
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Analog, Session
from biomec.signals.emg_muscles import EmgReading
from biomec_app.dialogs.emg_channels import edit_emg_channels, needs_emg
from tests.core.recording.examples import full_trial

NAMES = ("R_RF", "Sensor 2", "RF", "Voltage.L Tib Ant")


@pytest.fixture
def recorded(context):
    """A recording with four channels: two whose names say all, one that says nothing, one without a side."""
    trial = full_trial()
    emg = Analog(NAMES, np.zeros((2000, 4)), ("V",) * 4, 1000.0)
    context.document.open(Analysis(Session(replace(trial, emg=emg))))
    return context


def choose(dialog, what, channel, text):
    box = dialog.findChild(QComboBox, f"emg-channels.{what}.{channel}")
    box.setCurrentText(text)
    box.activated.emit(box.currentIndex())


def why(dialog):
    return [dialog.table.item(row, 3).text() for row in range(dialog.table.rowCount())]


def test_names_make_the_proposal(qtbot, recorded):
    dialog = edit_emg_channels(recorded)
    pairs = [(dialog.sides[name].currentText(), dialog.choices[name].currentText()) for name in NAMES]
    assert pairs == [
        ("right", "rectus femoris"), ("–", "–"), ("–", "rectus femoris"), ("left", "tibialis anterior")
    ]  # fmt: skip
    assert why(dialog) == ["By its name", "Not shown", "Side is not known", "By its name"]
    assert dialog.words.text() == "2 of 4 channels are shown in the report; none has a maximal contraction."
    dialog.accept()
    assert recorded.document.analysis.settings == AnalysisSettings()  # what names say need not be kept
    assert recorded.preferences.emg_channels == {}


def test_a_choice_is_kept_undone_and_proposed_next_time(qtbot, recorded):
    before = recorded.document.analysis
    dialog = edit_emg_channels(recorded)
    choose(dialog, "side", "Sensor 2", "left")
    choose(dialog, "muscle", "Sensor 2", "soleus")
    choose(dialog, "side", "R_RF", "–")
    choose(dialog, "muscle", "R_RF", "–")
    assert why(dialog) == ["Not shown", "Chosen by hand", "Side is not known", "By its name"]
    dialog.accept()
    after = recorded.document.analysis
    chosen = {"R_RF": "", "Sensor 2": "left soleus"}
    assert after.settings.emg == EmgReading(channels=chosen)
    assert recorded.document.history[-1] == settings_line(before.settings, after.settings)
    recorded.document.undo_stack.undo()
    assert recorded.document.analysis is before

    again = edit_emg_channels(recorded)  # another recording with these channels: proposed, and kept once accepted
    assert why(again) == ["Not shown", "As chosen last time", "Side is not known", "By its name"]
    again.accept()
    assert recorded.document.analysis.settings.emg.channels == chosen

    last = edit_emg_channels(recorded)
    last.findChild(QPushButton, "emg-channels.reset").click()
    assert why(last)[:2] == ["By its name", "Not shown"]
    last.accept()
    assert recorded.document.analysis.settings.emg == EmgReading()
    assert recorded.preferences.emg_channels == {}


def test_a_table_of_muscles_that_is_gone_is_said(qtbot, recorded, tmp_path):
    settings = replace(AnalysisSettings(), emg=EmgReading(muscles=str(tmp_path / "gone.toml")))
    recorded.document.change("", recorded.document.analysis.with_settings(settings))
    dialog = edit_emg_channels(recorded)
    assert "gone.toml: there is no such file" in dialog.wrong.text()
    assert dialog.sides["R_RF"].currentText() == "right"


def test_without_emg_the_menu_says_why(qtbot, recorded):
    assert needs_emg(recorded) is None
    recorded.document.open(Analysis(Session(replace(full_trial(), emg=None))))
    assert needs_emg(recorded) == "The recording has no EMG."


def type_into(dialog, channel, text):
    box = dialog.findChild(QLineEdit, f"emg-channels.mvc.{channel}")
    box.selectAll()
    QTest.keyClicks(box, text)


def origin(dialog):
    return [dialog.table.item(row, 5).text() for row in range(dialog.table.rowCount())]


def test_a_maximal_contraction_is_typed_kept_and_undone(qtbot, recorded):
    before = recorded.document.analysis
    dialog = edit_emg_channels(recorded)
    assert origin(dialog) == ["Own maximum in the trial"] * 4
    type_into(dialog, "R_RF", "none")
    assert "R_RF is “none”: enter a number above 0 in µV" in dialog.wrong.text()
    dialog.accept()
    assert recorded.document.analysis is before  # the dialog stays open until it is mended
    type_into(dialog, "R_RF", "210,5")
    assert dialog.wrong.text() == ""
    assert origin(dialog)[0] == "Typed"
    assert dialog.words.text().endswith("1 has a maximal contraction.")
    dialog.accept()
    after = recorded.document.analysis
    assert after.settings.emg.mvc == pytest.approx({"R_RF": 210.5e-6})
    assert after.settings.emg.mvc_from == {"R_RF": "typed"}
    assert recorded.document.history[-1] == settings_line(before.settings, after.settings)
    assert recorded.preferences.emg_channels == {}  # another person's electrodes give other volts
    recorded.document.undo_stack.undo()
    assert recorded.document.analysis is before


def test_maximal_contractions_come_from_recordings(qtbot, recorded, tmp_path, monkeypatch):
    t = np.arange(3000) / 1000.0
    emg = Analog(("R_RF", "Other"), 1e-4 * np.sin(2.0 * np.pi * 100.0 * t)[:, None] * [[1.0, 2.0]], ("V",) * 2, 1000.0)
    write_trial(replace(full_trial(), emg=emg, plates=()), tmp_path / "MVC_thigh.c3d")
    recorded.preferences.folder = tmp_path
    dialog = edit_emg_channels(recorded)
    assert dialog.named.text() == "Use MVC_thigh.c3d"
    with qtbot.waitSignal(dialog.jobs.finished):
        dialog.named.click()
    assert origin(dialog) == ["MVC_thigh.c3d", *["Own maximum in the trial"] * 3]
    # 2/π of the amplitude; ripple and ends of the low-pass stay within 4 %
    assert float(dialog.contractions.boxes["R_RF"].text()) == pytest.approx(200.0 / np.pi, rel=0.04)
    monkeypatch.setattr(recorded.user, "ask_files", lambda title, pattern, start: (tmp_path / "gone.c3d",))
    with qtbot.waitSignal(dialog.jobs.failed):
        dialog.files.click()
    assert "gone.c3d" in dialog.wrong.text()
    assert origin(dialog)[0] == "MVC_thigh.c3d"  # what was there stays
    dialog.accept()
    assert recorded.document.analysis.settings.emg.mvc_from == {"R_RF": "MVC_thigh.c3d"}
