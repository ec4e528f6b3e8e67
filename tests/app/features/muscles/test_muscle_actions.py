"""The menu of muscles: windows open once, tables are exported, and items say why they cannot run."""

from dataclasses import replace

from biomec.reporting.files.muscle_files import OF_MUSCLES
from biomec_app.features.muscles.actions import (
    ACTIONS,
    export_tables,
    needs_current_muscles,
    open_muscle_emg,
    open_what_if,
)


def test_tables_are_exported_and_overwritten_only_if_asked(qtbot, context, muscle_analysis, tmp_path, monkeypatch):
    context.document.open(muscle_analysis)
    monkeypatch.setattr(context.user, "ask_folder", lambda title, start: tmp_path / "tables")
    shown, asked = [], []
    monkeypatch.setattr(context.user, "show_written", lambda title, files, remarks: shown.append(files))
    assert needs_current_muscles(context) is None
    export_tables(context)
    qtbot.waitUntil(lambda: len(shown) == 1)
    assert {path.name for path in (tmp_path / "tables").iterdir()} == set(OF_MUSCLES)
    first = (tmp_path / "tables" / "muscle_work.csv").read_bytes()
    (tmp_path / "tables" / "muscle_work.csv").write_text("mine", "utf-8")
    monkeypatch.setattr(context.user, "confirm", lambda title, question, choices: asked.append(question))
    export_tables(context)
    assert "muscles.csv, contact_forces.csv" in asked[0]
    assert (tmp_path / "tables" / "muscle_work.csv").read_text("utf-8") == "mine"
    monkeypatch.setattr(context.user, "confirm", lambda title, question, choices: choices[0])
    export_tables(context)
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert (tmp_path / "tables" / "muscle_work.csv").read_bytes() == first


def test_tables_of_other_settings_are_not_written(qtbot, context, muscle_analysis):
    context.document.open(muscle_analysis)
    settings = muscle_analysis.settings
    changed = replace(settings, muscles=replace(settings.muscles, set="both"))
    context.document.change("", muscle_analysis.with_settings(changed))
    assert "Settings have changed" in needs_current_muscles(context)


def test_windows_open_once(qtbot, context, muscle_analysis):
    context.document.open(muscle_analysis)
    for opens in (open_what_if, open_muscle_emg):
        window = opens(context)
        qtbot.addWidget(window)
        assert opens(context) is window
        qtbot.waitUntil(lambda window=window: not window.jobs.busy)


def test_items_without_a_recording_say_why(context):
    for action in ACTIONS:
        if action.run is not None:
            assert "recording" in action.blocked(context)
