"""Labels: who a point belongs to, and names that are unique."""

from hypothesis import given
from hypothesis import strategies as st

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
