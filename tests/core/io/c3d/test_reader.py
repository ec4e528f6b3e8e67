"""Reading C3D: real files against ezc3d, and files written byte by byte for everything those do not show."""

import ezc3d
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import FileError
from biomec.base.notices import Severity
from biomec.io.c3d import read_c3d
from biomec.recording import Authority
from tests.oracles.c3d_bytes import DEC, INTEL, MIPS, c3d_bytes, continued, real_bytes
from tests.real_data import recording

REAL_FILES = [
    ("gait_pig_pair", "HC030A01.c3d"),
    ("gait_pig_pair", "HC030A05.c3d"),
    ("shoulder_scapula", "scapula_clavicle_markers.c3d"),
]


def labels_of(content):
    points = content["parameters"]["POINT"]
    return [label for name in ("LABELS", "LABELS2", "LABELS3") if name in points for label in points[name]["value"]]


def codes(trial):
    return [notice.code for notice in trial.notices]


@pytest.fixture
def read(tmp_path):
    def read_bytes(data):
        path = tmp_path / "made.c3d"
        path.write_bytes(data)
        return read_c3d(path)

    return read_bytes


# ------------------------------------------------------------------------------------------------- real files and ezc3d


@pytest.mark.parametrize("parts", REAL_FILES, ids=lambda parts: parts[-1])
def test_every_point_of_a_real_file_is_what_ezc3d_reads(parts):
    path = recording(*parts)
    trial, content = read_c3d(path), ezc3d.c3d(str(path))
    expected = dict(zip(labels_of(content), np.moveaxis(content["data"]["points"][:3], 0, -1), strict=True))
    ours = {name: 1e3 * trial.markers[name] for name in trial.markers.names}
    for who, markers in trial.other_subjects.items():
        ours |= {f"{who}:{name}": 1e3 * markers[name] for name in markers.names}
    if trial.outputs is not None:
        ours |= {name: trial.outputs[name] for name in trial.outputs.names}
    assert len(ours) == len(expected)
    for label, values in expected.items():
        name = label if label in ours else label.split(":")[1]
        # the same single-precision numbers; metres and back cost two roundings of double precision
        assert_allclose(ours[name], values, rtol=1e-14, err_msg=label)
    assert trial.rate_hz == content["parameters"]["POINT"]["RATE"]["value"][0]


@pytest.mark.parametrize("name", ["HC030A01.c3d", "HC030A05.c3d"])
def test_analog_channels_and_plates_of_a_real_file_are_what_ezc3d_reads(name):
    path = recording("gait_pig_pair", name)
    trial, content = read_c3d(path), ezc3d.c3d(str(path), extract_forceplat_data=True)
    labels = content["parameters"]["ANALOG"]["LABELS"]["value"]
    analog = dict(zip(labels, content["data"]["analogs"][0], strict=True))
    assert (trial.emg.rate_hz, trial.analog.rate_hz) == (1000.0, 1000.0)
    for series in (trial.emg, trial.analog):
        for channel in series.names:
            assert_allclose(series[channel], analog[channel], rtol=1e-14)
    assert set(trial.emg.names) | set(trial.analog.names) == set(labels[12:])  # those of plates are not repeated
    for plate, expected in zip(trial.plates, content["data"]["platform"], strict=True):
        # we take the axes from all four corners, ezc3d from three; they differ by 3e-6 rad in these files
        assert_allclose(plate.force, expected["force"].T, atol=3e-3)
        assert_allclose(plate.moment, 1e-3 * expected["moment"].T, atol=3e-3)
        assert_allclose(plate.corners, 1e-3 * expected["corners"].T, rtol=1e-12)
        on = plate.loaded()
        if on.any():
            assert_allclose(
                plate.centre_of_pressure()[on], 1e-3 * expected["center_of_pressure"].T[on], rtol=0, atol=1e-5
            )
            assert_allclose(plate.free_moment()[on], 1e-3 * expected["Tz"].T[on], rtol=0, atol=1e-3)


def test_the_walk_has_the_events_subject_and_frames_that_are_known_of_it():
    trial = read_c3d(recording("gait_pig_pair", "HC030A05.c3d"))
    assert (trial.frames, trial.rate_hz, trial.first_frame) == (197, 100.0, 286)
    assert (trial.subject.name, trial.subject.mass_kg, trial.subject.height_m) == ("HC030A", 45.8, 1.48)
    assert (trial.axes.up, trial.axes.authority) == ("+z", Authority.FILE)
    absolute = {(e.context, e.label, round(e.time_s + 2.85, 6)) for e in trial.events}  # frame 286 is at 2.85 s
    assert {
        ("Right", "Foot Strike", 3.02),
        ("Right", "Foot Off", 3.65),
        ("Left", "Foot Strike", 3.54),
        ("Left", "Foot Off", 4.18),
    } <= absolute
    assert len(trial.events) == 8
    for plate, strike in zip(trial.plates, ("Left", "Right"), strict=True):
        onset = np.flatnonzero(plate.loaded())[0] / plate.rate_hz
        nearest = min((abs(e.time_s - onset), e.context) for e in trial.events if e.label == "Foot Strike")
        assert nearest[0] < 0.03, strike  # three frames: the plate itself dates the events of this file


def test_the_static_carries_the_weight_of_its_subject():
    trial = read_c3d(recording("gait_pig_pair", "HC030A01.c3d"))
    weight = sum(plate.vertical.mean() for plate in trial.plates)
    assert weight / 9.81 == pytest.approx(45.8, rel=0.005)
    assert "c3d-origin-sign" in codes(trial)


def test_model_outputs_are_not_markers():
    trial = read_c3d(recording("gait_pig_pair", "HC030A05.c3d"))
    assert len(trial.markers.names) + len(trial.outputs.names) == 291
    assert {"LASI", "RASI", "SACR", "C7", "LHEE", "RTOE"} <= set(trial.markers.names)
    kinds = dict(zip(trial.outputs.names, trial.outputs.kinds, strict=True))
    assert (kinds["LHipAngles"], kinds["RKneeMoment"], kinds["LAnklePower"]) == ("angle", "moment", "power")
    assert kinds["PELO"] == kinds["CentreOfMass"] == kinds["LHJC"] == "modelled point"


def test_subjects_with_prefixes_are_kept_apart():
    trial = read_c3d(recording("shoulder_scapula", "scapula_clavicle_markers.c3d"))
    assert (trial.frames, trial.rate_hz, trial.subject.name) == (800, 100.0, "Martin")
    assert len(trial.markers.names) == 21
    assert {"C7", "SCAP_IA"} <= set(trial.markers.names)
    assert list(trial.other_subjects) == ["Kinova"]
    assert "Table" in trial.other_subjects["Kinova"]
    # residuals in hundredths of a millimetre, as the scale of the file says
    assert 1e-5 < np.nanmedian(trial.markers.residual) < 3e-3


# ----------------------------------------------------------------------------------------------- processors and storage


def test_dec_numbers_have_the_bits_of_a_vax():
    """The number 1 of a VAX is 0x4080 in its first word, −2.5 is 0xC120 (VAX architecture, F_floating)."""
    assert real_bytes([1.0], DEC) == bytes([0x80, 0x40, 0, 0])
    assert real_bytes([-2.5], DEC) == bytes([0x20, 0xC1, 0, 0])


@pytest.mark.parametrize("processor", [INTEL, DEC, MIPS], ids=["Intel", "DEC", "MIPS"])
@pytest.mark.parametrize("real", [True, False], ids=["reals", "integers"])
def test_every_processor_and_storage_gives_the_same_trial(read, rng, processor, real):
    steps = rng.integers(-20000, 20000, size=(7, 4, 3))
    words = rng.integers(0, 255, size=(7, 4))
    words[2, 1], words[5] = -1, -1
    stored = rng.integers(-2000, 2000, size=(21, 3))
    data = c3d_bytes(
        0.05 * steps if real else steps,
        words=words,
        analog=stored,
        samples_per_frame=3,
        scale=0.05,
        real=real,
        processor=processor,
        rate=120.0,
        parameters={
            ("ANALOG", "SCALE"): np.array([0.5, 2.0, 1.0]),
            ("ANALOG", "OFFSET"): np.array([100, -7, 0]),
            ("ANALOG", "GEN_SCALE"): np.array(0.25),
        },
    )
    trial = read(data)
    expected = np.where(words[:, :, None] < 0, np.nan, 0.05e-3 * steps)
    # single precision holds 24 bits: 6e-8 of a coordinate of a metre
    assert_allclose(trial.markers.p_WM, expected, rtol=0, atol=6e-8)
    assert_allclose(trial.markers.residual, np.where(words < 0, np.nan, 0.05e-3 * words), rtol=1e-6)
    assert_allclose(trial.analog.values, (stored - [100, -7, 0]) * [0.5, 2.0, 1.0] * 0.25)
    assert (trial.rate_hz, trial.analog.rate_hz) == (120.0, 360.0)


def test_ezc3d_reads_the_same_from_the_files_made_here(tmp_path, rng):
    """The oracle itself is judged: ezc3d reads what it wrote."""
    path = tmp_path / "made.c3d"
    points, analog = rng.normal(scale=500.0, size=(9, 5, 3)), rng.normal(size=(18, 2))
    path.write_bytes(c3d_bytes(points, analog=analog, samples_per_frame=2))
    content = ezc3d.c3d(str(path))
    assert_allclose(np.moveaxis(content["data"]["points"][:3], 0, -1), np.moveaxis(points, 0, 1), rtol=1e-6)
    assert_allclose(content["data"]["analogs"][0].T, analog, rtol=1e-6)


def test_camera_bits_do_not_enter_the_residual(read):
    words = np.array([[0b0000101_00000111, 7, 0, -1]])
    trial = read(c3d_bytes(np.full((1, 4, 3), 100.0), words=words, scale=0.1))
    assert_allclose(trial.markers.residual, [[7e-4, 7e-4, 0.0, np.nan]], rtol=1e-6)
    assert_array_equal(trial.markers.visible, [[True, True, True, False]])


def test_unsigned_analog_samples(read):
    stored = np.array([[0.0], [32768.0], [65535.0]])
    parameters = {("ANALOG", "FORMAT"): "UNSIGNED", ("ANALOG", "OFFSET"): np.array([32768])}
    trial = read(c3d_bytes(np.ones((3, 1, 3)), analog=stored, real=False, parameters=parameters))
    assert_array_equal(trial.analog.values[:, 0], [-32768.0, 0.0, 32767.0])


def test_samples_at_exactly_zero_are_missing_and_said_so(read):
    points = np.full((3, 2, 3), 5.0)
    points[1, 0] = 0.0
    trial = read(c3d_bytes(points))
    assert_array_equal(trial.markers.visible, [[True, True], [False, True], [True, True]])
    (notice,) = [n for n in trial.notices if n.code == "c3d-zero-is-missing"]
    assert notice.about == ("M1",)


def test_zeros_may_be_places(tmp_path):
    path = tmp_path / "origin.c3d"
    path.write_bytes(c3d_bytes(np.zeros((3, 1, 3))))
    assert_array_equal(read_c3d(path, zeros_are_missing=False).markers.p_WM, np.zeros((3, 1, 3)))
    assert not read_c3d(path).markers.visible.any()


# ---------------------------------------------------------------------------------------------------- frames and labels


def test_labels_continue_in_further_parameters(read):
    names = [f"P{k}" for k in range(600)]
    trial = read(c3d_bytes(np.ones((2, 600, 3)), parameters=continued("POINT", "LABELS", names)))
    assert trial.markers.names == tuple(names)


def test_points_without_a_label_are_kept_apart(read):
    parameters = {("POINT", "LABELS"): ["C7", "*12", "T10", ""]}
    points = np.arange(1.0, 31.0).reshape(2, 5, 3)
    trial = read(c3d_bytes(points, parameters=parameters))
    assert trial.markers.names == ("C7", "T10")
    assert trial.unlabelled.names == ("*12", "*4", "*5")
    assert_allclose(1e3 * trial.unlabelled.p_WM, points[:, [1, 3, 4]], rtol=1e-6)


@pytest.mark.parametrize("labels", [None, [], ["", "", ""], ["*1", "*2", "*3"]])
def test_a_file_without_any_name_is_warned_of(read, labels):
    """One flipped byte in the group POINT: "Markers none, 3 points without a name", and not a word that it matters."""
    trial = read(c3d_bytes(np.ones((2, 3, 3)), parameters={("POINT", "LABELS"): labels}))
    assert (trial.markers.names, len(trial.unlabelled.names)) == ((), 3)
    notice = next(notice for notice in trial.notices if notice.code == "c3d-no-labels")
    assert notice.severity is Severity.WARNING
    assert "none of its 3 points has a name" in str(notice)
    assert "damaged" in str(notice)


def test_fewer_names_than_points_are_warned_of(read):
    trial = read(c3d_bytes(np.ones((2, 3, 3)), parameters={("POINT", "LABELS"): ["C7", "T10"]}))
    notice = next(notice for notice in trial.notices if notice.code == "c3d-labels-short")
    assert "3 points, but names for 2 only" in str(notice)
    whole = read(c3d_bytes(np.ones((2, 3, 3)), parameters={("POINT", "LABELS"): ["C7", "*2", ""]}))
    assert not {"c3d-labels-short", "c3d-no-labels"} & set(codes(whole))
    empty = read(c3d_bytes(np.ones((2, 0, 3)), analog=np.ones((2, 1))))
    assert "c3d-no-labels" not in codes(empty)


def test_lists_that_name_points_which_are_not_there_are_warned_of(read):
    parameters = {
        ("POINT", "LABELS"): ["Ann:C7", "Ann:Knee"],
        ("POINT", "POWERS"): ["Knee", "Ann:Knee", "Hip"],
        ("POINT", "ANGLES"): ["Knee", "Ankle"],
        ("POINT", "SCALARS"): [""],
    }
    trial = read(c3d_bytes(np.ones((2, 2, 3)), parameters=parameters))
    said = [notice for notice in trial.notices if notice.code == "c3d-list-without-points"]
    assert [notice.about for notice in said] == [("Ankle", "Hip")]
    assert "ANGLES, POWERS of the group POINT name Ankle, Hip, but no point is called so" in str(said[0])


@pytest.mark.parametrize(("parameter", "believed"), [(120.0, 120.0), (0.0, 100.0), (1e9, 100.0), (100.000001, 100.0)])
def test_two_frame_rates_are_said_with_the_one_believed(read, parameter, believed):
    """POINT:RATE was believed in silence, whatever the header said."""
    trial = read(c3d_bytes(np.ones((4, 1, 3)), rate=100.0, parameters={("POINT", "RATE"): np.array(parameter)}))
    assert trial.rate_hz == believed
    said = [str(notice) for notice in trial.notices if notice.code == "c3d-rates-disagree"]
    if parameter in (0.0, 100.000001):  # not stated; rounding
        assert said == []
    else:
        assert len(said) == 1
        assert f"{believed:g} Hz are believed" in said[0]
        assert ("the header" if parameter == 120.0 else "POINT:RATE") in said[0]


@pytest.mark.parametrize(("header", "start", "questioned"), [(1, 286, True), (286, 286, False), (0, 286, False)])
def test_two_first_frames_are_said_with_the_one_believed(read, header, start, questioned):
    parameters = {
        ("TRIAL", "ACTUAL_START_FIELD"): np.array([start, 0]),
        ("TRIAL", "ACTUAL_END_FIELD"): np.array([start + 3, 0]),
    }
    trial = read(c3d_bytes(np.ones((4, 1, 3)), first_frame=header, parameters=parameters))
    assert trial.first_frame == start
    said = [str(notice) for notice in trial.notices if notice.code == "c3d-first-frames-disagree"]
    assert len(said) == questioned
    assert all("is 286 by TRIAL:ACTUAL_START_FIELD, which is believed, but 1 by the header" in one for one in said)


@pytest.mark.parametrize("parts", REAL_FILES, ids=lambda parts: parts[-1])
def test_a_sound_file_is_not_suspected(parts):
    new = {"c3d-no-labels", "c3d-labels-short", "c3d-list-without-points", "c3d-rates-disagree"}
    assert not (new | {"c3d-first-frames-disagree"}) & set(codes(read_c3d(recording(*parts))))


def test_a_label_used_twice_is_numbered(read):
    trial = read(c3d_bytes(np.ones((1, 3, 3)), parameters={("POINT", "LABELS"): ["C7", "C7", "C7_2"]}))
    assert trial.markers.names == ("C7", "C7_3", "C7_2")
    assert "names-made-unique" in codes(trial)


def test_model_outputs_are_told_by_list_by_unit_and_by_name(read):
    labels = ["C7", "Knee", "RHipAngles", "Elbow", "LKneeMoment", "ScapulaInferiorAngle"]
    parameters = {
        ("POINT", "LABELS"): labels,
        ("POINT", "DESCRIPTIONS"): ["", "", "", "flexion [deg]", "", ""],
        ("POINT", "POWERS"): ["Knee"],
        ("POINT", "POWER_UNITS"): "W",
        ("POINT", "ANGLE_UNITS"): "deg",
    }
    points = np.arange(18.0).reshape(1, 6, 3)
    trial = read(c3d_bytes(points, parameters=parameters))
    assert trial.markers.names == ("C7", "ScapulaInferiorAngle")  # the latter is a landmark
    assert trial.outputs.kinds == ("power", "angle", "angle", "moment")
    assert trial.outputs.units == ("W", "deg", "deg", "")
    assert_array_equal(trial.outputs.values, points[:, 1:5])  # in the file's own units


def test_the_first_frame_may_lie_beyond_16_bits(read):
    first = 70000
    pair = lambda number: np.array([number % 65536, number // 65536])
    parameters = {
        ("TRIAL", "ACTUAL_START_FIELD"): pair(first),
        ("TRIAL", "ACTUAL_END_FIELD"): pair(first + 9),
        ("EVENT", "USED"): np.array(1),
        ("EVENT", "CONTEXTS"): ["Left"],
        ("EVENT", "LABELS"): ["Foot Strike"],
        ("EVENT", "TIMES"): np.array([[11.0], [40.02]]),  # 11 min 40.02 s = frame 70003 at 100 Hz
    }
    trial = read(c3d_bytes(np.ones((10, 1, 3)), first_frame=first % 65536, parameters=parameters))
    assert (trial.frames, trial.first_frame) == (10, first)
    assert trial.events[0].time_s == pytest.approx(0.03, abs=1e-9)


@pytest.mark.parametrize("how", ["TRIAL", "LONG_FRAMES", "size"])
def test_more_frames_than_16_bits_hold(read, how):
    frames = 66000
    points = np.arange(frames * 3.0).reshape(frames, 1, 3) + 1.0
    parameters = {
        "TRIAL": {
            ("TRIAL", "ACTUAL_START_FIELD"): np.array([1, 0]),
            ("TRIAL", "ACTUAL_END_FIELD"): np.array([frames - 65536, 1]),
        },
        "LONG_FRAMES": {("POINT", "LONG_FRAMES"): np.array(float(frames))},
        "size": {("POINT", "FRAMES"): np.array(float(frames))},  # the count as a real number
    }[how]
    trial = read(c3d_bytes(points, parameters=parameters))
    assert trial.frames == frames
    assert_allclose(1e3 * trial.markers.p_WM[-1, 0], points[-1, 0], rtol=1e-6)


@pytest.mark.parametrize(("word", "right", "wrong"), [(2, 3, 4), (3, 6, 8), (5, 10, 90), (9, None, 200)])
def test_a_header_at_odds_with_the_parameters_does_not_matter(read, word, right, wrong):
    points, analog = np.full((10, 3, 3), 7.0), np.full((20, 3), 2.0)
    data = c3d_bytes(points, analog=analog, samples_per_frame=2, header={word: wrong})
    trial = read(data)
    assert (trial.frames, len(trial.markers.names), trial.analog.values.shape) == (10, 3, (20, 3))
    assert_allclose(trial.markers.p_WM, 7e-3, rtol=1e-6)
    assert_allclose(trial.analog.values, 2.0)


def test_frames_beyond_the_stated_ones_are_mentioned(read):
    data = c3d_bytes(np.ones((100, 5, 3)), parameters={("POINT", "FRAMES"): np.array(40)}, header={5: 40})
    trial = read(data)
    assert trial.frames == 40
    assert "c3d-longer-than-stated" in codes(trial)


# ------------------------------------------------------------------------------------------------ units, axes, subject


@pytest.mark.parametrize(("unit", "metres"), [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("M", 1.0)])
def test_length_units(read, unit, metres):
    trial = read(c3d_bytes(np.full((1, 1, 3), 3.0), parameters={("POINT", "UNITS"): unit}))
    assert_allclose(trial.markers.p_WM, 3.0 * metres)


@pytest.mark.parametrize(("size", "metres"), [(1.5, 1.0), (1500.0, 1e-3)])
def test_an_absent_unit_is_told_by_the_size_of_the_coordinates(read, size, metres):
    trial = read(c3d_bytes(np.full((4, 2, 3), size), parameters={("POINT", "UNITS"): None}))
    assert_allclose(trial.markers.p_WM, size * metres)
    assert "c3d-unit-guessed" in codes(trial)


@pytest.mark.parametrize(
    ("x_screen", "y_screen", "up", "forward", "authority"),
    [
        ("+X", "+Z", "+z", "+x", Authority.FILE),
        ("-Y", "+Z", "+z", "-y", Authority.FILE),
        ("X", "Y", "+y", "+x", Authority.FILE),
        ("+Z", "+Z", "+z", "+x", Authority.FILE),
        ("", "", "+z", "+x", Authority.ASSUMED),
    ],
)
def test_axes_by_the_word_of_the_file(read, x_screen, y_screen, up, forward, authority):
    parameters = {("POINT", "X_SCREEN"): x_screen, ("POINT", "Y_SCREEN"): y_screen}
    axes = read(c3d_bytes(np.ones((1, 1, 3)), parameters=parameters)).axes
    assert (axes.up, axes.forward, axes.authority) == (up, forward, authority)


@pytest.mark.parametrize("height", [1480.0, 148.0, 1.48])
def test_height_in_any_unit(read, height):
    parameters = {("PROCESSING", "Bodymass"): np.array(45.8), ("PROCESSING", "Height"): np.array(height)}
    subject = read(c3d_bytes(np.ones((1, 1, 3)), parameters=parameters)).subject
    assert (subject.mass_kg, subject.height_m) == (45.8, pytest.approx(1.48))


def test_an_impossible_mass_is_ignored_and_said_so(read):
    trial = read(c3d_bytes(np.ones((1, 1, 3)), parameters={("PROCESSING", "Bodymass"): np.array(-4.0)}))
    assert trial.subject.mass_kg is None
    assert "c3d-subject" in codes(trial)


def test_the_measures_of_a_real_subject_are_those_in_the_file():
    measures = read_c3d(recording("gait_pig_pair", "HC030A01.c3d")).subject.measures
    mm = {
        "leg_length": (830, 830), "knee_width": (104, 102), "ankle_width": (59, 61), "shoulder_offset": (35, 35),
        "elbow_width": (84, 84), "wrist_width": (50, 50), "hand_thickness": (31, 31),
        "asis_trochanter": (58.344, 58.344),
    }  # fmt: skip
    expected = {
        f"{key}_{side}": value / 1e3 for key, both in mm.items() for side, value in zip("DE", both, strict=True)
    }
    expected |= {"asis_distance": 0.204, "marker_diameter": 0.010, "head_offset": 0.009777128}
    expected |= {"foot_plantar_flexion_D": 0.2313486, "foot_plantar_flexion_E": 0.1904874}
    expected |= {"foot_rotation_D": 0.0722803, "foot_rotation_E": 0.05661514}
    assert measures == pytest.approx(expected)  # zeros of the file, such as the tibial torsion, say nothing


@pytest.mark.parametrize(
    ("name", "written", "key", "value"),
    [
        ("RTibialTorsion", 0.25, "tibial_torsion_D", 0.25),
        ("RTibialTorsion", -15.0, "tibial_torsion_D", np.radians(-15.0)),
        ("LShankRotation", 0.1, "shank_rotation_E", 0.1),
        ("Marker Diameter", 25.0, "marker_diameter", 0.025),
        ("LKneeWidth", 0.102, "knee_width_E", 0.102),
    ],
)
def test_measures_in_other_units(read, name, written, key, value):
    trial = read(c3d_bytes(np.ones((1, 1, 3)), parameters={("PROCESSING", name): np.array(written)}))
    assert trial.subject.measures == pytest.approx({key: value})


def test_the_rotation_of_a_foot_model_is_not_that_of_the_shank(read):
    trial = read(c3d_bytes(np.ones((1, 1, 3)), parameters={("PROCESSING", "LTibiaRotation"): np.array(0.1)}))
    assert not trial.subject.measures


def test_an_impossible_measure_is_ignored_and_said_so(read):
    trial = read(c3d_bytes(np.ones((1, 1, 3)), parameters={("PROCESSING", "LKneeWidth"): np.array(1020.0)}))
    assert not trial.subject.measures
    assert "LKneeWidth of the subject, 1020, is impossible" in next(
        notice.sentence for notice in trial.notices if notice.code == "c3d-subject"
    )


# ----------------------------------------------------------------------------------------------------- analog channels


def test_emg_is_told_by_name_and_unit_and_put_into_volts(read):
    labels = ["EMG1", "L Gastroc", "Force.Fx", "Trigger", "R Tib Ant", "Biceps"]
    units = ["uV", "mV", "N", "V", "V", "N"]
    parameters = {("ANALOG", "LABELS"): labels, ("ANALOG", "UNITS"): units}
    trial = read(c3d_bytes(np.ones((2, 1, 3)), analog=np.full((2, 6), 3.0), parameters=parameters))
    assert trial.emg.names == ("EMG1", "L Gastroc", "R Tib Ant")
    assert trial.emg.units == ("V", "V", "V")
    assert_allclose(trial.emg.values[0], [3e-6, 3e-3, 3.0])
    assert trial.analog.names == ("Force.Fx", "Trigger", "Biceps")


def test_a_voltage_called_after_side_and_muscle_is_emg(read):
    labels = ["R_RF", "LTA", "l gmed", "R_ST", "L_SOL", "R_TA2", "Pin 1", "R_Fz"]
    units = ["V", "mV", "µV", "N", "", "V", "V", "V"]
    parameters = {("ANALOG", "LABELS"): labels, ("ANALOG", "UNITS"): units}
    trial = read(c3d_bytes(np.ones((2, 1, 3)), analog=np.full((2, 8), 3.0), parameters=parameters))
    assert trial.emg.names == ("R_RF", "LTA", "l gmed")


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(FileError, match=r"absent\.c3d"):
        read_c3d(tmp_path / "absent.c3d")
    with pytest.raises(FileError, match=tmp_path.name):
        read_c3d(tmp_path)


def test_a_name_that_is_not_ascii(tmp_path):
    path = tmp_path / "análise–São João 歩行.c3d"
    path.write_bytes(c3d_bytes(np.ones((1, 1, 3)), parameters={("POINT", "LABELS"): ["Mão"]}))
    trial = read_c3d(path)
    assert (trial.source.name, trial.markers.names) == (path.name, ("Mão",))
    assert trial.source.size == path.stat().st_size
