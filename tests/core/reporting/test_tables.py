"""Numbers as texts, tables, and notices in groups."""

import csv
import io
import math

import numpy as np
import pytest

from biomec.base.notices import Scope, Severity, info, leading, notice_groups, problem, ranked, warning
from biomec.reporting.tables import Table, degrees, fact_table, number, percent, power, table_text


@pytest.mark.parametrize(
    ("value", "digits", "unit", "text"),
    [
        (1.25, 1, "", "1.2"),
        (-3.04, 1, "mm", "−3.0 mm"),
        (-0.04, 1, "", "0.0"),  # never −0.0
        (math.nan, 1, "mm", "–"),
        (None, 2, "", "–"),
    ],
)
def test_numbers_read_as_in_print(value, digits, unit, text):
    assert number(value, digits, unit) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50 %"),
        (0.996, "99.6 %"),
        (0.9996, "> 99.9 %"),  # what is not all never reads as all
        (0.0004, "< 0.1 %"),
        (0.004, "0.4 %"),
        (math.nan, "–"),
    ],
)
def test_shares_never_read_as_all_or_nothing_unless_they_are(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(7.76e-11, "7.8 · 10⁻¹¹"), (0.0, "0"), (math.inf, "–"), (25.0, "2.5 · 10¹"), (9.99e-5, "1.0 · 10⁻⁴")],
)
def test_small_numbers_are_powers_of_ten(value, text):
    assert power(value) == text


def test_angles_become_degrees():
    assert degrees(math.pi / 3.0) == "60.0"
    assert degrees(-math.pi, 0) == "−180"
    assert degrees(None) == "–"


def test_facts_without_a_value_are_left_out_and_rows_must_fit():
    assert fact_table("", {"Name": "A", "Age": None}).rows == (("Name", "A"),)
    with pytest.raises(ValueError, match="2 columns"):
        Table("t", ("a", "b"), (("only one",),))


def test_notices_are_grouped_by_severity_each_once_and_none_is_lost():
    notices = [info("a", "A"), problem("b", "B"), info("a", "A"), warning("c", "C"), info("d", "D")]
    groups = notice_groups(notices)
    assert [group.severity for group in groups] == [Severity.PROBLEM, Severity.WARNING, Severity.INFO]
    assert [[one.sentence for one in group.notices] for group in groups] == [["B"], ["C"], ["A", "D"]]
    assert notice_groups([]) == ()


def test_at_most_three_notices_lead_and_the_rest_is_grouped():
    """Ten warnings of equal rank were none."""
    gaps = [warning("gap", f"Gap {k}") for k in range(4)]
    notices = [info("a", "A"), *gaps, warning("rate", "Rate", scope=Scope.RECORDING), problem("b", "B"),
               warning("mass", "Mass", scope=Scope.JOINTS)]  # fmt: skip
    assert [one.sentence for one in leading(notices)] == ["B", "Rate", "Mass"]
    first, *rest = notice_groups(notices)
    assert first.title == "Look at these first"
    assert first.notices == leading(notices)
    assert [[one.sentence for one in group.notices] for group in rest] == [["Gap 0", "Gap 1", "Gap 2", "Gap 3"], ["A"]]
    assert [one.sentence for one in leading(gaps[:2])] == ["Gap 0", "Gap 1"]
    assert leading([info("a", "A")]) == ()
    assert leading([problem("dead-channel", "EMG", scope=Scope.ASIDE)]) == ()


def test_notices_of_one_kind_stand_together():
    mixed = [
        warning("gap", "Gap 1"),
        warning("mass", "Mass"),
        warning("gap", "Gap 2"),
        warning("all", "All", scope=Scope.JOINTS),
    ]
    assert [one.sentence for one in ranked(mixed)] == ["All", "Gap 1", "Gap 2", "Mass"]


@pytest.mark.parametrize("digits", [7, 12])
def test_a_table_is_what_the_csv_writer_makes_cell_by_cell(digits):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 9)) * 10.0 ** rng.integers(-12, 12, (20, 9))
    values[rng.random(values.shape) < 0.2] = np.nan
    values[0, :5] = 0.0, -0.0, np.inf, -np.inf, 1e300
    head = [[k, 'a, "b" nan' if k % 3 else ""] for k in range(len(values))]
    columns = ["frame", "name, unit", *"abcdefghi"]
    wanted = io.StringIO()
    writer = csv.writer(wanted, lineterminator="\n")
    writer.writerow(columns)
    for cells, row in zip(head, values, strict=True):
        writer.writerow([*cells, *("" if math.isnan(x) else f"{x:.{digits}g}" for x in row)])
    assert table_text(columns, head, values, digits) == wanted.getvalue()
    assert list(csv.reader(io.StringIO(table_text(["a", "b"], head)))) == [["a", "b"], *([str(k), w] for k, w in head)]
    assert table_text(["a", "b"], []) == "a,b\n"
