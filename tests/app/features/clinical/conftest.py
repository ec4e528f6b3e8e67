"""A walk that is open, and the window of clinical plots on it."""

import pytest

from biomec_app.features.clinical.window import ClinicalWindow
from biomec_app.session.context import User


class Answers(User):
    """A user who gives one answer to every question and remembers what was reported."""

    def __init__(self, answer=None):
        self.answer, self.told, self.asked = answer, [], []

    def confirm(self, title, question, choices):
        self.asked.append(question)
        return self.answer

    def ask_text(self, title, question, start):
        self.asked.append(question)
        return self.answer

    def tell(self, title, sentence):
        self.told.append(sentence)


@pytest.fixture
def walking(context, walk_analysis):
    """A program with a walk open, and a user who gives a reason."""
    context.user = Answers("stumbled")
    context.document.open(walk_analysis)
    context.document.undo_stack.setClean()
    return context


@pytest.fixture
def window(walking, qtbot):
    """The window, with its curves."""
    made = ClinicalWindow(walking)
    made.resize(1000, 700)
    made.show()
    settled(made, qtbot)
    yield made
    made.close()


def settled(window, qtbot):
    """Wait until what was asked for is shown."""
    qtbot.turns()  # ticks and clicks in the list are reported in the next turn
    qtbot.waitUntil(lambda: not window._due.isActive() and not window.painter.busy)
