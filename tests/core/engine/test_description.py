"""Mechanism files: what a good one gives, and what a bad one is told."""

import copy
import dataclasses
import datetime
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.arrays import rotation_about
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import written
from biomec.engine import (
    AngleCoordinate,
    Body,
    CoordinateDriver,
    Cylindrical,
    Distance,
    EllipsoidContact,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Universal,
    Weld,
    planar_bar,
)
from biomec.engine.description import (
    BODY_KEYS,
    COORDINATES,
    DRIVERS,
    FILE_KEYS,
    JOINTS,
    describe_system,
    load_system,
    parse_system,
)
from biomec.engine.joint_kinds import JOINT_KINDS
from biomec.engine.reference.planar import four_bar, pendulum, slider_crank
from biomec_resources import resource
from tests.core.engine.examples import CONSTRAINT_EXAMPLES
from tests.places import DOCS

# file -> coordinates, rows without drivers, degrees of freedom, drivers at the reference
SHIPPED = {
    "four-bar": (12, 11, 1, {"crank angle": np.pi / 2}),
    "slider-crank": (13, 12, 1, {"crank angle": np.pi / 2}),
    "double-pendulum": (4, 2, 2, {}),
    "bennett": (36, 42, 1, {"input angle": -2 * np.pi / 3}),  # 18 rigid + 4 × 6; rank 35, so 7 rows are redundant
}


def text_of(name: str) -> str:
    return resource("mechanisms", f"{name}.toml").read_text("utf-8")


def document(name: str) -> dict:
    return tomllib.loads(text_of(name))


def as_text(content: dict) -> str:
    return "\n".join(f"{written(key)} = {value(item)}" for key, item in content.items())


def value(item: object) -> str:
    """TOML of anything, dates included."""
    if isinstance(item, list):
        return f"[{', '.join(value(part) for part in item)}]"
    if isinstance(item, dict):
        return f"{{ {', '.join(f'{written(key)} = {value(part)}' for key, part in item.items())} }}"
    return item.isoformat() if isinstance(item, datetime.date) else written(item)


def refusal(text: str) -> str:
    with pytest.raises(DescriptionError) as caught:
        parse_system(text, "my.toml")
    return str(caught.value)


# ---------------------------------------------------------------------- shipped files


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_mechanism_is_closed_and_moves_as_its_header_says(name):
    n, free_rows, freedom, drivers = SHIPPED[name]
    system = load_system(resource("mechanisms", f"{name}.toml"))
    drive = system.drive(drivers) if drivers else None
    undriven = [r for r, row in enumerate(system.rows) if row.driver is None]
    assert (system.n, len(undriven)) == (n, free_rows)
    # the files carry 16 digits and lengths below 1 m: a closed loop misses by some 1e-16
    assert np.abs(system.residual(system.reference, drive)).max() < 1e-14
    # smallest singular value that is not zero: 0.12 (four-bar); zeros are 1e-15
    rank = np.linalg.matrix_rank(system.jacobian(system.reference, drive)[undriven], tol=1e-9)
    assert n - rank == freedom


def test_all_shipped_mechanisms_are_tested():
    assert {Path(item.name).stem for item in resource("mechanisms").iterdir()} == set(SHIPPED)


@pytest.mark.parametrize("angle_deg", [20.0, 90.0, 120.0, 200.0, 340.0])
def test_the_shipped_bennett_linkage_stays_closed_all_the_way_round(angle_deg):
    """Oracle: tan(θ1/2) tan(θ2/2) = sin((β+α)/2) / sin((β−α)/2), bars placed one after another around the loop."""
    system = load_system(resource("mechanisms", "bennett.toml"))
    theta = np.deg2rad(angle_deg)
    theta2 = 2.0 * np.arctan(np.sin(np.pi / 3) / np.sin(np.pi / 6) / np.tan(theta / 2))
    p_WB, R_WB = np.zeros(3), np.eye(3)  # the fixed bar
    q = []
    steps = zip((0.6, 0.3, 0.6), np.deg2rad([90, 30, 90]), (theta, theta2, -theta), system.bodies, strict=True)
    for length, twist, turn, body in steps:
        p_WB = p_WB + R_WB @ (length, 0.0, 0.0)
        R_WB = R_WB @ rotation_about((1, 0, 0), twist) @ rotation_about((0, 0, 1), turn)
        q.append(body.coordinates(p_WB, R_WB))
    residual = system.residual(np.concatenate(q), system.drive({"input angle": -theta}))
    assert np.abs(residual).max() < 1e-14


# ---------------------------------------------------------------------- round trip


def many_joints() -> System:
    """Odd names, and fields of joints both given and left to the reference poses."""
    rng = np.random.default_rng(4)
    bodies = [
        Body(
            f"b{k}",
            points={"P": rng.normal(size=3), "a point": rng.normal(size=3)},
            vectors={"u": rng.normal(size=3)},
            basis=[("origin", "x", "y", "z"), ("P", "a point", "x", "y")][k % 2],
            mass=2.0,
            centre_of_mass=rng.normal(size=3),
            inertia=[[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 2.5]],
            position=rng.normal(size=3),
            attitude=rotation_about(rng.normal(size=3), 1.0 + k),
        )
        for k in range(9)
    ]
    constraints = [
        Spherical("spherical", "b0.P", "b1.P"),
        Universal("universal", "b1.P", "b2.P", "b1.u", "b2.u", cosine=0.25),
        Universal("at its angle", "b1.P", "b2.P", "b1.u", "b2.u", cosine=None),
        Revolute("revolute", "b2.P", "b3.P", "b2.u", "b3.x"),
        Cylindrical("cylindrical", "b3.P", "b4.P", "b3.u"),
        Prismatic("prismatic", "b4.P", "b5.P", "b4.u"),
        Weld('a "weld"', "b5.P", "b6.P"),
        Distance("distance", "b6.P", "b7.a point"),
        Distance("rod", "b6.P", "b7.P", length=2),
        EllipsoidContact("scapula", "b8.P", "b7.com", (0.1, 0.2, 0.3), rotation_about((1, 2, 3), 0.4)),
        LengthCoordinate("s", "b0.P", "ground.P"),
        CoordinateDriver("drive s", "s"),
        LengthDriver("l", "b0.P", "b8.P"),
        PointDriver("p", "b0.com"),
    ]
    return System(bodies, constraints, name="Größe\n\x7f", ground={"P": (1.0, 2.0, 3.0)}, gravity=(0.0, 0.0, -1.62))


def swinging_bar() -> System:
    return System([planar_bar("bar", 1.0, 1.0)], [AngleCoordinate("swing", "ground.y", "bar.x")])


SYSTEMS = {
    **{name: (lambda name=name: load_system(resource("mechanisms", f"{name}.toml"))) for name in SHIPPED},
    "four_bar": lambda: four_bar(driven=True),
    "pendulum": lambda: pendulum([0.1, -2.0, 3.0], shared=True),
    "slider_crank": slider_crank,
    "many joints": many_joints,
    "swinging bar": swinging_bar,
    **{key: CONSTRAINT_EXAMPLES[key] for key in JOINT_KINDS},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_described_system_reads_back_equal(name):
    system = SYSTEMS[name]()
    again = parse_system(describe_system(system), "again.toml")
    rng = np.random.default_rng(1)
    q = system.reference + 0.1 * rng.normal(size=system.n)
    drives = [s.drive(dict.fromkeys(s.drivers, 0.3)) if s.drivers else None for s in (system, again)]
    assert (again.name, again.drivers) == (system.name, system.drivers)
    assert [(row.type, row.owner) for row in again.rows] == [(row.type, row.owner) for row in system.rows]
    np.testing.assert_array_equal(again.gravity, system.gravity)
    # every digit is written; only unit vectors are normalised a second time, which costs an ulp or two
    exactly = {"rtol": 1e-14, "atol": 1e-14}
    np.testing.assert_allclose(again.reference, system.reference, **exactly)
    np.testing.assert_allclose(again.residual(q, drives[1]), system.residual(q, drives[0]), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(again.mass_matrix.toarray(), system.mass_matrix.toarray(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(again.gravity_force, system.gravity_force, **exactly)


def test_every_type_of_joint_driver_and_coordinate_takes_part_in_the_round_trip():
    kinds = {type(item) for name in SYSTEMS for item in SYSTEMS[name]().constraints}
    assert kinds >= {*JOINTS.values(), *DRIVERS.values(), *COORDINATES.values()}


def test_a_planar_angle_is_written_as_an_angle():
    assert "angle_deg = 90.0" in describe_system(load_system(resource("mechanisms", "four-bar.toml")))


def test_a_constraint_of_ones_own_cannot_be_written():
    class Glue(Weld):
        pass

    bodies = [Body(name, {"P": np.zeros(2)}, ("P", "x")) for name in ("a", "b")]
    with pytest.raises(DescriptionError, match="stuck: a Glue cannot be written to a mechanism file"):
        describe_system(System(bodies, [Glue("stuck", "a.P", "b.P")]))


def test_attitude_by_axis_and_angle_is_the_rotation():
    body = "[[body]]\nname = 'a'\nbasis = ['origin', 'x', 'y', 'z']\nturn = { axis = [0, 0, 2], angle_deg = 90 }"
    np.testing.assert_allclose(parse_system(body, "s").reference[3:6], [0.0, 1.0, 0.0], atol=1e-15)


def test_six_numbers_and_nine_give_the_same_inertia():
    body = "[[body]]\nname = 'a'\nbasis = ['origin', 'x', 'y', 'z']\ninertia = "
    six = parse_system(body + "[2.0, 3.0, 2.5, 0.1, 0.2, 0.3]", "s")
    nine = parse_system(body + "[[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 2.5]]", "s")
    np.testing.assert_array_equal(six.mass_matrix.toarray(), nine.mass_matrix.toarray())


def test_without_gravity_and_dimension_the_system_is_spatial_and_falls_along_minus_y():
    system = parse_system("[[body]]\nname = 'a'\nbasis = ['origin', 'x', 'y', 'z']\nmass = 2", "s")
    np.testing.assert_array_equal(system.gravity, [0.0, -9.81, 0.0])
    assert system.name == "system"


# ---------------------------------------------------------------------- sentences

FOUR_BAR = text_of("four-bar")
BENNETT = text_of("bennett")
DISTANCE = '\n[[joint]]\ntype = "distance"\nname = "rod"\nfirst = "ground.P"\nsecond = "crank.A"\n'


def swap(old: str, new: str, text: str = FOUR_BAR) -> str:
    assert old in text
    return text.replace(old, new, 1)


SENTENCES = {
    "misspelt key": (
        swap("points =", "poins ="),
        'my.toml: Body crank: there is no key "poins"; did you mean "points"? The keys here are name, points, vectors, '
        "basis, mass, centre_of_mass, inertia, position, attitude, turn, angle_deg, shared.",
    ),
    "unknown key of the file": (
        "colour = 1\n" + FOUR_BAR,
        'my.toml: there is no key "colour". The keys here are name, dimension, gravity, ground, directions, '
        "body, joint, driver, coordinate.",
    ),
    "unknown key of a joint": (
        FOUR_BAR + DISTANCE + "lenght = 3.0",
        'my.toml: Joint rod: there is no key "lenght"; did you mean "length"? '
        "The keys here are type, name, first, second, length.",
    ),
    "missing key": (
        swap('basis = ["O", "A"]', ""),
        'my.toml: Body crank: basis is missing. Add a list of texts in quotes, such as basis = ["A", "B"].',
    ),
    "missing name": (
        swap('name = "coupler"', ""),
        'my.toml: Body number 2: name is missing. Add a text in quotes, such as name = "A".',
    ),
    "missing key of a joint": (
        swap('distal = "coupler.A"', ""),
        'my.toml: Joint A: distal is missing. Add a text in quotes, such as distal = "A".',
    ),
    "wrong type": (
        swap("mass = 0.1", 'mass = "light"'),
        'my.toml: Body crank: mass must be a number, such as mass = 1.0, not "light".',
    ),
    "yes is not a number": (
        swap("mass = 0.1", "mass = true"),
        "my.toml: Body crank: mass must be a number, such as mass = 1.0, not true.",
    ),
    "number for a name": (
        swap('proximal = "crank.A"', "proximal = 3"),
        'my.toml: Joint A: proximal must be a text in quotes, such as proximal = "A", not 3.',
    ),
    "number for a table": (
        swap("points = { O = [0.0, 0.0], A = [0.1, 0.0] }", "points = 3"),
        "my.toml: Body crank: points must be one table, such as points = { A = … } or [points], not 3.",
    ),
    "one bracket": (
        "[body]\nname = 'a'",
        "my.toml: body must be a block that starts with [[body]], in double brackets, not a table.",
    ),
    "too many coordinates": (
        swap("A = [0.1, 0.0]", "A = [0.1, 0.0, 0.0]"),
        "my.toml: Body crank: points.A must be 2 numbers, such as A = [0.0, 0.0], not [0.1, 0.0, 0.0] "
        "(this system has dimension = 2).",
    ),
    "planar gravity in space": (
        swap("gravity = [0.0, -9.81, 0.0]", "gravity = [0.0, -9.81]", BENNETT),
        "my.toml: gravity must be 3 numbers, such as gravity = [0.0, 0.0, 0.0], not [0.0, -9.81] "
        "(this system has dimension = 3).",
    ),
    "ground point": (
        swap("P = [0.4, 0.0]", "P = [0.4]"),
        "my.toml: ground.P must be 2 numbers, such as P = [0.0, 0.0], not [0.4] (this system has dimension = 2).",
    ),
    "dimension": (
        swap("dimension = 2", "dimension = 4"),
        "my.toml: dimension must be 2 (planar) or 3 (spatial), not 4.",
    ),
    "inertia of five": (
        swap("inertia = [1.5e-5, 0.0022575, 0.0022575, 0.0, 0.0, 0.0]", "inertia = [1, 1, 1, 0, 0]", BENNETT),
        "my.toml: Body input: inertia must be 3 rows of 3 numbers, such as inertia = [[0.0, 0.0, 0.0], "
        "[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], not [1, 1, 1, 0, …] "
        "(or the six numbers [xx, yy, zz, xy, xz, yz] of the tensor).",
    ),
    "unknown joint type": (
        swap('type = "revolute"', 'type = "revolut"'),
        'my.toml: Joint O: there is no joint of type "revolut"; did you mean "revolute"? '
        f"The types are {', '.join(JOINT_KINDS)}.",
    ),
    "unknown driver type": (
        swap('type = "angle"', 'type = "motor"'),
        'my.toml: Driver crank angle: there is no driver of type "motor". '
        "The types are angle, length, point, coordinate.",
    ),
    "not a number": (
        swap("mass = 0.1", "mass = nan"),
        "my.toml: Body crank: mass holds nan, and every number must be finite and at most 1e+12. "
        "Check it and its unit (m, kg, kg m², degrees).",
    ),
    "infinite": (
        swap("A = [0.1, 0.0]", "A = [0.1, -inf]"),
        "my.toml: Body crank: points.A holds -inf, and every number must be finite and at most 1e+12. "
        "Check it and its unit (m, kg, kg m², degrees).",
    ),
    "nobody": ("", "my.toml: it describes no body. Add at least one block that starts with [[body]]."),
    "dot in a name": (
        swap('name = "crank"', 'name = "crank.1"'),
        'my.toml: Body crank.1: a body name has no dot, because "body.point" is how points are named. Rename it.',
    ),
    "point com": (
        swap("A = [0.1, 0.0]", "com = [0.1, 0.0]"),
        "my.toml: Body crank: the point com is the centre of mass. Give it as centre_of_mass, or rename the point.",
    ),
    "point and vector": (
        swap("far = [0.0, -0.5, 0.8660254037844386]", "P = [0.0, -0.5, 0.8660254037844386]", BENNETT),
        "my.toml: Body input: P is the name of a point and of a vector. Rename one of them.",
    ),
    "two attitudes": (
        swap("angle_deg = 90.0", "angle_deg = 90.0\nattitude = [[1, 0], [0, 1]]"),
        "my.toml: Body crank: attitude and angle_deg both give its attitude. Keep one of them.",
    ),
    "spatial turn in the plane": (
        swap("angle_deg = 90.0", "turn = { axis = [0, 0, 1], angle_deg = 90.0 }"),
        "my.toml: Body crank: turn is for systems of dimension 3. Write angle_deg = 30.0 instead.",
    ),
    "planar angle in space": (
        "[[body]]\nname = 'a'\nbasis = ['origin', 'x', 'y', 'z']\nangle_deg = 30",
        "my.toml: Body a: angle_deg is for systems of dimension 2. Write turn = { axis = …, angle_deg = … } instead.",
    ),
    "turn about nothing": (
        "[[body]]\nname = 'a'\nbasis = ['origin', 'x', 'y', 'z']\nturn = { axis = [0, 0, 0], angle_deg = 30 }",
        "my.toml: Body a: turn.axis has no length, so it has no direction. Give one such as [0.0, 0.0, 1.0].",
    ),
    "reflection": (
        swap("[[0.8, -0.6], [0.6, 0.8]]", "[[0.8, 0.6], [0.6, -0.8]]"),
        "my.toml: Body coupler: its attitude is a reflection (determinant −1), not a rotation. "
        "Reverse one of its columns.",
    ),
    "length in words": (
        FOUR_BAR + DISTANCE + 'length = "long"',
        'my.toml: Joint rod: length must be a number, such as length = 1.0, not "long" '
        '(or "reference", for its value in the reference poses).',
    ),
    "all fixed": (
        "dimension = 2\n[[body]]\nname = 'a'\nbasis = ['origin', 'x']\n"
        "shared = { origin = 'ground.origin', x = 'ground.x' }",
        "my.toml: Nothing can move: every body shares all its points with the ground.",
    ),
    "engine: unknown body": (
        swap('proximal = "crank.A"', 'proximal = "crankk.A"'),
        "my.toml: Joint A: there is no body crankk; the bodies are crank, coupler, rocker.",
    ),
    "engine: numbers": (
        swap("A = [0.1, 0.0]", "A = [1e-9, 0.0]"),
        "my.toml: Body crank: its basis O, A is 1e-09 m long; check the unit, which is metres.",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_mistake_is_told_in_a_sentence(case):
    text, sentence = SENTENCES[case]
    assert refusal(text) == sentence


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('name = "a"\nmass = [1.0\nbasis = 3', "line 3, column 1"),
        ('name = "a"\nmass =', "line 2, column 7"),
        ('name = "a"\nname = "b"', "line 2, column 11"),
    ],
)
def test_text_that_is_not_toml_is_told_with_line_and_column(text, place):
    sentence = refusal(text)
    assert sentence.startswith(f"my.toml: {place} is not TOML (")  # then what tomllib says, in its own words
    assert sentence.endswith("Look there for a missing quote, bracket or comma, or for a key that is given twice.")


@pytest.mark.parametrize(
    ("number", "shown"),
    [("0x" + "F" * 9000, "more than 19 digits"), ("9" * 9000, "too long"), ("[" * 3000, "too deep")],
)
def test_absurd_values_are_told_in_a_sentence_too(number, shown):
    assert shown in refusal(swap("mass = 0.1", f"mass = {number}"))


def test_an_attitude_of_almost_nothing_is_refused_without_a_warning():
    rows = "[0.0, -0.8, -0.5], [1e-320, 0.0, 0.0], [0.0, -0.5, 0.9]"
    text = BENNETT[: BENNETT.index("attitude")] + f"attitude = [{rows}]\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "attitude" in refusal(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DescriptionError, match=r"nothing\.toml: there is no such file\. Check its name and folder\."):
        load_system(tmp_path / "nothing.toml")


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(DescriptionError, match="the file cannot be read"):
        load_system(tmp_path)


def test_a_file_that_is_not_text(tmp_path):
    (tmp_path / "picture.toml").write_bytes(b'name = "\xff\xfe"')
    with pytest.raises(DescriptionError, match=r"picture\.toml: this is not a text file in UTF-8 \(byte 9 is not\)\."):
        load_system(tmp_path / "picture.toml")


def test_a_file_from_a_windows_editor_is_read(tmp_path):
    """Notepad writes a byte order mark and two characters at the end of a line."""
    (tmp_path / "four-bar.toml").write_bytes(b"\xef\xbb\xbf" + FOUR_BAR.replace("\n", "\r\n").encode())
    assert load_system(tmp_path / "four-bar.toml").n == 12


# ---------------------------------------------------------------------- anything at all

JUNK = st.one_of(
    st.none(),  # stands for "delete it"
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from([0.0, -1.0, 1e-300, 1e-12, 1e12, 1e300, 10**400]),
    st.text(max_size=6),
    st.sampled_from(["ground.origin", "crank.A", "crank.x", "input.Q", "output.far", "x", ".", "a.", "reference"]),
    st.just(datetime.date(2024, 2, 29)),
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=16), max_size=4),
    st.lists(st.lists(st.floats(-1, 1), min_size=2, max_size=3), min_size=2, max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(0, 1), max_size=2),
)


def paths(item: object, here: tuple = ()) -> list[tuple]:
    inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    found = [path for key, part in inner for path in paths(part, (*here, key))]
    return [here, *found] if here else found


def changed(content: dict, path: tuple, new: object, action: str) -> None:
    """Change one place of a document: replace or delete the value, repeat it, rename its key, or change its length."""
    for key in path[:-1]:
        content = content[key]
    key = path[-1]
    if action == "repeat" and isinstance(content, list):
        content.append(copy.deepcopy(content[key]))
    elif action == "rename" and isinstance(content, dict):
        content[str(new)[:4]] = content.pop(key)
    elif new is None:
        del content[key]
    else:
        content[key] = new


@st.composite
def damaged_documents(draw) -> str:
    content = document(draw(st.sampled_from(list(SHIPPED))))
    for _ in range(draw(st.integers(1, 3))):
        choices = paths(content)
        if choices:
            path = draw(st.sampled_from(choices))
            changed(content, path, draw(JUNK), draw(st.sampled_from(["replace", "repeat", "rename"])))
    return as_text(content)


def system_or_sentence(text: str) -> System | str:
    """Whatever else comes out is a failure."""
    try:
        return parse_system(text, "my.toml")
    except DescriptionError as error:
        return str(error)


@settings(max_examples=250, deadline=None)
@given(damaged_documents())
def test_a_damaged_description_gives_a_system_or_a_sentence(text):
    found = system_or_sentence(text)
    if isinstance(found, System):
        assert np.isfinite(found.reference).all()
        assert np.isfinite(found.mass_matrix.toarray()).all()
    else:
        assert found.startswith("my.toml: ")
        assert found.endswith(".")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(SHIPPED)), st.integers(0, 3000), st.integers(0, 12), st.text(max_size=4))
def test_a_slip_of_the_keyboard_gives_a_system_or_a_sentence(name, at, removed, typed):
    text = text_of(name)
    found = system_or_sentence(text[:at] + typed + text[at + removed :])
    assert isinstance(found, System) or found.startswith("my.toml: ")


# ---------------------------------------------------------------------- documentation

PAGE = (DOCS / "mechanism-files.md").read_text("utf-8")


def test_the_example_of_the_documentation_is_what_it_says():
    example = PAGE.partition("```toml\n")[2].partition("```")[0]
    system = parse_system(example, "docs/mechanism-files.md")
    drive = system.drive({"swing": np.deg2rad(-30.0)})
    undriven = [r for r, row in enumerate(system.rows) if row.driver is None]
    assert np.abs(system.residual(system.reference, drive)).max() < 1e-14
    rank = np.linalg.matrix_rank(system.jacobian(system.reference, drive)[undriven])
    assert (system.n, len(undriven), system.n - rank) == (9, 8, 1)


@pytest.mark.parametrize("types", [JOINTS, DRIVERS, COORDINATES], ids=["joints", "drivers", "coordinates"])
def test_the_documentation_lists_every_type_with_its_keys(types):
    for kind, class_ in types.items():
        lines = [line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` ")]
        keys = [item.name for item in dataclasses.fields(class_) if item.name != "name"]
        assert any(all(f"`{key}`" in line for key in keys) for line in lines), kind


def test_the_documentation_lists_every_key_of_a_file_and_a_body():
    for key in (*FILE_KEYS, *BODY_KEYS):
        assert re.search(rf"`\[*{key}\]*`", PAGE), key
