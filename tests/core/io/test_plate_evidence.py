"""What plates say about their own sign and unit."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.io.evidence import examined
from biomec.io.plate_evidence import examine_plate_units, reversed_plates
from biomec.recording import ForcePlate, LabAxes, Markers, Source, Trial
from tests.core.io.people import STANDING, person

UP = np.array([0.0, 1.0, 0.0])
N = 200
COP = np.linspace([0.5, 0.0, 0.2], [0.75, 0.0, 0.25], N)  # m, rolls from heel to toe
FORCE = np.linspace([-60.0, 650.0, 10.0], [70.0, 720.0, -10.0], N)
TWIST = np.linspace(-5.0, 5.0, N)[:, None] * UP  # N m


def table(length: float = 1.0, moment: float = 1.0, format_: str = "MOT", markers: Markers | None = None) -> Trial:
    """A stance whose file has lengths and free moments multiplied."""
    plate = ForcePlate.from_centre_of_pressure("P", FORCE, length * COP, moment * TWIST, 1000.0, UP)
    return Trial(Source("x.mot", format_, "", 0), markers or Markers.none(20, 100.0), LabAxes(), plates=(plate,))


def codes(notices):
    return [notice.code for notice in notices]


@pytest.mark.parametrize("moment", [1.0, 1000.0])
def test_points_in_millimetres_become_metres_where_no_unit_was_stated(moment):
    """The user saw a centre of pressure 578 m away under a standing foot, and no notice."""
    trial, notices = examine_plate_units(table(1000.0, moment))
    assert codes(notices) == ["plate-unit-by-evidence"]
    assert "acts 664 m from the laboratory's origin" in notices[0].sentence  # |(0.625, 0, 0.225)| = 0.664
    np.testing.assert_allclose(trial.plates[0].centre_of_pressure(), COP, atol=1e-12)
    np.testing.assert_allclose(trial.plates[0].free_moment(), TWIST, atol=1e-9)
    assert "plate-unit-by-evidence" in codes(examined(table(1000.0, moment)).notices)
    assert examine_plate_units(trial)[1] == ()


def test_a_stated_unit_is_kept_and_the_contradiction_said():
    given = table(1000.0, 1000.0, "C3D")
    trial, notices = examine_plate_units(given)
    assert codes(notices) == ["plate-unit-contradicted"]
    assert "Millimetres would fit" in notices[0].sentence
    assert trial.plates[0] is given.plates[0]


def test_points_that_no_unit_explains_are_said():
    given = table(1e6)
    trial, notices = examine_plate_units(given)
    assert codes(notices) == ["plate-unit-contradicted"]
    assert "No unit fits" in notices[0].sentence
    assert trial.plates[0] is given.plates[0]


def test_plates_far_from_all_markers_are_said():
    markers = person(STANDING).markers
    far = replace(table(markers=markers).plates[0], origin=np.array([20.0, 0.0, 0.0]))
    trial = replace(table(markers=markers), plates=(far,))
    done, (said,) = examine_plate_units(trial)
    assert said.code == "plate-unit-contradicted"
    # from the box of the markers in y = 0 or above to the middle of the stance
    apart = np.maximum(np.array([20.625, 0.0, 0.225]) - np.nanmax(markers.p_WM, axis=(0, 1)), 0.0)
    assert f"and {np.linalg.norm(apart):.3g} m from the nearest markers" in said.sentence
    assert done.plates[0] is far  # a stance of 25 cm is not one of a quarter of a millimetre


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_plates_in_metres_are_left_alone(sign):
    for markers in (None, person(STANDING).markers):
        trial = table(markers=markers)
        plate = trial.plates[0]
        trial = replace(trial, plates=(replace(plate, force=sign * plate.force, moment=sign * plate.moment),))
        done, notices = examine_plate_units(trial)
        assert notices == ()
        assert done.plates == trial.plates


def test_a_free_moment_in_newton_millimetres_is_said():
    _, notices = examine_plate_units(table(1.0, 1000.0))
    assert codes(notices) == ["free-moment-implausible"]


def test_a_table_with_z_up_is_judged_by_its_own_vertical():
    """Its free moment had been measured against the shear force, before anybody had looked what is up."""
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    plate = ForcePlate.from_centre_of_pressure("P", FORCE @ turn.T, COP @ turn.T, TWIST @ turn.T, 1000.0, UP)
    trial = Trial(Source("x.mot", "MOT", "", 0), Markers.none(20, 100.0), LabAxes(), plates=(plate,))
    done = examined(trial)
    assert done.axes.up == "+z"
    assert "free-moment-implausible" not in codes(done.notices)
    np.testing.assert_allclose(done.plates[0].centre_of_pressure(), COP @ turn.T, atol=1e-12)


def test_reversed_plates_push_the_other_way_at_the_same_place():
    trial = table()
    done = reversed_plates(trial)
    np.testing.assert_array_equal(done.plates[0].force, -FORCE)
    again = reversed_plates(done)
    np.testing.assert_array_equal(again.plates[0].centre_of_pressure(), trial.plates[0].centre_of_pressure())
    assert codes(done.notices) == ["plates-reversed"]


def test_a_table_of_reversed_sign_alone_says_so_and_keeps_its_axes():
    trial = reversed_plates(table())
    done = examined(replace(trial, notices=()))
    assert done.axes.up == "+y"
    assert codes(done.notices) == ["plate-sign-doubtful"]
    np.testing.assert_array_equal(done.plates[0].up, UP)
