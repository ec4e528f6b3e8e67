"""How pieces are put on sheets: what stays together, what grows, and which pages share a sheet. Areas are 100 high."""

import pytest
from PySide6.QtCore import QRectF

from biomec_app.figures.report.flow import Piece, Section, arranged, flowed, space

AREA = QRectF(0.0, 10.0, 100.0, 100.0)


def piece(height, **more):
    return Piece(height, lambda painter, place: None, **more)


def section(*pieces, kind="a", landscape=False, alone=False):
    return Section(kind, pieces, AREA, landscape, alone)


def heights(sheet):
    return [round(place.height(), 3) for _, place in sheet.placed]


def kinds(*sections):
    return [sheet.kinds for sheet in arranged(sections, space(5.0, 1.0))]


def test_headings_stay_with_what_follows():
    heading, body = piece(10.0, keeps=True), piece(30.0)
    first, second = flowed(section(piece(70.0), heading, body))
    assert [one for one, _ in second.placed] == [heading, body]
    assert second.placed[0][1] == QRectF(0.0, 10.0, 100.0, 10.0)
    assert heights(first) == [70.0]


def test_what_fits_on_no_sheet_does_not_make_sheets_without_end():
    assert len(flowed(section(piece(150.0)))) == 1
    assert [heights(sheet) for sheet in flowed(section(piece(20.0), piece(150.0), piece(20.0)))] == [
        [20.0], [150.0], [20.0]
    ]  # fmt: skip


def test_a_plot_grows_into_what_is_left_below_it():
    (sheet,) = flowed(section(piece(20.0, most=500.0), piece(30.0)))
    assert heights(sheet) == [70.0, 30.0]
    assert heights(flowed(section(piece(20.0, most=500.0), piece(90.0)))[0]) == [100.0]
    (both,) = flowed(section(piece(10.0, most=40.0), piece(10.0, most=70.0)))
    assert heights(both) == [pytest.approx(10.0 + 30.0 * 80.0 / 90.0, abs=0.01),
                             pytest.approx(10.0 + 60.0 * 80.0 / 90.0, abs=0.01)]  # fmt: skip


def test_a_plot_does_not_grow_so_far_that_a_sheet_more_is_needed():
    rows = [piece(10.0) for _ in range(15)]
    sheets = flowed(section(piece(20.0, most=90.0), *rows))
    assert len(sheets) == 2
    assert heights(sheets[0])[0] == pytest.approx(50.0, abs=0.1)  # 20 + 150 of 200, in whole rows
    assert sum(heights(sheets[1])) == pytest.approx(100.0, abs=0.1)


def test_pages_share_sheets_where_that_saves_one():
    third, half, most = piece(30.0), piece(50.0), piece(80.0)
    assert kinds(section(third), section(half, kind="b")) == [("a", "b")]
    assert kinds(section(most), section(half, kind="b")) == [("a",), ("b",)]
    assert kinds(section(most, third), section(half, kind="b")) == [("a",), ("a", "b")]
    assert kinds(section(third), section(half, kind="b", landscape=True)) == [("a",), ("b",)]
    assert kinds(section(third, alone=True), section(half, kind="b")) == [("a",), ("b",)]
    (shared,) = arranged([section(third), section(half, kind="b")], space(5.0, 1.0))
    assert [place.top() for _, place in shared.placed] == [10.0, 40.0, 45.0]


def test_plots_do_not_become_tiny_to_share_a_sheet():
    plot = piece(20.0, most=80.0)  # 38 with three tenths of its growth
    assert kinds(section(plot), section(piece(55.0), kind="b")) == [("a", "b")]
    assert kinds(section(plot), section(piece(60.0), kind="b")) == [("a",), ("b",)]


def test_the_head_of_a_table_is_repeated_and_room_at_the_top_is_not():
    head = piece(10.0, keeps=True)
    rows = [piece(30.0, again=head) for _ in range(4)]
    first, second = flowed(section(head, *rows))
    assert [one for one, _ in second.placed] == [head, rows[3]]
    assert len(first.placed) == 4
    gap = space(10.0, 1.0)
    assert [heights(sheet) for sheet in flowed(section(piece(95.0), gap, piece(40.0)))] == [[95.0], [40.0]]
