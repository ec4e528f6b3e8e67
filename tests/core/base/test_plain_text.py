"""Names from files stay words in every kind of text that is written."""

import csv
import io
import re
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.plain_text import cell, comment, file_name, from_cell, html, identifier, latex, one_line, table
from tests.hostile import HOSTILE

FORMULA = re.compile(r"[\s'\"]*[=+\-@＝＋－＠]")
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text(), st.text(st.sampled_from("=+-@'\"; \t\r\n,x1＝")))


@given(NAMES)
def test_one_line_is_one_line(name):
    assert len(f"x{one_line(name)}x".splitlines()) == 1
    assert one_line(name).isprintable()


@given(NAMES)
def test_a_comment_ends_where_its_writer_ends_it(name):
    made = comment(name)
    assert made.isprintable()
    for ending in ("*/", "/*", '"', "'''", "\\", "??", "%{", "%}", "#{", "#}"):
        assert ending not in made


@given(NAMES)
def test_an_identifier_is_one_in_every_language(name):
    taken = {identifier(name)}
    for made in (identifier(name), identifier(name, taken)):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", made)
    assert identifier(name, taken) not in taken


@given(NAMES)
def test_latex_holds_no_command_of_a_name(name):
    written = latex(name)
    commands = r"\\(?:[&%$#_{}]|text(?:backslash|asciitilde|asciicircum|less|greater|bar)\{\})"
    assert not re.search(r"[\\&%$#_{}^~]", re.sub(commands, "", written))
    assert written.isprintable()


@given(NAMES)
def test_html_holds_no_element_and_ends_no_attribute(name):
    assert not re.search(r"[<>\"']|&(?!(?:lt|gt|amp|quot|#x27);)", html(name))


@given(NAMES)
def test_a_cell_is_no_formula_and_is_read_back(name):
    written = cell(name)
    assert from_cell(written) == name
    for part in re.split(r"[;\t\r\n]", written):
        if FORMULA.match(part) and not part.lstrip("'\" ").startswith("'"):
            assert part.startswith("'") or is_number(written)


def is_number(words):
    try:
        float(words)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("number", ["-1.5", "+2", "-1e-9", "-inf", " -3 "])
def test_numbers_stay_numbers(number):
    assert cell(number) == number


@given(st.lists(st.lists(NAMES, min_size=2, max_size=2), min_size=1, max_size=3), st.sampled_from(",;\t"))
def test_a_table_has_its_cells(rows, separator):
    made = table(rows, separator)
    read = list(csv.reader(io.StringIO(made, newline=""), delimiter=separator))
    assert [[from_cell(one) for one in row] for row in read] == [[one_line(one) for one in row] for row in rows]
    assert len(made.splitlines()) == len(rows)


@given(NAMES)
def test_the_name_of_a_file_names_no_folder_and_no_device(name):
    made = file_name(name)
    assert PurePosixPath(made).name == made
    assert PureWindowsPath(made).name == made
    assert made not in (".", "..", "")
    assert not PureWindowsPath(made).is_reserved()
    assert file_name(made) == made
    assert len(made) <= 101
