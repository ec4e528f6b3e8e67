"""Formulas as pictures: matrices cell by cell, and as text where they are read aloud."""

import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")

from biomec_app.features.workbench.typeset import cells, typeset

A = r"A = \begin{bmatrix} 0 & 1 \\ -12.5 & 2 \times 10^{-7} \end{bmatrix}"


def test_a_matrix_is_drawn_row_by_row(qapp):
    one, both, wide = typeset([r"A = \begin{bmatrix} 0 & 1 \end{bmatrix}", A, A.replace("&", "& 7 &")], "#000000", 1.0)
    assert both.image.height() > 1.5 * one.image.height()
    assert wide.image.width() > both.image.width() + 15
    assert one.image.height() > 15


def test_a_matrix_is_told_in_one_line(qapp):
    assert typeset([A], "#000000", 1.0)[0].text == "A = [0  1; −12.5  2 × 10⁻⁷]"
    assert cells(r"1 & 2 \\ 3 & 4 \\ ") == [["1", "2"], ["3", "4"]]


def test_what_cannot_be_drawn_stays_text(qapp):
    found = typeset([r"x = \nonsense{3}"], "#000000", 1.0)[0]
    assert found.image is None
    assert found.text.startswith("x =")
