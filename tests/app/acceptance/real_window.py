"""The program on a screen in memory, used with its keys and its mouse: ``python -m … SCENARIO FILE FOLDER``.

Runs in a process of its own, because the window needs another platform of Qt than the other tests. What is pressed and
clicked comes from the server of the screen; where things are is asked of the widgets. Prints what was seen as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image
from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QMessageBox, QTreeView, QWidget

from biomec.pipeline.analysis import KINEMATICS
from biomec_app.dialogs.importing import ImportDialog
from biomec_app.features.clinical.report_dialog import ReportWindow
from biomec_app.features.clinical.window import ClinicalWindow
from biomec_app.shell.main import application
from biomec_app.shell.main_window import MainWindow
from tests.app.acceptance.x_screen import Hand

PATIENCE_S = 600.0  # for one step; the first analysis of a machine compiles
Wait = Callable[[], bool]


class User:
    """Somebody at the screen: presses, clicks, looks, and notes what was seen."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file, self.folder = file, folder
        self.hand = Hand(os.environ["DISPLAY"])
        self.window = MainWindow()
        self.window.resize(1240, 700)
        self.window.context.preferences.folder = file.parent
        self.window.show()
        self.window.move(0, 0)
        self.seen: dict[str, object] = {}
        self.clicks = 0
        self.began = perf_counter()

    # ------------------------------------------------------------------ hands

    def press(self, keys: str, at: QWidget | None = None) -> None:
        """Press keys in a window."""
        self.hand.focus(int((at or self.window).winId()))
        self.hand.press(keys)

    def click(self, widget: QWidget, place: QPoint | None = None) -> None:
        """Click a widget, in its middle or elsewhere."""
        spot = widget.mapToGlobal(widget.rect().center() if place is None else place)
        self.hand.click(spot.x(), spot.y())
        self.clicks += 1

    # ------------------------------------------------------------------ eyes

    def look(self, name: str, widget: QWidget | None = None) -> np.ndarray:
        """Pixels of the screen, or of a widget on it; kept as a picture."""
        pixels = self.hand.look()
        if widget is not None:
            place = QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())
            pixels = pixels[max(0, place.top()) : place.bottom() + 1, max(0, place.left()) : place.right() + 1]
        Image.fromarray(pixels).save(self.folder / f"{name}.png")
        return pixels

    def modal(self, kind: type[QWidget]) -> QWidget | None:
        """The dialog of that kind that waits for the user."""
        found = QApplication.activeModalWidget()
        return found if isinstance(found, kind) and found.isVisible() else None

    @property
    def is_analysed(self) -> bool:
        """Whether everything is computed."""
        context = self.window.context
        return not context.jobs.busy and context.document.is_open and context.document.analysis.is_current(KINEMATICS)


def share_of_common_colour(pixels: np.ndarray) -> float:
    """How much of a picture has its most frequent colour."""
    packed = pixels.astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)
    return float(np.unique(packed, return_counts=True)[1].max() / packed.size)


def share_coloured(pixels: np.ndarray) -> float:
    """How much of a picture is neither grey nor almost grey: limbs, plates, curves."""
    spread = pixels.max(-1).astype(int) - pixels.min(-1).astype(int)
    return float((spread > 60).mean())


def share_changed(one: np.ndarray, other: np.ndarray) -> float:
    """How much of two pictures differs."""
    return float((np.abs(one.astype(int) - other.astype(int)).max(-1) > 20).mean())


def pause(seconds: float) -> Wait:
    """Wait for a while."""
    end = perf_counter() + seconds
    return lambda: perf_counter() > end


# ------------------------------------------------------------------------------------------------------------ scenarios
def by_keyboard(user: User) -> Iterator[Wait]:
    """Menu, import, analysis, playing and exit, without a mouse."""
    window, seen = user.window, user.seen
    yield pause(1.0)
    seen["start page, one colour"] = share_of_common_colour(user.look("start"))
    user.press("Alt+F")
    menu = window.menuBar().actions()[0].menu()
    yield menu.isVisible
    yield pause(0.3)
    seen["menu File, one colour"] = share_of_common_colour(user.look("menu", menu))
    user.hand.press("Escape")
    yield lambda: not menu.isVisible()
    user.hand.press("Escape")
    user.press("Ctrl+I")
    yield lambda: user.modal(QFileDialog) is not None
    yield pause(0.3)
    user.hand.focus(int(user.modal(QFileDialog).winId()))
    user.hand.type(str(user.file))
    yield pause(0.3)
    user.hand.press("Return")
    yield lambda: user.modal(ImportDialog) is not None
    yield pause(0.5)
    dialog = user.modal(ImportDialog)
    seen["import dialog, one colour"] = share_of_common_colour(user.look("import", dialog))
    user.press("Return", dialog)
    yield lambda: user.is_analysed
    yield pause(1.5)
    seen["frames"] = window.context.document.frames
    seen["figure, coloured"] = share_coloured(user.look("figure", window.view))
    seen["plots, coloured"] = share_coloured(user.look("plots", window.plots))
    window.view.setFocus()
    resting = user.look("resting", window.view)
    yield pause(0.5)
    seen["changed at rest"] = share_changed(resting, user.look("resting-2", window.view))
    user.press("Space")
    yield lambda: window.timeline.playback.playing
    yield pause(0.6)
    seen["changed by playing"] = share_changed(resting, user.look("playing", window.view))
    user.press("Space")
    yield lambda: not window.timeline.playback.playing
    user.press("Ctrl+E")
    yield lambda: user.modal(QMessageBox) is not None
    yield pause(0.3)
    box = user.modal(QMessageBox)
    seen["question"] = box.text()
    (discard,) = [button for button in box.buttons() if "Don't" in button.text()]
    discard.setFocus()
    user.press("Space", box)
    yield lambda: not window.isVisible()


def by_clicks(user: User) -> Iterator[Wait]:
    """From the start page to joint angles with the mouse alone."""
    window, seen = user.window, user.seen
    yield pause(0.5)
    user.click(window.start_page.buttons["import"])
    yield lambda: user.modal(QFileDialog) is not None
    yield pause(0.7)
    dialog = user.modal(QFileDialog)
    shown = next(
        view for view in dialog.findChildren(QTreeView) + dialog.findChildren(QWidget, "listView") if view.isVisible()
    )
    model, root = shown.model(), shown.rootIndex()
    rows = [model.index(k, 0, root) for k in range(model.rowCount(root))]
    (index,) = [one for one in rows if one.data() == user.file.name]
    shown.scrollTo(index)
    yield pause(0.2)
    user.click(shown.viewport(), shown.visualRect(index).center())
    yield pause(0.3)
    user.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Open))
    yield lambda: user.modal(ImportDialog) is not None
    yield pause(0.5)
    user.look("import", user.modal(ImportDialog))
    user.click(user.modal(ImportDialog).import_button)
    yield lambda: user.is_analysed
    yield pause(1.5)
    user.look("window")
    seen["seconds to joint angles"] = perf_counter() - user.began
    seen["static"] = window.context.document.analysis.session.static.source.name
    seen["figure, coloured"] = share_coloured(user.look("figure", window.view))
    seen["plots, coloured"] = share_coloured(user.look("plots", window.plots))
    seen["curves"] = list(window.context.document.selection.curves)
    user.click(window.timeline.play)
    yield lambda: window.timeline.playback.playing
    user.click(window.timeline.play)
    yield lambda: not window.timeline.playback.playing
    window.context.document.undo_stack.setClean()
    window.close()
    yield lambda: not window.isVisible()


def to_a_report(user: User) -> Iterator[Wait]:
    """From the start page to the report of a visit as PDF, with five clicks."""
    window, seen = user.window, user.seen
    yield pause(0.5)
    user.look("start")
    user.click(window.start_page.buttons["visit"])
    yield lambda: user.modal(QFileDialog) is not None
    yield pause(0.7)
    dialog = user.modal(QFileDialog)
    buttons = dialog.findChild(QDialogButtonBox)
    user.click(buttons.button(QDialogButtonBox.StandardButton.Open))
    context = window.context

    def shown(kind: type[QWidget]) -> QWidget | None:
        return next((one for one in context.windows if isinstance(one, kind) and one.isVisible()), None)

    yield lambda: user.is_analysed and shown(ClinicalWindow) is not None
    clinical = shown(ClinicalWindow)
    yield lambda: not clinical.painter.busy
    yield pause(1.0)
    user.look("clinical")
    user.click(clinical.report)
    yield lambda: shown(ReportWindow) is not None
    report = shown(ReportWindow)
    yield lambda: report.preview.complete and not report.painter.busy
    yield pause(1.0)
    user.look("report")
    user.click(report.save_button)
    yield lambda: user.modal(QFileDialog) is not None
    yield pause(0.7)
    user.look("save")
    dialog = user.modal(QFileDialog)
    buttons = dialog.findChild(QDialogButtonBox)
    user.click(buttons.button(QDialogButtonBox.StandardButton.Save))
    yield lambda: not context.jobs.busy and any(user.file.parent.glob("*.pdf"))
    yield pause(0.5)
    user.look("written")
    seen["clicks"] = user.clicks
    seen["written"] = [path.name for path in user.file.parent.glob("*.pdf")]
    seen["seconds"] = perf_counter() - user.began
    context.document.undo_stack.setClean()
    report.close()
    clinical.close()
    window.close()
    yield lambda: not window.isVisible()


SCENARIOS = {scenario.__name__: scenario for scenario in (by_keyboard, by_clicks, to_a_report)}


def tell(seen: dict[str, object]) -> None:
    """Say what was seen, for the test that reads it."""
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Play a scenario and print what was seen; 1 if a step was waited for in vain."""
    scenario, file, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    app = application()
    app.setQuitOnLastWindowClosed(False)
    user = User(file, folder)
    steps = SCENARIOS[scenario](user)
    state = {"wait": next(steps), "since": perf_counter(), "step": 0}

    def go_on() -> None:
        if perf_counter() - state["since"] > PATIENCE_S:
            user.look("stuck")
            user.seen["stuck at step"] = state["step"]
            tell(user.seen)
            os._exit(1)  # a dialog may be waiting; nothing can be closed in order
        busy, state["busy"] = state.get("busy", False), True
        if busy:
            return  # a nested loop of a dialog calls while a step is still at work
        try:
            if state["wait"]():
                state.update(wait=next(steps), since=perf_counter(), step=state["step"] + 1)
        except StopIteration:
            timer.stop()
            app.quit()
        except Exception as error:
            user.seen["fault"] = f"step {state['step']}: {type(error).__name__}: {error}"
            tell(user.seen)
            os._exit(1)
        finally:
            state["busy"] = False

    timer = QTimer()
    timer.timeout.connect(go_on)
    timer.start(30)
    app.exec()
    user.hand.close()
    tell(user.seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
