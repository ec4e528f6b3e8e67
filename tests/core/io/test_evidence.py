"""Evidence about axes and units: it replaces what was assumed, and never what was said."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from biomec.base.notices import Severity, warning
from biomec.io.axes_evidence import examine_axes
from biomec.io.evidence import examined
from biomec.io.registry import read_trial
from biomec.io.unit_evidence import examine_units, scaled
from biomec.recording import Authority, Event, ForcePlate, LabAxes, Markers, Source, Trial
from biomec.recording.axes import DIRECTIONS
from tests.core.io.people import PUSH_UP, STANDING, person
from tests.real_data import recording

ALL_AXES = [LabAxes(up, forward) for up, forward in product(DIRECTIONS, DIRECTIONS) if up[1] != forward[1]]


def with_plate(trial: Trial, sign: float = 1.0) -> Trial:
    force = sign * np.tile([20.0, 700.0, -10.0], (100, 1))
    plate = ForcePlate("P", force, np.zeros((100, 3)), 1000.0, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    return replace(trial, plates=(plate,))


def in_laboratory(trial: Trial, axes: LabAxes, said: LabAxes) -> Trial:
    """The person in a laboratory whose axes point as ``axes``, while its file says ``said``."""
    return replace(trial.turned(axes), axes=said)


@pytest.mark.parametrize("axes", ALL_AXES, ids=lambda axes: f"{axes.up}{axes.forward}")
def test_a_standing_person_shows_up_and_forward_in_any_laboratory(axes):
    trial = in_laboratory(person(STANDING), axes, LabAxes("+y", "+x"))
    found, _ = examine_axes(trial)
    assert (found.up, found.forward) == (axes.up, axes.forward)
    assert found.authority is found.forward_authority is Authority.EVIDENCE


@pytest.mark.parametrize("axes", ALL_AXES[::3], ids=lambda axes: f"{axes.up}{axes.forward}")
def test_plates_and_the_floor_show_up_under_somebody_who_does_push_ups(axes):
    """The force is weight, so that it gives the axis; which way it points is shown by what is on the floor."""
    found, notices = examine_axes(in_laboratory(with_plate(person(PUSH_UP)), axes, LabAxes("+y", "+x")))
    assert (found.up, found.authority) == (axes.up, Authority.EVIDENCE)
    assert "plate-sign-doubtful" not in [notice.code for notice in notices]


@pytest.mark.parametrize("axes", ALL_AXES[::3], ids=lambda axes: f"{axes.up}{axes.forward}")
def test_a_reversed_sign_of_the_plates_is_doubted_and_the_floor_believed(axes):
    """A table with the load on the plates once turned the laboratory upside down."""
    found, notices = examine_axes(in_laboratory(with_plate(person(PUSH_UP), -1.0), axes, LabAxes("+y", "+x")))
    if axes.up[0] == "+":  # an axis that points down and a reversed sign at once look like an axis that points up
        assert found.up == axes.up
        assert "plate-sign-doubtful" in [notice.code for notice in notices]


@pytest.mark.parametrize("axes", ALL_AXES, ids=lambda axes: f"{axes.up}{axes.forward}")
def test_somebody_who_does_push_ups_without_plates_is_asked_about(axes):
    """The body is long and horizontal: whoever takes its length for up is wrong."""
    assumed = LabAxes(axes.up, axes.forward)
    found, notices = examine_axes(in_laboratory(person(PUSH_UP), axes, assumed))
    assert found == assumed
    (said,) = notices
    assert said.code == "posture-doubtful"
    assert f"the subject lies or does push-ups if up is {axes.up}" in said.sentence


def test_a_tall_narrow_box_of_unknown_markers_on_the_floor_is_a_standing_person():
    names = [f"M{k}" for k in range(len(STANDING))]
    found, _ = examine_axes(in_laboratory(person(STANDING, names=names), LabAxes("+z", "+x"), LabAxes("+y", "+x")))
    assert (found.up, found.authority, found.forward_authority) == ("+z", Authority.EVIDENCE, Authority.ASSUMED)


def test_walking_shows_forward_where_names_do_not():
    names = [f"M{k}" for k in range(len(STANDING))]
    trial = in_laboratory(person(STANDING, names=names, walks_m=3.0), LabAxes("+z", "-y"), LabAxes("+z", "+x"))
    found, notices = examine_axes(trial)
    assert (found.forward, found.forward_authority) == ("-y", Authority.EVIDENCE)
    # between the means of the first and the last five of 50 frames: 45/49 of 3 m
    assert "moves 2.8 m along -y" in notices[-1].sentence


def test_walking_backwards_is_still_facing_forward():
    found, _ = examine_axes(replace(person(STANDING, walks_m=-3.0), axes=LabAxes("+y", "-z")))
    assert found.forward == "+x"


def test_the_evidence_outvotes_the_header_and_says_so():
    said = LabAxes("+y", "+z", Authority.FILE, Authority.USER)
    found, notices = examine_axes(in_laboratory(person(STANDING), LabAxes("+z", "+x"), said))
    assert (found.up, found.authority) == ("+z", Authority.EVIDENCE)
    assert [notice.code for notice in notices] == ["up-contradicted"]
    assert notices[0].sentence.startswith("The file says that up is +y, but head and shoulders are 1.5 m from the feet")
    assert "up was taken as +z" in notices[0].sentence


def test_the_users_word_is_kept_and_the_contradiction_said():
    said = LabAxes("+y", "+z", Authority.USER, Authority.USER)
    found, notices = examine_axes(in_laboratory(person(STANDING), LabAxes("+z", "+x"), said))
    assert found == said
    assert [notice.code for notice in notices][:2] == ["up-contradicted", "forward-contradicted"]
    assert "Nothing was changed" in notices[0].sentence
    assert notices[1].sentence.startswith("The user says")


def test_agreement_is_not_worth_a_notice():
    found, notices = examine_axes(replace(person(STANDING), axes=LabAxes("+y", "+x", Authority.FILE)))
    assert notices == ()
    assert (found.authority, found.forward_authority) == (Authority.FILE, Authority.EVIDENCE)


def test_plates_with_the_sign_of_the_subjects_push_are_doubted_and_decide_nothing():
    assumed = LabAxes("+y", "+x")
    found, notices = examine_axes(replace(with_plate(person(STANDING), sign=-1.0), axes=assumed))
    assert (found.up, found.authority) == ("+y", Authority.EVIDENCE)  # by the markers
    assert [(notice.code, notice.about) for notice in notices] == [("plate-sign-doubtful", ("P",))]


def test_nothing_seen_shows_nothing():
    empty = Trial(Source("a", "EMT", "", 0), Markers.none(10, 100.0), LabAxes())
    assert examine_axes(empty) == (LabAxes(), ())
    assert examine_units(empty) == (1.0, ())
    hidden = replace(person(STANDING), markers=Markers(("LTOE",), np.full((5, 1, 3), np.nan), 100.0), axes=LabAxes())
    assert examine_axes(hidden) == (LabAxes(), ())


def test_markers_that_are_never_seen_together_show_nothing():
    trial = person(STANDING)
    p = trial.markers.p_WM.copy()
    p[:24, :6], p[24:, 6:] = np.nan, np.nan  # first the feet, then the rest
    hidden = replace(trial, markers=replace(trial.markers, p_WM=p), axes=LabAxes("+x", "+y"))
    assert examine_axes(hidden)[0].authority is Authority.ASSUMED


@pytest.mark.parametrize("size", [1e308, 1e200, 5e-324])
def test_numbers_of_a_damaged_file_show_nothing(size):
    trial = with_plate(person(STANDING))
    damaged = replace(
        trial,
        axes=LabAxes(),
        markers=replace(trial.markers, p_WM=np.sign(trial.markers.p_WM) * size),
        plates=(replace(trial.plates[0], force=np.full((100, 3), size)),),
    )
    assert examine_axes(damaged) == (LabAxes(), ())
    assert examine_units(damaged)[1][0].code == "unit-contradicted"


@pytest.mark.parametrize("wrong", [1e3, 1e-3, 1e6])
def test_a_wrong_unit_is_found_and_its_factor_named(wrong):
    factor, notices = examine_units(scaled(person(STANDING), wrong))
    assert factor == pytest.approx(1.0 / wrong)
    assert notices[0].code == "unit-contradicted"
    assert f"multiplied by {factor:g}" in notices[0].sentence


@pytest.mark.parametrize("part", [tuple(STANDING), ("RHEE", "LHEE", "RTOE"), ("LFHD", "RFHD", "C7")])
def test_a_person_or_a_part_of_one_fits(part):
    trial = person({name: STANDING[name] for name in part})
    assert examine_units(trial) == (1.0, ())


def test_only_an_assumed_unit_is_changed():
    wrong = scaled(with_plate(person(STANDING)), 1000.0)
    assert examined(wrong).markers is wrong.markers
    assumed = wrong.with_notices(warning("unit-assumed", "The file gives no unit; m was assumed."))
    right = examined(assumed)
    np.testing.assert_allclose(right.markers.p_WM, person(STANDING).markers.p_WM, rtol=1e-15)
    assert [notice.code for notice in right.notices] == ["unit-by-evidence"]
    assert "multiplied by 0.001" in right.notices[0].sentence


def test_an_assumed_unit_that_fits_a_person_is_a_remark():
    """The notice led the list, although the size of the person had settled it."""
    trial = person(STANDING).with_notices(warning("unit-assumed", "The file gives no unit; m was assumed. Check it."))
    (notice,) = [one for one in examined(trial).notices if one.code == "unit-assumed"]
    assert notice.severity is Severity.INFO
    assert "m was assumed. The markers then span" in notice.sentence


def test_examining_twice_says_nothing_twice():
    trial = in_laboratory(person(STANDING), LabAxes("+z", "-y"), LabAxes("+y", "+x"))
    once = examined(trial)
    assert examined(once).notices == once.notices


@pytest.mark.parametrize(
    ("parts", "up", "forward"),
    [
        # the subject walks towards +y from −1.1 m to 1.6 m, stands in the static looking towards −y
        (("gait_pig_pair", "HC030A05.c3d"), "+z", "+y"),
        (("gait_pig_pair", "HC030A01.c3d"), "+z", "-y"),
        (("gait_opensim2354", "subject01_walk1.trc"), "+y", "+x"),
        (("gait_opensim2354", "subject01_static.trc"), "+y", "+x"),
        (("gait_opensim2354", "subject01_walk1_grf.mot"), "+y", "+x"),
    ],
)
def test_real_recordings(parts, up, forward):
    found, notices = examine_axes(read_trial(recording(*parts)))
    assert (found.up, found.forward) == (up, forward)
    assert not [notice for notice in notices if notice.severity == "warning"]


def test_a_shoulder_alone_shows_nothing():
    trial = read_trial(recording("shoulder_scapula", "ABD01.trc"))
    assert examine_axes(trial)[0] == trial.axes
    assert examine_units(trial) == (1.0, ())


def test_events_outside_the_trial_are_said():
    """Events at -3 s and 90 s of a trial of one second passed without a word."""
    trial = Trial(
        Source("a.c3d", "C3D", "", 0),
        Markers(("A",), np.ones((101, 1, 3)), 100.0),
        LabAxes(),
        events=tuple(Event(time, "Foot Strike", "Left") for time in (0.0, 1.0, -0.004, 90.0, -3.0)),
    )
    (said,) = [notice for notice in examined(trial).notices if notice.code == "events-outside"]
    assert "2 of 5 events lie outside the trial" in said.sentence
    assert "Left Foot Strike at -3.000 s" in said.sentence
    inside = replace(trial, events=trial.events[1:-1])
    assert "events-outside" not in [notice.code for notice in examined(inside).notices]


def test_a_trial_without_frames_says_nothing():
    """Warnings are errors in this suite: the mean over no frames was one."""
    trial = Trial(Source("a.trc", "TRC", "", 0), Markers(("C7", "LTOE"), np.ones((0, 2, 3)), 100.0), LabAxes())
    assert examined(trial).axes == trial.axes
