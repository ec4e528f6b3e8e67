"""Inertia tables as files: numbers typed a second time, physical validity, sentences about broken files."""

import re

import numpy as np
import pytest

from biomec.base.errors import BiomecError, DescriptionError
from biomec.body.anatomy.inertia_table import (
    SIDED,
    UPPER_BODY,
    load_girdle,
    load_inertia_table,
    parse_inertia_table,
    physical_fault,
    read_inertia_table,
    shipped_girdles,
    shipped_inertia_tables,
)
from biomec_resources import resource
from tests.places import DOCS

REFERENCES = (DOCS / "references.md").read_text("utf-8")

# typed again from the published columns, imaginary radii as negative numbers:
# sex, reference length [mm], mass %, centre x y z, radii xx yy zz xy xz yz
SET_2007 = """
head      M 278  6.7   2.0  53.6  0.1   28  21 30  -7  -2   3
head      F 243  6.7   1.6  57.5  0.1   29  23 30  -4   1   0
torso     M 477 33.3  -3.6 -42.0 -0.2   27  25 28  18   2  -4
torso     F 429 30.4  -1.6 -43.6 -0.6   29  27 29  22   5  -5
torso_from_IJ M 139 33.3 -45.6 -112.1 -0.8 93 85 96 62 7 -13
torso_from_IJ F 125 30.4 -41.1 -117.3 -1.9 98 93 98 76 16 -19
upper_arm M 271  2.4   1.7 -45.2 -2.6   31  14 32   6   5   2
upper_arm F 243  2.2  -7.3 -45.4 -2.8   33  17 33   3  -5  14
forearm   M 283  1.7   1.0 -41.7  1.4   28  11 27   3   2  -8
forearm   F 247  1.3   2.1 -41.1  1.9   26  14 25  10   4 -13
hand      M  80  0.6   8.2 -83.9  7.4   61  38 56  22  15 -20
hand      F  71  0.5   7.7 -76.8  4.8   63  43 58  29  23 -28
pelvis    M  94 14.2   2.8 -28.0 -0.6  101 106 95 -25 -12  -8
pelvis    F 107 14.6  -0.9 -23.2  0.2   91 100 79 -34  -1  -1
thigh     M 432 12.3  -4.1 -42.9  3.3   29  15 30   7  -2  -7
thigh     F 379 14.6  -7.7 -37.7  0.9   31  19 32   7  -2  -7
shank     M 433  4.8  -4.8 -41.0  0.7   28  10 28  -4  -2   5
shank     F 388  4.5  -4.9 -40.4  3.1   28  10 28   2   1   6
foot      M 183  1.2  38.2 -15.1  2.6   17  37 36  13  -8   0
foot      F 165  1.0  27.0 -21.8  3.9   17  36 35 -10   6  -4
"""
SET_2018 = """
head      M 278  6.7   2.0  53.4  0.1   28  21 30  -7  -2   3
head      F 243  6.7   0.8  55.9 -0.1   30  24 31  -5   1   0
thorax    M 334 30.4   0.0 -55.5 -0.4   42  33 36 -11   1   3
thorax    F 322 26.3   1.5 -54.2  0.1   38  32 34 -12  -3   1
abdomen   M   0  2.9  17.6 -36.1 -0.3   54  66 40  11  -6  -5
abdomen   F   0  4.1  21.9 -41.0  0.3   65  78 52  25  -3  -5
pelvis    M  94 14.2  -0.2 -28.2 -0.6  102 106 96 -25 -12  -8
pelvis    F 107 14.7  -7.2 -22.8  0.2   95 105 82 -35  -3  -2
upper_arm M 271  2.4   1.8 -48.2 -3.1   29  13 30   5   3 -13
upper_arm F 243  2.3  -5.5 -50.0 -3.3   30  15 30  -3   5   3
forearm   M 283  1.7  -1.3 -41.7  1.1   28  11 28   8  -1   2
forearm   F 247  1.4   2.1 -41.1  1.9   27  14 25  10   3 -13
hand      M  80  0.6   8.2 -83.9  7.5   61  38 56  22  15 -20
hand      F  71  0.5   7.7 -76.8  4.8   64  43 59  29  23 -28
thigh     M 432 12.3  -4.1 -42.9  3.3   29  15 30   7  -2  -7
thigh     F 379 14.6  -7.7 -37.7  0.8   31  19 32   7  -2  -7
shank     M 433  4.8  -4.8 -41.0  0.7   28  10 28  -4  -2   4
shank     F 388  4.5  -4.9 -40.4  3.1   28  10 28   2   1   6
foot      M 139  1.2  50.2 -19.9  3.4   22  49 48  17 -11   0
foot      F 117  1.0  38.2 -30.9  5.5   24  50 50 -15   9  -5
"""
ALL = [load_inertia_table(name) for name in shipped_inertia_tables()] + [load_girdle(n) for n in shipped_girdles()]


@pytest.mark.parametrize(("name", "typed"), [("dumas-2007", SET_2007), ("dumas-wojtusch-2018", SET_2018)])
def test_the_numbers_are_those_typed_a_second_time(name, typed):
    table = load_inertia_table(name)
    lines = [line.split() for line in typed.strip().splitlines()]
    assert {line[0].replace("_", " ") for line in lines} == set(table.rows) - {UPPER_BODY}  # composed, not published
    for row, sex, *numbers in lines:
        length, mass, *rest = map(float, numbers)
        entry = table.entry(row.replace("_", " "), {"M": "male", "F": "female"}[sex])
        assert (entry.length_mm or 0.0, entry.mass, *entry.com) == (length, mass, *rest[:3]), (row, sex)
        squares = [np.sign(r) * (r / 100) ** 2 for r in rest[3:]]
        found = entry.shape[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        np.testing.assert_allclose(found, squares, rtol=1e-14, err_msg=f"{row} {sex}")
        assert np.array_equal(entry.shape, entry.shape.T)


def test_the_table_of_the_thesis_differs_in_two_places():
    thesis, published = load_inertia_table("thesis-literal"), load_inertia_table("dumas-2007")
    assert set(thesis.rows) == set(published.rows) - {"torso from IJ", UPPER_BODY}
    for name, row in thesis.rows.items():
        assert set(row.entries) == {"male"}
        ours, theirs = row.entries["male"], published.entry(name, "male")
        assert (ours.mass != theirs.mass) == (name == "torso")
        assert (row.length_to != published.row(name).length_to) == (name == "pelvis")
        assert np.array_equal(ours.com, theirs.com)
        assert np.array_equal(ours.shape, theirs.shape)
    assert thesis.total_percent("male") == pytest.approx(97.0)


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_every_row_but_one_is_possible(table):
    """Only the female torso of 2007 is not a body: principal radii 17.2, 29.0, 35.7; I1 + I2 − I3 = −0.013 mL²."""
    impossible = []
    for name, row in table.rows.items():
        for sex, entry in row.entries.items():
            Pi = 0.5 * np.trace(entry.shape) * np.eye(3) - entry.shape
            bad = np.linalg.eigvalsh(entry.shape)[0] <= 0.0 or np.linalg.eigvalsh(Pi)[0] <= 0.0
            assert bad == bool(entry.not_physical) == bool(physical_fault(entry.shape))
            impossible += [(name, sex)] if bad else []
    assert impossible == (
        [(f"torso{more}", "female") for more in ("", " from IJ")] if table.name == "dumas-2007" else []
    )


def test_the_impossible_torso_in_figures():
    moments = np.linalg.eigvalsh(load_inertia_table("dumas-2007").entry("torso", "female").shape)
    assert 100 * np.sqrt(moments) == pytest.approx([17.2, 29.0, 35.7], abs=0.05)
    assert moments[0] + moments[1] - moments[2] == pytest.approx(-0.013, abs=0.0005)


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_sources_are_on_the_references_page_and_sides_are_where_they_belong(table):
    assert table.sources
    for key in table.sources:
        assert f"({key})=" in REFERENCES
    for name, row in table.rows.items():
        assert row.sided == (name in SIDED)
        assert "*" not in "".join(row.on("E").frames[0].landmarks)


def test_names_and_radii_of_one_percent_give_their_square():
    entry = load_inertia_table("dumas-2007").entry("head", "male")
    assert entry.tensor(2.0, 10.0)[0, 1] == pytest.approx(-2.0 * 100.0 * 0.07**2)


def test_both_torso_rows_are_the_same_torso():
    """477 mm between the centres, 139 mm between IJ and C7: equal radii, and a CAC that is 0.45 tw from IJ.

    The cervical centre lies 0.55 tw from C7, 8° above the line to IJ (men); 0.53 tw and 14° for women. Radii are
    rounded to 1 % of 477 mm. The centres agree to 3 mm; were 139 mm the distance of IJ and CAC, they would be 60 mm
    apart.
    """
    table = load_inertia_table("dumas-2007")
    for sex, kappa, theta in (("male", 0.55, 8.0), ("female", 0.53, 14.0)):
        far, near = table.entry("torso", sex), table.entry("torso from IJ", sex)
        radii = [e.length_mm * np.sqrt(np.diag(e.shape)) for e in (far, near)]
        np.testing.assert_allclose(radii[0], radii[1], atol=2.5)
        com = [e.length_mm * e.com / 100 for e in (far, near)]
        cervical = np.linalg.norm((com[1] - com[0])[:2])
        angle = np.radians(theta)
        expected = near.length_mm * np.hypot(1.0 - kappa * np.cos(angle), kappa * np.sin(angle))
        assert cervical == pytest.approx(expected, abs=3.0)


# ------------------------------------------------------------------------------------------------------- broken files
SHIPPED = resource("inertia", "dumas-2007.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("wrong", "instead", "sentence"),
    [
        ('"7i", "2i", 3]', '"7j", "2i", 3]', 'gyration holds "7j"'),
        ('[28, 21, 30, "7i", "2i", 3]', "[28, 21, 30]", "gyration must be six radii"),
        ('[28, 21, 30, "7i", "2i", 3]', "[28, 60, 30, 0, 0, 0]", "male tensor of this segment is impossible"),
        ("mass = 6.7", "mass = -6.7", "male.mass must be more than 0"),
        ("mass = 6.7", "weight = 6.7", "there is no key male."),
        ("mass = 6.7", "mass_kg = 6.7", "for clavicle and scapula only"),
        ("com = [2.0, 53.6, 0.1]", "com = [2.0, 53.6]", "male.com must be 3 numbers"),
        ('confidence = "high"', 'confidence = "sure"', "confidence can be high, medium, low"),
        ('name = "head"', 'name = "haed"', 'did you mean "head"'),
        ('to = ["VC"]', "to = []", "length needs landmarks"),
        ('z = "(GLAB - CAC) x y"', 'z = "GLAB, CAC"', '"GLAB, CAC" is not a direction'),
        ('z = "(GLAB - CAC) x y"', 'y = "GLAB - CAC"', "not TOML"),
        ('origin = "CAC"\n', "", "give either origin"),
    ],
)
def test_broken_files_are_refused_with_the_line(wrong, instead, sentence):
    assert wrong in SHIPPED
    text = SHIPPED.replace(wrong, instead, 1)
    with pytest.raises(DescriptionError, match=re.escape(sentence)) as refusal:
        parse_inertia_table(text, "mine.toml")
    line = int(re.search(r"mine\.toml(?:, line |: line )(\d+)", str(refusal.value))[1])
    changed = SHIPPED[: SHIPPED.index(wrong)].count("\n") + 1
    assert abs(line - changed) <= 4  # the line of the key, or the head of its block
    if "male" in sentence and "origin" not in sentence:
        assert line == changed


def test_a_wrong_female_number_is_told_at_the_female_line():
    text = SHIPPED.replace("mass = 30.4", 'mass = "heavy"')
    line = SHIPPED[: SHIPPED.index("mass = 30.4")].count("\n") + 1
    with pytest.raises(DescriptionError, match=rf"line {line}: Segment torso: female.mass must be a number"):
        parse_inertia_table(text, "mine.toml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('name = "a"\ntitle = "b"', "it describes no segment"),
        (SHIPPED.replace('name = "foot"', 'name = "hand"'), "described twice"),
        (SHIPPED.replace('name = "dumas-2007"', 'name = "x"\ntorso = "cut"'), "torso is"),
        (SHIPPED.replace('name = "dumas-2007"', 'name = "x"\ngirdle_taken_off = 1'), "true or false"),
    ],
)
def test_incomplete_files_are_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        parse_inertia_table(text, "mine.toml")


def test_a_table_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SHIPPED.replace('"dumas-2007"', '"mine"'), "utf-8")
    assert read_inertia_table(path).name == load_inertia_table(str(path)).name == "mine"
    with pytest.raises(BiomecError, match="no such file"):
        load_inertia_table(str(tmp_path / "other.toml"))
