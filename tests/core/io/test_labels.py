"""Labels: who a point belongs to, and names that are unique."""

import gc
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.io.csv_table import read_csv
from biomec.io.labels import sort_labels, unique_names, writable_names


def test_prefixes_unlabelled_points_and_second_subjects_are_kept_apart() -> None:
    found = sort_labels(["Rui:C7", "*12", "Ana:C7", "Rui:IJ", "SACR", "Rui:*3", "Ana:", "Rui:C7"])
    assert found.subject == "Rui"
    assert found.markers == ((0, "C7"), (3, "IJ"), (4, "SACR"), (6, "Ana:"), (7, "C7_2"))
    assert found.unlabelled == ((1, "*12"), (5, "*3"))
    assert found.others == {"Ana": ((2, "C7"),)}
    assert [notice.code for notice in found.notices] == ["names-made-unique"]


def test_renaming_never_takes_a_name_that_is_there() -> None:
    assert unique_names(["A", "A", "A_2", ""])[0] == ("A", "A_3", "A_2", "unnamed")


@given(st.lists(st.text(max_size=3), max_size=12))
def test_names_become_unique_and_keep_what_was_unique(names: list[str]) -> None:
    found, notices = unique_names(names)
    assert len(set(found)) == len(names)
    assert all(found)
    assert bool(notices) == (list(found) != names)
    for old, new in zip(names, found, strict=True):
        if old and names.count(old) == 1:
            assert new == old


@given(st.lists(st.text(max_size=5), max_size=8, unique=True))
def test_written_names_fit_a_line(names: list[str]) -> None:
    found, _ = writable_names(names, "\t,")
    assert len(set(found)) == len(names)
    for name in found:
        assert name == name.strip()
        assert name.isprintable()
        assert not set(name) & set("\t,")


def processor_time(work: Callable[[], object]) -> float:
    """Least processor time of three runs [s], without searches for garbage among what other tests have left."""
    spent, searching = [], gc.isenabled()
    gc.disable()
    try:
        for _ in range(3):
            began = process_time()
            work()
            spent.append(process_time() - began)
    finally:
        if searching:
            gc.enable()
    return min(spent)


@pytest.mark.parametrize("label", ["M{k}", "M", "*{k}", "S{k}:M", ""])
def test_many_labels_are_sorted_in_linear_time(label):
    """A table of 60 000 labels took minutes: every label was compared with all others."""

    def seconds(count):
        labels = [label.format(k=k) for k in range(count)]
        return processor_time(lambda: sort_labels(labels))

    seconds(100)
    assert seconds(40_000) < 100.0 * max(seconds(2_000), 1e-3)  # twentyfold work; were it quadratic, four hundredfold


def test_a_wide_table_is_read_in_linear_time(tmp_path):
    def seconds(markers):
        columns = ",".join(f"M{k}_{axis}" for k in range(markers) for axis in "XYZ")
        rows = "".join(f"{t / 100},{','.join(['0.5'] * 3 * markers)}\n" for t in range(3))
        path = tmp_path / f"{markers}.csv"
        path.write_text(f"time,{columns}\n{rows}")
        assert len(read_csv(path).markers.names) == markers
        return processor_time(lambda: read_csv(path))

    seconds(100)
    assert seconds(8_000) < 60.0 * seconds(500)  # sixteenfold work; were it quadratic, two hundred and fiftyfold
