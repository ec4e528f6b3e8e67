from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.recording import ForcePlate, LabAxes
from biomec.signals.contact_detection import detect_contacts
from biomec.signals.contacts import ContactAssignment, assign, assign_contacts, split, unassign
from tests.core.signals.gait_recordings import OPENSIM_SEGMENTS, PIG_SEGMENTS, opensim_trial, pig_trial
from tests.core.signals.virtual_walk import SEGMENTS, Walk, standing

UP_AND_FORWARD = [(u, f) for u in ("+x", "-x", "+y", "-y", "+z", "-z") for f in ("+x", "-y", "+z") if u[1] != f[1]]


def assigned(trial, segments=SEGMENTS) -> ContactAssignment:
    return assign_contacts(trial, detect_contacts(trial), segments)


def who(result) -> dict[tuple[str, int], str | None]:
    return {(a.contact.plate, a.contact.number): a.segment for a in result.contacts}


def test_each_step_of_the_walker_goes_to_its_foot():
    result = assigned(Walk(plates_for=(0, 1, 2), marker_noise_m=0.001, noise_n=1.0).trial())
    assert who(result) == {("Plate 1", 1): "Pe_D", ("Plate 2", 1): "Pe_E", ("Plate 3", 1): "Pe_D"}
    assert all(a.by == "geometry" and a.confidence > 0.9 for a in result.contacts)
    assert result.notices == ()


@settings(deadline=None, max_examples=15)
@given(axes=st.sampled_from(UP_AND_FORWARD), order=st.permutations([0, 1, 2]), ratio=st.sampled_from([2, 5, 10]))
def test_the_answer_depends_neither_on_the_laboratory_nor_on_the_order_or_rate_of_plates(axes, order, ratio):
    trial = Walk(plates_for=(0, 1, 2), plate_rate_hz=100.0 * ratio).trial()
    turned = trial.turned(LabAxes(*axes))
    result = assigned(replace(turned, plates=tuple(turned.plates[k] for k in order)))
    assert who(result) == {("Plate 1", 1): "Pe_D", ("Plate 2", 1): "Pe_E", ("Plate 3", 1): "Pe_D"}
    plain = assigned(trial)
    for item in result.contacts:
        twin = plain.find(item.contact.plate, item.contact.number)
        assert item.contact.on_s == pytest.approx(twin.contact.on_s, abs=1e-12)
        assert item.distances == pytest.approx(dict(twin.distances), abs=1e-9)


def test_a_plate_named_after_a_limb_belongs_to_it_even_without_markers():
    trial = Walk(plates_for=(0, 1)).trial()
    named = replace(
        trial, plates=tuple(replace(p, name=n) for p, n in zip(trial.plates, ("Pe_D", "left foot"), strict=True))
    )
    result = assigned(named, {})
    assert who(result) == {("Pe_D", 1): "Pe_D", ("left foot", 1): "Pe_E"}
    assert [a.by for a in result.contacts] == ["name", "name"]
    assert all(a.confidence == 1.0 for a in assigned(named).contacts)  # the markers agree


def test_a_name_that_the_markers_contradict_is_kept_but_reported():
    trial = Walk(plates_for=(0,)).trial()
    result = assigned(replace(trial, plates=(replace(trial.plates[0], name="Pe_E"),)))
    assert who(result) == {("Pe_E", 1): "Pe_E"}
    (said,) = result.notices
    assert said.code == "contact-doubtful"
    assert said.about == ("Pe_E", "Pe_E")


def test_hands_on_plates_are_told_apart_like_feet():
    trial = Walk(plates_for=(0, 1)).trial()
    result = assigned(trial, {"Mao_D": SEGMENTS["Pe_D"], "Mao_E": SEGMENTS["Pe_E"]})
    assert who(result) == {("Plate 1", 1): "Mao_D", ("Plate 2", 1): "Mao_E"}


def test_a_force_far_from_everybody_belongs_to_nobody():
    walk = Walk(plates_for=(0,))
    trial = walk.trial()
    away = np.array([1.0, 0.0, 0.0])
    plate = trial.plates[0]
    moved = replace(plate, origin=plate.origin + away, corners=plate.corners + away)
    (item,) = assigned(replace(trial, plates=(moved,))).contacts
    assert (item.segment, item.by) == (None, "nobody")
    assert min(item.distances.values()) > 0.9


def test_two_feet_on_one_plate_share_it():
    result = assigned(standing())
    (item,) = result.contacts
    assert item.segment is None
    assert set(item.sharing) == {"Pe_D", "Pe_E"}
    assert result.notices[0].code == "contact-unassigned"


def test_two_feet_share_a_force_between_them_also_where_the_plate_has_no_corners():
    trial = standing()
    bare = replace(trial, plates=(replace(trial.plates[0], corners=None),))
    assert set(assigned(bare).contacts[0].sharing) == {"Pe_D", "Pe_E"}


@pytest.mark.parametrize("bare", [False, True])
def test_two_feet_on_two_plates_beside_each_other_are_not_both_on_one(bare):
    """Tables of forces have no corners: each plate was said to bear both feet of somebody who stood still."""
    trial = standing()
    (whole,) = trial.plates
    plates = []
    for name, side in (("Right", 1.0), ("Left", -1.0)):
        under = np.tile([0.15 * side, 0.1, 0.0], (whole.samples, 1))
        corners = np.array([[0.0, 0.4, 0.0], [0.3, 0.4, 0.0], [0.3, -0.2, 0.0], [0.0, -0.2, 0.0]]) * [side, 1.0, 1.0]
        plates.append(
            ForcePlate.from_centre_of_pressure(
                name, 0.5 * whole.force, under, np.zeros_like(under), whole.rate_hz, whole.up,
                corners=None if bare else corners,
            )
        )  # fmt: skip
    result = assigned(replace(trial, plates=tuple(plates)))
    assert [(one.contact.plate, one.segment, one.sharing) for one in result.contacts] == [
        ("Right", "Pe_D", ()),
        ("Left", "Pe_E", ()),
    ]


def test_a_foot_that_swings_over_the_plate_does_not_share_it():
    """The left foot crosses the right foot's plate during its stance, low and fast."""
    wide = Walk(plates_for=(0,), plate_size=(0.5, 0.5))
    (item,) = assigned(wide.trial()).contacts
    assert (item.segment, item.sharing) == ("Pe_D", ())


def test_a_walk_over_one_wide_plate_is_one_shared_contact():
    result = assigned(Walk(wide_plate=True).trial())
    (item,) = result.contacts
    assert set(item.sharing) == {"Pe_D", "Pe_E"}


def test_hidden_markers_give_no_answer_instead_of_a_wrong_one():
    trial = Walk(plates_for=(0,)).trial()
    p = trial.markers.p_WM.copy()
    p[:, [trial.markers.index(name) for name in SEGMENTS["Pe_D"]]] = np.nan
    (item,) = assigned(replace(trial, markers=replace(trial.markers, p_WM=p))).contacts
    assert item.segment is None
    assert "Pe_D" not in item.distances


def test_editing_returns_new_results_and_leaves_the_old_ones_alone():
    first = assigned(Walk(plates_for=(0, 1)).trial())
    second = assign(first, "Plate 1", 1, "Mao_E")
    third = unassign(second, "Plate 2", 1)
    assert who(first) == {("Plate 1", 1): "Pe_D", ("Plate 2", 1): "Pe_E"}
    assert who(third) == {("Plate 1", 1): "Mao_E", ("Plate 2", 1): None}
    assert [n.code for n in third.notices] == ["contact-set-by-hand", "contact-set-by-hand"]
    with pytest.raises(BiomecError, match="no contact 5; it has 1"):
        assign(first, "Plate 1", 5, "Pe_D")
    with pytest.raises(BiomecError, match="there are Plate 1, Plate 2"):
        assign(first, "Plate 9", 1, "Pe_D")


def test_a_shared_contact_can_be_split_and_given_to_both_feet():
    result = assigned(Walk(wide_plate=True).trial())
    result = split(result, "Plate 1", 1, 0.8)
    result = split(result, "Plate 1", 2, 1.3)
    assert list(who(result)) == [("Plate 1", 1), ("Plate 1", 2), ("Plate 1", 3)]
    result = assign(assign(result, "Plate 1", 1, "Pe_D"), "Plate 1", 2, "Pe_E")
    assert [a.contact.off_s for a in result.of("Pe_E")] == pytest.approx([1.3])
    assert result.detected.contacts == tuple(a.contact for a in result.contacts)


def test_the_real_walk_strikes_plate_2_with_the_right_and_plate_1_with_the_left_foot():
    result = assigned(pig_trial("HC030A05"), PIG_SEGMENTS)
    assert who(result) == {("Plate 1", 1): "Pe_E", ("Plate 2", 1): "Pe_D"}
    assert all(a.confidence > 0.9 for a in result.contacts)


def test_the_real_static_stands_on_plate_1_with_both_feet():
    (item,) = assigned(pig_trial("HC030A01"), PIG_SEGMENTS).contacts
    assert item.contact.plate == "Plate 1"
    assert item.segment is None
    assert min(item.distances.values()) < 0.10  # near enough to be given the force, had it stood there alone
    assert set(item.sharing) == {"Pe_D", "Pe_E"}


def test_the_real_treadmill_walk_alternates_between_feet():
    """The reference assigns the first force to the right foot (calcn_r), the second to the left."""
    result = assigned(opensim_trial(), OPENSIM_SEGMENTS)
    first, second = (plate.name for plate in result.detected.plates)
    assert {a.segment for a in result.contacts if a.contact.plate == first} == {"Pe_D"}
    assert {a.segment for a in result.contacts if a.contact.plate == second} == {"Pe_E"}
    strikes = sorted((a.contact.on_s, a.segment) for a in result.contacts if not a.contact.starts_before)
    assert [segment for _, segment in strikes] == ["Pe_D", "Pe_E", "Pe_D", "Pe_E"]


def test_a_contact_cannot_be_given_to_a_segment_nobody_knows():
    """A slip of the keyboard took the force away from everybody, silently."""
    result = assigned(Walk(plates_for=(0,)).trial(), {"my R": SEGMENTS["Pe_D"]})
    with pytest.raises(BiomecError, match=r"Pe_X, which is not known\. Known are my R, Mao_D, Mao_E, Pe_D, Pe_E"):
        assign(result, "Plate 1", 1, "Pe_X")
    for name in ("my R", "Pe_D", "right foot"):
        assert assign(result, "Plate 1", 1, name).find("Plate 1", 1).segment == name
