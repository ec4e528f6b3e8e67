"""Description files by name: those that come with Biomec, and the user's own."""

import pytest

from biomec.base.description_file import Descriptions
from biomec.base.errors import DescriptionError, FileError
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
