"""Tables of numbers: what is there is read exactly, what is not is NaN, what is wrong is named by line and column."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomec.base.errors import FileError
from biomec.io.table import TextTable, check_rows, read_table, table_text
from biomec.io.text import TextFile, read_text
from biomec.recording import Source

COLUMNS = ("a", "b", "c")


def table(content: str, delimiter: str | None = "\t") -> TextTable:
    lines = content.split("\n")
    ended = lines[-1] == ""
    text = TextFile("x.trc", Source("x.trc", "TRC", "", 0), lines[:-1] if ended else lines, ended)
    return read_table(text, 1, COLUMNS, delimiter)


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(allow_infinity=False)))
def test_round_trip_is_bit_for_bit(values: np.ndarray) -> None:
    for mark, missing in (("\t", ""), (",", ""), (";", "nan")):
        text = "\n".join(table_text(values, mark, missing)) + "\n"
        blank = np.isnan(values).all(axis=1) & (missing == "")
        again = table(text, mark).values
        np.testing.assert_array_equal(again, values[~blank])  # a row of nothing is a blank line


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("1.5\t-2\t3e-3\n4\t\t6\n", "\t"),
        ("1.5\t-2\t3e-3\t\t\n4\t\t6\t\t\t\n", "\t"),  # empty cells behind the last column
        ("  1.5 \t -2\t3e-3\n  4\t   \t6\n", "\t"),  # padded with blanks, an empty cell of blanks
        ("1,5\t-2\t3e-3\n4\tNaN\t6\n", "\t"),  # decimal commas
        ("1,5;-2;0,003\n\n4;;6\n", ";"),
        ("1.5\t-2\t3e-3\n\n\t\t\n4\t-1.#IND00\t6\n", "\t"),  # blank lines; old Windows
        ("1.5 -2   3e-3\n4 nan 6\n", None),
        ('"1.5","-2","3e-3"\n4,N/A,6\n', ","),
        ("1.5\t-2\t3e-3\n4\tinf\t6\n", "\t"),
    ],
)
def test_usual_ways_to_write_the_same_table(content: str, delimiter: str | None) -> None:
    np.testing.assert_array_equal(table(content, delimiter).values, [[1.5, -2.0, 0.003], [4.0, np.nan, 6.0]])


def test_lines_are_those_of_the_file() -> None:
    assert table("1\t2\t3\n\n4\t5\t6\n").lines.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("1\t2\t3\n4\tx5\t6\n", r"^x\.trc: line 2: column b holds 'x5', which is not a number"),
        ("1\t2\t3\n4\t5\t6\t7\n", r"line 2: there are 4 values, but the header names 3 columns"),
        (
            "1\t2.5\t3\n4\t5,5\t6\n",
            r"line 2: '5,5' in column b: decimal commas \(line 2\) and decimal points \(line 1\)",
        ),
        ("1\t1.2.3\t3\n", r"line 1: column b holds '1.2.3'"),
        ("1\t1_0\t3\n", r"line 1: column b holds '1_0'"),
        ("1\t1 0\t3\n", r"line 1: column b holds '1 0'"),
        ("1\t" + "z" * 100 + "\t3\n", r"column b holds 'z{37}\.\.\.'"),
    ],
)
def test_faults_name_line_column_and_content(content: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        table(content)


def test_short_rows_are_filled_and_said() -> None:
    found = table("1\t2\t3\n4\n7\t8\n")
    np.testing.assert_array_equal(found.values, [[1, 2, 3], [4, np.nan, np.nan], [7, 8, np.nan]])
    assert [notice.code for notice in found.notices] == ["short-rows"]
    assert "2 rows end early, the first on line 2 by 2 values" in found.notices[0].sentence


def test_a_last_row_that_was_cut_off_is_left_out() -> None:
    cut = table("1.25\t2.25\t3.25\n" * 3 + "4.25\t5.2")
    assert len(cut.values) == 3
    assert [notice.code for notice in cut.notices] == ["row-cut-off"]
    digits = table("1.25\t2.25\t3.25\n" * 3 + "4.25\t5.25\t6.2")  # ends within its last number
    assert len(digits.values) == 3
    whole = table("1.25\t2.25\t3.25\n" * 3 + "4.25\t5.25\t6.25")
    assert len(whole.values) == 4
    assert [notice.code for notice in whole.notices] == ["no-line-end"]


def test_counts_are_compared() -> None:
    assert check_rows(5, 5) == check_rows(5, None) == ()
    assert check_rows(3, 5)[0].code == "rows-fewer-than-stated"
    assert "states 5 frames, the file holds 3" in check_rows(3, 5)[0].sentence
    assert check_rows(7, 5)[0].code == "rows-more-than-stated"


def test_reading_from_a_file_agrees_with_numpy(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(50, 3))
    np.savetxt(tmp_path / "a.txt", values, delimiter="\t", fmt="%.9f")
    found = read_table(read_text(tmp_path / "a.txt", "TRC"), 1, COLUMNS, "\t").values
    np.testing.assert_array_equal(found, np.genfromtxt(tmp_path / "a.txt", delimiter="\t"))
