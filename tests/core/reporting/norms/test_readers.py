"""Norms of other programs against the figures that were put into them, and what is said about faults."""

import io
import json
import zipfile

import numpy as np
import openpyxl
import pytest

from biomec.base.errors import FileError
from biomec.reporting.norms.mapped_csv import (
    MappedCurve,
    NormMapping,
    fitting,
    mapping_text,
    parse_mapping,
    read_mapping,
    write_mapping,
)
from biomec.reporting.norms.readers import read_norms
from tests.core.reporting.norms.examples import HIP, KNEE, MAPPING, TABLE, XLS, gcd, polygon, pycgm2


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_gcd_with_its_traps(tmp_path):
    """Names misspelt, cadence in strides a second, lengths in millimetres, FootRotation that is the ankle's."""
    (norm,) = read_norms(written(tmp_path, "normal.gcd", gcd()))
    knee = norm.curves["knee flexion"]
    assert knee.mean[::2] == pytest.approx(KNEE, abs=1e-4)
    assert knee.sd == pytest.approx(5.0)
    assert knee.mean[1] == pytest.approx((KNEE[0] + KNEE[1]) / 2, abs=1e-4)  # 51 values become 101
    assert norm.curves["hip extensor moment"].unit == "N·m/kg"
    assert "foot progression" not in norm.curves
    assert norm.curves["ankle rotation"].mean == pytest.approx(1.5)
    values = {one.name: (round(one.mean, 4), one.unit) for one in norm.parameters}
    assert values == {
        "step length": (0.6014, "m"), "cadence": (102.12, "steps/min"), "foot off": (60.1, "% cycle"),
    }  # fmt: skip
    assert "Mystery" in norm.notices[0].sentence


def test_both_sides_of_a_gcd_are_pooled(tmp_path):
    """Two sides with means m ± d and the same SD s have s² + d² together."""
    sides = [f"!{side}KneeFlexExt 51\n" + "".join(f"{mean + shift} 3\n" for mean in KNEE)
             for side, shift in (("Left", -4.0), ("Right", 4.0))]  # fmt: skip
    (norm,) = read_norms(written(tmp_path, "two.gcd", "#!DST-0.1 GCD\n" + "".join(sides)))
    assert norm.curves["knee flexion"].mean[::2] == pytest.approx(KNEE)
    assert norm.curves["knee flexion"].sd == pytest.approx(5.0)


def test_pycgm2_has_one_sd_and_millimetres(tmp_path):
    free, slow = read_norms(written(tmp_path, "CGM23.json", pycgm2()))
    assert (free.name, slow.name) == ("cgm23-free", "cgm23-slow")
    assert free.about.model == "CGM23"
    assert free.curves["knee flexion"].mean[::2] == pytest.approx(KNEE)
    assert free.curves["knee flexion"].sd == pytest.approx(5.0)
    assert free.curves["hip extensor moment"].mean[::2] == pytest.approx(0.05 * HIP)
    assert free.curves["hip extensor moment"].sd == pytest.approx(0.1)
    assert free.curves["foot progression"].mean == pytest.approx(-9.0)
    assert "knee adduction" not in free.curves  # zero throughout: not known


def test_polygon_has_edges_and_powers_without_number(tmp_path):
    (norm,) = read_norms(written(tmp_path, "polygon.xlsx", polygon()))
    assert set(norm.curves) == {"knee flexion", "hip extensor moment", "ankle power"}
    assert norm.curves["knee flexion"].mean[::2] == pytest.approx(KNEE)
    assert norm.curves["knee flexion"].sd == pytest.approx(5.0)
    assert norm.curves["hip extensor moment"].mean[::2] == pytest.approx(0.05 * HIP)
    assert "FootOff" in norm.notices[0].sentence


def test_schwartz_has_five_speeds():
    sets = read_norms(XLS)
    assert [one.name.removeprefix("schwartz2008-") for one in sets] == [
        "very-slow", "slow", "free", "fast", "very-fast",
    ]  # fmt: skip
    assert sets[2].curves["knee flexion"].mean[::2] == pytest.approx(KNEE, abs=1e-3)
    assert sets[2].curves["hip flexion"].sd == pytest.approx(6.0)
    assert sets[4].curves["knee flexion"].mean.max() == pytest.approx(1.2 * KNEE.max(), abs=1e-2)
    assert sets[0].curves["ankle power"].unit == "W/kg"


def test_a_table_is_read_with_a_mapping_that_is_kept(tmp_path):
    table = written(tmp_path, "ours.csv", TABLE)
    with pytest.raises(FileError, match="KneeMean, KneeSD, HipLow"):
        read_norms(table)
    mapping = parse_mapping(MAPPING, "ours.toml")
    write_mapping(mapping, tmp_path / "kept.toml")
    assert read_mapping(tmp_path / "kept.toml") == mapping
    assert parse_mapping(mapping_text(mapping), "again") == mapping
    other = NormMapping("another", (MappedCurve("knee flexion", "A", "B"),))
    (norm,) = read_norms(table, (other, mapping))
    assert norm.curves["knee flexion"].mean[::2] == pytest.approx(KNEE, abs=1e-3)
    assert norm.curves["knee flexion"].sd == pytest.approx(5.0)
    assert norm.curves["hip flexion"].mean[::2] == pytest.approx(HIP, abs=1e-3)
    assert norm.curves["hip flexion"].sd == pytest.approx(6.0, abs=1e-3)
    assert fitting(("KneeMean", "KneeSD"), (mapping, other)) is None


def test_a_curve_that_is_upside_down_is_questioned_and_left_as_it_is(tmp_path):
    (free, _) = read_norms(written(tmp_path, "a.json", pycgm2(factor=-1.0)))
    (sentence,) = [notice.sentence for notice in free.notices if notice.code == "norm-sign"]
    assert "hip flexion runs opposite" in sentence
    assert free.curves["hip flexion"].mean[::2] == pytest.approx(-HIP)


def test_a_mean_that_hardly_changes_is_not_compared(tmp_path):
    """Its deviation vanished in rounding, and a warning of NumPy came out instead of the norm."""
    text = "#!DST-0.1 GCD\n!HipFlexExt 51\n" + "1e-320 5.0\n" + "0.0 5.0\n" * 50
    (norm,) = read_norms(written(tmp_path, "a.gcd", text))
    assert norm.curves["hip flexion"].mean[1:] == pytest.approx(0.0)
    assert not [notice for notice in norm.notices if notice.code == "norm-sign"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.gcd", "#!DST-0.1 GCD\n!KneeFlexExt 51\n" + "1.0\n" * 51, "one alone is a person's curve"),
        ("a.gcd", "#!DST-0.1 GCD\n!KneeFlexExt 51\n" + "1 2\n" * 5, "5 values do not make a curve"),
        ("a.gcd", "#!DST-0.1 GCD\n!KneeFlexExt 51\n" + "1 -2\n" * 51, "negative"),
        ("a.gcd", "#!DST-0.1 GCD\n", "no curve of a gait cycle"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", '{"a": {"b": {"KneeAngles": {"X": [[0, 1]]}}}}', "rows of three numbers"),
        ("a.json", "{}", "no curves such as HipAngles"),
        ("a.xlsx", b"PK\x03\x04 damaged", "it is damaged"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 damaged", "it is damaged"),
        ("a.pxd", b"anything", "Export the normal data from Polygon as XLSX"),
        ("a.bin", b"anything", "does not know this format"),
    ],
)
def test_faults_are_sentences(tmp_path, name, content, said):
    with pytest.raises(FileError, match=said):
        read_norms(written(tmp_path, name, content))


def test_a_workbook_of_another_kind_says_what_to_do(tmp_path):
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.save(out)
    with pytest.raises(FileError, match="as CSV and read it with a mapping"):
        read_norms(written(tmp_path, "other.xlsx", out.getvalue()))


def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b" " * (40 << 20))
    assert len(out.getvalue()) < 1 << 20
    with pytest.raises(FileError, match="MB of memory"):
        read_norms(written(tmp_path, "bomb.xlsx", out.getvalue()))


def test_cells_far_away_are_not_read(tmp_path):
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Normal"
    book.active.cell(1_000_000, 16_000, 1.0)
    book.save(out)
    with pytest.raises(FileError, match="names no curve"):
        read_norms(written(tmp_path, "far.xlsx", out.getvalue()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "a"\n[[curve]]\ncurve = "knee"\nmean = "A"\nsd = "B"\n', "no clinical curve"),
        ('name = "a"\n[[curve]]\ncurve = "knee flexion"\nmean = "A"\n', "mean and sd, or low and high"),
        ('name = "a"\n', "names no curve"),
        ('name = "a"\nfirst_line = 1\n' + MAPPING.partition("\n")[2], "names must come first"),
        ("name = ", "not TOML"),
    ],
)
def test_faults_of_a_mapping_are_sentences(text, said):
    with pytest.raises(FileError, match=said):
        parse_mapping(text, "a.toml")


def test_json_numbers_without_end_are_refused(tmp_path):
    rows = [[float(p), float("inf"), 1.0] for p in np.linspace(0.0, 100.0, 51)]
    text = json.dumps({"a": {"b": {"KneeAngles": {"X": rows}}}})
    with pytest.raises(FileError, match="three numbers"):
        read_norms(written(tmp_path, "a.json", text))
