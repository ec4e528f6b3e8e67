"""What stands in every plot: grouping, cycles, marks, and the way between frames and places."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.recording.marker_set import Side
from biomec_app.curves.catalogue import Catalogue, catalogue, default_curves
from biomec_app.curves.curve import Curve, column
from biomec_app.plots.plot_content import differences, panes
from biomec_app.plots.plot_marks import not_converged
from biomec_app.plots.plot_pane import BORDER, LEFT, MIDDLE, RIGHT, TURN
from biomec_app.session.plot_view import CYCLES, MEAN, SEPARATE, TOGETHER, PlotView
from tests.real_data import recording

ELBOWS = ("angle/right elbow flexion", "angle/left elbow flexion")


@pytest.fixture(scope="module")
def curves(demo_analysis: Analysis) -> Catalogue:
    return catalogue(demo_analysis)


def shown(curves: Catalogue, analysis: Analysis, keys: tuple[str, ...], **view: object):
    return panes(curves.found(keys), PlotView(**view), analysis)


def test_sides_share_a_plot_in_their_colours(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS)
    assert [(trace.name, trace.colour) for trace in pane.traces] == [("right", RIGHT), ("left", LEFT)]
    assert (pane.title, pane.unit) == ("Elbow", "°")


def test_separate_gives_a_plot_to_every_curve(curves: Catalogue, demo_analysis: Analysis) -> None:
    assert len(shown(curves, demo_analysis, ELBOWS, grouping=SEPARATE)) == 2


def test_together_joins_what_has_the_same_unit(curves: Catalogue, demo_analysis: Analysis) -> None:
    keys = (*ELBOWS, "angle/right shoulder flexion", "angle/left shoulder flexion", "body/position Y")
    angles, body = shown(curves, demo_analysis, keys, grouping=TOGETHER)
    assert [trace.colour for trace in angles.traces] == [0, 0, 1, 1]
    assert [trace.dashed for trace in angles.traces] == [False, True, False, True]
    assert (body.traces[0].colour, body.unit) == (MIDDLE, "mm")


def test_raw_lies_faint_behind_filtered(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ("marker/AC_D/Y", "marker raw/AC_D/Y"))
    assert [(trace.name, trace.faint) for trace in pane.traces] == [
        ("right as recorded", True),
        ("right filtered", False),
    ]


def test_mean_cycles_are_those_of_the_analysis(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS, over=MEAN)
    known = demo_analysis.cycles.curves["both"]
    k = demo_analysis.angles.names.index("right elbow flexion")
    assert np.allclose(pane.traces[0].y, np.degrees(known.mean[:, k]), atol=1e-9)
    assert np.allclose(pane.traces[0].sd, np.degrees(known.sd[:, k]), atol=1e-9)
    assert pane.span == (0.0, 100.0)


def test_cycles_of_faster_channels_are_cut_at_the_same_times(curves: Catalogue, demo_analysis: Analysis) -> None:
    """Plates run at 500 Hz: the samples at the borders of a cycle are its first and last values."""
    (pane,) = shown(curves, demo_analysis, ("plate/Mao_D/force Y",), over=CYCLES)
    curve, cycles = curves["plate/Mao_D/force Y"], demo_analysis.cycles.groups["both"]
    singles = pane.traces[0].singles
    for k, (first, last) in enumerate(cycles.spans / cycles.rate_hz):
        ends = np.interp([first, last], curve.time_s, curve.values)
        assert np.allclose(singles[k][[0, -1]], ends, rtol=1e-6)


def test_a_curve_of_the_midline_is_drawn_over_the_cycles_of_each_side(walk_analysis: Analysis) -> None:
    """The pelvis of a walk was drawn over the right side's cycles alone; its foot off was called a phase change."""
    found = catalogue(walk_analysis)
    key = next(one.key for one in found if one.key.startswith("angle/pelvis"))
    (pane,) = shown(found, walk_analysis, (key,), over=MEAN)
    assert [(trace.name, trace.colour) for trace in pane.traces] == [("right cycles", RIGHT), ("left cycles", LEFT)]
    k = walk_analysis.angles.names.index(key.removeprefix("angle/"))
    for trace, group in zip(pane.traces, ("Right", "Left"), strict=True):
        assert np.allclose(trace.y, np.degrees(walk_analysis.cycles.curves[group].mean[:, k]), atol=1e-9)
    assert {mark.label for mark in pane.marks if mark.kind == TURN} == {"foot off"}
    assert {mark.colour for mark in pane.marks if mark.kind == TURN} == {RIGHT, LEFT}


def test_cycles_are_marked(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS)
    cycles = demo_analysis.cycles.groups["both"]
    borders = [mark.x for mark in pane.marks if mark.kind == BORDER]
    assert np.allclose(borders, np.array(cycles.borders) / 100.0)
    turns = [mark.x for mark in pane.marks if mark.kind == TURN]
    flexed = [curves[ELBOWS[0]].values[round(100.0 * x)] for x in turns]
    assert len(turns) == len(cycles)
    assert min(flexed) > 110.0  # the phase of a push-up changes where elbows are bent most
    assert not shown(curves, demo_analysis, ELBOWS, cycles=False)[0].marks


def test_frames_that_did_not_converge_are_shaded(demo_analysis: Analysis) -> None:
    assert len(not_converged(demo_analysis)) == 0
    valid = demo_analysis.positions.valid.copy()
    valid[100:110] = False
    done = demo_analysis.done["positions"]
    bad = replace(done, value=replace(done.value, valid=valid))
    spans = not_converged(replace(demo_analysis, done={**demo_analysis.done, "positions": bad}))
    assert np.allclose(spans, [[0.995, 1.095]])


@pytest.mark.parametrize("over", ["time", MEAN])
def test_frames_and_places_are_the_same(curves: Catalogue, demo_analysis: Analysis, over: str) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS, over=over)
    for frame in (40, 231, 500, 1000, 1800):
        x = pane.x_of(frame)
        assert pane.moment_of(x, frame) == frame


def test_a_frame_outside_all_cycles_has_no_place(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS, over=MEAN)
    borders = demo_analysis.cycles.groups["both"].borders
    assert pane.x_of(borders[0] - 1) is None
    assert pane.x_of(borders[-1]) == 100.0
    assert pane.moment_of(0.0, borders[0] - 1) == borders[0]


def test_values_at_a_place_are_those_of_the_nearest_sample(curves: Catalogue, demo_analysis: Analysis) -> None:
    (pane,) = shown(curves, demo_analysis, ELBOWS)
    assert pane.traces[0].at(5.003) == curves[ELBOWS[0]].values[500]
    assert np.isnan(pane.traces[0].at(-1.0))


def test_noise_does_not_fill_the_axis(curves: Catalogue, demo_analysis: Analysis) -> None:
    """A centre of pressure that stands still is not blown up to the height of the plot."""
    (pane,) = shown(curves, demo_analysis, ("plate/Mao_D/centre of pressure X",))
    low, high = pane.extent
    assert high - low >= 10.0


def test_a_push_up_begins_with_arms(curves: Catalogue, demo_analysis: Analysis) -> None:
    keys = default_curves(demo_analysis, curves)
    assert keys[:2] == ELBOWS
    assert {curves[key].title for key in keys} == {"Elbow", "Shoulder", "Scapulothoracic"}


def test_before_any_step_something_is_there_to_see(demo_analysis: Analysis) -> None:
    bare = Analysis(demo_analysis.session)
    assert catalogue(bare).found(default_curves(bare, catalogue(bare)))


def test_a_walk_begins_with_legs() -> None:
    """A recording of a gait laboratory: cycles from foot strike to foot strike, each side by its own."""
    path = recording("gait_pig_pair/HC030A05.c3d")
    analysis = analyze(import_session(path))
    curves = catalogue(analysis)
    keys = default_curves(analysis, curves)
    assert {curves[key].title for key in keys} == {"Hip", "Knee", "Ankle"}
    hip = panes(curves.found(keys), PlotView(), analysis)[0]
    strikes = {side: [m.x for m in hip.marks if m.kind == BORDER and m.colour == side] for side in (RIGHT, LEFT)}
    for side, name in ((RIGHT, "Right"), (LEFT, "Left")):
        events = [e.time_s for e in analysis.signals.events.events if (e.label, e.context) == ("Foot Strike", name)]
        assert np.allclose(strikes[side], events, atol=0.5 / analysis.signals.trial.rate_hz)
    (right,) = panes(curves.found(keys[:1]), PlotView(), analysis)
    assert not [mark for mark in right.marks if mark.colour == LEFT]
    _stored_results_lie_over_ours(analysis, curves)


def _stored_results_lie_over_ours(analysis: Analysis, curves: Catalogue) -> None:
    """The curves of that walk which Vicon left in the file: searchable, and in one plot with both computations."""
    ways = ("vicon", "stored", "own")
    knees = [f"plug-in gait/{way}/{side} knee flexion" for side in ("right", "left") for way in ways]
    (knee,) = panes(curves.found(knees), PlotView(), analysis)
    assert (knee.title, knee.unit, len(knee.traces)) == ("Knee", "°", 6)
    names = {trace.name for trace in knee.traces}
    assert {"right stored", "right as Vicon: RMS 0.00°"} <= names
    (own,) = (name for name in names if name.startswith("right own: "))
    ours, theirs = (curves[f"plug-in gait/{way}/right knee flexion"].values for way in ("own", "stored"))
    assert own == f"right own: RMS {np.sqrt(np.mean((ours - theirs) ** 2)):.2f}°"
    assert np.allclose(ours, curves["angle/right knee flexion"].values)
    moment, power = (curves[f"plug-in gait/stored/right ankle {name}"] for name in ("plantarflexor moment", "power"))
    assert "RAnkleMoment X" in moment.label
    assert (moment.unit, power.unit) == ("N·m/kg", "W/kg")
    assert 1.0 < np.nanmax(moment.values) < 2.0  # N·m/kg, stored as 1500 "Nmm"
    (overlaid,) = panes(curves.found(["angle/right knee flexion", knees[1]]), PlotView(), analysis)
    assert "RMS " in overlaid.traces[0].name  # our own angles beside the stored ones, without the third
    other = curves["stored/RGroundReactionForce/Z"]
    assert other.unit == "N/kg"
    assert 8.0 < np.nanmax(other.values) < 14.0


def test_loads_are_compared_where_the_force_was_measured() -> None:
    stored, own = (
        Curve(key, "Moments", "Ankle", Side.RIGHT, "moment", key, "N·m/kg", column(np.arange(4.0), values),
              said=key, variant=key, compared=rank, counts=np.array([True, True, False, False]))
        for key, rank, values in (("stored", 1, [1.0, 1.0, 1.0, np.nan]), ("own", 3, [1.1, 0.9, 9.0, 9.0]))
    )  # fmt: skip
    assert differences([stored, own]) == ["", "RMS 0.100"]
    assert differences([replace(stored, counts=True), replace(own, counts=True)])[1] != "RMS 0.100"
