"""Time and distance of walks of which everything is known, and of real ones."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.physics import GRAVITY
from biomec.io import import_session
from biomec.pipeline.analysis import Analysis, Done
from biomec.reporting.content.report import report_content
from biomec.reporting.content.time_and_distance_section import TIME_AND_DISTANCE, csv_of, section_of
from biomec.reporting.files.analysis_files import write_analysis
from biomec.reporting.statistics.time_and_distance import BOTH, PARAMETERS, figures, time_and_distance
from biomec.signals.cycles import exclude_cycle
from biomec.signals.gait_parameters import StrideKind, gait_parameters
from tests.core.signals.footprints import circle, straight
from tests.core.signals.virtual_walk import GAIT, UP, Walk
from tests.real_data import recording


def rows(section, caption="Straight strides"):
    table = next(one for one in section.tables if one.caption == caption)
    return {row[0]: row[1:] for row in table.rows}


def test_figures_of_a_walk_are_those_it_was_made_with():
    found = figures(straight(longer_right_m=0.1).parameters(), leg_length_m=0.8)
    assert found.mean("cadence", BOTH) == pytest.approx(120.0)
    assert found.mean("speed", BOTH) == pytest.approx(1.3)
    assert found.mean("step_length", "Right") == pytest.approx(0.7)
    assert found.mean("step_length", "Left") == pytest.approx(0.6)
    assert found.symmetry("step_length") == pytest.approx(100 * math.log(7 / 6))
    assert found.symmetry("stride_length") == pytest.approx(0.0, abs=1e-9)
    assert found.mean("foot_off", "Left") == pytest.approx(60.0)
    assert found.mean("swing", "Left") == pytest.approx(40.0)
    assert found.mean("single_support", "Right") == pytest.approx(40.0)
    assert found.mean("double_support", BOTH) == pytest.approx(20.0)
    assert found.mean("double_support_time", BOTH) == pytest.approx(0.2)
    assert found.mean("opposite_foot_contact", "Right") == pytest.approx(50.0)
    assert found.mean("opposite_foot_off", "Right") == pytest.approx(10.0)
    assert found.mean("limp_index", "Right") == pytest.approx(1.0)
    assert found.mean("walk_ratio", "Right") == pytest.approx(700.0 / 120.0)
    # Hof: lengths by leg length, speed by √(g l), cadence [steps/s] by √(g / l)
    assert found.mean("stride_length_without_dimension", BOTH) == pytest.approx(1.3 / 0.8)
    assert found.mean("speed_without_dimension", BOTH) == pytest.approx(1.3 / math.sqrt(GRAVITY * 0.8))
    assert found.mean("cadence_without_dimension", BOTH) == pytest.approx(2.0 * math.sqrt(0.8 / GRAVITY))
    # speed = step length × cadence, also without dimension
    assert found.mean("speed_without_dimension", BOTH) == pytest.approx(
        found.mean("cadence_without_dimension", BOTH) * 0.65 / 0.8
    )


def test_without_a_leg_length_nothing_is_without_dimension():
    found = figures(straight().parameters())
    assert found.spread("speed_without_dimension", BOTH) is None
    assert "Speed / √(g · leg length)" not in rows(section_of(found))


def test_variability_needs_ten_strides():
    few, many = (figures(straight(steps=n, longer_right_m=0.1).parameters()) for n in (8, 24))
    assert math.isnan(few.spread("step_time", "Right").cv_percent)
    assert many.spread("step_time", "Right").count == 11
    assert many.spread("step_time", "Right").cv_percent == pytest.approx(0.0, abs=1e-9)
    assert many.spread("step_length", BOTH).cv_percent == pytest.approx(
        100 * np.std([0.7] * 11 + [0.6] * 12, ddof=1) / np.mean([0.7] * 11 + [0.6] * 12)
    )


def test_turns_are_never_averaged_with_straight_strides():
    found = figures(circle().parameters())
    assert found.kinds == (StrideKind.TURN,)
    assert found.spread("step_length", "Right") is None
    section = section_of(found)
    assert [table.caption for table in section.tables] == ["Strides in a turn"]
    assert float(rows(section, "Strides in a turn")["Change of heading, to the left [°]"][0].split(" ")[0]) > 40.0


def test_stairs_are_told_by_height_and_depth():
    section = section_of(figures(straight(step_m=0.28, rise_m=0.17).parameters()))
    stairs = rows(section, "Strides on stairs or a ramp")
    assert stairs["Step height [m]"][0].startswith("0.170")
    assert stairs["Step length [m]"][0].startswith("0.28")
    assert "do not apply" in section.tables[0].note


def test_running_is_said():
    section = section_of(figures(straight(stride_s=0.7, stance=0.35, step_m=1.1).parameters()))
    assert any("runs" in sentence for sentence in section.sentences)
    assert rows(section)["Flight [s]"][2].startswith("0.21")
    assert "Initial double support [%]" not in rows(section)


def test_on_a_treadmill_the_speed_is_that_of_the_belt():
    walk = Walk()
    trial = walk.trial()
    back = trial.time_s[:, None, None] * np.array([0.0, walk.speed, 0.0])
    belt = replace(trial.markers, p_WM=trial.markers.p_WM - back)
    found = figures(gait_parameters(walk.events(), belt, GAIT, UP, np.array([0.0, 1.0, 0.0])))
    assert found.mean("speed", BOTH) == found.belt_m_s == pytest.approx(walk.speed)
    assert any("treadmill" in sentence for sentence in section_of(found).sentences)


def test_a_stride_taken_out_by_hand_counts_for_nothing_and_is_told():
    walk = straight(longer_right_m=0.1).parameters()
    first = next(one for one in walk.strides if one.side == "Right")
    found = figures(walk, {"Right": [first.start_s]})
    whole = figures(walk)
    assert found.counts["times"]["Right"] == whole.counts["times"]["Right"] - 1
    assert found.spread("stride_time", "Left") == whole.spread("stride_time", "Left")
    assert any("taken out by hand" in sentence for sentence in section_of(found).sentences)


def test_a_slow_first_stride_is_marked_and_kept():
    walk = straight().parameters()
    slow = replace(walk.strides[0], length_m=0.8 * walk.strides[0].length_m)
    found = figures(replace(walk, strides=(slow, *walk.strides[1:])))
    marked = [one for one in found.strides if one.mark]
    assert [(one.side, one.number) for one in marked] == [(slow.side, 1)]
    assert marked[0].mark == "20 % slower than the median stride"
    assert found.counts["times"][slow.side] == 3


def test_the_real_walk_is_in_report_and_file(tmp_path):
    """One child of the norm set. Stored strikes: R 3.02 and 4.05 s, L 3.54 and 4.58 s; offs R 3.65, L 4.18 s."""
    session = import_session(recording("gait_pig_pair", "HC030A05.c3d"))
    analysis = Analysis(session).run_until("cycles")
    found = time_and_distance(analysis)
    assert found is not None
    assert found.mean("stride_time", "Right") == pytest.approx(1.03)
    assert found.mean("foot_off", "Left") == pytest.approx(100 * 0.64 / 1.04)
    assert found.mean("cadence", BOTH) == pytest.approx(240 / (1.03 + 1.04))
    assert found.counts["angles"] == {"Right": 1, "Left": 1}
    assert found.leg_length_m == pytest.approx(0.83, abs=0.01)  # the file has 0.83 m
    content = report_content(analysis)
    assert content.section(TIME_AND_DISTANCE) == section_of(found)
    assert rows(content.section(TIME_AND_DISTANCE))["Stride time [s]"][:2] == ("1.03", "1.04")
    written = {path.name: path for path in write_analysis(analysis, tmp_path)}
    assert written["time_and_distance.csv"].read_text("utf-8") == csv_of(found)
    groups = analysis.cycles.groups | {"Right": exclude_cycle(analysis.cycles.groups["Right"], 0)}
    done = Done(replace(analysis.cycles, groups=groups), analysis.done["cycles"].fingerprint)
    without = time_and_distance(replace(analysis, done={**analysis.done, "cycles": done}))
    assert without.spread("stride_time", "Right") is None
    assert without.counts["times"] == {"Right": 0, "Left": 1}


def test_the_file_holds_every_stride_and_the_same_means():
    found = figures(straight(longer_right_m=0.1).parameters(), leg_length_m=0.8)
    head, *lines = csv.reader(io.StringIO(csv_of(found)))
    assert len(head) == 6 + len(PARAMETERS)
    strides = [line for line in lines if line[2].isdigit()]
    assert len(strides) == sum(one.number is not None for one in found.strides)
    column = head.index("Step length (m)")
    for side in ("Right", "Left"):
        own = [float(line[column]) for line in lines if line[0] == side and line[2] in ("1", "2", "3", "")]
        mean = next(line for line in lines if line[:3] == [side, "straight", "mean"])
        assert float(mean[column]) == pytest.approx(np.mean(own), rel=1e-6)
    assert len(lines) == len(found.strides) + 3 * 4 + 1
