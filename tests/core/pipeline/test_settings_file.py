"""Settings of an analysis written to a file and read again."""

import json
from dataclasses import replace

import pytest

from biomec.base.errors import FileError
from biomec.body.anatomy.subject_model import ModelOptions
from biomec.pipeline.settings import AnalysisSettings, BodySettings, ContactChoice
from biomec.pipeline.settings_file import found_on_the_recording, read_settings, with_findings_of, write_settings
from biomec.signals import CutoffChoice, FilterOptions

FOUND = ModelOptions(points={"CAQ_D": (0.1, 0.9, 0.08)}, axes={"right knee": (0.0, 0.1, 0.99)}, universal_zero=True)
OTHER = AnalysisSettings(body=BodySettings("m17", FOUND))
OTHER = replace(
    OTHER,
    signals=replace(
        OTHER.signals,
        marker_filter=FilterOptions(CutoffChoice.FIXED, 8.0),
        plate_filter=None,
        by_hand=(ContactChoice("Plate1", 0.5, "left foot"),),
    ),
)


@pytest.mark.parametrize("settings", [AnalysisSettings(), OTHER])
def test_what_is_written_is_read_again(tmp_path, settings):
    path = tmp_path / "mine.json"
    write_settings(settings, path)
    assert read_settings(path) == (settings, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no json", "not valid JSON"),
        ("[1, 2]", "no settings"),
        ('{"model": {"name": "m21"}, "cycles_found": 3}', "no settings"),
    ],
)
def test_a_file_that_holds_no_settings_is_refused(tmp_path, text, words):
    """Or every setting would silently become its default."""
    path = tmp_path / "summary.json"
    path.write_text(text, "utf-8")
    with pytest.raises(FileError, match=rf"summary\.json.*{words}"):
        read_settings(path)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileError, match=r"nowhere\.json: cannot be read"):
        read_settings(tmp_path / "nowhere.json")


def test_settings_of_another_version_are_told_one_by_one(tmp_path):
    path = tmp_path / "later.json"
    path.write_text(json.dumps({"body": {"model": "legs", "colour": "blue"}}), "utf-8")
    settings, notices = read_settings(path)
    assert settings.body.model == "legs"
    assert ["colour" in notice.sentence for notice in notices] == [True]


def test_settings_with_the_former_names_of_steps_are_read(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"consistency": {"contacts": "never"}, "inverse": {"root": "pelvis"}}), "utf-8")
    settings, notices = read_settings(path)
    assert (settings.positions.contacts, settings.loads.root, notices) == ("never", "pelvis", ())


def test_what_is_true_of_one_recording_only_is_told_and_can_be_left_out():
    assert found_on_the_recording(AnalysisSettings()) == ()
    words = found_on_the_recording(OTHER)
    assert ["CAQ_D" in words[0], "right knee" in words[1], "contacts" in words[2]] == [True] * 3
    left = with_findings_of(OTHER, AnalysisSettings())
    assert found_on_the_recording(left) == ()
    assert (left.body.model, left.signals.marker_filter) == ("m17", OTHER.signals.marker_filter)
    assert left.body.options.universal_zero
    assert with_findings_of(left, OTHER) == OTHER
