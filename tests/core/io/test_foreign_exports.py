"""Exports of other laboratories: axes, plates and people whose headers lie are read by what the data show."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.io.evidence import examined, redescribed
from biomec.io.registry import read_trial
from biomec.io.session_import import SKIP, import_session
from biomec.recording import BIOMEC_AXES, Authority, ForcePlate, LabAxes, Markers, Session, Source, Trial
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record
from biomec.virtual.files import QUALISYS, ForeignExport, write_foreign_c3d
from tests.core.io.people import PUSH_UP, STANDING, person

Y_UP, Z_DOWN = LabAxes("+y", "+x"), LabAxes("-z", "+x")
CORNERS = [(1, 0, 3, 2), (3, 2, 1, 0), (0, 3, 2, 1), (2, 1, 0, 3), (2, 3, 0, 1), (1, 2, 3, 0), (3, 0, 1, 2)]


@cache
def walk() -> Trial:
    """A walk over four plates, of which every force and place is known."""
    options = RecordOptions(rate_hz=50.0, plate_rate_hz=250.0, static_s=0.1)
    return replace(record(Walk(strides=2), VirtualPerson(75.0, 1.77, "male"), options).dynamic, emg=None)


def unlabelled(trial: Trial) -> Trial:
    """The same person with labels that say nothing."""
    names = tuple(f"M{k}" for k in range(len(trial.markers.names)))
    return replace(trial, markers=replace(trial.markers, names=names))


def check(found: Trial, axes: LabAxes) -> None:
    """Axes and wrenches are those that were performed; C3D keeps seven digits."""
    assert found.axes.up == axes.up
    for plate, true in zip(found.plates, walk().turned(axes).plates, strict=True):
        assert_allclose(plate.up, axes.up_vector, atol=1e-6)
        assert_allclose(plate.force, true.force, atol=1e-3)
        assert_allclose(plate.moment, true.moment, atol=1e-3)


def codes(trial: Trial) -> list[str]:
    return [notice.code for notice in trial.notices]


@pytest.mark.parametrize("change", [{}, {"load_on_plate": True}, {"origin_sign": -1.0}], ids=str)
@pytest.mark.parametrize("known", [True, False], ids=["labelled", "unlabelled"])
def test_a_header_with_up_pointing_down_is_outvoted(tmp_path, change, known):
    """Qualisys exports state Y_SCREEN = -Z; people were read upside down and the plates reversed to match."""
    write_foreign_c3d(walk() if known else unlabelled(walk()), tmp_path / "q.c3d", replace(QUALISYS, **change))
    found = read_trial(tmp_path / "q.c3d")
    check(found, QUALISYS.axes)
    (said,) = [notice for notice in found.notices if notice.code == "up-contradicted"]
    assert "The file says that up is -z, but the body is on the +z side of Plate1" in said.sentence
    assert ("c3d-force-reversed" in codes(found)) == ("load_on_plate" in change)
    assert ("c3d-origin-sign" in codes(found)) == ("origin_sign" in change)


@pytest.mark.parametrize(
    ("export", "contradicted"),
    [
        (ForeignExport(), False),
        (ForeignExport(x_screen="", y_screen=""), False),
        (ForeignExport(Y_UP, "+X", "+Y"), False),
        (ForeignExport(Y_UP, "+X", "+Z"), True),
        (ForeignExport(Z_DOWN, "+X", "+Z"), True),
        (ForeignExport(Z_DOWN, "+X", "-Z"), False),
    ],
)
def test_true_and_lying_headers(tmp_path, export, contradicted):
    write_foreign_c3d(walk(), tmp_path / "walk.c3d", export)
    found = read_trial(tmp_path / "walk.c3d")
    check(found, export.axes)
    assert ("up-contradicted" in codes(found)) == contradicted


@pytest.mark.parametrize("order", CORNERS, ids=str)
def test_corners_in_another_order_are_found_by_the_line_of_action(tmp_path, order):
    write_foreign_c3d(unlabelled(walk()), tmp_path / "walk.c3d", ForeignExport(corner_order=order))
    found = read_trial(tmp_path / "walk.c3d")
    check(found, QUALISYS.axes)
    (said,) = [notice for notice in found.notices if notice.code == "plate-corners-doubtful"]
    assert "misses the body's centre by" in said.sentence
    assert said.about == ("Plate1", "Plate2", "Plate3", "Plate4")
    # a list that goes round the other way makes the plates face down
    assert ("plate-turned-over" in codes(found)) == (order in CORNERS[:4])
    assert codes(examined(found)) == codes(found)


def test_plates_of_which_nobody_knows_the_order_keep_theirs(tmp_path):
    """Without markers nothing shows where the force should be."""
    alone = replace(walk(), markers=Markers.none(walk().frames, walk().rate_hz))
    write_foreign_c3d(alone, tmp_path / "plates.c3d", ForeignExport(corner_order=(2, 3, 0, 1)))
    found = read_trial(tmp_path / "plates.c3d")
    assert "plate-corners-doubtful" not in codes(found)
    assert found.axes.up == "+z"


def test_the_users_word_turns_plates_over_and_back(tmp_path):
    """Sensors lie 4 cm below the surface, so that another upper side moves the moment as well as the signs."""
    write_foreign_c3d(walk(), tmp_path / "q.c3d", QUALISYS)
    wrong = LabAxes("-z", "+x", Authority.USER, Authority.USER)
    session = import_session(tmp_path / "q.c3d", static=SKIP, plates=SKIP, emg=SKIP, axes=wrong)
    assert session.dynamic.axes.up == "-z"
    assert {"up-contradicted", "posture-doubtful"} <= set(codes(session.dynamic))
    for plate in session.dynamic.plates:
        assert plate.up[2] == -1.0
        assert plate.force.sum(axis=0)[2] < 0.0
    check(redescribed(session, LabAxes("+z", "+x", Authority.USER)).dynamic, QUALISYS.axes)


def test_a_standing_static_corrects_the_header_of_the_movement(tmp_path):
    """Somebody who lies shows nothing, but stands in the static, whose header tells the same lie."""
    names = [f"M{k}" for k in range(len(PUSH_UP))]
    for name, points, labels in (("20260302_Ann_Static", STANDING, None), ("20260302_Ann_Lying1", PUSH_UP, names)):
        write_foreign_c3d(person(points, names=labels), tmp_path / f"{name}.c3d", QUALISYS)
    session = import_session(tmp_path / "20260302_Ann_Lying1.c3d")
    assert (session.static.axes.up, session.dynamic.axes.up) == ("+z", "+z")
    assert "up-by-static" in [notice.code for notice in session.notices]


# ------------------------------------------------------------------------------------------------------------ posture
def on_plate(points: dict, up: str = "+y") -> Trial:
    """Somebody on a plate whose corners are known, in Biomec's axes; the header says that up is ``up``."""
    corners = np.array([[2.5, 0, 1.2], [1.5, 0, 1.2], [1.5, 0, 0.2], [2.5, 0, 0.2]])
    force = np.tile([0.0, 700.0, 0.0], (500, 1))
    plate = ForcePlate("P", force, np.zeros((500, 3)), 1000.0, corners.mean(axis=0), np.array([0.0, 1.0, 0.0]), corners)
    return replace(person(points), plates=(plate,), axes=LabAxes(up, "+x", Authority.FILE))


HANDSTAND = {name: (x, 1.75 - y, z) for name, (x, y, z) in STANDING.items()}


@pytest.mark.parametrize("up", ["+y", "-y"])
def test_somebody_upside_down_on_a_plate_is_asked_about(up):
    found = examined(on_plate(HANDSTAND, up))
    assert found.axes.up == "+y"
    (said,) = [notice for notice in found.notices if notice.code == "posture-doubtful"]
    assert "head and shoulders are 1.5 m below the feet" in said.sentence
    assert "choose up = -y at the import" in said.sentence


def test_somebody_upside_down_without_plates_keeps_the_floor_and_the_header():
    found = examined(replace(person(HANDSTAND), axes=LabAxes("+y", "+x", Authority.FILE)))
    assert found.axes.up == "+y"
    assert codes(found) == ["posture-doubtful"]


def test_somebody_who_lies_on_a_plate_is_no_doubt():
    found = examined(on_plate(PUSH_UP))
    assert found.axes.up == "+y"
    assert "posture-doubtful" not in codes(found)


def test_somebody_who_lies_on_the_floor_of_the_file_keeps_it():
    """With the feet at x = 0 the length of the body was once taken for its height."""
    lying = person(PUSH_UP, place=(-1.0, 0.0, 0.0))
    found = examined(replace(lying, axes=LabAxes("+y", "+x", Authority.FILE)))
    assert found.axes.up == "+y"
    assert codes(found) == ["posture-doubtful"]


def test_a_walker_without_labels_and_plates_is_upright():
    """Points that rest while the body travels are feet. The floor is 3 m below the origin: heights show nothing."""
    trial = replace(unlabelled(walk()), plates=())
    p = trial.markers.p_WM - [0.0, 3.0, 0.0]
    trial = replace(trial, markers=replace(trial.markers, p_WM=p))
    for said in ("-y", "+z"):
        found = examined(replace(trial, axes=LabAxes(said, "+x", Authority.FILE)))
        assert (found.axes.up, found.axes.authority) == ("+y", Authority.EVIDENCE)
        assert "the points that rest while the body moves" in found.notices[0].sentence


def test_plates_without_a_person_follow_the_header_or_their_corners():
    alone = Trial(Source("p.c3d", "C3D", "", 0), Markers.none(50, 100.0), LabAxes("+y", "+x"))
    for up, corners in (("+y", 1), ("-y", -1)):
        plates = on_plate(STANDING).plates
        if corners < 0:
            plates = tuple(replace(p, up=-p.up, force=-p.force) for p in plates)
        found = examined(replace(alone, plates=plates, axes=LabAxes(up, "+x", Authority.FILE)))
        assert found.axes.up == up


def test_a_session_is_described_anew_with_its_plates():
    session = Session(on_plate(STANDING))
    over = redescribed(session, LabAxes("-y", "+x", Authority.USER)).dynamic
    assert_allclose(over.plates[0].up, [0.0, -1.0, 0.0])
    assert "plate-turned-over" in codes(over)
    assert redescribed(session, BIOMEC_AXES).dynamic.plates == session.dynamic.plates
