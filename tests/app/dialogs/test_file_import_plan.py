"""What the import dialog is about, without a window: files found, labels, axes, and a line that does it again."""

import shutil
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import FileError
from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import SKIP
from biomec.pipeline.replay import script
from biomec.recording import Authority, EmgAlignment, LabAxes, Subject
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import Side
from biomec.virtual import DEMO, VirtualPerson, push_up, record, write_acquisition
from biomec_app.dialogs.body_drawing import front, hull, limbs, outlines, places
from biomec_app.dialogs.import_plan import (
    ImportPlan,
    all_notices,
    analysis_of,
    chosen_path,
    decided,
    file_state,
    import_line,
    overview,
    read,
    size_sentence,
)
from tests.real_data import recording


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_acquisition(record(push_up("closed", 1), VirtualPerson(), DEMO), tmp_path_factory.mktemp("acq"))


@pytest.fixture(scope="module")
def preview(files):
    return read(ImportPlan(files["emt"]))


def test_companions_are_found_and_told(preview):
    for kind, ending in (("static", "Static.emt"), ("plates", ".mot"), ("emg", "_EMG.emt")):
        there, words = file_state(preview, kind)
        assert there
        assert words
        assert chosen_path(preview, kind).name.endswith(ending)
    assert "4 force plates" in overview(preview.session)
    assert preview.session.subject.name == "Demo"
    assert preview.session.recorded == date(2026, 3, 2)
    assert preview.marker_set.name == "biomec-full"
    assert not preview.labels_need_a_look
    assert "m in height" in size_sentence(preview.posed)


def test_no_file_can_be_wanted(files):
    preview = read(ImportPlan(files["emt"], static=SKIP, plates=SKIP, emg=SKIP))
    assert preview.session.static is None
    assert preview.session.dynamic.plates == ()
    assert [file_state(preview, kind) for kind in ("static", "plates", "emg")] == [(False, "Not used.")] * 3


def test_a_broken_companion_found_by_name_is_told_and_the_rest_is_there(files, tmp_path):
    for path in files["emt"].parent.iterdir():
        shutil.copy(path, tmp_path)
    static = next(tmp_path.glob("*Static.emt"))
    static.write_bytes(b"BTS ASCII format\nnothing\n")
    preview = read(ImportPlan(tmp_path / files["emt"].name))
    there, words = file_state(preview, "static")
    assert not there
    assert static.name in words
    assert chosen_path(preview, "static") is None
    assert preview.session.dynamic.plates
    with pytest.raises(FileError, match="Static"):
        read(ImportPlan(tmp_path / files["emt"].name, static=static))


def test_the_user_wins_over_the_files(preview):
    plan = replace(
        preview.plan,
        subject=Subject("Someone", "female", 60.0, 1.65),
        recorded=date(2020, 1, 2),
        marker_set="biomec-full",
    )
    session = decided(preview, plan)
    assert session.subject == Subject("Someone", "female", 60.0, 1.65)
    assert session.recorded == date(2020, 1, 2)
    assert analysis_of(plan, session).settings.preparation.marker_set == "biomec-full"


def test_axes_by_hand_hold_for_movement_and_static(files):
    axes = LabAxes("+y", "-x", Authority.USER, Authority.USER)
    preview = read(ImportPlan(files["emt"], axes=axes))
    assert preview.session.dynamic.axes == axes
    assert preview.session.static.axes.forward == "-x"


def test_the_line_of_the_history_imports_the_same(files, preview):
    plan = replace(
        preview.plan,
        subject=Subject("Someone", "female", 60.0, 1.65, measures={"leg_length_D": 0.85}),
        emg=SKIP,
        axes=LabAxes("+y", "+x", Authority.USER, Authority.USER),
        saved_frames=EmgAlignment(1, preview.session.dynamic.frames),
        marker_set="biomec-full",
        label_map=LabelMap("by hand", "biomec-full", {"a": "C7"}),
    )
    session = decided(read(plan.of_files), plan)
    text = script(analysis_of(plan, session), [import_line(plan, session)])
    names: dict = {}
    exec(compile(text, "script", "exec"), names)
    again = names["analysis"]
    assert again.fingerprint("cycles") == analysis_of(plan, session).fingerprint("cycles")
    assert again.session.dynamic.emg is None
    assert_array_equal(again.session.dynamic.markers.p_WM, session.dynamic.markers.p_WM)


def test_labels_of_another_laboratory_need_a_look(files, tmp_path):
    trial = read_trial(files["emt"])
    renamed = {name: f"m{k}" for k, name in enumerate(trial.markers.names)}
    markers = replace(trial.markers, names=tuple(renamed[name] for name in trial.markers.names))
    write_trial(replace(trial, markers=markers), tmp_path / "odd.trc")
    preview = read(ImportPlan(tmp_path / "odd.trc", static=SKIP))
    assert not preview.fits
    assert preview.labels_need_a_look


def test_a_recording_of_vicon_is_understood():
    preview = read(ImportPlan(recording("gait_pig_pair/HC030A05.c3d")))
    assert preview.marker_set.name == "plug-in-gait"
    assert not preview.labels_need_a_look
    there, words = file_state(preview, "plates")
    assert there
    assert words.endswith("force plates at 1000 Hz.")
    assert chosen_path(preview, "plates") is None
    assert chosen_path(preview, "static").name == "HC030A01.c3d"
    forward = [n.sentence for n in all_notices(preview.session) if n.code == "forward-by-evidence"]
    assert any("HC030A05" in words for words in forward)
    assert any("HC030A01" in words for words in forward)
    flat = {name: front(point) for name, point in places(preview.posed).items()}
    drawn = {side: [limb for limb in limbs(preview.marker_set, flat) if limb.side is side] for side in Side}
    assert len(drawn[Side.RIGHT]) == len(drawn[Side.LEFT]) == 9  # the pairs of `LIMBS` with a star
    across = {side: np.mean([limb.points[:, 0].mean() for limb in some]) for side, some in drawn.items()}
    assert across[Side.RIGHT] < across[Side.LEFT] - 0.1  # from the front, the subject's right is on the left
    assert len(outlines(preview.marker_set, flat)) > 4


def test_the_hull_of_a_square_with_points_inside():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.0]])
    corners = hull(square)
    assert {tuple(corner) for corner in corners} == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}
