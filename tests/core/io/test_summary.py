"""The report of what a file holds."""

import json
from dataclasses import replace

import numpy as np
import pytest

from biomec.io.summary import WIDTH, summary, summary_text
from biomec.recording import EmgAlignment, LabAxes, Markers, Record, Result, Session, Source, Subject, Trial
from tests.core.recording.examples import full_trial

# The report for programs: what others have built upon. Add keys; never rename or remove one.
KEYS = {
    "schema", "file", "format", "size_bytes", "sha256", "frames", "first_frame", "rate_hz", "duration_s", "recorded",
    "subject", "axes", "markers", "unlabelled", "other_subjects", "outputs", "plates", "analog", "emg", "events",
    "notices", "project",
}  # fmt: skip
PART_KEYS = {
    "subject": {"name", "sex", "mass_kg", "height_m", "birth_date", "measures"},
    "axes": {"up", "up_by", "forward", "forward_by"},
    "analog": {"names", "units", "rate_hz", "samples", "start_s"},
    "emg": {"names", "units", "rate_hz", "samples", "start_s"},
    "markers": {"name", "visible_percent", "longest_gap_frames"},
    "plates": {"name", "type", "rate_hz", "samples", "start_s", "peak_n", "loaded_percent", "corners"},
    "events": {"time_s", "label", "context", "origin"},
    "notices": {"severity", "code", "sentence"},
    "project": {"static", "emg_alignment", "settings", "results", "history", "originals"},
}


def session() -> Session:
    record = Record("import", "2026-03-01T12:00:00Z", "0.1")
    return Session(
        full_trial(), full_trial(3), EmgAlignment(11, 50), Subject("Arthur"), None, {"cutoff": 6}
    ).with_result("filter", Result(), record)


def test_the_keys_stay_as_they_are():
    facts = summary(full_trial(), session())
    assert facts["schema"] == 1
    assert facts.keys() == KEYS
    for part, keys in PART_KEYS.items():
        value = facts[part][0] if isinstance(facts[part], list) else facts[part]
        assert value.keys() == keys, part


@pytest.mark.parametrize("frames", [1, 40])
def test_the_report_is_plain_json(frames):
    trial = full_trial(frames)
    facts = summary(replace(trial, plates=(replace(trial.plates[0], force=np.full((10 * frames, 3), np.nan)),)))
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_the_numbers_are_right():
    facts = summary(full_trial())
    assert (facts["frames"], facts["first_frame"], facts["duration_s"]) == (40, 11, 0.4)
    assert facts["markers"][1] == {"name": "IJ", "visible_percent": 92.5, "longest_gap_frames": 3}
    assert facts["markers"][0]["longest_gap_frames"] == 0
    vertical = full_trial().plates[0].force[:, 2]
    assert facts["plates"][0]["peak_n"] == np.nanmax(vertical)
    assert facts["plates"][0]["loaded_percent"] == pytest.approx(100 * 399 / 400)  # one sample is missing
    assert facts["other_subjects"] == {"Beatriz": 1}
    assert facts["outputs"] == {"ANGLES": 1}
    assert facts["unlabelled"] == 2


@pytest.mark.parametrize(
    ("seen", "gap"), [("1111", 0), ("0000", 4), ("0111", 1), ("1001", 2), ("0010", 2), ("1000", 3)]
)
def test_the_longest_gap(seen, gap):
    p = np.ones((4, 1, 3))
    p[[k for k, c in enumerate(seen) if c == "0"]] = np.nan
    trial = Trial(Source("a", "TRC", "", 0), Markers(("A",), p, 100.0), LabAxes())
    assert summary(trial)["markers"][0]["longest_gap_frames"] == gap


def test_the_layout_for_people():
    text = summary_text(summary(full_trial(), session()))
    lines = text.splitlines()
    assert lines[0] == "20150408_Arthur_Aberto1.emt    EMT, 12.3 kB"
    assert max(map(len, lines)) <= WIDTH
    for words in (
        "40 frames at 100 Hz, 0.400 s, first frame 11",
        "up +z (file), forward -y (evidence)",
        "IJ               seen  92.5 %, longest gap 3 frames",
        "2 points without a name",
        "1 markers of Beatriz",
        "Plate 1: type 2, 400 samples at 1000 Hz",
        "0.050 s  Left     Foot Off",
        "Static      20150408_Arthur_Aberto1.emt",
        "EMG frames  11 to 50",
        "2026-03-01T12:00:00Z import",
        "  warning: Marker IJ is hidden.",
    ):
        assert words in text


def test_a_trial_with_nothing_in_it_says_so():
    text = summary_text(summary(Trial(Source("a.sto", "STO", "", 0), Markers.none(3, 10.0), LabAxes())))
    assert "Markers     none" in text
    assert "Plates      none" in text
    assert "Subject     not stated" in text
