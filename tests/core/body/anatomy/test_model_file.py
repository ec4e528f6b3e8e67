"""Model files: what is read, and the sentence with which a broken one is refused: file, line, fault, remedy."""

import pytest

from biomec.base.errors import BiomecError, DescriptionError
from biomec.body.anatomy.model import CompressionAxis
from biomec.body.anatomy.model_file import load_model, parse_model, read_model, shipped_models
from biomec.engine.joint_kinds import TREE_KINDS
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


def test_a_joint_says_which_way_it_is_compressed():
    centre = 'distal = "* thigh", centre = "CAQ_*"'
    text = MINE.replace(centre, f'{centre}, compression = "proximal -s z"', 1)
    assert text != MINE
    right, left = parse_model(text, "mine.toml").joints
    assert right.compression == CompressionAxis("proximal", 2, -1.0)
    assert left.compression == CompressionAxis("proximal", 2, 1.0)
    assert all(joint.compression is None for joint in parse_model(MINE, "mine.toml").joints)
    with pytest.raises(DescriptionError, match=r'line \d+: Joint . hip: compression is "upwards". Write whose axis'):
        parse_model(text.replace("proximal -s z", "upwards"), "mine.toml")


def test_a_model_of_ones_own_is_given_by_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINE, "utf-8")
    assert load_model(str(path)) == read_model(path) == parse_model(MINE, "mine.toml")


def test_names_of_models_are_told_where_one_is_wrong():
    with pytest.raises(
        DescriptionError,
        match=r'ships no model "m2l"; did you mean "m21"\? There are legs, legs-trunk, m12-sagittal, m17, m18',
    ):
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
        'distal names "right thihg", which is not a segment here; did you mean "right thigh"?',
    ),
    "segment of an angle": (
        'distal = "* thigh", sequence',
        'distal = "* femur", sequence',
        "femur",
        'distal names "right femur", which is not a segment',
    ),
    "segment of the roots": (
        '["pelvis"]',
        '["plevis"]',
        "plevis",
        'roots names "plevis", which is not a segment here; did you',
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
        f'there is no type "ball". There are {", ".join(TREE_KINDS)}.',
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
        '"CIAS_D to CIAS_E" is not a direction. Write a difference of two points such as "CAC - VC", or',
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
        '"flexion = a" is not an angle. Write the positive and',
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
        'base names "m22", which is not a model that comes',
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
        'without names "* shnak", which is not a part of legs; did you mean "* shank"?',
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


ANGLE = '"* hip", proximal = "pelvis", distal = "* thigh", sequence = "ZXY", angles = ["flexion/extension = a"]'
HIP = '"* hip", type = "spherical", proximal = "pelvis", distal = "* thigh", centre = "CAQ_*"'
HINGED = HIP.replace("spherical", "revolute") + ', axis = "z"'

# what was accepted, or refused only when a person's model was built, without file and line:
# changes, where the line of the message is found, and what the message says
LATE = {
    "angles twice, the last row won": (
        {ANGLE + " },": ANGLE + " },\n  { joint = " + ANGLE.replace("= a", "= b") + " },"},
        '"flexion/extension = b"',
        'the angles of "right hip" are described twice for the convention "standard". Keep one row, or give one',
    ),
    "a row of no inertia table": (
        {'inertia = "thigh"': 'inertia = "thihg"'},
        "thihg",
        'no inertia table has a row "thihg"; did you mean "thigh"? Rows are head, torso',
    ),
    "a paired row on the midline": (
        {'inertia = "pelvis"': 'inertia = "foot"'},
        '"foot"',
        'the row "foot" belongs to the right or the left, and the pelvis does not. Call the segment',
    ),
    "a row of the midline on both sides": (
        {'inertia = "thigh"': 'inertia = "head"'},
        '"head"',
        'the row "head" belongs to the middle of the body, and the right thigh does not.',
    ),
    "shares above 100 %": (
        {
            'inertia = "thigh"\n': 'inertia = "thigh"\nshare = 0.7\n\n[[segment]]\nname = "* half"\nframes = '
            '[{ origin = "PMCP", x = "PMCP - CAL", y = "(CIAS_D - CAL) x x" }]\nbasis = ["PMCP", "x", "y", "z"]\n'
            'inertia = "thigh"\nshare = 0.6\n',
            HIP + " },": HIP + ' },\n  { name = "* half", type = "spherical", proximal = "pelvis", distal = "* half", '
            'centre = "PMCP" },',
        },
        "share = 0.7",
        "right thigh and right half take 130 % of the thigh's mass together. Give them shares, such as",
    ),
    "a hinge with two angles": (
        {HIP: HINGED, '"ZXY", angles = ["flexion/extension = a"]': '"hinge", angles = ["up/down = a", "out/in = b"]'},
        "up/down",
        'a hinge has one angle, not 2. Keep one, or take a sequence such as sequence = "ZXY".',
    ),
    "a hinge angle of a ball joint": (
        {'"ZXY"': '"hinge"'},
        '"hinge"',
        '"right hip" is a spherical joint, and a hinge angle needs a revolute one.',
    ),
    "a hinge angle of other segments": (
        {HIP: HINGED, ANGLE: ANGLE.replace("ZXY", "hinge").replace('"pelvis"', '"ground"')},
        '"hinge"',
        'proximal is "ground", but the proximal segment of the hinge right hip is "pelvis". Name that one, or',
    ),
    "a hinge angle without joint": (
        {'"* hip", proximal = "pelvis", distal = "* thigh", sequence = "ZXY"': '"* hop", proximal = "pelvis", distal = '
         '"* thigh", sequence = "hinge"'},
        "hop",
        'a hinge angle needs a joint of its name, and there is no joint "right hop"; did you mean "right hip"?',
    ),
    "one rotation as two angles": (
        {'"flexion/extension = a"': '"up/down = a", "out/in = -a"'},
        "up/down",
        "two angles are the rotation a of the sequence.",
    ),
    "two angles of one name": (
        {'"flexion/extension = a"': '"up/down = a", "up/down = b"'},
        "up/down",
        'two angles are called "up". Give them different names.',
    ),
    "no angle": ({'["flexion/extension = a"]': "[]"}, "angles = []", "angles is empty. Write what to report, such as"),
    "an axis twice in a basis": (
        {'["CAL", "x", "y", "z"]': '["CAL", "x", "x", "z"]'},
        'basis = ["CAL"',
        'basis names "x" twice. Each point and axis stands there once.',
    ),
    "a point twice in a basis": (
        {'"KJC_*", "x", "z"]': '"CAQ_*", "x", "z"]'},
        'basis = ["CAQ_*"',
        'basis names "CAQ_*" twice.',
    ),
    "a flat basis": (
        {'"KJC_*", "x", "z"]': '"KJC_*", "x", "y"]'},
        'basis = ["CAQ_*"',
        "basis is flat: y runs from KJC_D to CAQ_D, which are in it. Take the two other axes.",
    ),
    "a contact on its own segment": (
        {"angle = [": 'contact = [{ name = "c", point = "PMCP", segment = "pelvis", on = "pelvis", origin = "CAL" }]\n'
         "angle = ["},
        "contact =",
        "a point of the pelvis cannot glide on the pelvis itself. Name the segment that carries the ellipsoid",
    ),
    "no methods": ({'["lumbar-dumas-2007"]': "[]"}, '"CAL"', "methods is empty, so that nothing gives CAL."),
    "the middle of nothing": ({'["CLAT_*", "CMED_*"]': "[]"}, '"KJC_*"', "of is empty, so that nothing gives KJC_*."),
    "a point of itself": (
        {'["CLAT_*", "CMED_*"]': '["CLAT_*", "KJC_*"]'},
        '"KJC_*"',
        "of names KJC_D itself. Name the points that it is computed from.",
    ),
    "a point of a later one": (
        {
            '  { name = "CAL"': '  { name = "OWN_1", of = ["OWN_2", "PMCP"] },\n  { name = "OWN_2", of = ["CIAS_D", '
            '"CIAS_E"] },\n  { name = "CAL"'
        },
        '"OWN_1"',
        "of needs OWN_2, which is computed later. Points are computed in their order: put the row of OWN_2 before this",
    ),
    "a list that is a word": (
        {'roots = ["pelvis"]': 'roots = ["pelvis"]\nbase = "legs"\nwithout = "pelvis"'},
        "without",
        'without must be a list of texts in quotes, such as without = ["A", "B"], not "pelvis".',
    ),
    "one direction for two axes": (
        {'y = "(PMCP - CIAS_E) x z"': 'y = "CIAS_E - CIAS_D"'},
        "CIAS_E - CIAS_D",
        'the axes z = "CIAS_D - CIAS_E" and y = "CIAS_E - CIAS_D" of a frame run along one line, which leaves y',
    ),
    "a product of an axis with itself": (
        {'y = "(PMCP - CIAS_E) x z"': 'y = "(CIAS_D - CIAS_E) x z"'},
        "(CIAS_D - CIAS_E) x z",
        "run along one line, which leaves y without direction. Give y a landmark beside that line.",
    ),
    "a product of one line": (
        {'y = "(PMCP - CIAS_E) x z"': 'y = "(PMCP - CIAS_E) x (CIAS_E - PMCP)"'},
        "(CIAS_E - PMCP)",
        "has no direction: both factors run along one line. Name a point beside that line.",
    ),
    "a point less itself": (
        {'z = "CIAS_D - CIAS_E"': 'z = "CIAS_D - CIAS_D"'},
        "CIAS_D - CIAS_D",
        '"CIAS_D - CIAS_D" has no direction: it runs from a point to itself. Name two points.',
    ),
    "a hinge without axis": (
        {HIP: HINGED.replace('"z"', '"PMCP - PMCP"')},
        "PMCP - PMCP",
        'axis = "PMCP - PMCP" has no direction',
    ),
    "a hinge about a frame": (
        {HIP: HINGED.replace('"z"', '"y x (PMCP - CIAS_D)"')},
        "y x (PMCP",
        'axis is "y x (PMCP - CIAS_D)", but the direction of a joint has no axes to build on. Write one axis, such as',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LATE)
def test_what_would_fail_later_is_refused_at_its_line(case):
    """They passed, or failed later as "Body head: point CAC has a coordinate that is not a number" and the like."""
    changes, place, sentence = LATE[case]
    text = MINE
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(DescriptionError) as refusal:
        parse_model(text, "mine.toml")
    said = str(refusal.value)
    assert said.startswith(f"mine.toml, line {line_of(text, place)}: "), said
    assert said.count("mine.toml") == 1
    assert sentence in said


def test_a_row_of_one_side_is_of_that_side():
    """A thigh that is called "left thigh", not "* thigh", had no side: "the row "thigh" needs a side, D or E"."""
    text = MINE.replace("* thigh", "left thigh").replace("* hip", "left hip")
    model, both = parse_model(text, "mine.toml"), parse_model(MINE, "mine.toml")
    assert model.segment("left thigh") == both.segment("left thigh")
    assert model.joints == both.joints[1:]


def test_a_file_that_is_no_toml_is_refused_with_its_line():
    with pytest.raises(DescriptionError, match=r"mine.toml: line 3, column \d+ is not TOML"):
        parse_model('name = "a"\ntitle = "b"\nroots = [pelvis]\n', "mine.toml")


def test_a_file_without_segments_is_refused():
    with pytest.raises(DescriptionError, match=r"mine.toml, line 1: it describes no segment. Add blocks"):
        parse_model('name = "a"\ntitle = "b"\nroots = ["pelvis"]\n', "mine.toml")


def test_a_point_of_the_base_is_replaced_where_it_stands():
    """A knee centre of one's own was computed last, too late for the ankle: "CAT_D was found by ankle-midpoint"."""
    text = 'name = "a"\ntitle = "b"\nbase = "legs"\npoint = [{ name = "KJC_*", of = ["CLAT_*", "CMED_*"] }]\n'
    order = [point.name for point in load_model("legs").points]
    mine = parse_model(text, "mine.toml")
    assert [point.name for point in mine.points] == order
    assert mine.points[order.index("KJC_D")].of == ("CLAT_D", "CMED_D")
    late = text.replace('"CLAT_*", "CMED_*"', '"CLAT_*", "CAT_*"')  # what stands behind it
    assert [point.name for point in parse_model(late, "mine.toml").points][-2:] == ["KJC_D", "KJC_E"]


def test_landmarks_of_ones_own_marker_sets_can_be_declared():
    text = MINE.replace("CIAS_E", "SPINE_E").replace("CIAS_D", "SPINE_D").replace('"CIAS_*"', '"SPINE_*"')
    with pytest.raises(DescriptionError, match=r'write landmarks = \["SPINE_\*"\]'):
        parse_model(text, "mine.toml")
    assert parse_model('landmarks = ["SPINE_*"]\n' + text, "mine.toml").segments


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_name_only_sources_that_they_explain(name):
    model = load_model(name)
    assert (model.name, bool(model.title), bool(model.sources)) == (name, True, True)
