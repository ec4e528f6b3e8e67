"""The history of the window, run as a script, gives the numbers of the window."""

import ast
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.io.project import save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import python_text, script, settings_line
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Subject
from biomec.signals import FilterOptions
from biomec.signals.filtering import CutoffChoice
from biomec.virtual import DEMO, VirtualPerson, push_up, record, write_acquisition
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.test_analysis import UNFILTERED


def run(text: str) -> Analysis:
    names: dict = {}
    exec(compile(text, "script", "exec"), names)
    return names["analysis"]


def changed(settings: AnalysisSettings) -> AnalysisSettings:
    signals = replace(
        settings.signals,
        marker_filter=FilterOptions(CutoffChoice.FIXED, 8.0),
        plate_filter=None,
        reconstruction=replace(settings.signals.reconstruction, gap_limit_s=0.15),
    )
    return replace(settings, signals=signals, angles=replace(settings.angles, subtract_static=True))


def test_a_saved_project_is_opened_and_everything_done_again(tmp_path):
    before = Analysis(swaying_session(), UNFILTERED).run_until("angles")
    path = tmp_path / "kept.biomec"
    save_project(before.stored(), path)
    settings = changed(UNFILTERED)
    after = before.with_settings(settings).run_until("cycles")
    lines = [settings_line(UNFILTERED, settings), 'analysis = analysis.run_until("cycles")']
    again = run(script(after, lines, project=path))
    assert again.settings == after.settings
    assert set(again.done) == set(after.done)
    assert_array_equal(again.motion.q, after.motion.q)
    assert_array_equal(again.angles.values, after.angles.values)
    assert not np.array_equal(after.angles.values, before.angles.values)  # the settings do matter


def test_imported_files_are_imported_again(tmp_path):
    acquisition = record(push_up("closed"), VirtualPerson(), DEMO)
    files = write_acquisition(acquisition, tmp_path)
    from biomec.io import import_session

    session = import_session(files["emt"], subject=replace(acquisition.person.subject, mass_kg=71.5))
    after = Analysis(session).run_until("signals")
    text = script(after, ['analysis = analysis.run_until("signals")'], folder=tmp_path)
    again = run(text)
    assert again.session.subject == session.subject
    assert again.session.dynamic.source == session.dynamic.source
    assert len(again.session.dynamic.plates) == len(session.dynamic.plates)
    assert again.fingerprint("cycles") == after.fingerprint("cycles")
    assert_array_equal(again.signals.markers.p_WM, after.signals.markers.p_WM)


def test_files_that_were_not_there_are_not_sought():
    text = script(Analysis(swaying_session()), [])
    assert "static=SKIP" in text
    assert "import_session" in text
    ast.parse(text)


def test_a_history_that_makes_the_analysis_itself_needs_no_opening():
    lines = ['analysis = Analysis(load_project("a.biomec"))', 'analysis = analysis.run_until("body")']
    text = script(Analysis(swaying_session()), lines)
    assert "import_session" not in text
    assert "from biomec.io import load_project" in text
    assert "from biomec.pipeline.analysis import Analysis" in text


def test_results_that_were_there_from_the_start_are_computed_too(tmp_path):
    after = Analysis(swaying_session(), UNFILTERED).run_until("signals")
    text = script(after, [])
    assert text.endswith('analysis = analysis.run_until("signals")\n')
    assert "marker_filter=None" in text
    lines = ['analysis = analysis.run_until("body")']
    assert script(after, lines).count("run_until") == 1


def test_a_name_that_nobody_knows_is_told():
    with pytest.raises(BiomecError, match="uses nonsense"):
        script(Analysis(swaying_session()), ["analysis = nonsense(analysis)"])


def test_only_what_was_changed_is_written():
    before = AnalysisSettings()
    after = replace(before, angles=replace(before.angles, subtract_static=True))
    expected = "replace(analysis.settings, angles=replace(analysis.settings.angles, subtract_static=True))"
    assert settings_line(before, after) == f"analysis = analysis.with_settings({expected})"


@pytest.mark.parametrize(
    "value",
    [
        None,
        -1.5,
        float("inf"),
        (1,),
        [1, "a"],
        {"a": (1.0, 2.0)},
        date(2026, 3, 2),
        Path("a b"),
        CutoffChoice.FIXED,
        Subject("Ann O'Hara", "female", 60.0, measures={"leg_length_D": 0.9}),
        changed(AnalysisSettings()),
    ],
)
def test_a_setting_written_as_python_is_the_same_setting(value):
    from biomec.pipeline.replay import _imports

    text = f"value = {python_text(value)}"
    names: dict = {}
    exec("\n".join([*_imports([text]), text]), names)
    assert names["value"] == value


def test_arrays_are_written_as_lists():
    assert python_text(np.array([[1.0, np.nan]])) == '[[1.0, float("nan")]]'
    assert python_text(np.float64(2.0)) == "2.0"
    with pytest.raises(BiomecError, match="cannot be written"):
        python_text(object())
