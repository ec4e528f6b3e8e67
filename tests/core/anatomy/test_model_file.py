"""Model files: what is read, and the sentence with which a broken one is refused: file, line, fault, remedy."""

import pytest

from biomec.anatomy.model_file import load_model, parse_model, read_model, shipped_models
from biomec.errors import BiomecError, DescriptionError
from biomec.recording.marker_set import Side

MINE = """\
name = "mine"
title = "Pelvis and thighs"
roots = ["pelvis"]

point = [
  { name = "CAL", methods = ["lumbar-dumas-2007"] },
  { name = "KJC_*", of = ["CLAT_*", "CMED_*"] },
  { name = "CAQ_*", methods = ["hip-harrington-2007"], carried_by = ["CIAS_D", "CIAS_E", "PMCP"] },
]

joint = [
  { name = "* hip", type = "spherical", proximal = "pelvis", distal = "* thigh", centre = "CAQ_*" },
]

angle = [
  { joint = "pelvis", proximal = "ground", distal = "pelvis", sequence = "YXZ", angles = ["left/right rotation = a"] },
  { joint = "* hip", proximal = "pelvis", distal = "* thigh", sequence = "ZXY", angles = ["flexion/extension = a"] },
]

[[segment]]
name = "pelvis"
frames = [{ origin = "CAL", z = "CIAS_D - CIAS_E", y = "(PMCP - CIAS_E) x z" }]
basis = ["CAL", "x", "y", "z"]
points = ["CIAS_*", "PMCP"]
inertia = "pelvis"

[[segment]]
name = "* thigh"
frames = [{ origin = "CAQ_*", y = "CAQ_* - KJC_*", x = "s (CLAT_* - CAQ_*) x (CMED_* - CAQ_*)" }]
basis = ["CAQ_*", "KJC_*", "x", "z"]
inertia = "thigh"
"""


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_a_row_with_a_star_describes_both_sides():
    model = parse_model(MINE, "mine.toml")
    assert [segment.name for segment in model.segments] == ["pelvis", "right thigh", "left thigh"]
    left = model.segment("left thigh")
    assert (left.side, left.sign, left.basis) == (Side.LEFT, -1.0, ("CAQ_E", "KJC_E", "x", "z"))
    assert left.frames[0].landmarks == ("CAQ_E", "KJC_E", "CLAT_E", "CMED_E")
    assert model.segment("pelvis").points == ("CIAS_D", "CIAS_E", "PMCP")  # both sides in a row without side
    assert [(joint.name, joint.distal, joint.centre) for joint in model.joints] == [
        ("right hip", "right thigh", "CAQ_D"),
        ("left hip", "left thigh", "CAQ_E"),
    ]
    assert model.lines["left thigh"] == line_of(MINE, 'name = "* thigh"') - 1  # where its block begins


def test_a_model_of_ones_own_is_given_by_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINE, "utf-8")
    assert load_model(str(path)) == read_model(path) == parse_model(MINE, "mine.toml")


def test_names_of_models_are_told_where_one_is_wrong():
    with pytest.raises(DescriptionError, match=r'ships no model "m2l"; did you mean "m21"\? There are legs, m17, m21'):
        load_model("m2l")
    with pytest.raises(BiomecError, match="there is no such file"):
        load_model("nowhere.toml")


# what is replaced, by what, where the line of the message is found, and what the message says
BROKEN = {
    "misspelt key of the file": (
        "roots =",
        "root =",
        "root =",
        'there is no key "root"; did you mean "roots"? The keys here are name, title',
    ),
    "misspelt key of a segment": (
        'basis = ["CAL',
        'bases = ["CAL',
        "bases",
        'there is no key "bases"; did you mean "basis"?',
    ),
    "misspelt key of a point": ("carried_by", "carryed_by", "carryed_by", 'did you mean "carried_by"?'),
    "misspelt key of a joint": ("centre =", "center =", "center =", 'did you mean "centre"?'),
    "misspelt key of an angle": ('sequence = "ZXY"', 'sequenz = "ZXY"', "sequenz", 'did you mean "sequence"?'),
    "key of a frame": ('y = "CAQ_*', 'up = "CAQ_*', "up = ", 'there is no key frames."up"'),
    "landmark of a frame": (
        'z = "CIAS_D - CIAS_E"',
        'z = "CIAS_D - CAIS_E"',
        "CAIS_E",
        'z names the landmark "CAIS_E", which no marker set and '
        'no point of the model gives; did you mean "CIAS_E"? If it comes from a marker set of your own, write '
        'landmarks = ["CAIS_*"] at the top of the file.',
    ),
    "landmark of a basis": ('basis = ["CAL"', 'basis = ["CAT"', 'basis = ["CAT"', 'basis names the landmark "CAT"'),
    "landmark of a point": ('"CLAT_*", "CMED_*"] }', '"CLAT_*", "CMID_*"] }', "CMID", 'of names the landmark "CMID_D"'),
    "landmark of a joint": ('centre = "CAQ_*"', 'centre = "CQA_*"', "CQA", 'centre names the landmark "CQA_D"'),
    "segment of a joint": (
        'distal = "* thigh", centre',
        'distal = "* thihg", centre',
        "thihg",
        'distal names "right thihg", which is no segment here; did you mean "right thigh"?',
    ),
    "segment of an angle": (
        'distal = "* thigh", sequence',
        'distal = "* femur", sequence',
        "femur",
        'distal names "right femur", which is no segment',
    ),
    "segment of the roots": (
        '["pelvis"]',
        '["plevis"]',
        "plevis",
        'roots names "plevis", which is no segment here; did you',
    ),
    "method": (
        "hip-harrington-2007",
        "hip-harington",
        "hip-harington",
        'there is no method "hip-harington"; did you mean "hip-harrington-2007"? For CAQ_* there are ',
    ),
    "method of another centre": (
        "hip-harrington-2007",
        "lumbar-dumas-2007",
        'name = "CAQ_*"',
        "the method lumbar-dumas-2007 gives CAL, not CAQ_*.",
    ),
    "type of joint": (
        '"spherical"',
        '"ball"',
        '"ball"',
        'there is no type "ball". There are spherical, universal, revolute.',
    ),
    "axis too much": (
        'centre = "CAQ_*"',
        'centre = "CAQ_*", axis = "z"',
        'axis = "z"',
        "a spherical joint has no axis.",
    ),
    "axis too few": ('"spherical"', '"revolute"', '"revolute"', "a revolute joint needs axis."),
    "loop": (
        'centre = "CAQ_*" },',
        'centre = "CAQ_*" },\n  { name = "odd", type = "spherical", proximal = "right thigh", distal '
        '= "left thigh", centre = "PMCP" },',
        '"odd"',
        "left thigh is the distal segment of two joints, left hip and odd. Joints make a tree: turn one of",
    ),
    "joint with itself": (
        'proximal = "pelvis", distal = "* thigh", centre',
        'proximal = "* thigh", distal = "* thigh", centre',
        "spherical",
        "the joint right hip joins right thigh to itself.",
    ),
    "island": (
        '"* hip", type = "spherical", proximal = "pelvis", distal = "* thigh", centre = "CAQ_*"',
        '"right hip", type = "spherical", proximal = "pelvis", distal = "right thigh", centre = "CAQ_D"',
        'name = "* thigh"',
        "nothing connects left thigh to pelvis. Add a joint, or leave the segment out.",
    ),
    "direction": (
        'z = "CIAS_D - CIAS_E"',
        'z = "CIAS_D to CIAS_E"',
        " to ",
        '"CIAS_D to CIAS_E" is no direction. Write a difference of two points such as "CAC - VC", or',
    ),
    "axis not built yet": ('x z" }]', 'x x" }]', "x x", "only the axis z is known, because it is built first."),
    "three axes": (
        'z = "CIAS_D',
        'x = "CIAS_D - PMCP", z = "CIAS_D',
        'PMCP", z',
        "a frame needs two of its axes, in the",
    ),
    "basis": (
        '["CAL", "x", "y", "z"]',
        '["CAL", "x", "y"]',
        'basis = ["CAL"',
        "basis must be one point and three axes, such",
    ),
    "share": (
        'inertia = "thigh"',
        'inertia = "thigh"\nshare = 2.0',
        "share",
        "share is 2; it is the part of the row's mass",
    ),
    "sequence": ('"ZXY"', '"ZZX"', '"ZZX"', 'there is no sequence "ZZX". There are XYZ, '),
    "angle": (
        '"flexion/extension = a"',
        '"flexion = a"',
        '"flexion = a"',
        '"flexion = a" is no angle. Write the positive and',
    ),
    "twice": (
        'inertia = "thigh"\n',
        'inertia = "thigh"\n\n[[segment]]\nname = "right thigh"\nframes = [{ origin = "PMCP", x = '
        '"PMCP - CAL", y = "(CIAS_D - CAL) x x" }]\nbasis = ["PMCP", "x", "y", "z"]\n',
        'name = "right thigh"',
        '"right thigh" is described twice. Keep one of them.',
    ),
    "base": (
        'roots = ["pelvis"]',
        'roots = ["pelvis"]\nbase = "m22"',
        "m22",
        'base names "m22", which is no model that comes',
    ),
    "without base": (
        'roots = ["pelvis"]',
        'roots = ["pelvis"]\nwithout = ["head"]',
        "without",
        'without needs a model to take parts from, such as base = "m21".',
    ),
    "what hangs on a part of the base": (
        'roots = ["pelvis"]',
        'roots = ["pelvis"]\nbase = "legs"\nwithout = ["* shank"]',
        "without",
        "nothing connects left foot, right foot to pelvis.",
    ),
    "part of the base": (
        'roots = ["pelvis"]',
        'roots = ["pelvis"]\nbase = "legs"\nwithout = ["* shnak"]',
        "shnak",
        'without names "* shnak", which is no part of legs; did you mean "* shank"?',
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_with_its_line_and_a_remedy(case):
    old, new, place, sentence = BROKEN[case]
    assert MINE.count(old) >= 1
    text = MINE.replace(old, new, 1)
    with pytest.raises(DescriptionError) as refusal:
        parse_model(text, "mine.toml")
    said = str(refusal.value)
    assert said.startswith(f"mine.toml, line {line_of(text, place)}: "), said
    assert sentence in said


def test_a_file_that_is_no_toml_is_refused_with_its_line():
    with pytest.raises(DescriptionError, match=r"mine.toml: line 3, column \d+ is not TOML"):
        parse_model('name = "a"\ntitle = "b"\nroots = [pelvis]\n', "mine.toml")


def test_a_file_without_segments_is_refused():
    with pytest.raises(DescriptionError, match=r"mine.toml, line 1: it describes no segment. Add blocks"):
        parse_model('name = "a"\ntitle = "b"\nroots = ["pelvis"]\n', "mine.toml")


def test_landmarks_of_ones_own_marker_sets_can_be_declared():
    text = MINE.replace("CIAS_E", "SPINE_E").replace("CIAS_D", "SPINE_D").replace('"CIAS_*"', '"SPINE_*"')
    with pytest.raises(DescriptionError, match=r'write landmarks = \["SPINE_\*"\]'):
        parse_model(text, "mine.toml")
    assert parse_model('landmarks = ["SPINE_*"]\n' + text, "mine.toml").segments


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_name_only_sources_that_they_explain(name):
    model = load_model(name)
    assert (model.name, bool(model.title), bool(model.sources)) == (name, True, True)
