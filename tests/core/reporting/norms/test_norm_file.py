"""Our own format, and the sets that come with Biomec against the figures of their sources."""

import csv

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.reporting.clinical_presentation import BY_NAME, NINE
from biomec.reporting.norms.norm import dimensionless_speed, own_band
from biomec.reporting.norms.norm_file import (
    norms_in,
    parse_about,
    read_norm_set,
    shipped_norm,
    shipped_norms,
    write_norm_set,
)
from tests.real_data import recording

CHILDREN, ADULTS, SPEED = "children-dixon2017", "adults-fukuchi2018", "walking-speed-vancriekinge2023"


def test_three_sets_come_with_biomec():
    assert shipped_norms() == (ADULTS, CHILDREN, SPEED)
    for name in shipped_norms():
        about = shipped_norm(name).about
        assert about.citation
        assert about.licence
        assert about.source


@pytest.mark.parametrize(("name", "count", "limbs"), [(CHILDREN, 21, 24), (ADULTS, 9, 84)])
def test_curves_are_those_of_the_clinical_presentation(name, count, limbs):
    norm = shipped_norm(name)
    assert len(norm.curves) == count
    assert set(NINE) <= set(norm.curves)
    for curve in norm.curves.values():
        row = BY_NAME[curve.name]
        assert (curve.unit, curve.positive, curve.negative) == (row.unit, row.positive, row.negative)
        assert curve.limbs == limbs


def test_figures_of_the_specification():
    """Peak knee flexion in swing 60.4 ± 4.1° at 71 %, A2 4.30 ± 0.76 W/kg; adults 61.1 ± 3.8° at 71.7 %."""
    for name, peak, sd, percent in ((CHILDREN, 60.4, 4.1, 71.0), (ADULTS, 61.1, 3.8, 71.7)):
        norm = shipped_norm(name)
        values = {one.name: one for one in norm.discrete}
        swing = values["knee flexion, peak in swing"]
        assert (round(swing.mean, 1), round(swing.sd, 1)) == (peak, sd)
        knee = norm.curves["knee flexion"].mean
        assert abs(int(knee.argmax()) - percent) <= 1.0  # the peak of the mean is near the mean of the peaks
        assert peak - 2.0 < knee.max() <= peak  # and lower, because peaks come at different times
    children = shipped_norm(CHILDREN)
    a2 = next(one for one in children.discrete if one.name == "ankle power A2")
    assert (round(a2.mean, 2), round(a2.sd, 2)) == (4.30, 0.76)
    assert {one.name: round(one.mean, 2) for one in children.parameters}["foot off"] == 58.46


def test_moments_are_internal_and_power_is_generated():
    children = shipped_norm(CHILDREN).curves
    assert children["ankle plantarflexor moment"].mean.max() == pytest.approx(1.34, abs=0.05)
    assert 45 < children["ankle plantarflexor moment"].mean.argmax() < 52
    assert children["hip extensor moment"].mean[:15].max() > 0.5
    assert children["hip abductor moment"].mean[10:50].min() > 0.0
    assert children["ankle power"].mean.max() > 3.0


def test_curves_with_cross_talk_are_not_offered_as_a_band():
    children = shipped_norm(CHILDREN)
    assert children.band("knee adduction") is None
    assert children.band("knee rotation") is None
    assert children.band("knee flexion") is children.curves["knee flexion"]
    low, high = children.curves["knee flexion"].band()
    assert high - low == pytest.approx(2.0 * children.curves["knee flexion"].sd)


@pytest.mark.parametrize(
    ("name", "folder"), [(CHILDREN, "biomechzoo_children_2017"), (ADULTS, "fukuchi2018_adults_overground")]
)
def test_shipped_numbers_are_those_of_the_source(name, folder):
    with recording("norms", folder, "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    norm = shipped_norm(name)
    assert len(rows) == 101 * len(norm.curves)
    for row in rows:
        curve, k = norm.curves[row["curve"]], int(row["percent"])
        assert curve.mean[k] == pytest.approx(float(row["mean"]), abs=6e-4)  # written with three digits
        assert curve.sd[k] == pytest.approx(float(row["sd"]), abs=6e-4)


def test_speed_without_dimension():
    """v / √(g l): the children's mean speed and leg give their mean dimensionless speed within a rounding of 2 %."""
    children = {one.name: one.mean for one in shipped_norm(CHILDREN).parameters}
    found = dimensionless_speed(children["speed"], children["leg length"])
    assert found == pytest.approx(1.2988 / np.sqrt(9.81 * 0.7775))
    assert found == pytest.approx(children["speed without dimension"], rel=0.02)
    # the adults' is an estimate by 0.53 of the height; the measured one of others of their age is 0.408 ± 0.059
    estimate = dimensionless_speed(1.2494, 0.53 * 1.6712)
    assert shipped_norm(ADULTS).about.speed_dimensionless[0] == pytest.approx(estimate, abs=5e-4)
    with pytest.raises(BiomecError, match="no common measure"):
        dimensionless_speed(1.0, 0.0)


@pytest.mark.parametrize("name", [CHILDREN, ADULTS, SPEED])
def test_a_set_is_written_and_read_again(tmp_path, name):
    norm = shipped_norm(name)
    write_norm_set(norm, tmp_path / name)
    again = read_norm_set(tmp_path / name)
    assert again.about == norm.about
    assert (again.parameters, again.discrete, again.speeds) == (norm.parameters, norm.discrete, norm.speeds)
    for key, curve in norm.curves.items():
        assert again.curves[key].mean == pytest.approx(curve.mean, abs=1e-4)
        assert (again.curves[key].unit, again.curves[key].limbs) == (curve.unit, curve.limbs)
    assert [one.name for one in norms_in(tmp_path)] == [name]
    write_norm_set(shipped_norm(SPEED), tmp_path / name)  # anew: nothing of the old one stays
    assert not read_norm_set(tmp_path / name).curves


def test_a_folder_with_other_files_is_not_written_to(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(FileError, match=r"holds other files \(letter.txt\)"):
        write_norm_set(shipped_norm(SPEED), tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["letter.txt"]


HEAD = "curve,unit,positive,negative,percent,mean,sd,limbs,subjects\n"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("curve,unit\n", "missing: positive, negative"),
        (HEAD + "a,deg,x,y,0,1,2,1,1\n", "from 0 to 100 per cent"),
        (HEAD + "a,deg,x,y,0,much,2,1,1\n", "'much' in the column mean is not a number"),
        (HEAD + "".join(f"a,deg,x,y,{k},1,-2,1,1\n" for k in range(101)), "negative"),
        (HEAD + "".join(f"a,deg,x,y,{k},1,2,0.5,1\n" for k in range(101)), "not a number of people"),
        (HEAD + "".join(f"a,deg,x,y,{k},1e9,2,1,1\n" for k in range(101)), "beyond"),
        (HEAD + "a,deg\n", "ends before the column"),
    ],
)
def test_faults_of_a_table_are_sentences(tmp_path, table, said):
    (tmp_path / "set.toml").write_text('title = "a"\n')
    (tmp_path / "curves.csv").write_text(table)
    with pytest.raises(FileError, match=said):
        read_norm_set(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "title is missing"),
        ('title = "a"\nsubjects = 0', "whole number of people"),
        ('title = "a"\nages = [9, 3]', "youngest and the oldest"),
        ('title = "a"\nspeed = [1, 0.1]', 'no key "speed"; did you mean "speed_m_s"'),
    ],
)
def test_faults_of_a_description_are_sentences(text, said):
    with pytest.raises(FileError, match=said):
        parse_about(text, "set.toml")


def test_names_that_are_not_there_are_told(tmp_path):
    with pytest.raises(BiomecError, match=f'did you mean "{CHILDREN}"'):
        shipped_norm("children-dixon2016")
    with pytest.raises(FileError, match=r"there is no set.toml"):
        read_norm_set(tmp_path)


def test_a_band_turns_with_the_sign_of_our_own_angle():
    """Biomec counts abduction; the mean is reversed and the SD is not. A doubtful curve gives no band."""
    children = shipped_norm(CHILDREN)
    adduction = children.curves["hip adduction"]
    mean, sd = own_band(children, "hip", "abduction", "adduction")
    assert mean == pytest.approx(-adduction.mean)
    assert sd == pytest.approx(adduction.sd)
    assert own_band(children, "hip", "adduction", "abduction")[0] == pytest.approx(adduction.mean)
    assert own_band(children, "knee", "abduction", "adduction") is None
    assert own_band(children, "elbow", "flexion", "extension") is None
    assert own_band(children, "pelvis in the laboratory", "anterior tilt", "posterior tilt") is None
