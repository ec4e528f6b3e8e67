"""What if: variants beside each other, their answers, and the loss that can be borne."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from biomec_app.features.muscles.readings import readings_of
from biomec_app.features.muscles.what_if_content import (
    MOVED,
    REMOVED,
    WEAKER,
    MuscleChange,
    answers,
    asked_frames,
    compensation,
    contact_lines,
    loss,
    proposals,
    signed,
    targets_of,
    verdict,
)
from biomec_app.features.muscles.what_if_window import MOST, WhatIfWindow


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
    for change in proposals(readings_of(muscle_analysis)):
        assert targets[change.target] == change.muscles


def test_a_variant_is_answered_as_the_whole_recording_would_be(asked, muscle_analysis):
    """A removed muscle does nothing, others do its work, and joints bear something else."""
    change = MuscleChange("right soleus", ("soleus_r",), REMOVED)
    assert change.title == "Without right soleus"
    (result,) = answers(asked, [change])
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
    (result,) = answers(asked, [change])
    assert result.carried
    assert np.nanmax(np.abs(result.change)) < 1e-6
    away = MuscleChange("right rectus femoris", ("rect_fem_r",), MOVED, to="right semitendinosus")
    (moved,) = answers(asked, [away])
    row = moved.forces.rows.index("right knee flexion")
    arms = moved.variant.model.arms[:, moved.forces.index("rect_fem_r"), row]
    was = asked.question.model.arms[:, asked.question.forces.index("rect_fem_r"), row]
    assert np.nanmean(was) < 0.0 < np.nanmean(arms)  # an extensor of the knee has become a flexor


def test_the_loss_is_that_of_the_library(asked):
    curve = loss(asked, MuscleChange("right soleus", ("soleus_r",), WEAKER))
    assert 0.0 <= curve.bearable <= 1.0
    assert (np.diff(curve.loss) > 0.0).all()


def test_a_lack_is_that_of_the_torque_that_grew_most(asked):
    """On the hands and toes, the knee is held straight by the quadriceps."""
    names = ("rect_fem_r", "vas_med_r", "vas_int_r", "vas_lat_r", "tfl_r")
    (result,) = answers(asked, [MuscleChange("right quadriceps", names, REMOVED)])
    sign, words = verdict(asked, result)
    assert not result.carried
    assert sign == "✕"
    assert "right knee" in words or "right hip" in words


def test_numbers_in_words():
    assert [signed(value) for value in (12.4, -3.0, 0.2, -0.3)] == ["+12", "−3", "0", "0"]
    assert MuscleChange("right soleus", (), WEAKER, 1.2).title == "Right soleus 20 % stronger"


@pytest.fixture
def window(qtbot, context, muscle_analysis):
    context.document.open(muscle_analysis)
    made = WhatIfWindow(context)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: len(made.results) == len(made.changes) and not made.jobs.busy)
    return made


def test_proposals_are_answered_and_others_can_be_added(qtbot, window, context):
    count = len(window.changes)
    assert count == 3
    window.target.setCurrentText("right soleus")
    window.strength.setValue(120)
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(window.results) == count + 1 and not window.jobs.busy)
    assert "Right soleus 20 % stronger" in window.verdicts.text()
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert "already" in window.wrong.text()
    window.strength.setValue(10)
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert len(window.changes) == MOST
    assert "Remove one" in window.wrong.text()
    window.list.setCurrentRow(0)
    qtbot.mouseClick(window.remove, Qt.MouseButton.LeftButton)
    assert len(window.changes) == len(window.results) == MOST - 1
    window.target.setCurrentText("no such muscle")
    qtbot.mouseClick(window.add, Qt.MouseButton.LeftButton)
    assert "no muscle “no such muscle”" in window.wrong.text()


def test_the_loss_is_found_and_said(qtbot, window):
    window.list.setCurrentRow(0)
    qtbot.mouseClick(window.limit, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.curve is not None and not window.jobs.busy)
    assert window.changes[0].target in window.sentence.text()
    assert window.plot.isVisible()


def test_another_recording_begins_anew(qtbot, window, context, short_analysis):
    context.document.open(short_analysis)
    assert window.results == ()
    assert window.changes == []
    assert "Compute them first" in window.wrong.text()
