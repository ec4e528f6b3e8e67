"""Joint loads to take away: table, summary, report, OpenSim file, and conditions over cycles."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.loads.contributions import PARTS, TITLES
from biomec.body.loads.load_components import NEWTON_EULER, LoadReading, load_components
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.power import load_power
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import KINEMATICS, Analysis, Done, analyze
from biomec.pipeline.load_reading import part_of, parts_of, read_loads
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.pipeline.steps.loads import tree_of
from biomec.recording import Session
from biomec.reporting.content.load_section import LOADS
from biomec.reporting.content.load_tables import (
    joint_stress_csv,
    load_methods_csv,
    load_tables,
    method_tables,
    residual_csv,
    residual_table,
    share_table,
)
from biomec.reporting.content.report import report_content
from biomec.reporting.files.analysis_files import (
    FILES,
    OF_CONSISTENCY,
    OF_DEVICES,
    OF_GAIT,
    OF_LOADS,
    OF_MUSCLES,
    summary,
    write_analysis,
)
from biomec.reporting.files.load_files import load_parts_csv, load_statistics_csv, loads_csv, loads_summary
from biomec.reporting.files.other_programs import write_loads
from biomec.reporting.indices.scapulohumeral import range_ratios, rhythm_csv, shoulder_section
from biomec.reporting.statistics.load_condition import loads_over_cycles
from biomec.reporting.statistics.method_errors import cycle_errors
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, VirtualPerson, record
from tests.core.pipeline.pushing import computed_again, with_motion

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
DISTAL = LoadReading("distal", method=NEWTON_EULER)


@pytest.fixture(scope="module")
def whole() -> tuple[VirtualAcquisition, Analysis]:
    acquisition = record(PushUp("closed", cycles=2), VirtualPerson(), RecordOptions(50.0, 50.0))
    session = Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)
    return acquisition, analyze(session, UNFILTERED)


@pytest.fixture(scope="module")
def rows(whole) -> dict[str, np.ndarray]:
    """`loads.csv` by Newton-Euler in distal axes, without what its headings say of that."""
    head, *lines = csv.reader(io.StringIO(loads_csv(read_as(whole[1], DISTAL))))
    names = [re.sub(r" \[.*?\]", "", name) for name in head]
    return dict(zip(names, np.array(lines, dtype=np.float64).T, strict=True))


def read_as(analysis: Analysis, reading: LoadReading) -> Analysis:
    return analysis.with_settings(replace(analysis.settings, load_reading=reading))


def test_headings_name_method_axes_and_sign(whole):
    _, analysis = whole
    head = loads_csv(analysis).splitlines()[0]
    assert "right knee flexion moment [multibody, joint axes, internal] (N m)" in head
    assert "right knee power [multibody] (W)" in head
    assert "residual force Y [multibody, laboratory axes] (N)" in head
    other = LoadReading("proximal", "external", "mass", NEWTON_EULER)
    head = loads_csv(read_as(analysis, other)).splitlines()[0]
    assert "right knee flexion moment [Newton-Euler, proximal axes, external] (N m/kg)" in head
    facts = loads_summary(read_as(analysis, other))
    assert facts["reading"] == {
        "method": "Newton-Euler", "axes": "proximal", "sign": "external", "scaling": "mass",
    }  # fmt: skip
    assert "external" in facts["convention"]
    assert "axes of the proximal segment" in facts["convention"]
    assert "Newton-Euler" in facts["convention"]
    section = report_content(read_as(analysis, other)).section(LOADS)
    assert ("Loads shown here", "Newton-Euler, proximal axes, external") in section.tables[0].rows
    assert all(other.sentence in table.note for table in section.tables if table.caption == "Peaks, right and left")


def test_how_loads_are_read_makes_nothing_stale(whole):
    _, analysis = whole
    assert read_as(analysis, DISTAL).stale == ()


def test_the_table_of_earlier_versions_can_still_be_had(whole):
    """Newton-Euler in distal axes, its power and residual, as `loads.csv` was written before it could be chosen."""
    _, analysis = whole
    found, body = analysis.loads, analysis.body.person
    curves = load_components(
        found.newton_euler, analysis.segments, body.model, LoadReading(axes="distal"), hinges=body.joint_axes()
    )
    tree = tree_of(body, found.options)
    power = load_power(tree, found.newton_euler, analysis.segments, found.external).joint
    residual = found.newton_euler.residual_force, found.newton_euler.residual_torque
    before = np.concatenate([curves.values, power, *residual], axis=1)
    head, *lines = csv.reader(io.StringIO(loads_csv(read_as(analysis, DISTAL))))
    assert [re.sub(r" \[.*", "", name) for name in head[3 : 3 + len(curves.names)]] == list(curves.names)
    assert [line[3:] for line in lines] == [[f"{x:.7g}" for x in row] for row in before]


def test_the_table_holds_the_three_forces_of_every_joint_in_its_distal_segment(whole, rows):
    acquisition, analysis = whole
    names = [name for name in rows if name.startswith("right knee") and name.endswith("force (N)")]
    assert len(names) == 3
    size = np.sqrt(sum(rows[name] ** 2 for name in names))
    true = np.linalg.norm(acquisition.truth.loads["right knee"].force, axis=1)
    assert_allclose(size[3:-3], true[3:-3], rtol=0.01)  # differences in time at 50 Hz
    long_axis = analysis.segments.R_WB[:, analysis.segments.index("right shank"), :, 1]
    along = np.einsum("ti,ti->t", analysis.loads.newton_euler.force[:, analysis.loads.newton_euler.index("right knee")],
                      long_axis)  # fmt: skip
    assert_allclose(rows["right knee superior force (N)"], along, rtol=1e-6, atol=1e-6)


def test_the_table_names_its_units_and_has_power_and_residual(rows):
    assert {"frame", "time_s", "ground reaction estimated", "right elbow power (W)", "residual force Y (N)"} <= set(
        rows
    )
    assert all(name.endswith((" (N)", " (N m)", " (W)")) for name in list(rows)[3:])
    assert len(rows) == 3 + 20 * 7 + 6


def test_the_summary_tells_agreement_and_residual(whole):
    _, analysis = whole
    facts = summary(analysis)["inverse_dynamics"]
    assert facts == json.loads(json.dumps(loads_summary(analysis), allow_nan=False))
    assert facts["force_difference_max_N"] < 1e-8
    assert facts["torque_difference_max_Nm"] < 1e-8
    residual = analysis.loads.newton_euler.residual_force[analysis.loads.trust.residuals.counted]
    assert facts["residual_force_rms_N"] == pytest.approx(np.sqrt((residual**2).sum(axis=1).mean()), rel=1e-12)
    assert facts["residual_force_peak_N"] == pytest.approx(np.linalg.norm(residual, axis=1).max(), rel=1e-12)
    assert facts["residual_torque_rms_Nm"] < facts["residual_torque_peak_Nm"] < 25.0
    assert [one["kept"] for one in facts["thresholds"]] == [None, None]  # they judge what residual reduction leaves
    assert {one["grade"] for one in facts["steps"]} == {"good"}
    assert facts["limbs"]["right arm"] == {"grade": "good", "sound": 1, "judged": 1}
    assert set(facts["contacts"]) == {"right hand", "left hand", "right foot", "left foot"}
    assert facts["estimated_frames"] == 0
    assert len(facts["joints"]) == 20


def test_without_the_step_nothing_is_said_of_loads_and_an_old_table_goes(whole, tmp_path):
    _, analysis = whole
    write_analysis(analysis, tmp_path)
    about_loads = tuple(OF_LOADS)
    assert "residual.csv" in about_loads
    assert all((tmp_path / name).exists() for name in about_loads)
    done = {name: value for name, value in analysis.done.items() if name != "loads"}
    kinematics = replace(analysis, done=done)
    assert kinematics.is_current(KINEMATICS)
    written = write_analysis(kinematics, tmp_path, overwrite=True)
    assert not any((tmp_path / name).exists() for name in about_loads)
    assert [path.name for path in written] == [
        name for name in FILES if name not in (*about_loads, *OF_CONSISTENCY, *OF_DEVICES, *OF_GAIT, *OF_MUSCLES)
    ]
    assert summary(kinematics)["inverse_dynamics"] is None
    assert report_content(kinematics).section(LOADS) is None


def test_the_report_has_a_section_of_loads_with_the_verdict_first(whole):
    _, analysis = whole
    section = report_content(analysis).section(LOADS)
    assert section is not None
    assert section.sentences[0] == analysis.loads.trust.verdict
    peaks = next(one for one in section.tables if one.caption.startswith("Peaks, right"))
    elbow = next(row for row in peaks.rows if row[0] == "Elbow")
    j = analysis.loads.newton_euler.index("right elbow")
    assert elbow[1] == f"{np.linalg.norm(analysis.loads.newton_euler.force[2:-2, j], axis=1).max():.0f}"
    count = analysis.signals.trial.frames - 4
    assert f"over the frames that can be used for the joint ({count} frames)" in peaks.note
    residual = next(one for one in section.tables if one.caption.startswith("Residual"))
    assert [row[-1] for row in residual.rows] == ["", "", ""]  # the limits judge what residual reduction leaves


def test_peaks_say_over_how_many_frames_and_whether_they_rest_on_an_estimate(whole):
    _, analysis = whole
    facts = loads_summary(analysis)["joints"]["right elbow"]
    force = np.linalg.norm(analysis.loads.multibody.force[2:-2, analysis.loads.multibody.index("right elbow")], axis=1)
    assert facts["force_peak_N"] == force.max()
    assert facts["force_peak_s"] == (2 + int(force.argmax())) / 50.0
    assert facts["frames"] == analysis.signals.trial.frames - 4
    assert facts["usable"] is True
    assert facts["force_peak_estimated"] is facts["torque_peak_estimated"] is False
    guessed = analysis.with_settings(replace(UNFILTERED, loads=LoadOptions(external="estimated"))).run("loads")
    assert loads_summary(guessed)["joints"]["right elbow"]["torque_peak_estimated"] is True
    tables = report_content(guessed).section(LOADS).tables
    peaks = next(one for one in tables if one.caption.startswith("Peaks, right"))
    assert next(row for row in peaks.rows if row[0] == "Elbow")[1].endswith("*")
    assert "* The ground reaction was estimated there" in peaks.note
    nothing = analysis.with_settings(replace(UNFILTERED, loads=LoadOptions(external="none"))).run("loads")
    bare = loads_summary(nothing)["joints"]["right elbow"]
    assert bare["usable"] is False  # the hand lies on the ground, and nobody says what that does
    assert (bare["frames"], bare["force_peak_N"], bare["why_not"]) == (0, None, "no frame that can be used")
    tables = report_content(nothing).section(LOADS).tables
    peaks = next(one for one in tables if one.caption.startswith("Peaks, right"))
    assert next(row for row in peaks.rows if row[0] == "Elbow")[1] == "–"
    assert "– No frame that can be used." in peaks.note


def test_residual_reduction_is_told_in_summary_and_report(whole):
    """Five kilograms too much, and the loads were those of another body without a word on the terminal."""
    _, analysis = whole
    assert loads_summary(analysis)["reduced"] is None
    heavier = replace(analysis.session, subject=replace(analysis.session.subject, mass_kg=80.0))
    asked = replace(UNFILTERED, loads=LoadOptions(reduction=ReductionOptions()))
    after = Analysis(heavier, asked).run_until("loads")
    reduced, facts = after.loads.reduced, loads_summary(after)["reduced"]
    assert facts["residual_force_rms_N"] == {
        "before": reduced.before.force_rms[3], "after": reduced.after.force_rms[3],
    }  # fmt: skip
    assert facts["residual_force_rms_N"]["after"] < 0.3 * facts["residual_force_rms_N"]["before"]
    assert facts["mass_kg"]["before"] == pytest.approx(80.0)
    assert facts["mass_kg"]["after"] == pytest.approx(75.0, abs=1.5)
    change = {one.segment: one.mass_after - one.mass_before for one in reduced.segments}
    most = max(change, key=lambda name: abs(change[name]))
    assert facts["largest_mass_change"] == {"segment": most, "kg": change[most]}
    far = max(np.linalg.norm(one.centre_shift) for one in reduced.segments)
    assert facts["largest_centre_shift"]["mm"] == pytest.approx(1e3 * far)
    assert facts["body_shift_max_mm"] == pytest.approx(1e3 * np.linalg.norm(reduced.change.shift, axis=1).max())
    assert facts["landmark_shift_max_mm"] == 1e3 * reduced.marker_largest_m
    section = report_content(after).section(LOADS)
    assert reduced.sentence in section.sentences
    captions = [table.caption for table in section.tables]
    assert {"Residual reduction: residual", "Residual reduction: masses"} <= set(captions)
    assert not any(table.caption.startswith("Residual reduction") for table in
                   report_content(analysis).section(LOADS).tables)  # fmt: skip


def test_opensim_gets_joint_reactions_by_its_names(whole, tmp_path):
    _, analysis = whole
    write_loads(analysis, tmp_path / "loads.sto")
    text = (tmp_path / "loads.sto").read_text("utf-8").split("endheader\n")[1]
    head, *lines = [line.split() for line in text.splitlines()]
    table = dict(zip(head, np.array(lines, dtype=np.float64).T, strict=True))
    loads = analysis.loads.newton_euler
    j = loads.index("left ankle")
    for k, axis in enumerate("xyz"):
        stem = "left_ankle_on_left_foot_in_ground_"
        assert_allclose(table[f"{stem}f{axis}"], loads.force[:, j, k], atol=1e-5)
        assert_allclose(table[f"{stem}m{axis}"], loads.torque[:, j, k], atol=1e-5)
        assert_allclose(table[f"{stem}p{axis}"], loads.centre[:, j, k], atol=1e-5)
    write_loads(analysis, tmp_path / "loads.csv")
    assert (tmp_path / "loads.csv").read_text("utf-8") == loads_csv(analysis)


def test_loads_per_kilogram_and_by_the_other_method(whole):
    _, analysis = whole
    plain, per_kg = (read_loads(analysis, LoadReading(normalisation=how)) for how in ("none", "mass"))
    assert_allclose(per_kg.values * analysis.body.person.measures["mass"], plain.values, rtol=1e-12)
    other = read_loads(analysis, LoadReading(method=NEWTON_EULER))
    assert_allclose(other.values, plain.values, atol=1e-7)


def test_loads_over_cycles_of_one_joint(whole):
    _, analysis = whole
    found = loads_over_cycles(analysis, "closed", joints=["right elbow"])
    assert len(found) == 2
    assert len(found.names) == 6
    assert all(name.startswith("right elbow") for name in found.names)
    with pytest.raises(BiomecError, match="no joint tail"):
        loads_over_cycles(analysis, "closed", joints=["tail"])
    with pytest.raises(BiomecError, match="no valid cycle"):
        loads_over_cycles(analysis, "closed", side="Left")


RATE = 50.0


@pytest.fixture(scope="module")
def pushed() -> Analysis:
    one = record(PushUp("closed", cycles=2), VirtualPerson(), RecordOptions(RATE, RATE))
    return analyze(Session(one.dynamic, one.static, subject=one.person.subject), UNFILTERED)


def numbers(text: str) -> dict[str, np.ndarray]:
    head, *lines = csv.reader(io.StringIO(text))
    return dict(zip(head, np.array(lines, dtype=np.float64).T, strict=True))


@pytest.mark.parametrize(
    "options",
    [LoadOptions(), LoadOptions(constraints="all"), LoadOptions(root="pelvis", reduction=ReductionOptions())],
    ids=["plain", "with contacts", "reduced"],
)
def test_parts_of_the_file_sum_to_the_table_of_loads(pushed, options):
    analysis = pushed.with_settings(replace(UNFILTERED, loads=options)).run_until("loads")
    whole, parts = numbers(loads_csv(analysis)), numbers(load_parts_csv(analysis))
    names = [name for name in whole if " force [" in name or " moment [" in name or name.startswith("residual")]
    assert len(names) == 20 * 6 + 6
    assert len(parts) == 2 + 3 * len(names)
    for name in names:
        stem, rest = name.split(" [")
        total = sum(parts[f"{stem}, {TITLES[part]} [{rest}"] for part in PARTS)
        assert_allclose(total, whole[name], atol=1e-3)  # seven digits of parts of a kilonewton


def test_the_ground_asks_of_a_wrist_what_it_does_to_the_hand(pushed):
    external = pushed.loads.external
    hand = external.segments.index("right hand")
    part = part_of(pushed, "external")
    assert_allclose(part.force[:, part.index("right wrist")], -external.force[:, hand], atol=1e-9)


def test_frames_without_a_motion_have_no_parts(pushed):
    motion = pushed.motion
    lost = {name: getattr(motion, name).copy() for name in ("q", "qdot", "qddot")}
    for array in lost.values():
        array[20:23] = np.nan
    broken = computed_again(with_motion(pushed, replace(motion, **lost)), "loads")
    for part in PARTS:
        assert np.isnan(parts_of(broken).part(part).force[20:23]).all()


def test_statistics_of_every_cycle_with_mean_and_deviation(pushed):
    rows = list(csv.DictReader(io.StringIO(load_statistics_csv(pushed))))
    cycles = pushed.cycles.groups["both"]
    spans = np.asarray(cycles.spans)[np.asarray(cycles.valid)]
    assert len(spans) == 2
    assert len(rows) == (len(spans) + 2) * 20 * 7  # six components and a power of 20 joints
    table = numbers(loads_csv(pushed))
    name = "right knee superior force"
    mine = {row["cycle"]: row for row in rows if row["load"] == name}
    peaks = []
    for k, (first, last) in enumerate(spans):
        row, part = mine[str(k + 1)], table[f"{name} [multibody, joint axes, internal] (N)"][first : last + 1]
        t = np.arange(len(part)) / RATE
        peaks.append(part[np.abs(part).argmax()])
        assert float(row["peak"]) == pytest.approx(peaks[-1], rel=1e-5)
        assert float(row["impulse (unit s)"]) == pytest.approx(np.trapezoid(part, t), rel=1e-5)
        assert float(row["rms"]) == pytest.approx(np.sqrt(np.trapezoid(part**2, t) / t[-1]), rel=1e-5)
        assert int(row["last frame"]) - int(row["first frame"]) == last - first
        assert (row["unit"], row["joint"]) == ("N", "right knee")
        assert (row["method"], row["axes"], row["sign"]) == ("multibody", "joint", "internal")
    assert float(mine["mean"]["peak"]) == pytest.approx(np.mean(peaks), rel=1e-5)
    assert float(mine["sd"]["peak"]) == pytest.approx(np.std(peaks, ddof=1), rel=1e-2, abs=1e-5)
    assert float(mine["1"]["frames that can be used (%)"]) == 100.0


def test_work_of_a_cycle_is_delivered_and_taken_up(pushed):
    rows = [
        row for row in csv.DictReader(io.StringIO(load_statistics_csv(pushed))) if row["load"] == "right elbow power"
    ]
    assert [row["cycle"] for row in rows] == ["1", "2", "mean", "sd"]
    for row in rows[:3]:
        work = float(row["work delivered (J)"]) + float(row["work taken up (J)"])
        assert work == pytest.approx(float(row["impulse (unit s)"]), abs=1e-3)  # net work is the integral of power
        assert float(row["work delivered (J)"]) > 50.0 > -50.0 > float(row["work taken up (J)"])
    curve = numbers(loads_csv(pushed))["right elbow power [multibody] (W)"]
    first, last = pushed.cycles.groups["both"].spans[0]
    above = np.trapezoid(np.maximum(curve[first : last + 1], 0.0), dx=1.0 / RATE)
    assert float(rows[0]["work delivered (J)"]) == pytest.approx(above, rel=0.01)  # but for the samples at zero
    assert rows[0]["unit"] == "W"


def test_without_cycles_there_are_only_the_heads_of_the_columns(pushed):
    none = replace(pushed.cycles, groups={}, curves={})
    bare = replace(pushed, done={**pushed.done, "cycles": Done(none, "")})
    assert load_statistics_csv(bare).count("\n") == 1


def test_cycles_keep_their_numbers_where_one_is_not_valid(pushed):
    """The second cycle was called the first, unlike in every list of cycles."""
    cycles = pushed.cycles.groups["both"]
    second = replace(cycles, excluded=cycles.borders[:1])
    found = replace(pushed.cycles, groups={"both": second})
    rows = csv.DictReader(
        io.StringIO(load_statistics_csv(replace(pushed, done={**pushed.done, "cycles": Done(found, "")})))
    )
    row = next(rows)
    assert row["cycle"] == "2"
    assert int(row["first frame"]) == pushed.signals.trial.first_frame + cycles.spans[1][0]


# ------------------------------------------------------------------------------------------------- published tables
def table_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def of_cycles(analysis: Analysis) -> np.ndarray:
    inside = np.zeros(analysis.signals.trial.frames, dtype=bool)
    (cycles,) = analysis.cycles.groups.values()
    for first, last in cycles.spans[cycles.valid]:
        inside[first : last + 1] = True
    return inside


def test_shares_of_the_joint_force_are_those_of_the_vectors_in_the_cycles(whole):
    """Glenohumeral: along the lateral axis of the scapula, [Nunes2017] Eq. 5.47; frame by frame with plain vectors."""
    _, analysis = whole
    loads, motion = analysis.loads.multibody, analysis.segments
    force = loads.force[:, loads.index("right glenohumeral")]
    lateral = motion.R_WB[:, motion.index("right scapula"), :, 2]
    press, across = [], []
    for t in np.flatnonzero(of_cycles(analysis)):
        size = np.linalg.norm(force[t])
        press.append(lateral[t] @ force[t] / size)
        across.append(np.linalg.norm(np.cross(lateral[t], force[t])) / size)
    assert min(press) > 0.0  # never pulled apart
    found = {
        row["share of the joint force"]: row
        for row in table_rows(joint_stress_csv(analysis)) if row["joint"] == "right glenohumeral"
    }  # fmt: skip
    for kind, values in (("compression", press), ("shear", across)):
        assert float(found[kind]["mean (%)"]) == pytest.approx(100.0 * np.mean(values), rel=1e-6)
        assert float(found[kind]["sd (%)"]) == pytest.approx(100.0 * np.std(values, ddof=1), rel=1e-5)
        assert int(found[kind]["frames"]) == len(values)
    assert (found["traction"]["frames"], found["traction"]["mean (%)"]) == ("0", "")
    row = next(row for row in share_table(analysis).rows if row[0] == "Right glenohumeral")
    assert row[1:3] == (f"{100.0 * np.mean(press):.1f} ± {100.0 * np.std(press, ddof=1):.1f}", "–")


def test_the_residual_is_shown_by_axis(whole):
    _, analysis = whole
    counted = analysis.loads.trust.residuals.counted
    force = analysis.loads.newton_euler.residual_force[counted]
    rows = {row["residual"]: [float(row[key]) for key in ("X", "Y", "Z", "size")]
            for row in table_rows(residual_csv(analysis))}  # fmt: skip
    rms = np.sqrt((force**2).mean(axis=0))
    assert rows["Force, RMS (N)"] == pytest.approx([*rms, np.sqrt((rms**2).sum())], rel=1e-6)
    largest = [*np.abs(force).max(axis=0), np.linalg.norm(force, axis=1).max()]
    assert rows["Force, peak (N)"] == pytest.approx(largest, rel=1e-6)
    shown = residual_table(analysis)
    assert shown.columns == ("", "X", "Y", "Z", "Size")
    assert shown.rows[1][1:] == tuple(f"{value:.1f}" for value in largest)


def test_the_error_of_a_cycle_is_the_mean_difference_over_the_range():
    t = np.linspace(0.0, 2.0 * np.pi, 101)
    first = np.stack([np.sin(t), np.zeros(101), 5.0 * np.cos(t)], axis=1)
    absolute, relative = cycle_errors(first, first + np.array([0.2, -0.3, 0.0]), [(0, 100), (0, 50)])
    assert_allclose(absolute, [[0.2, 0.3, 0.0]] * 2, atol=1e-15)
    assert_allclose(relative[:, 0], [0.1, 0.2], rtol=1e-12)  # ranges 2 and 1
    assert np.isnan(relative[:, 1]).all()  # a curve that never changes has no range
    assert_allclose(relative[:, 2], 0.0)


def test_both_methods_agree_to_rounding_and_a_made_difference_is_shown(whole):
    _, analysis = whole
    sizes = [float(row[f"mean {axis}"]) for row in table_rows(load_methods_csv(analysis)) for axis in "XYZ"]
    assert max(sizes) < 1e-8  # N and N m; published: 1.5 N and 0.75 N m
    loads = analysis.loads.multibody
    k = loads.index("right elbow")
    off = loads.force.copy()
    off[:, k, 1] += 0.5
    changed = replace(analysis.loads, multibody=replace(loads, force=off))
    made = replace(analysis, done={**analysis.done, "loads": replace(analysis.done["loads"], value=changed)})
    rows = {(row["joint"], row["load"]): row for row in table_rows(load_methods_csv(made))}
    assert float(rows["right elbow", "force"]["mean Y"]) == pytest.approx(0.5, rel=1e-6)
    assert float(rows["left elbow", "force"]["mean Y"]) < 1e-8
    forces, moments = method_tables(made)
    row = next(row for row in forces.rows if row[0] == "Right elbow")
    assert row[2].startswith("0.500 ± ")
    assert len(forces.rows) == len(moments.rows) == 20


def test_the_report_has_shares_and_residual_by_axis(whole):
    _, analysis = whole
    captions = [one.caption for one in report_content(analysis).section(LOADS).tables]
    assert {"Shares of the joint force", "Residual by axis"} <= set(captions)
    assert [one.caption for one in load_tables(analysis)][:2] == ["Shares of the joint force", "Residual by axis"]


def test_humerus_and_scapula_are_compared_by_their_ranges(whole):
    """As [Nunes2017] does for a push-up: 82.9° over 31.4° is 2.6."""
    _, analysis = whole
    (cycles,) = analysis.cycles.groups.values()
    first, last = cycles.spans[cycles.valid][0]
    ranges = [np.degrees(np.ptp(analysis.angles[name][first : last + 1]))
              for name in ("right shoulder flexion", "right scapulothoracic protraction")]  # fmt: skip
    found = range_ratios(analysis)["right"]
    assert found.ratio[0] == pytest.approx(ranges[0] / ranges[1])
    assert found.ratio[0] == pytest.approx(2.7, abs=0.2)  # what the virtual person was given
    row = next(row for row in shoulder_section(analysis).tables[-1].rows if row[0] == "Right")
    assert row[3].startswith(f"{found.ratio.mean():.2f} ±")
    lines = [row for row in table_rows(rhythm_csv(analysis)) if row["side"] == "right"]
    assert float(lines[0]["ratio"]) == pytest.approx(found.ratio[0], rel=1e-6)
