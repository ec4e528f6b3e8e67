"""MOT and STO: plates under all their names, other columns as channels, headers old and new, real recordings."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import FileError
from biomec.io.plate_columns import column_meaning, loose_meaning
from biomec.io.storage import read_storage, write_storage
from biomec.recording import Analog, ForcePlate, Trial
from tests.core.io.trials import ON_DISK, analogs, same, trials, walk
from tests.real_data import recording

HEADER = "grf\nversion=1\nnRows=3\nnColumns=10\ninDegrees=yes\nendheader\n"
NUMBERS = [[10.0, 800.0, -5.0, 0.3, 0.01, 0.1, 0.0, 2.5, 0.0]] * 3


def table(columns: list[str], rows: list[list[float]] = NUMBERS, step: float = 0.001) -> str:
    lines = ["\t".join(["time", *columns])]
    lines += ["\t".join(map(repr, [round(k * step, 6), *row])) for k, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def read(folder: Path, content: str, name: str = "x.mot") -> Trial:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return read_storage(folder / name)


def wrench_about_lab_origin(plate: ForcePlate) -> np.ndarray:
    return np.concatenate([plate.force, plate.moment + np.cross(plate.origin, plate.force)], axis=1)


@pytest.mark.parametrize(
    ("force", "point", "torque", "name"),
    [
        ("ground_force_v{}", "ground_force_p{}", "ground_torque_{}", "plate"),
        ("1_ground_force_v{}", "1_ground_force_p{}", "1_ground_torque_{}", "plate_1"),
        ("ground_force_r_v{}", "ground_force_r_p{}", "ground_torque_r_{}", "r"),
        ("ground_force1_v{}", "ground_force1_p{}", "ground_moment1_m{}", "plate_1"),
        ("ground_force_2_v{}", "ground_force_2_p{}", "ground_moment_2_m{}", "plate_2"),
        ("ground_force_v{}_Pe_D", "ground_force_p{}_Pe_D", "ground_torque_{}_Pe_D", "Pe_D"),
        ("Mao_D_ground_force_v{}", "Mao_D_ground_force_p{}", "Mao_D_ground_torque_{}", "Mao_D"),
        ("ground_force_Mao_E_v{}", "ground_force_Mao_E_p{}", "ground_torque_Mao_E_{}", "Mao_E"),
        ("Pe_E.F{}", "Pe_E.COP{}", "Pe_E.T{}", "Pe_E"),
        ("Pe_E.F{}", "Pe_E.COP{}", "Pe_E.M{}", "Pe_E"),
        ("Pe_E_F{}", "Pe_E_COP{}", "Pe_E_T{}", "Pe_E"),
        ("l_ground_force_v{}", "l_ground_force_p{}", "l_ground_torque_{}", "l"),
        ("ground_force_1_v{}", "ground_force_1_p{}", "ground_force_1_m{}", "plate_1"),
        ("GROUND_FORCE_V{}", "GROUND_FORCE_P{}", "GROUND_TORQUE_{}", "plate"),
        ("FP1_F{}", "FP1_COP{}", "FP1_T{}", "fp_1"),
        ("FP2.Force.{}", "FP2.CoP.{}", "FP2.Moment.{}", "fp_2"),
        ("FP1.For{}", "FP1.Cop{}", "FP1.Mom{}", "fp_1"),
        ("F{}1", "P{}1", "M{}1", "plate_1"),
        ("force2_v{}", "force2_p{}", "moment2_{}", "plate_2"),
        ("GRF_1_{}", "CofP_1_{}", "GRM_1_{}", "plate_1"),
        ("calcn_r_force_v{}", "calcn_r_force_p{}", "calcn_r_torque_{}", "calcn_r"),
        ("externalforce_l_v{}", "externalforce_l_p{}", "externalmoment_l_{}", "l"),
        ("Right_GRF_{}", "Right_Center_of_Pressure_{}", "Right_Free_Moment_{}", "right"),
    ],
)
@pytest.mark.parametrize("interleaved", [False, True])
def test_names_of_plates(tmp_path: Path, force: str, point: str, torque: str, name: str, interleaved: bool) -> None:
    columns = [pattern.format(axis) for pattern in (force, point, torque) for axis in "xyz"]
    order = [0, 3, 6, 1, 4, 7, 2, 5, 8] if interleaved else list(range(9))
    rows = [[row[k] for k in order] for row in NUMBERS]
    trial = read(tmp_path, HEADER + table([columns[k] for k in order], rows))
    assert [plate.name for plate in trial.plates] == [name]
    assert trial.analog is None
    plate = trial.plates[0]
    f, p, m = (np.array(NUMBERS)[:, 3 * k : 3 * k + 3] for k in range(3))
    # by hand: the wrench about the laboratory's origin
    np.testing.assert_allclose(wrench_about_lab_origin(plate), np.hstack([f, np.cross(p, f) + m]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(plate.centre_of_pressure(), p, rtol=0, atol=1e-14)
    assert (plate.rate_hz, plate.start_s) == (1000.0, 0.0)


@pytest.mark.parametrize(
    "column", ["ankle_r_on_talus_r_in_ground_fx", "pelvis_tx", "knee_Fx", "ground_thorax_rot_x", "ground_force", "Fx"]
)
def test_what_is_not_a_plate(column: str) -> None:
    assert column_meaning(column) is None


def test_plates_numbered_like_a_flattened_table_are_known(tmp_path: Path) -> None:
    columns = [f"{what}{plate}_{axis}" for plate in (1, 2) for what in "fpm" for axis in (1, 2, 3)]
    rows = [[*row, *(2.0 * value for value in row)] for row in NUMBERS]
    trial = read(tmp_path, HEADER.replace("10", "19") + table(columns, rows))
    assert [plate.name for plate in trial.plates] == ["plate_1", "plate_2"]
    np.testing.assert_array_equal(trial.plates[1].force, 2.0 * np.array(NUMBERS)[:, :3])
    assert "plate_1 (f1_1, f1_2, f1_3 …)" in next(
        one.sentence for one in trial.notices if one.code == "plate-columns-read"
    )


def test_what_joints_bear_is_no_plate(tmp_path: Path) -> None:
    columns = [f"hip_r_on_femur_r_in_ground_{what}{axis}" for what in "fpm" for axis in "xyz"]
    assert read(tmp_path, HEADER + table(columns, NUMBERS)).plates == ()
    assert all(loose_meaning(column) is None for column in (*columns, "time", "knee_angle_r", "soleus_r.fiber_force"))


def test_incomplete_plates_stay_channels_and_missing_torque_is_said(tmp_path: Path) -> None:
    names = [f"ground_force_v{axis}" for axis in "xyz"]
    trial = read(tmp_path, HEADER + table(names, [row[:3] for row in NUMBERS]))
    assert trial.plates == ()
    assert trial.analog is not None
    assert trial.analog.names == tuple(names)
    assert trial.analog.units == ("N", "N", "N")
    assert "plate-incomplete" in [notice.code for notice in trial.notices]
    names += [f"ground_force_p{axis}" for axis in "xyz"]
    trial = read(tmp_path, HEADER + table(names, [row[:6] for row in NUMBERS]))
    assert [plate.name for plate in trial.plates] == ["plate"]
    assert "free-moment-assumed" in [notice.code for notice in trial.notices]


def test_values_that_no_plate_can_measure_are_missing(tmp_path: Path) -> None:
    names = [f"ground_force_{what}{axis}" for what in "vp" for axis in "xyz"] + [
        f"ground_torque_{axis}" for axis in "xyz"
    ]
    rows = [list(row) for row in NUMBERS]
    rows[1][1] = 1e300
    trial = read(tmp_path, HEADER + table(names, rows))
    assert np.isnan(trial.plates[0].force[:, 1]).tolist() == [False, True, False]
    assert "impossible-values" in [notice.code for notice in trial.notices]


def test_headers_old_and_new(tmp_path: Path) -> None:
    columns = ["knee_angle_r", "pelvis_tx"]
    body = table(columns, [[1.5, 2.5]] * 3, 0.01)
    for header, units in (
        ("Coordinates\nversion=1\nnRows=3\nnColumns=3\ninDegrees=yes\n\nUnits are S.I.\nendheader\n", ("deg", "m")),
        ("Coordinates\nversion=1\nnRows=3\nnColumns=3\ninDegrees=no\nendheader\n", ("rad", "m")),
        (
            "Coordinates\t\t\nversion=1\t\t\nnRows=3\t\t\nnColumns=3\t\t\ninDegrees=yes\t\t\nendheader\t\t\n",
            ("deg", "m"),
        ),
        ("inDegrees=yes\nDataType=double\nversion=3\nOpenSimVersion=4.5\nendheader\n\n", ("deg", "m")),
        ("name old.mot\ndatacolumns 3\ndatarows 3\nrange 0.0 0.02\nendheader\n", ("", "m")),
    ):
        for text in (body, body.replace("\t", "  "), body.replace("\t", "   ").replace("\n", "\r\n")):
            trial = read(tmp_path, header + text)
            assert trial.analog is not None
            assert (trial.analog.names, trial.analog.units, trial.analog.rate_hz) == (tuple(columns), units, 100.0)
            assert trial.analog.values.tolist() == [[1.5, 2.5]] * 3
            assert trial.notices == ()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("nRows=3", "nRows=30", "rows-fewer-than-stated"),
        ("nRows=3", "nRows=2", "rows-more-than-stated"),
        ("nColumns=10", "nColumns=11", "columns-not-as-stated"),
        ("b\tc", "b\tb", "names-made-unique"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, old: str, new: str, code: str) -> None:
    content = HEADER + table(list("abcdefghi"))
    assert code in [notice.code for notice in read(tmp_path, content.replace(old, new)).notices]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("endheader", "endbeader", "there is no line 'endheader'"),
        ("time\t", "frame\t", "line 7: the first column must be time"),
        ("800.0", "8OO.0", "line 8: column b holds '8OO.0'"),
        ("inDegrees=yes", "DataType=Vec3", "the columns hold Vec3"),
        ("0.001\t", "0.000\t", "line 9: the time goes from 0 s to 0 s"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(FileError, match=rf"^x\.mot: .*{fault}"):
        read(tmp_path, (HEADER + table(list("abcdefghi"))).replace(old, new))


@ON_DISK
@given(analog=analogs())
def test_channels_round_trip_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, analog: Analog) -> None:
    path = tmp_path_factory.mktemp("sto") / "ação.sto"
    write_storage(replace(walk(), analog=analog), path, content="analog")
    again = read_storage(path)
    assert again.analog is not None
    assert again.source.format == "STO"
    assert again.analog.names == analog.names
    assert again.analog.units == analog.units
    assert (again.analog.rate_hz, again.analog.start_s) == (analog.rate_hz, analog.start_s)
    assert same(again.analog.values, analog.values)


@ON_DISK
@given(trial=trials(), same_clock=st.booleans())
def test_plates_round_trip(tmp_path_factory: pytest.TempPathFactory, trial: Trial, same_clock: bool) -> None:
    if not trial.plates:
        return
    path = tmp_path_factory.mktemp("mot") / "ação.mot"
    if same_clock:
        first = trial.plates[0]
        others = [replace(first, name=plate.name, force=-first.force) for plate in trial.plates[1:]]
        trial = replace(trial, plates=(first, *others))
    notices = write_storage(trial, path)
    again = read_storage(path)
    clock = (trial.plates[0].rate_hz, trial.plates[0].samples)
    kept = [plate for plate in trial.plates if (plate.rate_hz, plate.samples) == clock]
    assert [plate.name for plate in again.plates] == [plate.name for plate in kept]
    lost = [name for notice in notices if notice.code == "plates-on-another-clock" for name in notice.about]
    assert lost == [plate.name for plate in trial.plates if plate not in kept]
    for old, new in zip(kept, again.plates, strict=True):
        assert same(new.force, old.force)
        assert (new.rate_hz, new.start_s) == (old.rate_hz, old.start_s)
        # the moment goes through the centre of pressure, at most 2000 N m / 20 N = 100 m away under 2000 N: 2e5 N m
        # with sixteen digits, a few operations each
        np.testing.assert_allclose(wrench_about_lab_origin(new), wrench_about_lab_origin(old), rtol=0, atol=1e-9)


def test_written_plates_carry_centre_of_pressure_and_free_moment(tmp_path: Path) -> None:
    trial = replace(walk(), emg=None)
    write_storage(trial, tmp_path / "a.mot")
    text = (tmp_path / "a.mot").read_text().split("endheader\n")[1]
    columns = text.split("\n")[0].split("\t")
    row = dict(zip(columns, map(float, text.split("\n")[201].split("\t")), strict=True))
    assert row["Pe_D_ground_force_vy"] == 700.0
    assert row["Pe_E_ground_force_px"] == pytest.approx(0.3, abs=1e-15)
    assert row["Pe_E_ground_torque_y"] == pytest.approx(4.0, abs=1e-12)
    with pytest.raises(FileError, match="no analog"):
        write_storage(trial, tmp_path / "b.mot", content="analog")


def test_opensim_plates() -> None:
    path = recording("gait_opensim2354", "subject01_walk1_grf.mot")
    trial = read_storage(path)
    assert [plate.name for plate in trial.plates] == ["plate", "plate_1"]
    assert trial.analog is None
    assert trial.notices == ()
    columns = path.read_text().split("\n")[6].split("\t")
    data = np.loadtxt(path, skiprows=7)
    for plate, prefix in zip(trial.plates, ("", "1_"), strict=True):
        assert (plate.samples, plate.rate_hz, plate.start_s) == (1501, 600.0, 0.0)
        patterns = ("ground_force_v", "ground_force_p", "ground_torque_")
        f, p, m = (data[:, [columns.index(prefix + what + axis) for axis in "xyz"]] for what in patterns)
        np.testing.assert_allclose(
            wrench_about_lab_origin(plate), np.hstack([f, np.cross(p, f) + m]), rtol=0, atol=1e-9
        )
        assert plate.origin[1] == pytest.approx(-0.0075, abs=1e-12)
        loaded = plate.loaded(100.0)
        # some samples have horizontal free moments, which move the point by M/F: 7 N m at 100 N
        assert np.abs(plate.centre_of_pressure()[loaded] - p[loaded]).max() < 0.05
    weight = sum(plate.vertical for plate in trial.plates)
    # walking: the mean of both plates over whole strides is body weight; the recording is not a whole number of strides
    assert weight.mean() / 9.80665 == pytest.approx(72.6, rel=0.02)


def test_opensim_results() -> None:
    ik = read_storage(recording("gait_opensim2354", "reference", "subject01_walk1_ik.mot")).analog
    assert ik is not None
    assert (len(ik.names), ik.samples, ik.rate_hz, ik.start_s) == (23, 73, 60.0, 0.4)
    assert dict(zip(ik.names, ik.units, strict=True))["knee_angle_r"] == "deg"
    assert dict(zip(ik.names, ik.units, strict=True))["pelvis_ty"] == "m"
    assert ik["knee_angle_r"][0] == -54.91982332
    dynamics = read_storage(recording("gait_opensim2354", "reference", "inverse_dynamics.sto")).analog
    assert dynamics is not None
    assert (len(dynamics.names), dynamics.samples, dynamics.rate_hz) == (23, 73, 60.0)
    assert dynamics["pelvis_ty_force"][0] == 148.91970354
    assert dict(zip(dynamics.names, dynamics.units, strict=True))["hip_flexion_r_moment"] == "N m"
    static = read_storage(recording("gait_opensim2354", "reference", "subject01_static_output.mot"))
    assert static.analog is not None
    assert (len(static.analog.names), static.analog.samples) == (301, 1)
    assert [notice.code for notice in static.notices] == ["rate-assumed"]
    shoulder = read_storage(recording("shoulder_scapula", "reference", "ABD01_ik.mot")).analog
    assert shoulder is not None
    assert (len(shoulder.names), shoulder.samples, shoulder.rate_hz) == (17, 1091, 100.0)
    assert shoulder["shoulder_elv"][0] == 20.06107707


def test_points_of_an_empty_plate_far_away_are_said(tmp_path: Path) -> None:
    """Published files divide by a few newtons: the user saw a point of application 346 m from the laboratory."""
    names = [f"ground_force_{what}{axis}" for what in "vp" for axis in "xyz"] + [
        f"ground_torque_{axis}" for axis in "xyz"
    ]
    rows = [list(row) for row in NUMBERS]
    rows[0][:6] = [0.0, 2.0, 0.0, 346.0, 0.01, 0.0]
    trial = read(tmp_path, HEADER + table(names, rows))
    (said,) = [notice for notice in trial.notices if notice.code == "points-astray"]
    assert "Plate plate has 1 samples of at most 20 N that act up to 346 m" in said.sentence
    np.testing.assert_allclose(trial.plates[0].centre_of_pressure(1.0), np.tile([0.3, 0.01, 0.1], (3, 1)), atol=1e-9)


def test_rows_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    """Two neighbouring rows of a file at 1000 Hz were swapped, and the forces came out wrong without a word."""
    names, *rows = table(["a"], [[float(k)] for k in range(50)]).splitlines()
    rows[20:22] = rows[21], rows[20]
    content = HEADER.replace("nRows=3", "nRows=50\nDataRate=1000").replace("=10\n", "=2\n")
    with pytest.raises(FileError, match=r"line 30: the time goes from 0.021 s to 0.02 s; it must increase"):
        read(tmp_path, "\n".join([content + names, *rows, ""]))
