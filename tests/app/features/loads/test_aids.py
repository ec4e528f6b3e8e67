"""Crutches and orthoses in the window: their arrows in the 3-D view, and which channels hold the forces of crutches."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from biomec.base.arrays import read_only
from biomec.body.loads.device_loads import DeviceLoads
from biomec.io import write_trial
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session
from biomec.virtual import RecordOptions, VirtualPerson, assisted_walk, record
from biomec_app.features.loads import aid_channels
from biomec_app.features.loads.actions import ACTIONS
from biomec_app.features.loads.aid_channels import AidChannelsDialog
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.style import PAPER
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.session.view_options import View
from biomec_app.viewer.overlays import OVERLAYS
from biomec_app.viewer.scene import Scene

ACTION = next(one for one in ACTIONS if one.key == "dynamics.aids")
NAMES = ("cuff forces", "misalignment")
FRAME = 20


@pytest.fixture(scope="module")
def assisted() -> Analysis:
    """A stride on two instrumented crutches with two free orthoses; nothing is filtered."""
    made = record(
        assisted_walk(1, "two free"),
        VirtualPerson(65.0, 1.60, "female"),
        RecordOptions(rate_hz=25.0, plate_rate_hz=25.0, noise_mm=0.0),
    )
    usual = AnalysisSettings()
    settings = replace(
        usual,
        body=BodySettings(model="m18-free-orthoses"),
        signals=replace(usual.signals, marker_filter=None, plate_filter=None),
        loads=replace(usual.loads, plate_forces="recorded"),
    )
    session = Session(made.dynamic, made.static, subject=made.person.subject)
    return Analysis(session, settings).run_until("loads")


@pytest.fixture(scope="module", params=[LIGHT, DARK], ids=["light", "dark"])
def scene(request, assisted):
    shown = Scene(assisted, request.param, View(overlays=frozenset(NAMES), force_scale=2.0))
    shown.update(FRAME)
    return shown


@pytest.mark.parametrize(("name", "metres"), [("cuff forces", 2.0 * 5e-3), ("misalignment", 2.0 * 20.0)])
def test_arrows_begin_at_the_cuffs_and_are_as_long_as_the_legend_says(scene, assisted, name, metres):
    shafts, heads = (one._each for one in scene._overlays[name].surfaces)
    cuffs = assisted.loads.devices.cuffs
    assert len(cuffs) == 4
    system, q = assisted.body.person.system, assisted.motion.q
    seen = 0
    for k, cuff in enumerate(cuffs):
        ends = [f"{segment}.{'OHP' if 'hip' in cuff.name else 'KJC'}_{cuff.name[0]}" for segment in cuff.segments]
        ends = [end[:-1] + ("D" if cuff.name.startswith("right") else "E") for end in ends]
        limb, device = (system.layout.point(end)(q)[FRAME] for end in ends)
        gap = device - limb  # straight from the coordinates, in the laboratory
        np.testing.assert_allclose(cuff.point[FRAME], limb, rtol=0, atol=1e-9)
        along = metres * (gap if name == "misalignment" else cuff.force_W[FRAME])
        if np.linalg.norm(along) < 0.03:
            continue
        seen += 1
        assert np.linalg.norm(heads[k] - (limb + along), axis=1).min() < 2e-3  # a cone's tip is a little blunt
        assert np.linalg.norm(shafts[k].mean(axis=0) - limb) < np.linalg.norm(along)
    assert seen >= 2


def test_the_legend_states_both_scales(scene):
    texts = [entry.text for entry in scene.legend()]
    assert "orthosis on limb, 50 N = 0.5 m" in texts  # twice the usual length
    assert "misalignment, 2 mm = 0.1 m" in texts


def test_they_are_offered_to_those_who_wear_cuffs(assisted):
    assert [OVERLAYS[name].missing(assisted) for name in NAMES] == [None, None]
    done = assisted.done["loads"]
    bare = replace(done, value=replace(done.value, devices=DeviceLoads()))
    without = replace(assisted, done={**assisted.done, "loads": bare})
    assert all("wears no orthosis with cuffs" in OVERLAYS[name].missing(without) for name in NAMES)


def test_the_figure_stacks_torques_and_shows_cuffs_and_crutches(assisted):
    kind = figure_named("devices")
    content = kind.content(assisted, {})
    figure = compose(kind, content, {}, PAPER, kind.size(content, {}), 40)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    for words in (
        "Right knee, flexion torque",
        "Left cuff at the hip, misalignment and force",
        "Left crutch, force at",
    ):
        assert any(title.startswith(words) for title in titles), words
    columns = {column.name: column.values for column in kind.data(content, {})}
    aids = assisted.loads.aids
    np.testing.assert_array_equal(columns["left crutch, force Y (N)"], aids.loads.force[:, 1, 1])
    share = assisted.loads.devices.shares[0]
    parts = [columns[f"{share.joint} {share.axis} torque, {who} (N·m)"] for who in ("person", "device", "total")]
    np.testing.assert_allclose(parts[0] + parts[1], parts[2], rtol=0, atol=1e-12)


def with_analog(analysis, names=None, units=None, factor=1.0):
    """The analysis with its analog channels under other names, in other units, or without them."""
    analog = analysis.session.dynamic.analog
    if names is None:
        analog = None
    else:
        analog = replace(analog, names=names, units=units or analog.units, values=read_only(factor * analog.values))
    dynamic = replace(analysis.session.dynamic, analog=analog)
    return replace(analysis, session=replace(analysis.session, dynamic=dynamic))


@pytest.fixture
def opened(qtbot, context):
    def made(analysis):
        context.document.open(analysis)
        dialog = AidChannelsDialog(context)
        qtbot.addWidget(dialog)
        return dialog

    return made


def words(dialog, column):
    return [dialog.table.item(row, column).text() for row in range(dialog.table.rowCount())]


def test_channels_are_proposed_by_their_names_and_nothing_is_changed(opened, context, assisted):
    dialog = opened(assisted)
    assert dialog.chosen("right crutch") == ("right crutch Fx", "right crutch Fy", "right crutch Fz")
    assert words(dialog, 4) == ["by its name"] * 6
    low, high = (float(part.replace("−", "-")) for part in words(dialog, 3)[1].split(" … "))
    values = assisted.session.dynamic.analog["right crutch Fy"]
    assert (low, high) == (round(values.min()), round(values.max()))
    dialog.accept()
    assert context.document.analysis is assisted


def test_channels_of_strange_names_are_chosen_by_hand_with_units_sign_and_undo(opened, context, assisted, tmp_path):
    """Volts of six gauges, the left ones first: 250 N/V, and what the tip does to the floor."""
    names = tuple(f"Gauge {k}" for k in range(1, 7))
    strange = with_analog(assisted, names, ("V",) * 6, -1.0 / 250.0)
    dialog = opened(strange)
    assert words(dialog, 4) == ["not measured"] * 6
    order = {"right crutch": names[:3], "left crutch": names[3:]}
    for (device, axis), box in dialog.boxes.items():
        box.setCurrentText(order[device]["xyz".index(axis)])
        box.activated.emit(box.currentIndex())
    assert "not in newtons" in dialog.wrong.text()
    dialog.accept()
    assert context.document.analysis is strange  # what is wrong is not taken over
    dialog.newtons.setValue(250.0)
    dialog.reversed.setChecked(True)
    assert dialog.wrong.text() == ""
    assert words(dialog, 4) == ["chosen by hand"] * 6
    dialog.accept()
    aids = context.document.analysis.settings.loads.aids
    assert (aids.right, aids.left, aids.newtons, aids.reversed) == (names[:3], names[3:], 250.0, True)
    save_project(context.document.analysis.stored(), tmp_path / "walk.biomec")
    again = reopened(load_project(tmp_path / "walk.biomec")).analysis
    assert again.settings.loads.aids == aids
    force = again.run_until("loads").loads.aids.loads.force
    np.testing.assert_allclose(force, assisted.loads.aids.loads.force, rtol=0, atol=1e-6)  # N: as from newtons
    context.document.undo_stack.undo()
    assert context.document.analysis is strange


def test_a_choice_that_cannot_be_gets_a_sentence(opened, assisted):
    dialog = opened(assisted)
    dialog.boxes["left crutch", "z"].setCurrentIndex(0)
    assert dialog.fault == "The left crutch has 2 of three channels. Choose all of x, y and z, or none."
    dialog.boxes["left crutch", "z"].setCurrentText("right crutch Fy")
    assert dialog.fault == "The channel right crutch Fy is chosen twice: for the right crutch and the left crutch."
    dialog.propose()
    assert dialog.fault == ""


def test_channels_of_a_file_join_the_recording_in_one_step(opened, context, assisted, tmp_path):
    path = tmp_path / "crutches.csv"
    write_trial(replace(assisted.session.dynamic, plates=(), emg=None), path)
    silent = with_analog(assisted)
    dialog = opened(silent)
    assert words(dialog, 4) == ["not measured"] * 6
    dialog.add_file(path)
    assert words(dialog, 4) == ["by its name"] * 6
    dialog.accept()
    found = context.document.analysis
    assert found.session.dynamic.analog.names == assisted.session.dynamic.analog.names
    assert found.session.provenance[-1].settings["files"] == {"channels": "crutches.csv"}
    assert "with_channel_file" in context.document.history[0]
    context.document.undo_stack.undo()
    assert context.document.analysis is silent
    dialog = opened(assisted)
    dialog.add_file(path)
    assert "it has channels of these names already" in dialog.wrong.text()


def test_the_menu_says_what_is_missing(context, assisted, monkeypatch):
    context.document.open(assisted)
    assert ACTION.blocked(context) is None
    monkeypatch.setattr(aid_channels, "tipped", lambda context: ())
    assert "no crutches" in ACTION.blocked(context)
    context.document.open(Analysis(assisted.session, assisted.settings))
    assert "Body Model" in ACTION.blocked(context)
