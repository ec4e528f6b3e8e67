"""What dialogs share: buttons under their parts, and tables as high as their rows."""

import pytest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QTableWidget

from biomec_app.dialogs.plates import edit_plates
from biomec_app.dialogs.stretch import ask_stretch
from biomec_app.dialogs.subject import edit_subject
from biomec_app.kit import theme as themes
from biomec_app.kit.dialog_parts import fit_rows, with_buttons


def empty_pixels(view):
    """Height of a table or list that no row covers; negative where it has to be scrolled."""
    rows = view.model().rowCount()
    covered = sum(view.sizeHintForRow(row) if not hasattr(view, "rowHeight") else view.rowHeight(row)
                  for row in range(rows))  # fmt: skip
    return view.viewport().height() - covered


@pytest.fixture
def themed(qapp):
    """Widgets that look as in the program."""
    style, palette = qapp.style().name(), qapp.palette()
    themes.apply(qapp, themes.LIGHT)
    yield
    qapp.setStyleSheet("")
    qapp.setStyle(style)
    qapp.setPalette(palette)


@pytest.mark.parametrize(
    ("ask", "part"),
    [
        (edit_subject, lambda dialog: dialog.form.measures),
        (edit_plates, lambda dialog: dialog.table),
        (ask_stretch, lambda dialog: dialog.cycles),
    ],
)
def test_tables_are_as_high_as_their_rows(qtbot, context, walk_analysis, themed, ask, part):
    """With the program's own style, half of the table of plate contacts was empty."""
    context.document.open(walk_analysis)
    dialog = ask(context)
    qtbot.waitExposed(dialog)
    assert -2 <= empty_pixels(part(dialog)) <= 24  # half a row
    dialog.reject()


@pytest.mark.parametrize("rows", [0, 1, 8, 500])
def test_a_table_keeps_between_its_least_and_its_greatest_height(qtbot, rows):
    dialog, table = QDialog(), QTableWidget(rows, 2)
    qtbot.addWidget(dialog)
    with_buttons(dialog, QLabel("Above"), table, grows=table)
    fit_rows(dialog, table, 400, 100, 300)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert dialog.width() == 400
    assert 100 <= table.height() <= 300
    assert table.height() == (100 if rows <= 1 else 300 if rows == 500 else table.height())
    dialog.resize(400, 10)  # it can be made smaller again where there is little room
    assert table.height() == 100


def test_buttons_accept_and_reject(qtbot):
    dialog = QDialog()
    qtbot.addWidget(dialog)
    box = with_buttons(dialog, QLabel("A part"))
    for button, result in (("Ok", QDialog.DialogCode.Accepted), ("Cancel", QDialog.DialogCode.Rejected)):
        dialog.show()
        box.button(QDialogButtonBox.StandardButton[button]).click()
        assert dialog.result() == result
