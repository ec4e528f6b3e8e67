"""Any encoding, any line end; numbers as written."""

import codecs
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import FileError
from biomec.io.text import count_of, leading_number, number, read_text, write_text

WORDS = "Ação\tnaïve\nsegunda µ linha\n"


@pytest.mark.parametrize(
    "data",
    [
        WORDS.encode(),
        codecs.BOM_UTF8 + WORDS.encode(),
        WORDS.encode("latin-1"),
        WORDS.encode("utf-16"),
        codecs.BOM_UTF16_BE + WORDS.encode("utf-16-be"),
        WORDS.encode("utf-16-le"),
        WORDS.replace("\n", "\r\n").encode(),
        WORDS.replace("\n", "\r").encode(),
        WORDS.replace("\n", "\r\n", 1).encode(),
    ],
    ids=["utf8", "utf8-bom", "latin1", "utf16", "utf16-be", "utf16-no-bom", "crlf", "cr", "mixed"],
)
def test_encodings_and_line_ends_give_the_same_lines(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ação 測.txt"
    path.write_bytes(data)
    text = read_text(path, "EMT")
    assert text.lines == ["Ação\tnaïve", "segunda µ linha"]
    assert text.ended
    assert text.source.size == len(data)
    assert text.source.name == "ação 測.txt"


def test_faults_name_the_file(tmp_path: Path) -> None:
    for data, words in ((b"", "empty"), (b" \n\n", "empty"), (bytes(range(256)) * 8, "not a text file")):
        path = tmp_path / "x.emt"
        path.write_bytes(data)
        with pytest.raises(FileError, match=rf"^x\.emt: .*{words}"):
            read_text(path, "EMT")
    with pytest.raises(FileError, match=r"^none\.emt: cannot be read \(No such file"):
        read_text(tmp_path / "none.emt", "EMT")
    with pytest.raises(FileError, match="cannot be read"):
        read_text(tmp_path, "EMT")
    (tmp_path / "odd.emt").write_bytes(codecs.BOM_UTF16_LE + b"a\0b\0c")
    with pytest.raises(FileError, match="damaged"):
        read_text(tmp_path / "odd.emt", "EMT")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_with_point_or_comma(x: float) -> None:
    assert number(repr(x)) == x
    assert number(repr(x).replace(".", ",")) == x


@pytest.mark.parametrize("cell", ["", "x", "1_000", "1.2.3", "1,2,3", "0x10", "١", "1e", "--1", "1 2", "nan", "inf"])
def test_what_is_not_a_number_is_not_read_as_one(cell: str) -> None:
    assert number(cell) is None


def test_headers_state_numbers_with_units_and_counts() -> None:
    assert leading_number("500 Hz") == 500.0
    assert leading_number(" 59,94Hz") == 59.94
    assert leading_number("Hz") is None
    assert count_of("  300") == 300
    assert count_of("300.5") is None
    assert count_of("-3") is None
    assert count_of("9" * 400) is None
    assert math.isinf(float("9" * 400))  # why the line above must not go through int


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", ["Ação\tµ", "", "1"])
    assert read_text(tmp_path / "a.txt", "CSV").lines == ["Ação\tµ", "", "1"]
