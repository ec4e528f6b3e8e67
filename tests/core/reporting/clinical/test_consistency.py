"""How well cycles repeat, and where visits differ: tables of the report against sums by hand and known ones."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from biomec.reporting.clinical.blocks import CycleOrigin, Grid, Panel, course_of
from biomec.reporting.clinical.consistency import consistency_table
from biomec.reporting.clinical.curve_differences import TOO_FEW, difference_table, method_words
from biomec.reporting.clinical.definition import PageEntry, ReportDefinition
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import PooledCurve, Visit, visit_of
from biomec.reporting.statistics.stretch_words import OF_CYCLES
from biomec.reporting.tables import NOTHING, Table
from tests.core.reporting.clinical.walks import walk

PERCENT = np.linspace(0.0, 100.0, 101)
KNEE = 30.0 + 30.0 * np.sin(2.0 * np.pi * PERCENT / 100.0)


def grid(curves, trials, side="right", unit="°"):
    origins = tuple(CycleOrigin(trial, k, 0, 50) for k, trial in enumerate(trials))
    course = course_of(side, np.asarray(curves), side.capitalize(), 0, origins)
    return Grid("", ((Panel("knee", f"Knee [{unit}]", unit, "", "", 0.0, 1.0, courses=(course,)), None),))


def cmc(apart, whole):
    return np.sqrt(1.0 - apart / whole)


def test_cycles_of_one_recording():
    """Curves that are shifted by d: SD and CMC from sums by hand."""
    curves = [KNEE, KNEE + 3.0, KNEE + 6.0]
    (row,) = consistency_table(grid(curves, [0, 0, 0])).rows
    whole = (np.array(curves) - np.mean(curves)) ** 2
    by_hand = cmc(101 * 2 * 9.0 / (101 * 2), whole.sum() / (3 * 101 - 1))
    assert row == ("Knee [°]", "3", f"{by_hand:.3f}", "3.0")


def test_within_and_between_recordings():
    parts = [np.array([KNEE, KNEE + 2.0]), np.array([KNEE + 10.0, KNEE + 12.0])]
    made = consistency_table(grid(np.concatenate(parts), [0, 0, 2, 2]))
    assert made.columns == ("", "Right: cycles", *(f"Right: {a} {b}" for b in ("within", "between")
                                                   for a in ("CMC", "SD")))  # fmt: skip
    inner = cmc(4 * 101 / (2 * 101), sum(((one - one.mean()) ** 2).sum() for one in parts) / (2 * 201))
    every = np.concatenate(parts)
    outer = cmc(101 * 104 / (101 * 3), ((every - every.mean()) ** 2).sum() / (4 * 101 - 1))
    sd = np.sqrt(104.0 / 3.0)
    assert made.rows[0][1:] == ("4", f"{inner:.3f}", f"{np.sqrt(2.0):.1f}", f"{outer:.3f}", f"{sd:.1f}")
    alone = consistency_table(grid([KNEE, KNEE + 2.0], [0, 1]))
    assert alone.rows[0][1:4] == ("2", NOTHING, NOTHING)
    assert alone.rows[0][5] == "1.4"


def test_what_is_not_defined_is_a_dash():
    flat = np.zeros(101)
    (row,) = consistency_table(grid([flat, flat + 5.0, flat - 5.0], [0, 0, 0], unit="N·m/kg")).rows
    assert row[2:] == (NOTHING, "5.00")
    assert consistency_table(grid([KNEE], [0])) is None


def test_pages_of_every_cycle_have_the_table():
    definition = ReportDefinition(pages=tuple(PageEntry(f"{one} of every cycle") for one in ("kinematics", "kinetics")))
    angles, loads = clinical_report([visit_of([walk()])], definition).pages
    for page, cycles in ((angles, "3"), (loads, "2")):
        drawn, table = page.blocks
        assert isinstance(table, Table)
        assert [row[0] for row in table.rows] == [
            panel.title for row in drawn.rows for panel in row if panel and panel.courses
        ]
        assert {row[1] for row in table.rows} == {cycles}
    # cycles of the virtual walk are alike, but the first and the last are near the ends of the filter
    knee = next(row for row in angles.blocks[1].rows if row[0] == "Knee flexion [°]")
    assert float(knee[2]) > 0.99
    crowded = clinical_report([visit_of([walk()] * 3)], definition).pages
    assert [page.title[-5:] for page in crowded[:2]] == ["right", " left"]
    assert crowded[1].blocks[1].columns[1] == "Left: cycles"
    assert crowded[1].blocks[1].rows[0][1] == "9"


# ----------------------------------------------------------------------------------------------------------- comparison
def visit(day, shift, cycles=6, seed=0):
    """A visit whose right knee is ``shift`` degrees more flexed from 32 to 47 %, and has noise of 0.5°."""
    made: Visit = visit_of([replace(walk(), session=replace(walk().session, recorded=date(2026, 1, day)))])
    noise = np.random.default_rng(seed).normal(scale=0.5, size=(cycles, 101))
    curves = KNEE + noise + np.where((PERCENT >= 32.0) & (PERCENT <= 47.0), shift, 0.0)
    origins = tuple(CycleOrigin(0, k, 0, 50) for k in range(cycles))
    nothing = np.full(cycles, np.nan)
    made._kept["cycles", "own"] = {("right", "knee flexion"): PooledCurve(curves, origins, nothing, nothing, nothing)}
    return made


def test_a_known_difference_is_found_where_it_is():
    now, before = visit(2, 6.0, seed=1), visit(1, 0.0, seed=2)
    (row,) = difference_table("Angles", [now, before], ["knee flexion", "hip flexion"]).rows
    title, side, cycles, where, p, largest, band = row
    assert (title, side, cycles, where) == ("Knee flexion [°]", "right", "6/6", "32–47 %")
    assert float(p) < 0.01
    means = [one.cycles()["right", "knee flexion"].curves.mean(axis=0) for one in (now, before)]
    difference = means[0] - means[1]
    at = int(np.argmax(np.abs(difference)))
    assert largest == f"{difference[at]:.1f} at {at} %"
    low, high = (float(one) for one in band.split(" to "))
    assert low < 6.0 < high
    assert (low + high) / 2.0 == pytest.approx(difference[at], abs=0.1)
    (back,) = difference_table("Angles", [before, now], ["knee flexion"]).rows
    assert back[5] == f"−{difference[at]:.1f} at {at} %"
    again = difference_table("Angles", [now, before], ["knee flexion"]).rows
    assert again == (row,)  # seeded


def test_equal_curves_and_too_few_are_said():
    same = difference_table("Angles", [visit(2, 0.0, seed=3), visit(1, 0.0, seed=4)], ["knee flexion"]).rows
    assert [row[3] for row in same] == ["nowhere"]
    few = difference_table("Angles", [visit(2, 6.0, 3, 5), visit(1, 0.0, 3, 6)], ["knee flexion"]).rows
    assert (few[0][3], few[0][4], few[0][6]) == (TOO_FEW, "0.10", NOTHING)  # 2 of 20 exchanges
    one = difference_table("Angles", [visit(2, 6.0, 1, 5), visit(1, 0.0, 3, 6)], ["knee flexion"]).rows
    assert (one[0][3], one[0][4], one[0][6]) == (TOO_FEW, NOTHING, NOTHING)
    assert difference_table("Loads", [visit(2, 0.0), visit(1, 0.0)], ["hip power"]) is None


def test_three_visits_are_tested_together_and_then_in_pairs():
    visits = [visit(3, 6.0, seed=1), visit(2, 0.0, seed=2), visit(1, 0.0, seed=7)]
    made = difference_table("Angles", visits, ["knee flexion"])
    compared = {row[3]: row[4:] for row in made.rows}
    assert compared["any of them"][0] == "32–47 %"
    assert {name: cells[0] for name, cells in compared.items() if name != "any of them"} == {
        "3 January 2026 less 2 January 2026": "32–47 %",
        "3 January 2026 less 1 January 2026": "32–47 %",
    }
    equal = difference_table("Angles", [visit(k, 0.0, seed=k) for k in (3, 2, 1)], ["knee flexion"]).rows
    assert [row[3:5] for row in equal] == [("any of them", "nowhere")]


def test_the_test_is_named_and_about_these_cycles_only():
    two, three = ([visit(k, 0.0) for k in range(1, n + 1)] for n in (2, 3))
    for visits, words in ((two, ("largest |t|",)), (three, ("largest F", "[Holm1979]"))):
        said, caution, _ = method_words(visits).sentences
        assert said.startswith("Test of these cycles only")
        assert "[NicholsHolmes2002]" in said
        assert all(word in said for word in words)
        assert caution == OF_CYCLES


def test_bands_of_a_difference_hold_as_often_as_they_say():
    """Of 60 pairs of visits whose curves differ by a known course, the band at the largest difference holds in 54
    or more: 57 at 95 %, less 2 SD of the binomial.
    """
    truth = np.where((PERCENT >= 32.0) & (PERCENT <= 47.0), 1.0, 0.0)
    held = 0
    for seed in range(60):
        visits = [visit(2, 1.0, 6, 2 * seed), visit(1, 0.0, 6, 2 * seed + 1)]
        (row, *_) = difference_table("Angles", visits, ["knee flexion"]).rows
        at = int(row[5].split(" at ")[1].removesuffix(" %"))
        low, high = (float(one.replace("−", "-")) for one in row[6].split(" to "))
        held += low - 0.05 <= truth[at] <= high + 0.05
    assert held >= 54
