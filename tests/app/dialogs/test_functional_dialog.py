"""Edit, Functional Trial: the window does what the library and the command line do, in the background, to be undone."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QDialogButtonBox

from biomec.io.evidence import redescribed
from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import import_session
from biomec.pipeline import replay
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.functional import functional_joints, with_functional_trial
from biomec.virtual import RecordOptions, VirtualPerson, record, squat, write_acquisition
from biomec_app.dialogs.functional import ask_functional
from biomec_app.shell.actions.edit import ACTIONS

ITEM = next(action for action in ACTIONS if action.key == "edit.functional")


@pytest.fixture(scope="module")
def squatting(tmp_path_factory):
    """C3D of a squat, in which knees bend; with its static beside it."""
    acquisition = record(squat(1), VirtualPerson(), RecordOptions(rate_hz=50.0, seed=3))
    return write_acquisition(acquisition, tmp_path_factory.mktemp("squat"), ("c3d",))["c3d"]


@pytest.fixture(scope="module")
def loaded(squatting):
    return Analysis(import_session(squatting, subject=VirtualPerson().subject)).run_until("body")


@pytest.fixture
def sentences(context):
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    context.jobs.failed.connect(context.user.tell)
    return sentences


def find(qtbot, context, joint, path):
    dialog = ask_functional(context)
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert not ok.isEnabled()  # no recording yet
    dialog.joint.setCurrentIndex(dialog.joint.findData(joint))
    context.user.ask_file = lambda *asked: path
    dialog.browse.click()
    ok.click()
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=60_000)


def test_the_axis_of_a_knee_is_found_as_by_the_library_and_can_be_undone(qtbot, context, loaded, squatting, sentences):
    context.document.open(loaded)
    assert ITEM.blocked(context) is None
    find(qtbot, context, "right knee", squatting)
    assert not sentences
    found, wanted = context.document.analysis, with_functional_trial(loaded, "right knee", read_trial(squatting))
    assert list(found.settings.body.options.axes) == ["right knee"]
    assert found.settings == wanted.settings
    assert found.notices == wanted.notices
    assert found.stale == ("body",)
    assert "Body Model" in ITEM.blocked(context)
    line = context.document.history[-1]
    names = {}
    exec("\n".join(replay._imports([line])), names)
    names["analysis"] = Analysis(loaded.session, loaded.settings)  # where a script begins, no step has run
    exec(line, names)
    assert names["analysis"].settings == found.settings
    context.document.undo_stack.undo()
    assert context.document.analysis is loaded


def test_a_trial_that_shows_nothing_of_the_joint_changes_nothing_and_says_what_to_record(
    qtbot, context, loaded, squatting, sentences
):
    still = squatting.with_name("still.csv")
    trial = read_trial(squatting)
    markers = [name for name in trial.markers.names if np.isfinite(trial.markers.p_WM).all()]
    head = ",".join(["time", *(f"{name}.{axis}" for name in markers for axis in "xyz")])
    first = ",".join(f"{x:.6f}" for x in trial.markers.p_WM[0].ravel())
    still.write_text(head + "\n" + "".join(f"{k / 50},{first}\n" for k in range(50)), "utf-8")
    context.document.open(loaded)
    find(qtbot, context, "right hip", still)
    assert context.document.analysis is loaded
    assert len(sentences) == 1
    assert "right hip" in sentences[0] or "Record" in sentences[0]


def test_the_same_trial_again_is_told_as_that(qtbot, context, loaded, squatting, sentences):
    """It was told as a failure, in the words of a success."""
    once = with_functional_trial(loaded, "right knee", read_trial(squatting)).run_until("body")
    context.document.open(once)
    find(qtbot, context, "right knee", squatting)
    assert sentences == [f"{squatting.name} was used for the right knee already: the model has what it shows."]
    assert context.document.analysis is once


@pytest.mark.parametrize("name", ["nowhere.c3d", "letter.c3d"])
def test_a_file_that_cannot_be_read_is_told(qtbot, context, loaded, tmp_path, sentences, name):
    (tmp_path / "letter.c3d").write_text("Dear colleague", "utf-8")
    context.document.open(loaded)
    find(qtbot, context, "right hip", tmp_path / name)
    assert context.document.analysis is loaded
    assert name in sentences[0]


def test_joints_are_those_that_a_movement_can_tell_of(loaded):
    kinds = functional_joints(loaded)
    assert kinds["right hip"] == "centre"
    assert kinds["left knee"] == "axis"
    types = {joint.name: joint.type for joint in loaded.body.person.model.joints}
    assert {types[name] for name in types if name not in kinds}.isdisjoint({"spherical", "revolute"})


@pytest.mark.parametrize("factor", [1000.0, 0.001])
def test_a_unit_that_was_put_right_at_the_import_holds_for_functional_trials_too(
    qtbot, context, loaded, squatting, sentences, factor
):
    """The laboratory's files all state the wrong unit; a centre was found 67 m away from the shoulder."""
    trial, session = read_trial(squatting), loaded.session
    wrong = replace(trial, markers=replace(trial.markers, p_WM=factor * trial.markers.p_WM))
    file = squatting.with_name(f"in_{factor:g}.c3d")
    write_trial(wrong, file)
    right = redescribed(replace(redescribed(session, factor=factor), dynamic=read_trial(file)), factor=1.0 / factor)
    context.document.open(Analysis(right, loaded.settings).run_until("body"))
    find(qtbot, context, "right glenohumeral", file)
    assert not sentences
    found = context.document.analysis.settings.body.options.points["GU_D"]
    wanted = with_functional_trial(loaded, "right glenohumeral", trial).settings.body.options.points["GU_D"]
    assert found == pytest.approx(wanted, abs=1e-4)  # files hold seven digits, and the movement fixes the centre badly
    assert f"multiplied by {1.0 / factor:g}" in " ".join(n.sentence for n in context.document.analysis.notices)
