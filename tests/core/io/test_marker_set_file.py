"""Marker-set files: the shipped sets are sound, and a faulty file is refused with a sentence that finds the fault."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import BiomecError, DescriptionError, FileError
from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.io.marker_set_file import load_marker_set, parse_marker_set, read_marker_set, shipped_marker_sets
from biomec.recording.marker_set import Side
from biomec_resources import resource
from tests.places import DOCS

REFERENCES = (DOCS / "references.md").read_text("utf-8")

SMALL = """
name = "small"
title = "A small set"
sides = { right = "R", left = "L" }
contacts = { "* thigh" = ["*T1", "*T2", "SACR"] }
gait = { pelvis = ["SACR", "*PSI"], heel = "*T1", toe = "*T2" }
segment = [{ name = "pelvis", rebuilt_by = ["SACR", "*WING"] }, { name = "* thigh" }]
cluster = [{ name = "* plate", segment = "* thigh", markers = ["*T1", "*T2", "*T3", "*T4"] }]
marker = [
  { name = "SACR", segments = ["pelvis"], landmark = "sacrum", replaces = ["*PSI"] },
  { name = "*PSI", segments = ["pelvis"] },
  { name = "*ASI", segments = ["pelvis"], flags = ["removed"], aliases = ["*ASIS"], place = [0.05, 0.56, 0.07] },
  { name = "*WING", segments = ["pelvis"], flags = ["technical", "optional"] },
  { name = "*HJC", segments = ["pelvis", "* thigh"], flags = ["internal"] },
  { name = "*KNE", segments = ["* thigh"], rebuilt_by = ["*T1", "*T2", "*T3", "*T4"] },
  { name = "*T1", segments = ["* thigh"] },
  { name = "*T2", segments = ["* thigh"] },
  { name = "*T3", segments = ["* thigh"] },
  { name = "*T4", segments = ["* thigh"] },
]
"""
WITH_FEET = [
    name
    for name in shipped_marker_sets()
    if any(one.name == "right foot" for one in load_model(load_marker_set(name).model).segments)
]


def test_a_set_says_what_its_fit_stays_near_to():
    assert parse_marker_set(SMALL, "small.toml").method == "coordinates"
    assert parse_marker_set('method = "markers"' + SMALL, "small.toml").method == "markers"
    with pytest.raises(DescriptionError, match=r'method is "marker"; did you mean "markers"\?'):
        parse_marker_set('method = "marker"' + SMALL, "small.toml")


def test_a_row_with_a_star_is_two_markers():
    small = parse_marker_set(SMALL, "small.toml")
    assert small.names[:5] == ("SACR", "RPSI", "LPSI", "RASI", "LASI")
    assert small["RASI"].side is Side.RIGHT
    assert small["RASI"].place == (0.05, 0.56, 0.07)
    assert small["LASI"].place == (0.05, 0.56, -0.07)
    assert small["SACR"].replaces == ("RPSI", "LPSI")
    assert small["LHJC"].segments == ("pelvis", "left thigh")
    assert small["LASI"].rebuilt_by == ("SACR", "RWING", "LWING")  # both sides, for a segment without a side
    assert small["LKNE"].rebuilt_by == ("LT1", "LT2", "LT3", "LT4")
    assert small["LHJC"].rebuilt_by == ()
    assert small["LT1"].rebuilt_by == ("LKNE", "LT1", "LT2", "LT3", "LT4")  # a thigh without a list: all that stay on
    assert small.segment("right thigh").markers == ("RHJC", "RKNE", "RT1", "RT2", "RT3", "RT4")
    assert small.cluster_of(["LT4", "LT2", "LT1", "LT3"]).name == "left plate"
    assert small.cluster_of(["LT4", "LT2", "LT1"]) is None
    assert small.mirrored("RKNE") == "LKNE"
    assert small.mirrored("SACR") == "SACR"


def test_a_set_knows_what_rests_on_plates_and_what_shows_steps():
    """Scripts wrote the feet by hand: {"Pe_D": ("RHEE", "RTOE", "RANK"), …}."""
    small = parse_marker_set(SMALL, "small.toml")
    assert small.contact_segments == {"right thigh": ("RT1", "RT2", "SACR"), "left thigh": ("LT1", "LT2", "SACR")}
    assert small.gait.pelvis == ("SACR", "RPSI", "LPSI")
    assert (small.gait.heel.right, small.gait.toe.left) == ("RT1", "LT2")
    without = "\n".join(line for line in SMALL.splitlines() if not line.startswith(("contacts", "gait")))
    bare = parse_marker_set(without, "small.toml")
    assert bare.contact_segments == {}
    assert bare.gait is None


@pytest.mark.parametrize("name", WITH_FEET)
def test_feet_and_steps_of_a_shipped_set_stay_on_for_the_dynamic_trial(name):
    shipped = load_marker_set(name)
    feet = {"right foot", "left foot"}
    assert feet <= set(shipped.contact_segments)
    for segment, markers in shipped.contact_segments.items():
        assert set(markers) <= set(shipped.followed)
        assert len(markers) >= 2
        assert all(shipped[marker].side.value in segment for marker in markers)
        other = segment.replace("right", "left") if "right" in segment else segment.replace("left", "right")
        assert tuple(map(shipped.mirrored, markers)) == shipped.contact_segments[other]
    assert set(shipped.gait.names) <= set(shipped.followed)
    pelvis, heel, toe = (
        shipped[n].place for n in (shipped.gait.pelvis[0], shipped.gait.heel.left, shipped.gait.toe.left)
    )
    assert heel[0] < toe[0]
    assert max(heel[1], toe[1]) < 0.05 < 0.5 < pelvis[1]  # fractions of stature
    assert heel[2] < 0.0 > toe[2]  # left


def test_what_a_trial_lacks():
    small = parse_marker_set(SMALL, "small.toml")
    assert small.lacking(["RKNE", "LT1"], dynamic=True) == (
        "LKNE", "RT1", "RT2", "LT2", "RT3", "LT3", "RT4", "LT4",
    )  # fmt: skip
    assert small.lacking(["SACR"], dynamic=True) == ()  # it stands for both PSI; the wings are optional; no thighs here
    assert small.lacking(["SACR"], dynamic=False) == ("RASI", "LASI")
    assert small.lacking([], dynamic=False) == ()


# ----------------------------------------------------------------------------------------------------- shipped sets


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_a_shipped_set_is_sound(name):
    marker_set = load_marker_set(name)
    assert marker_set.name == name
    assert len(set(marker_set.names)) == len(marker_set.names)
    sided = [marker for marker in marker_set.markers if marker.side is not None]
    assert len(sided) == 2 * len(marker_set.pairs)
    for right, left in marker_set.pairs:
        a, b = marker_set[right], marker_set[left]
        assert (a.landmark, a.pattern, a.removed, a.technical) == (b.landmark, b.pattern, b.removed, b.technical)
        assert [marker_set.mirrored(d) for d in a.rebuilt_by] == list(b.rebuilt_by) or set(
            map(marker_set.mirrored, a.rebuilt_by)
        ) == set(b.rebuilt_by)
        assert a.place is None or (np.array(a.place) * [1, 1, -1]).tolist() == list(b.place)
    for marker in marker_set.markers:
        assert marker.landmark
        assert marker.segments
        for donor in marker.rebuilt_by:
            assert donor in marker_set.followed
    for segment in marker_set.segments:
        assert segment.markers, f"{segment.name} has no markers"


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_the_sources_of_a_shipped_set_are_among_the_references(name):
    text = resource("marker_sets", f"{name}.toml").read_text("utf-8")
    assert text.startswith("# ")
    cited = set(re.findall(r"\[([A-Z][A-Za-z]+\d{4})\]", text.split("\n\n")[0])) | set(load_marker_set(name).sources)
    assert cited
    for key in cited:
        assert f"({key})=" in REFERENCES, key


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_a_shipped_set_names_the_model_that_suits_it(name):
    assert load_marker_set(name).model in shipped_models()


def test_the_thesis_set_has_the_published_counts():
    """87 markers are placed for the static, 16 are taken off, 71 stay on; eight plates of four."""
    full = load_marker_set("biomec-full")
    assert len(full.placed) == 87
    assert len(full.followed) == 71
    assert len(full.clusters) == 8
    assert full["IJ"].rebuilt_by == ("C7", "T8", "AuxT_D", "AuxT_E")
    assert full["PCOR_E"].rebuilt_by == ("AC_E", "AA_E", "SS_E")
    assert full["CMED_D"].rebuilt_by == tuple(f"CLPN_D_{place}" for place in (11, 12, 21, 22))
    assert full["EU_D"].rebuilt_by == tuple(f"CLAB_D_{place}" for place in (11, 12, 21, 22))
    assert full["CIAS_E"].rebuilt_by == ("PMCP", "AuxP_D", "AuxP_E")


def test_an_unknown_set_is_refused_with_what_there_is():
    with pytest.raises(DescriptionError, match=r'did you mean "plug-in-gait"\? There are biomec-full'):
        load_marker_set("plugin-gait")


# -------------------------------------------------------------------------------------------------------- faulty files


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'segments = ["pelvis"], landmark',
            'segment = ["pelvis"], landmark',
            r"Marker SACR: there is no key \"segment\"; did you mean \"segments\"\?",
        ),
        ('name = "*HJC"', 'name = "*KNE"', r"the marker RKNE, LKNE is given more than once"),
        (
            'segments = ["* thigh"] },\n  { name = "*T2"',
            'segments = ["* tigh"] },\n  { name = "*T2"',
            r"Marker \*T1: .*tigh",
        ),
        ('"SACR", "*WING"]', '"SACR", "*WINK"]', r"Segment pelvis: rebuilt_by names \"\*WINK\""),
        ('"SACR", "*WING"]', '"SACR", "*HJC"]', r"Segment pelvis: RHJC cannot rebuild .* no camera sees it"),
        ('"SACR", "*WING"]', '"SACR", "*ASI"]', r"RASI cannot rebuild .* taken off"),
        ('flags = ["removed"]', 'flags = ["remved"]', r"Marker \*ASI: there is no flag \"remved\"; did you mean"),
        ('aliases = ["*ASIS"]', 'aliases = ["ASIS"]', r"Marker \*ASI: the alias \"ASIS\" needs a star"),
        ("place = [0.05, 0.56, 0.07]", "place = [0.05, 0.56]", r"Marker \*ASI: place must be 3 numbers"),
        ('sides = { right = "R", left = "L" }', "", r"Marker \*PSI: the name has a star"),
        ('right = "R", left = "L"', 'right = "R", left = "R"', r"sides.right and sides.left are both"),
        ('"*T3", "*T4"] }]', '"*T3"] }]', r"Cluster \* plate: a plate has four different markers"),
        ('title = "A small set"', 'title = "A small set', r"line 3.*is not TOML"),
        ('title = "A small set"', "", r"title is missing"),
        (
            'title = "A small set"',
            'title = "A"\nmodel = "/home/a/b.toml"',
            r"model is .* and must be the name of a model",
        ),
        ('"* thigh" = [', '"* tigh" = [', r"contacts: there is no segment \"right tigh\"; did you mean"),
        ('"*T2", "SACR"] }', '"*T2", "SACK"] }', r"contacts\.\* thigh names \"SACK\".*did you mean"),
        ('heel = "*T1"', 'heel = "RT1"', r"gait\.heel is \"RT1\", which is not a marker with a star"),
        ('toe = "*T2"', 'tow = "*T2"', r"no key gait\.\"tow\"; did you mean"),
        (', toe = "*T2"', "", r"gait\.toe is missing"),
    ],
)
def test_a_fault_is_named_with_its_place(old, new, words):
    assert old in SMALL
    with pytest.raises(DescriptionError, match=words) as caught:
        parse_marker_set(SMALL.replace(old, new, 1), "small.toml")
    assert str(caught.value).startswith("small.toml: ")


def test_files_that_are_no_text_or_not_there(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        read_marker_set(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="not a text file in UTF-8"):
        read_marker_set(tmp_path / "binary.toml")
    with pytest.raises(FileError):
        read_marker_set(tmp_path)
    with pytest.raises(DescriptionError, match="describes no marker"):
        parse_marker_set('name = "x"\ntitle = "x"', "x.toml")


@given(st.integers(0, len(SMALL) - 1), st.text("[]{}\"'*=,\n a1\x00é", max_size=3), st.integers(0, 30))
def test_damaged_files_give_a_sentence_or_a_sound_set(place, insert, cut):
    text = SMALL[:place] + insert + SMALL[place + cut :]
    try:
        said = "small.toml: " + parse_marker_set(text, "small.toml").name
    except BiomecError as error:  # any other exception fails the test
        said = str(error)
    assert said.startswith("small.toml: ")
