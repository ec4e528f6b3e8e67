"""Machine files: parameters, expressions, motors, springs, laws, presets."""

import numpy as np
import pytest

from biomec.base.errors import DescriptionError
from biomec.machines.laws import Polynomial, Sine, fitted
from biomec.machines.machine import load_machine, machine_names, machine_text, parse_machine

BAR = """
name = "bar"
dimension = 2
[parameters]
L = { value = 2.0, unit = "m", minimum = 0.1, maximum = 3.0 }
m = 6.0
[[body]]
name = "rod"
points = { O = [0.0, 0.0], P = ["=L", 0.0] }
basis = ["O", "P"]
mass = "=m"
centre_of_mass = ["=L/2", 0.0]
inertia = "=m*L**2/12"
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "rod.O"
"""
DRIVEN = BAR + '[[driver]]\ntype = "angle"\nname = "turn"\nstart = "ground.x"\nend = "rod.x"\n'


def refused(text):
    with pytest.raises(DescriptionError) as found:
        parse_machine(text, "mine.toml")
    return str(found.value)


def test_expressions_become_numbers_and_follow_their_parameters():
    machine = parse_machine(BAR, "mine.toml")
    (rod,) = machine.system.bodies
    assert rod.inertia_matrix[0, 0] == pytest.approx(2.0)
    longer = machine.with_values({"L": 3.0})
    assert longer.system.bodies[0].inertia_matrix[0, 0] == pytest.approx(4.5)
    assert longer.with_values({"m": 12.0}).values == {"L": 3.0, "m": 12.0}
    assert machine.values["L"] == 2.0


def test_every_machine_that_comes_along_can_be_built():
    assert {"four-bar", "slider-crank", "bennett"} <= set(machine_names())
    for name in machine_names():
        machine = load_machine(name)
        assert machine.title
        assert not machine.free_system.drivers


def test_a_machine_in_a_file(tmp_path):
    (tmp_path / "mine.toml").write_text(BAR)
    assert load_machine(tmp_path / "mine.toml", {"m": 1.0}).values["m"] == 1.0
    with pytest.raises(DescriptionError, match="no such file"):
        load_machine(tmp_path / "yours.toml")
    with pytest.raises(DescriptionError, match='did you mean "four-bar"'):
        machine_text("fourbar")


@pytest.mark.parametrize(
    ("addition", "said"),
    [
        ("[[motor]]\nname = 'A'\nproximal = 'ground'\ndistal = 'rdo'\n", 'did you mean "rod"'),
        ("[[motor]]\nname = 'A'\nproximal = 'ground'\n", "distal is missing"),
        ("[[spring]]\nname = 's'\nfirst = 'rod.P'\nsecond = 'ground.X'\n", "ground"),
        ("[[spring]]\nname = 's'\nfirst = 'rod.P'\nsecond = 'ground.origin'\nstifness = 3\n", "stiffness"),
        ("[[law]]\ndriver = 'turn'\ntype = 'sine'\namplitude = 1.0\nfrequency_Hz = 1.0\n", "there is no driver turn"),
        ("[start]\nangles_deg = { rodd = 3.0 }\n", 'did you mean "rod"'),
        ("[[preset]]\nname = 'p'\nvalues = { M = 2.0 }\n", "there is no parameter M"),
        ("[[tie]]\nname = 't'\nfirst = 'rod.P'\nsecond = 'ground.origin'\nstiffness = '=k'\n", "no parameter k"),
        ("[whatever]\n", "there is no key"),
    ],
)
def test_what_does_not_fit_is_named(addition, said):
    assert said in refused(BAR + addition)


def test_values_out_of_range_or_unknown_are_refused():
    machine = parse_machine(BAR, "mine.toml")
    with pytest.raises(DescriptionError, match="out of its range"):
        machine.with_values({"L": 5.0})
    with pytest.raises(DescriptionError, match="no parameter l"):
        machine.with_values({"l": 5.0})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["L", "m"])
def test_a_value_that_is_no_finite_number_is_refused(name, value):
    with pytest.raises(DescriptionError, match=f"^mine.toml: {name} must be a finite number, not"):
        parse_machine(BAR, "mine.toml", {name: value})


def test_a_range_is_told_with_the_unit_if_there_is_one():
    text = BAR.replace("m = 6.0", "m = { value = 6.0, maximum = 7.0 }")
    with pytest.raises(DescriptionError, match="m = 8 is out of its range"):
        parse_machine(text, "mine.toml", {"m": 8.0})
    with pytest.raises(DescriptionError, match="L = 5 m is out of its range"):
        parse_machine(text, "mine.toml", {"L": 5.0})


@pytest.mark.parametrize(
    ("words", "law"),
    [
        ("type = 'constant rate'\nstart = 90.0\nrate = 180.0", Polynomial((np.pi / 2, np.pi))),
        ("type = 'polynomial'\nunit = 'rad'\ncoefficients = [1.0, 2.0]\noffset = 3.0", Polynomial((4.0, 2.0))),
        ("type = 'sine'\namplitude = 180.0\nfrequency_Hz = 2.0\nphase_deg = 90.0", Sine(0.0, np.pi, 2.0, np.pi / 2)),
    ],
)
def test_laws(words, law):
    (found,) = parse_machine(f"{DRIVEN}[[law]]\ndriver = 'turn'\n{words}\n", "mine.toml").prescriptions
    t = np.linspace(0.0, 1.0, 7)
    assert not found.kept
    np.testing.assert_allclose(found.law.value(t), law.value(t), atol=1e-14)
    h = 1e-5  # central differences: truncation h² f‴ / 6 < 1e-7, round-off 1e-16 / h
    np.testing.assert_allclose((law.value(t + h) - law.value(t - h)) / (2 * h), law.rate(t), atol=1e-5)
    np.testing.assert_allclose((law.rate(t + h) - law.rate(t - h)) / (2 * h), law.acceleration(t), atol=1e-5)


RAM = """
name = "ram"
dimension = 2
[[body]]
name = "ram"
points = { C = [0.0, 0.0] }
basis = ["C", "x"]
mass = 2.0
inertia = 0.01
position = [0.3, 0.0]
[[coordinate]]
type = "length"
name = "way"
first = "ground.origin"
second = "ram.C"
[[coordinate]]
type = "angle"
name = "lean"
start = "ground.x"
end = "ram.x"
"""
KINDS = {
    "length": ("type = 'length'\nfirst = 'ground.origin'\nsecond = 'ram.C'\n", "d", 1.0),
    "point": ("type = 'point'\npoint = 'ram.C'\n", "d.y", 1.0),
    "length coordinate": ("type = 'coordinate'\ncoordinate = 'way'\n", "d", 1.0),
    "angle": ("type = 'angle'\nstart = 'ground.x'\nend = 'ram.x'\n", "d", np.pi / 180.0),
    "angle coordinate": ("type = 'coordinate'\ncoordinate = 'lean'\n", "d", np.pi / 180.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_unit_of_a_law_follows_the_kind_of_its_driver(kind):
    words, driver, unit = KINDS[kind]
    text = f"{RAM}[[driver]]\nname = 'd'\n{words}[[law]]\ndriver = '{driver}'\ntype = 'polynomial'\n"
    text += "coefficients = [0.3, 0.1]\n"

    def value(text):
        (found,) = parse_machine(text, "mine.toml").prescriptions
        return float(found.law.value(1.0))

    own, others = ("m", ("deg", "rad")) if unit == 1.0 else ("deg", ("m",))
    assert value(text) == pytest.approx(0.4 * unit, rel=1e-14)
    assert value(f"{text}unit = '{own}'\n") == value(text)
    for other in others:
        said = refused(f"{text}unit = '{other}'\n")
        assert said.startswith("mine.toml: Law number 1: its driver is a")
        assert f'"{own}"' in said
        assert f'not "{other}"' in said


@pytest.mark.parametrize(
    "words",
    [
        "type = 'samples'\ntime_s = ['a', 1.0]\nvalues = [0.0, 1.0]",
        "type = 'samples'\ntime_s = [0.0, 1.0]\nvalues = [0.0, 1.0]",
        "type = 'samples'\ntime_s = [0.0, 1.0]\nvalues = [0.0, 1.0]\ndegree = -1",
        "type = 'samples'\ntime_s = [0.0, 1.0]\nvalues = [0.0, 1.0]\ndegree = 0.5",
        "type = 'polynomial'\ncoefficients = []",
    ],
)
def test_a_law_that_cannot_be_read_names_the_file_once(words):
    said = refused(f"{DRIVEN}[[law]]\ndriver = 'turn'\n{words}\n")
    assert said.startswith("mine.toml: Law number 1: ")
    assert said.count("mine.toml") == 1


@pytest.mark.parametrize(
    ("addition", "place"),
    [
        ("[[motor]]\nname = 'A'\nproximal = 'ground'\ndistal = 'rdo'\n", "Motor A"),
        ("[[hinge]]\nname = 'h'\nproximal = 'rdo'\ndistal = 'rod'\n", "Hinge h"),
        ("[start]\nrates_deg_s = { rdo = 3.0 }\n", "start.rates_deg_s"),
    ],
)
def test_a_body_that_is_not_there_is_told_with_the_file(addition, place):
    said = refused(BAR + addition)
    assert said == f'mine.toml: {place}: there is no body rdo; did you mean "rod"? The bodies are rod.'


@pytest.mark.parametrize("seconds", ["0.0", "-1.0", "'=m - 6'"])
def test_a_duration_that_is_not_positive_is_refused(seconds):
    said = refused(f"duration = {seconds}\n{BAR}")
    assert said.startswith("mine.toml: duration must be more than 0 s")


def test_samples_are_fitted_and_a_polynomial_comes_back():
    t = np.linspace(0.0, 0.36, 20)
    true = Polynomial((-0.0034, 3.5631, 10.5845, -98.5942, 144.6166))
    np.testing.assert_allclose(fitted(t.tolist(), true.value(t).tolist()).coefficients, true.coefficients, rtol=1e-8)
    with pytest.raises(DescriptionError, match="more than 4 samples"):
        fitted([0.0, 1.0], [0.0, 1.0])


def test_a_preset_changes_values_and_names_its_analysis():
    text = BAR + "[[preset]]\nname = 'short'\nvalues = { L = 0.5 }\nanalysis = 'forward'\noptions = { step_s = 1e-3 }\n"
    machine, preset = parse_machine(text, "mine.toml").with_preset("short")
    assert machine.values["L"] == 0.5
    assert (preset.title, preset.analysis, preset.options) == ("short", "forward", {"step_s": 1e-3})
    with pytest.raises(DescriptionError, match="no preset long"):
        machine.with_preset("long")


def test_somebody_who_edits_a_file_is_told_the_line():
    text = machine_text("four-bar")
    wrong = {
        'mass = "=m2"': ('mass = "=m7"', "there is no parameter m7"),
        "angle_deg = 16.65": ("angel_deg = 16.65", "angel_deg"),
        "L2 = {": ("2L = {", "2L"),
    }
    for right, (slip, word) in wrong.items():
        changed = text.replace(right, slip, 1)
        with pytest.raises(DescriptionError) as fault:
            parse_machine(changed, "mine.toml", with_lines=True)
        assert word in str(fault.value)
        line = next(k for k, one in enumerate(changed.splitlines(), 1) if slip.strip() in one)
        assert f"line {line}" in str(fault.value), str(fault.value)
