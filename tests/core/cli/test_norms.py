"""`biomec norms`: list, convert, make."""

from biomec.cli import main
from biomec.reporting.norms.norm_file import read_norm_set, shipped_norm, write_norm_set
from tests.core.reporting.norms.examples import MAPPING, TABLE, gcd
from tests.real_data import recording


def test_sets_are_listed_with_people_and_licence(tmp_path, capsys):
    assert main(["norms"]) == 0
    said = capsys.readouterr().out
    assert "children-dixon2017: Children, level walking, Plug-in Gait" in said
    assert "n = 42, 21 to 84 years, 1.25 ± 0.16 m/s" in said
    assert "licence: MIT" in said
    write_norm_set(shipped_norm("adults-fukuchi2018"), tmp_path / "mine")
    assert main(["norms", "list", "--folder", str(tmp_path)]) == 0
    assert "mine: Adults" in capsys.readouterr().out


def test_a_file_is_converted_once(tmp_path, capsys):
    (tmp_path / "normal.gcd").write_text(gcd())
    asked = ["norms", "convert", str(tmp_path / "normal.gcd"), str(tmp_path / "out")]
    assert main(asked) == 0
    assert set(read_norm_set(tmp_path / "out" / "normal").curves) >= {"knee flexion", "hip extensor moment"}
    assert "Mystery" in capsys.readouterr().err
    assert main(asked) == 1
    assert "was not overwritten" in capsys.readouterr().err
    assert main([*asked, "--force"]) == 0


def test_a_table_needs_its_mapping(tmp_path, capsys):
    (tmp_path / "ours.csv").write_text(TABLE)
    (tmp_path / "map.toml").write_text(MAPPING)
    asked = ["norms", "convert", str(tmp_path / "ours.csv"), str(tmp_path / "out")]
    assert main(asked) == 1
    assert "say in a mapping which columns" in capsys.readouterr().err
    assert main([*asked, "--mapping", str(tmp_path / "map.toml")]) == 0


def test_one_person_does_not_make_a_norm(tmp_path, capsys):
    walk = str(recording("gait_pig_pair", "HC030A05.c3d"))
    assert main(["norms", "make", str(tmp_path / "ours"), walk, "--source", "stored"]) == 1
    assert "needs 5 people at least; there are 1" in capsys.readouterr().err
    assert not (tmp_path / "ours").exists()
