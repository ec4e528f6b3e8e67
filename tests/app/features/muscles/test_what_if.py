"""What if: variants beside each other, their answers, and the loss that can be borne."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec_app.features.muscles import what_if_window
from biomec_app.features.muscles.loss_plot import most_changed, with_neighbour
from biomec_app.features.muscles.readings import readings_of
from biomec_app.features.muscles.what_if_content import (
    answer,
    asked_frames,
    compensation,
    contact_lines,
    loss,
    signed,
    verdict,
)
from biomec_app.features.muscles.what_if_variants import (
    MOST,
    MOVED,
    REMOVED,
    WEAKER,
    MuscleChange,
    Variant,
    proposals,
    targets_of,
)
from biomec_app.features.muscles.what_if_window import WhatIfWindow


@pytest.fixture(scope="module")
def asked(muscle_analysis):
    return asked_frames(muscle_analysis)


def test_some_frames_are_solved_as_all_of_them(asked, muscle_analysis):
    forces = muscle_analysis.muscles.forces
    assert np.abs(asked.question.forces.activation - forces.activation[asked.frames]).max() < 1e-9
    counted = readings_of(muscle_analysis).counted
    assert counted[asked.frames].all()  # nobody relies on the loads of the first frames
    hardest = np.where(counted[:, None], np.abs(forces.wanted), -1.0).argmax(axis=0)
    assert set(hardest.tolist()) <= set(asked.frames.tolist())
    contacts = asked.question.contacts.force - muscle_analysis.muscles.contacts.force[asked.frames]
    assert np.nanmax(np.abs(contacts)) < 1e-6


def test_every_whole_muscle_of_a_side_and_every_part_can_be_changed(muscle_analysis):
    targets = targets_of(readings_of(muscle_analysis))
    assert targets["right gluteus medius"] == ("glut_med1_r", "glut_med2_r", "glut_med3_r")
    assert len(targets["gluteus medius of both sides"]) == 6
    assert targets["left gluteus medius, middle part"] == ("glut_med2_l",)
    for variant in proposals(readings_of(muscle_analysis)):
        (change,) = variant.changes
        assert targets[change.target] == change.muscles


def test_a_variant_is_answered_as_the_whole_recording_would_be(asked, muscle_analysis):
    """A removed muscle does nothing, others do its work, and joints bear something else."""
    change = MuscleChange("right soleus", ("soleus_r",), REMOVED)
    assert change.title == "Without right soleus"
    result = answer(asked, Variant((change,)))
    assert np.abs(result.forces.force[:, result.forces.index("soleus_r")]).max() == 0.0
    lines = compensation(readings_of(muscle_analysis), (result,), [change.muscles])
    assert all(line.values[0] > 0.0 and line.key != "soleus_r" for line in lines)
    joints = contact_lines(asked, (result,))
    assert {line.key for line in joints} >= {"right ankle", "left ankle"}
    before = asked.question.contacts.peaks()["right ankle"][0]
    assert next(line for line in joints if line.key == "right ankle").values[0] == before
    assert verdict(asked, result)[0] == ("✓" if result.carried else "✕")


def test_a_muscle_moved_to_its_own_end_changes_nothing_and_one_moved_behind_a_joint_turns_it_back(asked):
    """Tibialis anterior to its own insertion; rectus femoris, which stretches the knee, to the semitendinosus."""
    change = MuscleChange("right tibialis anterior", ("tib_ant_r",), MOVED, to="right tibialis anterior")
    result = answer(asked, Variant((change,)))
    assert result.carried
    assert np.nanmax(np.abs(result.change)) < 1e-6
    away = MuscleChange("right rectus femoris", ("rect_fem_r",), MOVED, to="right semitendinosus")
    moved = answer(asked, Variant((away,)))
    row = moved.forces.rows.index("right knee flexion")
    arms = moved.variant.model.arms[:, moved.forces.index("rect_fem_r"), row]
    was = asked.question.model.arms[:, asked.question.forces.index("rect_fem_r"), row]
    assert np.nanmean(was) < 0.0 < np.nanmean(arms)  # an extensor of the knee has become a flexor


def test_the_loss_is_that_of_the_library(asked):
    curve = loss(asked, Variant((MuscleChange("right soleus", ("soleus_r",), WEAKER),)))
    assert 0.0 <= curve.bearable <= 1.0
    assert (np.diff(curve.loss) > 0.0).all()


def test_a_lack_is_that_of_the_torque_that_grew_most(asked):
    """On the hands and toes, the knee is held straight by the quadriceps."""
    names = ("rect_fem_r", "vas_med_r", "vas_int_r", "vas_lat_r", "tfl_r")
    result = answer(asked, Variant((MuscleChange("right quadriceps", names, REMOVED),)))
    sign, words = verdict(asked, result)
    assert not result.carried
    assert sign == "✕"
    assert "right knee" in words or "right hip" in words


def test_a_joint_whose_torque_is_lacking_bears_at_least_what_is_shown(asked):
    """Without the quadriceps the knee seemed to be relieved, since a reserve torque presses on nothing."""
    names = tuple(f"{one}_r" for one in ("rect_fem", "vas_med", "vas_int", "vas_lat", "tfl"))
    result = answer(asked, Variant((MuscleChange("right quadriceps", names, REMOVED),)))
    assert "right knee" in result.at_least
    assert "left knee" not in result.at_least
    assert "variant-contact-at-least" in {one.code for one in result.notices}
    compared = " ".join(one.sentence for one in result.notices if one.code == "variant-contact")
    assert "right knee" not in compared
    line = next(one for one in contact_lines(asked, [result]) if one.key == "right knee")
    assert line.pale == (False, True)
    assert " / ≥" in line.text
    assert "do not compare" in line.tip
    assert "right knee" in verdict(asked, result)[1].split("What is lacking presses on nothing")[1]
    curve = loss(asked, Variant((MuscleChange("right quadriceps", names, WEAKER),)))
    j = curve.joints.index("right knee")
    assert not curve.least[curve.loss <= curve.bearable, j].any()
    assert curve.least[-1, j]
    assert curve.joints[most_changed(curve)].startswith("right ")
    assert "right rectus femoris" in curve.sentence
    dotted = with_neighbour(np.arange(4.0), np.array([False, False, True, True]))
    assert np.isnan(dotted[0])
    assert dotted[1:].tolist() == [1.0, 2.0, 3.0]


def test_several_changes_are_one_variant(asked):
    """A weak soleus and a moved tibialis anterior together: both hold, and the rest is as with each alone."""
    weak = MuscleChange("right soleus", ("soleus_r",), WEAKER, 0.5)
    same = MuscleChange("right tibialis anterior", ("tib_ant_r",), MOVED, to="right tibialis anterior")
    both = Variant((weak,)).with_change(same)
    assert both.title == "Right soleus 50 % weaker; right tibialis anterior moved to the end of right tibialis anterior"
    assert both.moved
    alone, together = answer(asked, Variant((weak,))), answer(asked, both)
    # the tendon that is moved to its own end is made anew within rounding, so that activations agree as well
    np.testing.assert_allclose(together.forces.activation, alone.forces.activation, rtol=0, atol=1e-6)
    two = Variant((MuscleChange("right soleus", ("soleus_r",), REMOVED),)).with_change(
        MuscleChange("left soleus", ("soleus_l",), WEAKER, 0.5)
    )
    found = answer(asked, two)
    assert np.abs(found.forces.force[:, found.forces.index("soleus_r")]).max() == 0.0
    left = found.forces.index("soleus_l")
    np.testing.assert_allclose(found.forces.optimum[:, left], 0.5 * asked.question.forces.optimum[:, left])
    with pytest.raises(BiomecError, match=r"“Right soleus 50 % weaker” is in this variant already"):
        Variant((weak,)).with_change(MuscleChange("right soleus", ("soleus_r",), REMOVED))
    assert Variant((weak,)).with_change(MuscleChange("right soleus", ("soleus_r",), MOVED, to="x")).moved


def test_numbers_in_words():
    assert [signed(value) for value in (12.4, -3.0, 0.2, -0.3)] == ["+12", "−3", "0", "0"]
    assert MuscleChange("right soleus", (), WEAKER, 1.2).title == "Right soleus 20 % stronger"


@pytest.fixture
def window(qtbot, context, muscle_analysis):
    context.document.open(muscle_analysis)
    made = WhatIfWindow(context)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: len(made.results) == len(made.variants) and not made.jobs.busy)
    return made


def test_proposals_are_answered_and_others_can_be_added(qtbot, window, context):
    count = len(window.variants)
    assert count == 3
    window.form.target.setCurrentText("right soleus")
    window.form.strength.setValue(120)
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(window.results) == count + 1 and not window.jobs.busy)
    assert "Right soleus 20 % stronger" in window.verdicts.text()
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert "already" in window.wrong.text()
    window.form.strength.setValue(10)
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert len(window.variants) == MOST
    assert "Remove one" in window.wrong.text()
    window.list.setCurrentRow(0)
    qtbot.mouseClick(window.remove, Qt.MouseButton.LeftButton)
    assert len(window.variants) == len(window.results) == MOST - 1
    window.form.target.setCurrentText("no such muscle")
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert "no muscle “no such muscle”" in window.wrong.text()


def test_the_loss_is_found_and_said(qtbot, window):
    window.list.setCurrentRow(0)
    qtbot.mouseClick(window.limit, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.curve is not None and not window.jobs.busy)
    assert window.variants[0].target in window.sentence.text()
    assert window.plot.isVisible()


def test_another_recording_begins_anew(qtbot, window, context, short_analysis):
    context.document.open(short_analysis)
    assert window.results == ()
    assert window.variants == []
    assert "Compute them first" in window.wrong.text()


def test_a_change_joins_the_chosen_variant(qtbot, window):
    window.list.setCurrentRow(1)
    window.form.target.setCurrentText("left soleus")
    before = window.variants[1]
    qtbot.mouseClick(window.join, Qt.MouseButton.LeftButton)
    assert len(window.variants) == 3
    assert window.variants[1].changes[0] == before.changes[0]
    qtbot.waitUntil(lambda: len(window.results) == 3 and not window.jobs.busy)
    assert "left soleus 50 % weaker" in window.list.item(1).text()
    window.list.setCurrentRow(1)
    qtbot.mouseClick(window.join, Qt.MouseButton.LeftButton)
    assert "is in this variant already" in window.wrong.text()


def test_a_waiting_variant_is_not_lost_with_the_loss(qtbot, window, monkeypatch):
    """Finding the loss was cancelled while a variant waited: the variant vanished."""

    def stopped(*_):
        raise Cancelled("The work was cancelled.")

    monkeypatch.setattr(what_if_window, "loss", stopped)
    window.list.setCurrentRow(0)
    window.form.target.setCurrentText("left soleus")
    qtbot.mouseClick(window.limit, Qt.MouseButton.LeftButton)
    assert window.jobs.busy
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(window.results) == 4 and not window.jobs.busy)
    assert window.variants[3].title == "Left soleus 50 % weaker"
    assert "It was cancelled" in window.wrong.text()


def test_a_variant_without_an_answer_goes_and_says_why(qtbot, window):
    window.form.target.setCurrentText("right soleus")
    window.form.kind.setCurrentIndex(window.form.kind.findData(MOVED))
    window.form.to.setCurrentText("left soleus")
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.jobs.busy and len(window.variants) == 3)
    assert "cannot be moved to the other side" in window.wrong.text()
    assert len(window.results) == 3
