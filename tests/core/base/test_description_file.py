"""Description files by name: those that come with Biomec, and the user's own."""

import gc
from time import process_time

import pytest

from biomec.base.description_file import Descriptions
from biomec.base.errors import DescriptionError, FileError
from biomec.base.toml_table import read_toml
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec_resources import resource

TEXTS = Descriptions("marker set", ("marker_sets",), lambda text, source: (source, len(text)))


def test_those_that_come_with_biomec_are_read_by_name():
    source, length = TEXTS.load("plug-in-gait")
    text = resource("marker_sets", "plug-in-gait.toml").read_text("utf-8")
    assert (source, length) == ("plug-in-gait.toml", len(text))
    assert TEXTS.shipped() == shipped_marker_sets() == tuple(sorted(TEXTS.shipped()))


def test_ones_own_marker_set_is_given_by_its_file(tmp_path):
    # What the user saw: models of one's own could be given by a file, marker sets could not.
    own = tmp_path / "mine.toml"
    own.write_bytes(resource("marker_sets", "plug-in-gait.toml").read_bytes())
    assert load_marker_set(str(own)) == load_marker_set("plug-in-gait")


def test_what_is_not_there_is_told_with_what_is(tmp_path):
    with pytest.raises(
        DescriptionError, match=r'no marker set "plug-in-gate"; did you mean "plug-in-gait"\? There are'
    ):
        TEXTS.load("plug-in-gate")
    with pytest.raises(FileError, match=r"there is no such file"):
        TEXTS.load(str(tmp_path / "absent.toml"))
    (tmp_path / "bad.toml").write_bytes(b"name = \xff")
    with pytest.raises(FileError, match=r"not a text file in UTF-8 \(byte 8 is not\)"):
        TEXTS.load(str(tmp_path / "bad.toml"))


@pytest.mark.parametrize("text", ["[[a]]\n{0}", "a = [\n{0}]"], ids=["blocks", "rows"])
def test_thousands_of_tables_find_their_lines_in_linear_time(text):
    """A file of 4 MB of empty tables took hours: for each all lines were searched."""

    def seconds(count):
        rows = ("[[a]]\n" if text.startswith("[") else '{ name = "b" },\n') * count
        top = read_toml(text.format(rows), "a.toml", with_lines=True)
        began = process_time()
        tables = top.tables("a")
        spent = process_time() - began
        assert "a.toml, line" in str(tables[-1].refusal("it is wrong."))
        return spent

    gc.disable()  # its search for garbage looks at everything that earlier tests left
    try:
        many, few = (min(seconds(count) for _ in range(3)) for count in (20_000, 1_000))
    finally:
        gc.enable()
    assert many < 100.0 * max(few, 1e-3)  # twentyfold work; were it quadratic, four hundredfold
