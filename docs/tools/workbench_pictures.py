"""Pictures of the workbench for its guide, made by the program itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QApplication, QWidget

from biomec_app.features.workbench.window import WorkbenchWindow, open_workbench
from biomec_app.session.context import Context
from biomec_app.session.project_file import DISCARD
from biomec_app.shell.main import wait

PICTURES = ("workbench.png", "workbench-text.png", "workbench-compare.png", "workbench-equations.png")
SIZE = (1270, 714)
FORCE = "Contact force [N]"


def draw(app: QApplication, context: Context, shot: Callable[[QWidget], bytes]) -> Iterable[tuple[str, bytes]]:
    """Name and content of every picture; ``shot`` takes one when everything is drawn."""
    answered, context.user.confirm = context.user.confirm, lambda title, question, choices: DISCARD
    window = open_workbench(context)
    window.resize(*SIZE)
    window.statusBar().clearMessage()
    _idle(app, window)
    _run(app, window, "inverse")
    window.toggle_trail("coupler.com")
    window.bench.set_time(0.3)
    yield PICTURES[0], shot(window)

    window.bench.edit_text(window.bench.draft.text.replace('mass = "=m2"', 'mass = "=m22"'))
    yield PICTURES[1], shot(window)

    window.bench.undo_stack.undo()
    window.sides.text_button.setChecked(False)
    window.open_catalogued("knee-prosthesis")
    for kept in tuple(window.bench.runs):
        window.bench.remove(kept)
    for preset in ("sim1", "sim2"):
        window.header.ask_preset(preset)
        _run(app, window, "swing")
    window.bench.show(window.bench.runs[0], True)
    _idle(app, window)
    for pane in window.plots.panes:
        window.plots.tick(pane.key, pane.key in ("Angles [deg]", FORCE))
    window.bench.set_time(0.222)
    yield PICTURES[2], shot(window)

    window.open_catalogued("triple-pendulum")
    _run(app, window, "equations")
    window.results.setCurrentWidget(window.text)
    yield PICTURES[3], shot(window)
    window.close()
    context.user.confirm = answered


def _run(app: QApplication, window: WorkbenchWindow, key: str) -> None:
    _idle(app, window)
    window.studies.choose(key)
    window.studies.run()
    _idle(app, window)


def _idle(app: QApplication, window: WorkbenchWindow) -> None:
    wait(app, lambda: not window.is_drawing)
    app.processEvents()
