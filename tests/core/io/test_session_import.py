"""One dynamic file becomes a session."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.base.notices import Severity
from biomec.io.emt import write_emt
from biomec.io.project import load_project, save_project
from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import SKIP, import_session, merge_emg, merge_plates, merge_subjects
from biomec.recording import (
    Analog,
    Authority,
    EmgAlignment,
    ForcePlate,
    LabAxes,
    Markers,
    Source,
    Subject,
    Trial,
)
from tests.core.io.people import PUSH_UP, STANDING, person
from tests.real_data import recording

RATE, FRAMES = 100.0, 60


def marker_trial(frames: int = FRAMES, **changes) -> Trial:
    p = np.random.default_rng(1).uniform(0.1, 1.5, (frames, 4, 3))
    trial = Trial(Source("d.emt", "EMT", "", 0), Markers(("C7", "IJ", "PX", "T8"), p, RATE), LabAxes())
    return replace(trial, **changes)


def plate_trial(samples: int = FRAMES * 10, rate_hz: float = 1000.0, start_s: float = 0.0, axes=LabAxes()) -> Trial:
    up = axes.up_vector
    force = (600.0 + np.arange(samples))[:, None] * up
    plate = ForcePlate("Pe_D", force, np.zeros((samples, 3)), rate_hz, np.zeros(3), up, start_s=start_s)
    return Trial(Source("d.mot", "MOT", "", 0), Markers.none(samples, rate_hz), axes, plates=(plate,))


def emg_trial(samples: int = 2000, rate_hz: float = 1000.0) -> Trial:
    """Every sample is its own time, a millivolt a second."""
    emg = Analog(("Bíceps D",), 1e-3 * np.arange(samples)[:, None] / rate_hz, ("V",), rate_hz)
    return Trial(Source("d_EMG.emt", "EMT", "", 0), Markers.none(samples, rate_hz), LabAxes(), emg=emg)


@pytest.fixture
def four_files(tmp_path) -> Path:
    stem = "20150408_Arthur_Aberto1"
    write_emt(marker_trial(), tmp_path / f"{stem}.emt")
    write_emt(marker_trial(10), tmp_path / "20150408_Arthur_Estatico.emt")
    write_trial(plate_trial(), tmp_path / f"{stem}.mot")
    write_emt(emg_trial(), tmp_path / f"{stem}_EMG.emt", tracks="emg")
    return tmp_path / f"{stem}.emt"


def codes(notices) -> list[str]:
    return [notice.code for notice in notices]


def test_one_file_brings_the_other_three(four_files):
    session = import_session(four_files)
    assert session.static.frames == 10
    assert [plate.name for plate in session.dynamic.plates] == ["Pe_D"]
    assert session.dynamic.plates[0].samples == 600
    assert (session.subject.name, session.recorded) == ("Arthur", date(2015, 4, 8))
    assert session.emg_alignment == EmgAlignment(1, FRAMES)
    np.testing.assert_allclose(1e3 * session.dynamic.emg.values[:, 0], session.dynamic.emg.time_s, atol=1e-12)
    assert session.dynamic.emg.samples == 601  # 0 s to 0.6 s, both ends
    assert codes(session.notices) == ["static-by-name", "plates-by-name", "emg-by-name"]
    record = session.provenance[0]
    assert record.step == "import"
    assert dict(record.settings["files"])["emg"] == "20150408_Arthur_Aberto1_EMG.emt"
    assert record.inputs["dynamic"] == session.dynamic.source.sha256
    assert record.inputs["static"] == session.static.source.sha256


def test_the_session_can_be_saved_and_holds_the_files_themselves(four_files, tmp_path):
    session = import_session(four_files)
    save_project(session, tmp_path / "a.biomec")
    loaded = load_project(tmp_path / "a.biomec")
    assert {o.source.name: o.content for o in loaded.originals} == {
        path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".biomec"
    }
    assert loaded.provenance == session.provenance
    assert import_session(four_files, keep_originals=False).originals == ()


def test_everything_can_be_skipped(four_files):
    session = import_session(four_files, static=SKIP, plates=SKIP, emg=SKIP)
    assert session.static is session.emg_alignment is session.dynamic.emg is None
    assert session.dynamic.plates == ()
    assert session.notices == ()


def test_everything_can_be_given_by_hand(four_files, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    names = {"static": "x.emt", "plates": "y.mot", "emg": "z_EMG.emt"}
    sources = ["20150408_Arthur_Estatico.emt", "20150408_Arthur_Aberto1.mot", "20150408_Arthur_Aberto1_EMG.emt"]
    for source, name in zip(sources, names.values(), strict=True):
        (tmp_path / source).rename(elsewhere / name)
    session = import_session(four_files, **{kind: elsewhere / name for kind, name in names.items()})
    assert session.static.source.name == "x.emt"
    assert session.dynamic.plates
    assert session.dynamic.emg.samples == 601
    assert codes(session.notices) == []


def test_what_is_missing_is_said(tmp_path):
    write_emt(marker_trial(), tmp_path / "walk.emt")
    session = import_session(tmp_path / "walk.emt")
    assert {n.code: n.severity for n in session.notices} == {
        "static-missing": "warning",
        "plates-missing": "info",
        "emg-missing": "info",
    }


def test_a_damaged_companion_does_not_stop_the_import_but_a_file_by_hand_does(four_files, tmp_path):
    static = tmp_path / "20150408_Arthur_Estatico.emt"
    static.write_bytes(static.read_bytes()[:40])
    session = import_session(four_files)
    assert session.static is None
    said = next(notice for notice in session.notices if notice.code == "static-unreadable")
    assert static.name in said.sentence
    with pytest.raises(FileError, match="Estatico"):
        import_session(four_files, static=static)


def test_what_the_user_says_wins_over_files_and_name(four_files):
    session = import_session(four_files, subject=Subject("A. B.", "male", 70.0), recorded=date(2015, 4, 9))
    assert session.subject == Subject("A. B.", "male", 70.0)
    assert session.recorded == date(2015, 4, 9)
    said = next(notice for notice in session.notices if notice.code == "date-contradicted")
    assert "2015-04-09" in said.sentence
    assert "2015-04-08" in said.sentence
    assert import_session(four_files, subject=Subject(mass_kg=70.0)).subject == Subject("Arthur", None, 70.0)


def test_subjects_are_merged_field_by_field():
    merged = merge_subjects(Subject("", "female"), Subject("A", "male", 60.0), Subject("B", None, 61.0, 1.7))
    assert merged == Subject("A", "female", 60.0, 1.7)


def test_measures_are_merged_one_by_one():
    said = Subject(measures={"knee_width_D": 0.10}), Subject(measures={"knee_width_D": 0.11, "leg_length_D": 0.83})
    assert merge_subjects(*said).measures == {"knee_width_D": 0.10, "leg_length_D": 0.83}


def test_axes_by_the_users_word_turn_nothing(four_files):
    session = import_session(four_files, axes=LabAxes("+z", "+x", Authority.USER, Authority.USER), plates=SKIP)
    assert session.dynamic.axes.up == "+z"
    np.testing.assert_array_equal(session.dynamic.markers.p_WM, read_trial(four_files).markers.p_WM)


def test_a_project_is_opened_not_imported(four_files, tmp_path):
    save_project(import_session(four_files), tmp_path / "a.biomec")
    with pytest.raises(FileError, match="project already"):
        import_session(tmp_path / "a.biomec")


def test_another_subjects_static_is_doubted(tmp_path):
    other = marker_trial()
    markers = Markers(("A", "B", "C", "C7"), other.markers.p_WM, RATE)  # a MAT file keeps the name of its own source
    write_trial(marker_trial(subject=Subject("Arthur")), tmp_path / "walk.mat")
    write_trial(replace(other, markers=markers, subject=Subject("Beatriz")), tmp_path / "static.mat")
    notices = import_session(tmp_path / "walk.mat").notices
    assert {"static-other-markers", "static-other-subject"} <= set(codes(notices))
    said = next(notice for notice in notices if notice.code == "static-other-markers")
    assert said.sentence.startswith("3 of 4 markers of d.emt are not in the static d.emt")


@pytest.mark.parametrize("wrong", ["static", "walk"])
def test_static_and_movement_come_in_one_unit(tmp_path, wrong):
    """A static in metres that says mm made a pelvis of a millimetre, and the model was refused for its labels."""
    sound = {"walk": person(STANDING, walks_m=2.0), "static": person(STANDING)}
    for name, trial in sound.items():
        p = trial.markers.p_WM * (1e-3 if name == wrong else 1.0)
        write_trial(replace(trial, markers=replace(trial.markers, p_WM=p)), tmp_path / f"{name}.trc")
    session = import_session(tmp_path / "walk.trc", plates=SKIP, emg=SKIP)
    assert session.static is not None
    for name, found in (("walk", session.dynamic), ("static", session.static)):
        np.testing.assert_allclose(found.markers.p_WM, sound[name].markers.p_WM, rtol=1e-12)
    (said,) = (one.sentence for one in session.notices if one.code == "unit-by-recording")
    assert said.startswith(f"In {wrong}.trc the markers are 0.001 times as far apart")
    assert "unit-contradicted" not in codes((*session.notices, *session.dynamic.notices))


# ------------------------------------------------------------------------------------------------------- plates, clocks
@pytest.mark.parametrize(
    ("plates", "first_frame", "start_s", "said"),
    [
        (plate_trial(), 1, 0.0, []),
        (plate_trial(), 286, 0.0, ["plates-clock"]),  # both files count from their own start
        (plate_trial(start_s=2.85), 286, 0.0, []),  # both on the clock of the recording
        (plate_trial(samples=10_000), 286, -2.85, ["plates-longer"]),  # plates of the whole recording
        (plate_trial(samples=300), 1, 0.0, ["plates-length"]),
        (plate_trial(start_s=0.2), 1, 0.2, ["plates-length"]),
        (plate_trial(samples=570, rate_hz=950.0), 1, 0.0, ["plates-rate"]),
    ],
)
def test_plates_come_onto_the_clock_of_the_markers(plates, first_frame, start_s, said):
    merged, notices = merge_plates(marker_trial(first_frame=first_frame), plates)
    assert merged.plates[0].start_s == pytest.approx(start_s, abs=1e-12)
    assert codes(notices) == said


def test_plates_in_other_axes_are_turned_and_said():
    trial = marker_trial(axes=LabAxes("+z", "+x", Authority.FILE))
    merged, notices = merge_plates(trial, plate_trial(axes=LabAxes("+y", "+x", Authority.EVIDENCE)))
    assert codes(notices) == ["plates-turned"]
    np.testing.assert_array_equal(merged.plates[0].up, [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(merged.plates[0].force[:, 2], plate_trial().plates[0].force[:, 1])


def test_plates_of_reversed_sign_are_not_turned(four_files, tmp_path):
    """A table with the forces on the ground was read as 'up is -y': the plates were turned, 25 cm beside the foot."""
    right = plate_trial()
    path = tmp_path / "20150408_Arthur_Aberto1.mot"
    opposite = tuple(replace(plate, force=-plate.force, moment=-plate.moment) for plate in right.plates)
    cop = import_session(four_files).dynamic.plates[0].centre_of_pressure()
    write_trial(replace(right, plates=opposite), path, overwrite=True)
    session = import_session(four_files)
    assert "plates-turned" not in codes(session.notices)
    (doubt,) = [notice for notice in session.notices if notice.code == "plate-sign-doubtful"]
    assert doubt.severity is Severity.PROBLEM
    assert doubt.about == tuple(plate.name for plate in right.plates)
    assert session.dynamic.axes.up == "+y"
    np.testing.assert_allclose(session.dynamic.plates[0].force, opposite[0].force, atol=1e-9)
    mended = import_session(four_files, reverse_plates=True)
    assert "plates-reversed" in codes(mended.notices)
    assert "plate-sign-doubtful" not in codes((*mended.notices, *mended.dynamic.notices))
    np.testing.assert_allclose(mended.dynamic.plates[0].force, right.plates[0].force, atol=1e-9)
    np.testing.assert_allclose(mended.dynamic.plates[0].centre_of_pressure(), cop, atol=1e-9)


def test_plates_of_opposite_up_are_left_where_they_are():
    trial = marker_trial(axes=LabAxes("+y", "+x", Authority.FILE))
    other = plate_trial(axes=LabAxes("-y", "+x", Authority.FILE))
    merged, notices = merge_plates(trial, other)
    assert codes(notices) == ["plate-sign-doubtful"]
    for before, after in zip(other.plates, merged.plates, strict=True):
        np.testing.assert_array_equal(after.force, before.force)
        np.testing.assert_array_equal(after.up, [0.0, 1.0, 0.0])


def test_plates_show_what_is_up_where_the_markers_do_not(four_files, tmp_path):
    """The laboratory is Z-up, which neither file says; both are read as Y-up at first."""
    z_up = plate_trial(axes=LabAxes("+z", "+x"))
    cop = np.tile([0.3, 0.2, 0.0], (600, 1))
    force = z_up.plates[0].force + np.array([25.0, 0.0, 0.0])
    plate = ForcePlate.from_centre_of_pressure(
        "Pe_D", force, cop, np.zeros((600, 3)), 1000.0, np.array([0.0, 0.0, 1.0])
    )
    write_trial(replace(z_up, plates=(plate,)), tmp_path / "20150408_Arthur_Aberto1.mot", overwrite=True)
    dynamic = import_session(four_files).dynamic
    assert (dynamic.axes.up, dynamic.axes.authority) == ("+z", Authority.EVIDENCE)
    np.testing.assert_array_equal(dynamic.plates[0].force, force)  # nothing was turned
    np.testing.assert_allclose(dynamic.plates[0].centre_of_pressure(), cop, atol=1e-12)


def test_the_static_shows_what_is_up_where_the_movement_does_not(tmp_path):
    """Push-ups without plates, in a Z-up laboratory that the file does not speak of; in the static a person stands."""
    z_up = LabAxes("+z", "+x")
    for name, points in (("S1_push.trc", PUSH_UP), ("S1_static.trc", STANDING)):
        write_trial(person(points).turned(z_up), tmp_path / name)
    session = import_session(tmp_path / "S1_push.trc", plates=SKIP, emg=SKIP)
    assert (session.dynamic.axes.up, session.dynamic.axes.authority) == ("+z", Authority.EVIDENCE)
    assert codes(session.notices) == ["static-by-name", "up-by-static"]


def test_a_table_without_plates_is_said(four_files, tmp_path):
    no_plates = replace(plate_trial(), plates=(), analog=Analog(("hip_flexion",), np.zeros((600, 1)), ("deg",), 1000.0))
    (tmp_path / "20150408_Arthur_Aberto1.mot").unlink()
    write_trial(no_plates, tmp_path / "20150408_Arthur_Aberto1.mot")
    assert "plates-none" in codes(import_session(four_files).notices)


def test_a_c3d_with_plates_keeps_its_own(tmp_path):
    write_trial(replace(marker_trial(), plates=plate_trial().plates), tmp_path / "walk.mat")
    write_trial(plate_trial(samples=500), tmp_path / "walk.mot")
    session = import_session(tmp_path / "walk.mat")
    assert session.dynamic.plates[0].samples == 600
    assert "plates-not-needed" in codes(session.notices)
    given = import_session(tmp_path / "walk.mat", plates=tmp_path / "walk.mot")
    assert given.dynamic.plates[0].samples == 500


# --------------------------------------------------------------------------------------------------------------- EMG
@pytest.mark.parametrize(("first", "said"), [(1, []), (31, []), (191, ["emg-length"])])
def test_emg_is_cut_to_the_saved_frames(first, said):
    alignment = EmgAlignment(first, first + FRAMES - 1)
    merged, notices = merge_emg(marker_trial(), emg_trial(), alignment)
    t0 = (first - 1) / RATE
    np.testing.assert_allclose(1e3 * merged.emg.values[:, 0], merged.emg.time_s + t0, atol=1e-12)
    assert codes(notices) == said


@pytest.mark.parametrize(("amplitude_v", "asked"), [(0.002, False), (1.0, True)])
def test_emg_larger_than_any_muscle_is_questioned(tmp_path, amplitude_v, asked):
    """A file whose EMG reached 10⁶ µV was shown as it was; an offset of the electrodes is not activity."""
    trial = marker_trial()
    samples = 0.2 + amplitude_v * np.sin(np.arange(FRAMES * 10))[:, None]
    write_emt(trial, tmp_path / "a.emt")
    emg = replace(emg_trial(FRAMES * 10), emg=Analog(("Soleus",), samples, ("V",), 1000.0))
    write_emt(emg, tmp_path / "a_EMG.emt", tracks="emg")
    session = import_session(tmp_path / "a.emt", emg=tmp_path / "a_EMG.emt")
    sentences = [notice.sentence for notice in session.notices if notice.code == "emg-amplitude"]
    assert bool(sentences) is asked
    assert not asked or "EMG Soleus reaches 1,00" in sentences[0]


def test_frames_that_are_not_as_many_as_the_trials_are_said():
    _, notices = merge_emg(marker_trial(), emg_trial(), EmgAlignment(1, 100))
    assert codes(notices) == ["emg-frames"]
    assert "Frames 1 to 100 are 100, but d.emt holds 60" in notices[0].sentence


def test_emg_that_ended_before_is_said():
    merged, notices = merge_emg(marker_trial(), emg_trial(), EmgAlignment(1001, 1060))
    assert merged.emg.samples == 0
    assert codes(notices) == ["emg-length"]
    assert "covers nothing" in notices[0].sentence


def test_a_file_without_channels_brings_no_emg():
    merged, notices = merge_emg(marker_trial(), marker_trial(), EmgAlignment(1, FRAMES))
    assert merged.emg is None
    assert codes(notices) == ["emg-none"]


# --------------------------------------------------------------------------------------------------------- real files
def test_the_opensim_walk_comes_with_static_and_plates():
    session = import_session(recording("gait_opensim2354", "subject01_walk1.trc"))
    assert session.static.frames == 300
    weight = sum(plate.vertical for plate in session.dynamic.plates)
    # over the 2.5 s on a treadmill the mean vertical force is body weight, 72.6 kg, but for the unfinished steps
    assert weight.mean() == pytest.approx(72.6 * 9.81, rel=0.03)
    assert not [notice for notice in session.notices if notice.severity != "info"]


def test_the_vicon_walk_comes_with_its_static():
    session = import_session(recording("gait_pig_pair", "HC030A05.c3d"))
    assert session.static.source.name == "HC030A01.c3d"
    assert (session.subject.mass_kg, session.subject.height_m) == (45.8, 1.48)
    assert len(session.dynamic.plates) == 2
    assert session.emg_alignment is None
