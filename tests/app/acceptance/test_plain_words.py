"""A recording full of names that look like HTML, in the real window: what is seen is what the file says."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QGraphicsTextItem, QGraphicsView, QLabel, QTextEdit

from biomec.base.notices import warning
from biomec.pipeline.analysis import Analysis
from biomec.recording import Event, Markers
from biomec_app.dialogs.written import show_written
from biomec_app.shell.window_user import WindowUser

NAME = 'zq<b>x</b><img src="file:///hostile">'
READ = "zqx"  # what is seen of it where it is taken for HTML
DIALOGS = ("edit.subject", "edit.labels", "edit.events", "edit.plates")


@pytest.fixture(scope="session")
def hostile_analysis(squat_measured) -> Analysis:
    """The squat whose files, channels, plates, events and subject have such a name, and a marker more."""
    session = squat_measured.session
    trial = session.dynamic
    one_more = np.concatenate([trial.markers.p_WM, trial.markers.p_WM[:, :1] + 0.05], axis=1)
    changed = replace(
        trial,
        source=replace(trial.source, name=f"{NAME}.emt"),
        markers=Markers((*trial.markers.names, NAME), one_more, trial.rate_hz),
        events=(*trial.events, Event(0.2, NAME, "General", NAME)),
        plates=tuple(replace(plate, name=f"{NAME}{k}") for k, plate in enumerate(trial.plates)),
        emg=None if trial.emg is None else replace(trial.emg, names=tuple(f"{NAME}{one}" for one in trial.emg.names)),
        notices=(*trial.notices, warning("hostile", f"{NAME} was noticed.", NAME)),
    )
    subject = replace(session.subject, name=NAME)
    return Analysis(replace(session, dynamic=changed, subject=subject)).run_all()


def shown_texts():
    """All texts that are shown in labels, text views and scenes, as they are seen."""
    for widget in QApplication.allWidgets():
        if isinstance(widget, QLabel):
            widget.ensurePolished()
            assert widget.textFormat() != Qt.TextFormat.AutoText, widget.objectName()
            if widget.textFormat() == Qt.TextFormat.PlainText:
                yield widget.text()
            else:
                document = QTextDocument()
                document.setHtml(widget.text())
                yield document.toPlainText()
        elif isinstance(widget, QTextEdit):
            yield widget.toPlainText()
        elif isinstance(widget, QGraphicsView) and widget.scene() is not None:
            yield from (one.toPlainText() for one in widget.scene().items() if isinstance(one, QGraphicsTextItem))


def look() -> int:
    """How many texts have the name; none of them was taken for HTML."""
    found = list(shown_texts())
    assert not [text for text in found if READ in text or "\ufffc" in text]  # the second stands for a picture
    return sum("zq<b>" in text for text in found)


def test_names_are_plain_in_all_panels_and_dialogs(person, hostile_analysis, squat_files, tmp_path):
    """Where a picked point, a reason for a doubt or a file was named, its name was read as HTML."""
    document = person.document
    document.open(hostile_analysis)
    document.select(point=NAME, curves=())
    seen = []
    for panel in person.window.docks:
        person.window.raise_panel(panel)
        person.rest()
        seen.append(look())
    for key in DIALOGS:
        person.choose(key)
        look()
        for one in person.others:
            one.close()
        person.idle()
    person.path = tmp_path / "zq<b>x.emt"
    person.path.write_bytes(squat_files["emt"].read_bytes())
    person.choose("file.import")
    dialog = person.dialog()
    dialog.pages.currentItem().setToolTip(NAME)  # why the page is worth a look; it may quote a file
    dialog._say_why()
    imported = look()
    assert dialog.reason.isVisible()
    dialog.reject()
    assert min(seen) > 2  # status bar, picked point, contact
    assert imported > min(seen) + 2  # the file, its size, the reason


def test_messages_and_questions_are_plain(person, tmp_path):
    user, seen = WindowUser(person.window), []

    def answer():
        try:
            seen.append(look())
        finally:
            QApplication.activeModalWidget().reject()

    for ask in (
        lambda: user.tell("Title", f"{NAME} was saved."),
        lambda: user.fail("Title", f"{NAME} cannot be read."),
        lambda: user.confirm("Title", f"Save {NAME}?", ("Save",)),
    ):
        QTimer.singleShot(0, answer)
        ask()
    show_written(person.context, "Title", (tmp_path / "x.csv",), (f"{NAME} was left out.",))
    person.idle()
    seen.append(look())
    assert all(seen), seen
