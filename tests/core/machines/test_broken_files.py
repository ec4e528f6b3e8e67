"""Machine files that are broken in every way that anybody has thought of: a sentence, its line, never a traceback."""

import re

import pytest

from biomec.base.errors import DescriptionError
from biomec.cli import main
from biomec.machines.machine import machine_text, parse_machine
from biomec.machines.motion import along_laws

GOOD = machine_text("four-bar")
LONG = "y" * 5000
NINES = f"mass = {'9' * 400}"


def changed(old, new):
    assert GOOD.count(old) >= 1
    return GOOD.replace(old, new, 1)


BROKEN = {  # what was done -> text, what is said, the line that is named (None: none can be)
    "nothing at all": ("", "it describes no body. Add at least one block that starts with [[body]]", None),
    "only blanks": (" \n\n\t\n", "it describes no body", None),
    "only a remark": ("# to do\n", "it describes no body", None),
    "not TOML": ("this is not a machine", "is not TOML", None),
    "binary": ("\x00\x01\x02", "is not TOML", None),
    "an open quote": (changed('name = "crank"', 'name = "crank'), "is not TOML", 'name = "crank'),
    "an open bracket": (changed('basis = ["A", "B"]', 'basis = ["A", "B"'), "is not TOML", None),
    "a key twice": (changed('mass = "=m1"', 'mass = "=m1"\nmass = 3.0'), "given twice", "mass = 3.0"),
    "an unknown key": (changed("mass =", "wieght ="), 'there is no key "wieght"', 'wieght = "=m1"'),
    "a key misspelt": (changed("centre_of_mass =", "centre_of_mas ="), 'did you mean "centre_of_mass"?',
                       'centre_of_mas = ["=L1/2", 0.0]'),
    "no bodies": (re.sub(r"(?s)\[\[body\]\].*?\n\n", "", GOOD), "it describes no body", None),
    "a word for a number": (changed('mass = "=m1"', 'mass = "heavy"'), 'mass must be a number', 'mass = "heavy"'),
    "a unit in the number": (changed('mass = "=m1"', 'mass = "6.59 kg"'), "mass must be a number", 'mass = "6.59 kg"'),
    "a wrong unit": (changed("A = [0.2, 0.2]", "A = [2e13, 0.2]"), "Check it and its unit", "A = [2e13, 0.2]"),
    "not a number": (changed('mass = "=m1"', "mass = nan"), "every number must be finite", "mass = nan"),
    "without end": (changed("duration = 1.0", "duration = inf"), "every number must be finite", "duration = inf"),
    "a huge number": (changed('mass = "=m1"', "mass = 1e300"), "at most 1e+12", "mass = 1e300"),
    "a huge whole number": (changed('mass = "=m1"', NINES), "more than 19 digits", NINES),
    "no duration": (changed("duration = 1.0", "duration = 0"), "duration must be more than 0 s", "duration = 0"),
    "a mass below zero": (changed('mass = "=m1"', "mass = -1.0"), "it must be zero or more", "mass = -1.0"),
    "no length": (changed('B = ["=L1", 0.0] }', "B = [0.0, 0.0] }"), "basis", 'basis = ["A", "B"]'),
    "an unknown parameter": (changed('mass = "=m1"', 'mass = "=m9"'), "there is no parameter m9", 'mass = "=m9"'),
    "no expression": (changed('mass = "=m1"', 'mass = "=m1*("'), "is not an expression", 'mass = "=m1*("'),
    "divided by zero": (changed('mass = "=m1"', 'mass = "=m1/0"'), "has no value", 'mass = "=m1/0"'),
    "code": (changed('mass = "=m1"', 'mass = "=__import__(1)"'), "cannot be computed", 'mass = "=__import__(1)"'),
    "a tower of powers": (changed('mass = "=m1"', 'mass = "=9**9**9"'), "too large", 'mass = "=9**9**9"'),
    "a parameter of itself": (changed("L1 = { value = 0.5,", 'L1 = { value = "=L1",'), "value must be a number", None),
    "a body that is not there": (changed('proximal = "crank.B"', 'proximal = "nobody.B"'),
                                 "there is no body nobody; the bodies are crank, coupler, follower",
                                 'proximal = "nobody.B"'),
    "a point that is not there": (changed('distal = "coupler.B"', 'distal = "coupler.Q"'), "coupler has no Q",
                                  'distal = "coupler.Q"'),
    "a motor of nobody": (changed('distal = "crank"', 'distal = "krank"'), 'did you mean "crank"?', 'distal = "krank"'),
    "a joint to itself": (changed('distal = "coupler.B"', 'distal = "crank.B"'), "two points of the same body", None),
    "two bodies of one name": (changed('name = "coupler"', 'name = "crank"'), "crank", None),
    "a law of no driver": (changed('driver = "crank angle"', 'driver = "曲柄 é"'), "there is no driver 曲柄 é", None),
    "a type that is not there": (changed('type = "revolute"', 'type = "hinge"'), "there is no joint of type", None),
    "a very long name": (changed('distal = "crank.A"', f'distal = "{LONG}"'), "…", f'distal = "{LONG}"'),
    "three dimensions": (changed("dimension = 2", "dimension = 3"), "dimension = 3", None),
    "seven dimensions": (changed("dimension = 2", "dimension = 7"), "dimension must be 2", None),
    "a table for a list": (changed("[[body]]\nname = \"crank\"", "[body]\nname = \"crank\""), "TOML", None),
    "hundreds of brackets": (f"a = {'[' * 3000}", "too deep", None),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_told_in_a_sentence_with_its_line(what):
    text, said, line = BROKEN[what]
    with pytest.raises(DescriptionError) as found:
        parse_machine(text, "mine.toml", with_lines=True)
    sentence = str(found.value)
    assert sentence.startswith("mine.toml")
    assert said in sentence
    assert len(sentence) < 700
    if line is not None:
        number = re.search(r"\bline (\d+)\b", sentence)
        assert number is not None, sentence
        assert text.splitlines()[int(number[1]) - 1] == line


@pytest.mark.parametrize("what", BROKEN)
def test_the_command_tells_the_same_in_one_line(what, tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text(BROKEN[what][0], "utf-8")
    assert main(["mechanism", str(file)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1
    assert BROKEN[what][1] in said.err
    assert "Traceback" not in said.err


def test_the_name_of_a_file_is_told_whole():
    source = f"/{'folder' * 30}/mine.toml"
    with pytest.raises(DescriptionError) as found:
        parse_machine(BROKEN["a very long name"][0], source)
    assert str(found.value).startswith(f"{source}: Joint A: ")
    assert len(str(found.value)) < 400


def test_a_file_that_is_no_text_or_a_folder_is_told(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe\x00\x80")
    assert main(["mechanism", str(file)]) == 1
    assert "cannot be read as text" in capsys.readouterr().err
    (tmp_path / "folder.toml").mkdir()
    assert main(["mechanism", str(tmp_path / "folder.toml")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_a_text_of_a_hundred_thousand_remarks_is_read():
    machine = parse_machine(GOOD + "# nothing to see\n" * 100_000, "mine.toml", with_lines=True)
    assert machine.name == "four-bar"


@pytest.mark.parametrize("fault", ["duration = 1e11", "duration = 1e6"])
def test_a_motion_of_countless_turns_is_drawn_as_far_as_it_can_be_seen(fault):
    """It was followed through 1e11 turns, for minutes, while the drawing waited."""
    motion = along_laws(parse_machine(changed("duration = 1.0", fault), "mine.toml"))
    assert motion.fault == "Its laws turn it so fast that only the first 15 s are drawn."  # 60 steps of a quarter turn
    assert len(motion.time_s) == 61
    assert motion.time_s[-1] == pytest.approx(15.0)
