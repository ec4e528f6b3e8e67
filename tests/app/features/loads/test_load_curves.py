"""Curves of loads: the numbers of the library bit for bit, in all axes and units, by both methods."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from biomec.body.loads.contributions import PARTS, TITLES
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_axes import AXES
from biomec.body.loads.load_components import (
    AXES_WORDS,
    METHODS,
    NEWTON_EULER,
    NORMALISATIONS,
    LoadReading,
)
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.sensitivity import SensitivityOptions
from biomec.pipeline.load_reading import named_loads, part_of, read_loads
from biomec.pipeline.load_sensitivity import load_sensitivity
from biomec.recording.marker_set import Side
from biomec.reporting.files.load_files import loads_csv
from biomec.reporting.statistics.load_condition import peaks_of
from biomec_app.curves.catalogue import catalogue, list_curves
from biomec_app.curves.curve import DOUBTFUL, MAIN
from biomec_app.features.loads import readings as readings_module
from biomec_app.features.loads.choice import BOTH, LoadChoice, chosen_keys, important_joints, joints_of, read_choice
from biomec_app.features.loads.curves import PRESSED, LoadKey, load_key, read_key
from biomec_app.features.loads.readings import Readings, has_loads
from biomec_app.kit.theme import LIGHT
from biomec_app.plots.figure_export import figure_table
from biomec_app.plots.plot_content import panes
from biomec_app.plots.plot_grid import legend_of
from biomec_app.plots.plot_style import FAINT_WIDTH, PlotStyle
from biomec_app.session.plot_view import MEAN, PlotView

ELBOW = "right elbow flexion moment"
READINGS = (
    LoadReading(),
    LoadReading("distal", method=NEWTON_EULER),  # the table of earlier versions
    LoadReading("proximal", "external", "mass", NEWTON_EULER),
)


@pytest.fixture(scope="module")
def curves(demo_analysis):
    return list_curves(demo_analysis)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@pytest.mark.parametrize("axes", AXES)
def test_every_component_is_that_of_the_library_bit_for_bit(demo_analysis, curves, axes, normalisation, method):
    expected = read_loads(demo_analysis, LoadReading(axes, normalisation=normalisation, method=method))
    for k, name in enumerate(expected.names):
        curve = curves[load_key(name, axes, normalisation, method)]
        assert np.array_equal(curve.values, expected.values[:, k], equal_nan=True), name
        assert curve.unit == expected.units[k]
        assert curve.side is expected.side[k]
        assert curve.component == expected.positive[k]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.words)
def test_window_file_and_report_tell_the_same_loads(demo_analysis, reading):
    """Plots showed multibody loads in joint axes, `loads.csv` and report Newton-Euler in distal ones."""
    analysis = demo_analysis.with_settings(replace(demo_analysis.settings, load_reading=reading))
    head, *lines = csv.reader(io.StringIO(loads_csv(analysis)))
    cells = dict(zip(head, zip(*lines, strict=True), strict=True))
    listed = list_curves(analysis)

    def written(curve) -> tuple[str, ...]:
        return tuple(f"{x:.7g}" for x in curve.values)

    expected = read_loads(analysis)  # all digits
    shown = [curve for curve in listed if curve.kind.endswith(AXES_WORDS[reading.axes]) and " part" not in curve.kind
             and curve.key.startswith("load")]  # fmt: skip
    assert len(shown) == len(expected.names) == 20 * 6
    for curve in shown:
        name = read_key(curve.key).name
        assert np.array_equal(curve.values, expected[name], equal_nan=True)
        assert written(curve) == cells[f"{name} [{reading.words}] ({curve.unit.replace('·', ' ')})"]
        assert curve.label == f"{name}, {reading.words}"
        assert curve.detail.endswith(f"{AXES_WORDS[reading.axes]}, {reading.convention}")
        assert curve.said == reading.method
        assert curve.variant == MAIN
    peaks = {one.joint: one for one in peaks_of(analysis)}
    counted = analysis.loads.trust.frames_of
    for joint in analysis.loads.power.joints:
        power = listed[f"power/W/{joint}"]
        assert written(power) == cells[f"{joint} power [{reading.method}] (W)"]
        along = [listed[load_key(f"{joint} force along {axis}", "laboratory", "none", reading.method)].values
                 for axis in "XYZ"]  # fmt: skip
        size = np.sqrt(sum(values**2 for values in along))
        usable = counted[joint].usable if peaks[joint].usable else np.ones(len(size), dtype=bool)
        assert peaks[joint].force.value == pytest.approx(np.nanmax(size[usable]), rel=1e-14)
        assert peaks[joint].power_high.value == np.nanmax(power.values[usable])
    for axis in "XYZ":
        residual = listed[f"residual load/laboratory/residual force along {axis}"]
        assert written(residual) == cells[f"residual force {axis} [{reading.method}, laboratory axes] (N)"]


def test_one_choice_in_the_settings_lists_other_curves_of_the_same_results(demo_analysis):
    first = catalogue(demo_analysis)
    assert catalogue(demo_analysis) is first
    reading = READINGS[1]
    other = demo_analysis.with_settings(replace(demo_analysis.settings, load_reading=reading))
    assert load_key(ELBOW, "distal", method=NEWTON_EULER) in [curve.key for curve in catalogue(other)]
    assert catalogue(demo_analysis) is first
    assert LoadChoice(joint="elbow").read_as(reading) == LoadChoice("moments", "elbow", "distal", method=NEWTON_EULER)


def test_stress_and_residual_are_those_of_the_library(demo_analysis, curves):
    body, loads = demo_analysis.body.person, demo_analysis.loads.multibody
    stress = joint_stress(loads, demo_analysis.segments, body.model, body.joint_axes())
    knee = stress.index("left knee")
    for kind in ("compression", "traction", "shear"):
        assert np.array_equal(curves[f"stress/{kind}/left knee"].values, getattr(stress, kind)[:, knee], equal_nan=True)
    residual = demo_analysis.loads.multibody.residual_force
    assert np.array_equal(
        curves["residual load/laboratory/residual force along Y"].values, residual[:, 1], equal_nan=True
    )


def test_only_one_unit_and_method_is_listed_but_all_are_found(curves):
    assert load_key(ELBOW) in [curve.key for curve in curves]
    other = load_key(ELBOW, "distal", "weight", NEWTON_EULER)
    assert other not in [curve.key for curve in curves]
    assert other in curves
    assert curves.found([other, "load/joint/none/no such load", "load/else/none/x"]) == [curves[other]]
    assert curves[other] is curves[other]
    assert read_key(other) == LoadKey(ELBOW, "distal", "weight", NEWTON_EULER)
    assert read_key("load internal/joint/none/x") is None


@pytest.mark.parametrize("method", METHODS)
def test_external_loads_are_those_of_the_library(demo_analysis, curves, method):
    expected = read_loads(demo_analysis, LoadReading("joint", "external", "mass", method))
    key = load_key(ELBOW, "joint", "mass", method, "external")
    assert read_key(key) == LoadKey(ELBOW, "joint", "mass", method, "external")
    assert np.array_equal(curves[key].values, expected[ELBOW], equal_nan=True)
    assert "external" in curves[key].label
    choice = LoadChoice(joint="elbow", method=method, sign="external")
    assert load_key(ELBOW, "joint", "none", method, "external") in chosen_keys(demo_analysis, choice)
    assert read_choice(chosen_keys(demo_analysis, choice), LoadChoice(joint="elbow")) == choice


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_those_of_the_library_and_sum_to_the_whole(demo_analysis, curves, part):
    loads = part_of(demo_analysis, part)
    for axes, normalisation in (("joint", "none"), ("distal", "mass")):
        expected = named_loads(demo_analysis, loads, LoadReading(axes=axes, normalisation=normalisation))
        for name in (ELBOW, "left knee superior force") if axes == "distal" else (ELBOW,):
            curve = curves[load_key(name, axes, normalisation, part=part)]
            assert np.array_equal(curve.values, expected[name], equal_nan=True)
            assert TITLES[part] in curve.kind
            assert TITLES[part] in curve.label
            assert curve.band() is None
    whole = curves[load_key(ELBOW)].values
    total = sum(curves[load_key(ELBOW, part=one)].values for one in PARTS)
    assert np.allclose(total, whole, atol=1e-9, equal_nan=True)


def test_listing_parts_computes_none(demo_analysis, monkeypatch):
    def refuse(analysis, part):
        raise AssertionError(f"the {part} part was computed before anybody asked for it")

    monkeypatch.setattr(readings_module, "part_of", refuse)
    assert "Joint moments, gravity part, joint axes" in list_curves(demo_analysis).kinds


def test_loads_by_origin_are_chosen_and_read_back(demo_analysis, curves):
    for what in ("moment parts", "force parts"):
        wanted = LoadChoice(what, "knee", "proximal", "mass")
        keys = chosen_keys(demo_analysis, wanted)
        assert len(keys) == 3 * 3 * 2  # components, parts, sides
        assert len(curves.found(keys)) == len(keys)
        assert read_choice(keys, LoadChoice(joint="knee")) == wanted
        assert len(panes(curves.found(keys), PlotView(), demo_analysis)) == 9  # both sides share a plot


def test_listing_before_the_loads_are_there(demo_analysis):
    bare = replace(demo_analysis, done={k: v for k, v in demo_analysis.done.items() if k != "loads"})
    assert not has_loads(bare)
    listed = list_curves(bare)
    assert load_key(ELBOW) not in listed
    assert "Joint moments, joint axes" not in listed.kinds


def test_both_methods_share_a_plot_solid_and_dashed(demo_analysis, curves):
    keys = chosen_keys(demo_analysis, LoadChoice(joint="elbow", method=BOTH))
    found = panes(curves.found(keys), PlotView(), demo_analysis)
    assert [pane.title for pane in found] == ["Elbow moment"] * 3
    for pane in found:
        looks = {(trace.curve.side, trace.dashed) for trace in pane.traces}
        assert looks == {(side, dashed) for side in (Side.RIGHT, Side.LEFT) for dashed in (False, True)}
        assert not any(trace.faint for trace in pane.traces)
        solid = {trace.curve.side: trace.y for trace in pane.traces if not trace.dashed}
        for trace in pane.traces:
            assert np.allclose(trace.y, solid[trace.curve.side], atol=1e-6, equal_nan=True)  # they agree to round-off


def test_a_band_is_drawn_around_the_curve_once_it_is_known(grips):
    analysis = grips["closed"]
    curves, readings = list_curves(analysis), Readings(analysis)
    key = load_key(ELBOW, "joint", "mass")
    pane = panes(curves.found([key]), PlotView(), analysis)[0]
    assert pane.traces[0].sd is None
    band = load_sensitivity(analysis, SensitivityOptions(), cutoff_hz=0.0)
    readings.keep_band(band)
    trace = panes(curves.found([key]), PlotView(), analysis)[0].traces[0]
    assert trace.sd is not None
    inside = np.isfinite(trace.sd)
    assert inside.any()
    widest = band.half_width("torque")[:, band.joints.index("right elbow")] / readings.mass_kg
    assert np.all(trace.sd[inside] <= np.linalg.norm(widest[inside], axis=1) + 1e-9)
    heads, columns = figure_table([replace_pane(pane, trace)])
    assert [head for head in heads if "may be off by" in head]
    assert np.array_equal(columns[-1], trace.sd, equal_nan=True)


def replace_pane(pane, trace):
    return replace(pane, traces=(trace,))


def test_choices_give_keys_that_exist(demo_analysis, curves):
    assert joints_of(demo_analysis)[0] in ("lumbar", "neck")
    assert important_joints(demo_analysis) == ("elbow", "glenohumeral")
    for what in ("moments", "forces", "moment parts", "force parts", "power", "stress", "residual"):
        for joint in ("", "knee", "lumbar"):
            for axes in AXES:
                keys = chosen_keys(demo_analysis, LoadChoice(what, joint, axes, "mass", BOTH))
                assert keys
                assert len(curves.found(keys)) == len(keys)
    assert chosen_keys(demo_analysis, LoadChoice("contact")) == ()


def test_a_choice_is_read_from_what_is_plotted(demo_analysis):
    wanted = LoadChoice("forces", "knee", "proximal", "weight", BOTH)
    keys = chosen_keys(demo_analysis, wanted)
    assert read_choice(keys, replace(wanted, axes="joint", what="moments")) == wanted
    assert read_choice(("angle/right elbow flexion",), wanted) == wanted


def test_the_force_of_the_ribs_is_listed_where_all_constraints_are_kept(grips):
    analysis = grips["closed"]
    kept = replace(analysis.settings, loads=LoadOptions(constraints="all"))
    after = analysis.with_settings(kept).run_until("loads")
    listed = list_curves(after)
    keys = chosen_keys(after, LoadChoice("contact"))
    assert len(keys) == 4 * len(after.loads.multibody.contacts) > 0
    loads = after.loads.multibody
    for key in keys:
        _, name, part = key.split("/")
        c = loads.contacts.index(name)
        expected = loads.contact_pressing[:, c] if part == PRESSED else loads.contact_force[:, c, "XYZ".index(part)]
        assert np.array_equal(listed[key].values, expected, equal_nan=True)


def test_joints_that_the_ribs_relieve_have_no_band_of_loads_without_them(grips):
    analysis = grips["closed"]
    kept = replace(analysis.settings, loads=LoadOptions(constraints="all"))
    after = analysis.with_settings(kept).run_until("loads")
    Readings(after).keep_band(load_sensitivity(after, SensitivityOptions(), cutoff_hz=0.0))
    listed = list_curves(after)
    name = "right sternoclavicular superior force"
    assert listed[load_key(name, "distal")].band() is None
    assert listed[load_key(name, "distal", method=NEWTON_EULER)].band() is not None
    assert listed[load_key(ELBOW)].band() is not None


def test_the_table_holds_the_curves_that_the_window_shows_first_where_the_ribs_bear_the_scapulae(grips):
    analysis = grips["closed"]
    kept = replace(analysis.settings, loads=LoadOptions(constraints="all"))
    after = analysis.with_settings(kept).run_until("loads")
    table, listed = read_loads(after), list_curves(after)
    for name in table.names:
        assert np.array_equal(listed[load_key(name)].values, table[name], equal_nan=True)


def test_stretches_that_cannot_be_used_are_drawn_apart(qapp, demo_analysis):
    """They looked like good ones; here a contact is made a poor one."""
    trust = demo_analysis.loads.trust
    usable = trust.frames_of["right elbow"].usable.copy()
    usable[40:90] = False
    frames = {**trust.frames_of, "right elbow": replace(trust.frames_of["right elbow"], usable=usable)}
    loads = replace(demo_analysis.loads, trust=replace(trust, frames_of=frames))
    done = replace(demo_analysis.done["loads"], value=loads)
    analysis = replace(demo_analysis, done={**demo_analysis.done, "loads": done})
    shown = list_curves(analysis).found([load_key("right elbow flexion moment")])
    (pane,) = panes(shown, PlotView(), analysis)
    sound, doubtful = pane.traces[0].sound_and_doubtful
    assert np.array_equal(np.isfinite(sound), usable)
    assert np.array_equal(np.flatnonzero(np.isfinite(doubtful[20:120])) + 20, np.arange(39, 91))  # both lines meet
    assert np.array_equal(np.fmax(sound, doubtful), shown[0].values)
    style = PlotStyle(LIGHT)
    legend = dict(legend_of([pane], style))
    assert DOUBTFUL in legend
    assert style.doubtful(pane.traces[0]).widthF() == FAINT_WIDTH < style.line(pane.traces[0]).widthF()
    (cycle,) = panes(shown, PlotView(over=MEAN), analysis)  # only cycles that count are averaged
    assert cycle.traces[0].sound_and_doubtful[1] is None


def test_the_head_of_the_plots_tells_method_axes_sign_and_filter_of_the_plates(qapp, demo_analysis, curves):
    (pane,) = panes(curves.found([load_key("right elbow flexion moment")]), PlotView(), demo_analysis)
    words = [text for text, _ in legend_of([pane], PlotStyle(LIGHT))]
    assert words[:2] == ["multibody, joint axes, internal", f"plate forces {demo_analysis.loads.plate_words}"]
