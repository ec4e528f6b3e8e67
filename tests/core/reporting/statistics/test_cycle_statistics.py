"""Cycles in numbers: a sine of known period and height."""

from dataclasses import replace

import numpy as np

from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles
from biomec.recording import Event
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.cycle_statistics import angle_table, cycle_table
from biomec.signals.cycle_average import resample_cycles
from biomec.signals.cycles import cycles_between_events, exclude_cycle, find_cycles

RATE = 100.0
TIME = np.arange(601) / RATE
FLEXION = np.radians(40.0) * (1.0 - np.cos(2 * np.pi * TIME / 2.0)) / 2.0 + np.radians(10.0)  # 10° to 50°, 2 s long
CYCLES = find_cycles(FLEXION, RATE)


def angles():
    values = np.stack([FLEXION, FLEXION + np.radians(5.0)], axis=1)
    return JointAngles(
        ("right elbow flexion", "left elbow flexion"), values, np.zeros(values.shape, dtype=bool),
        ("flexion",) * 2, ("extension",) * 2, ("right elbow", "left elbow"), (Side.RIGHT, Side.LEFT),
        np.zeros(2), AngleOptions(), (),
    )  # fmt: skip


def test_durations_phases_and_validity_of_every_cycle():
    table = cycle_table({"both": exclude_cycle(CYCLES, 1)}, first_frame=1)
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    assert [row[1] for row in table.rows] == ["1 to 201", "201 to 401", "401 to 601"]
    assert {row[2] for row in table.rows} == {"2.000"}
    assert {row[3] for row in table.rows} == {"50.0"}
    assert [row[4] for row in table.rows] == ["yes", "no, taken out by hand", "yes"]
    assert table.note == "A cycle lasts 2.000 ± 0.000 s (mean ± SD of 2 cycles, 1 left out: taken out by hand)."


def test_cycles_of_a_side_bear_its_name_and_none_is_told():
    assert cycle_table({"Left": CYCLES}).rows[0][0] == "left 1"
    assert cycle_table({}).note == "No cycles were found."


def test_an_angle_is_told_with_its_range_and_how_well_it_repeats():
    found = angles()
    table = angle_table(found, {"both": resample_cycles(CYCLES, found.values)})
    assert table.rows[0] == ("Right elbow flexion", "10.0", "50.0", "40.0", "0.0", "0.0", "3")
    assert table.rows[1][:4] == ("Left elbow flexion", "15.0", "55.0", "40.0")


def test_without_cycles_the_whole_recording_counts():
    table = angle_table(angles(), {})
    assert table.rows[0] == ("Right elbow flexion", "10.0", "50.0", "40.0", "–", "–", "0")


def test_sides_are_not_mixed():
    """Cycles of 2 s at the right and of 3 s at the left: their mean of 2.4 s is of nobody."""
    slow = find_cycles(1.0 - np.cos(2 * np.pi * TIME / 3.0), RATE)
    sides = {"Right": CYCLES, "Left": slow}
    note = cycle_table(sides).note
    assert note == (
        "Right side: a cycle lasts 2.000 ± 0.000 s (mean ± SD of 3 cycles). "
        "Left side: a cycle lasts 3.000 ± 0.000 s (mean ± SD of 2 cycles)."
    )
    found = angles()
    table = angle_table(found, {name: resample_cycles(one, found.values) for name, one in sides.items()})
    assert [row[-1] for row in table.rows] == ["3 right", "2 left"]


def test_an_angle_of_the_midline_is_shown_once_for_each_sides_cycles():
    """The pelvis was only shown over the right side's cycles."""
    found = replace(angles(), names=("pelvis tilt", "left elbow flexion"), joint=("pelvis", "left elbow"),
                    side=(None, Side.LEFT))  # fmt: skip
    slow = find_cycles(1.0 - np.cos(2 * np.pi * TIME / 3.0), RATE)
    curves = {name: resample_cycles(one, found.values) for name, one in (("Right", CYCLES), ("Left", slow))}
    rows = angle_table(found, curves).rows
    assert [(row[0], row[-1]) for row in rows] == [
        ("Pelvis tilt, right cycles", "3 right"), ("Pelvis tilt, left cycles", "2 left"),
        ("Left elbow flexion", "2 left"),
    ]  # fmt: skip


def test_steps_have_a_foot_off_and_one_cycle_has_no_spread():
    """A walk's table said "Phase changes at", and "1.200 ± – s" of a single stride."""
    strikes = [Event(time, "Foot Strike", "Right", "manual") for time in (1.0, 2.2)]
    one = cycles_between_events([*strikes, Event(1.72, "Foot Off", "Right", "manual")], 601, RATE, context="Right")
    table = cycle_table({"Right": one})
    assert "Foot off at [%]" in table.columns
    assert table.rows[0][3] == "60.0"
    assert table.note == "Right side: the cycle lasts 1.200 s (1 cycle)."
    assert "Phase change at [%]" in cycle_table({"both": CYCLES}).columns


def test_a_cycle_with_a_frame_that_did_not_converge_says_so():
    valid = np.ones(len(TIME), dtype=bool)
    valid[250] = False
    table = cycle_table({"both": find_cycles(FLEXION, RATE, frame_valid=valid)})
    assert [row[4] for row in table.rows] == ["yes", "no, not converged", "yes"]
    assert "2 cycles, 1 left out: not converged" in table.note
