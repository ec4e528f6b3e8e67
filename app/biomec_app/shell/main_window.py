"""The window: it puts the parts together and decides nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import monotonic

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFrame,
    QLabel,
    QMenu,
    QProgressBar,
    QProgressDialog,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec_app.features.feature import RIGHT, Panel
from biomec_app.features.trust.notices import NoticePanel
from biomec_app.kit import theme as themes
from biomec_app.kit.dock_tabs import DockTabs
from biomec_app.kit.memory import give_back
from biomec_app.kit.verdict_signs import sign
from biomec_app.plots.plots import PlotPanel
from biomec_app.session.context import Context, User
from biomec_app.session.document import Document
from biomec_app.session.jobs import PREPARING, Jobs, Status
from biomec_app.session.preferences import Preferences
from biomec_app.session.project_file import may_discard
from biomec_app.shell.actions import all_actions
from biomec_app.shell.actions.signal_analysis import extra_actions
from biomec_app.shell.actions.visualize import PANEL, bar_menus, bar_tools
from biomec_app.shell.autosave import Autosave
from biomec_app.shell.extensions import Loaded
from biomec_app.shell.files import open_file
from biomec_app.shell.menus import Menus
from biomec_app.shell.panels import PANELS
from biomec_app.shell.start_page import StartPage
from biomec_app.shell.status_line import ShortLabel, StatusLine
from biomec_app.shell.window_user import UserWindow, WindowUser
from biomec_app.viewer.timeline import Timeline
from biomec_app.viewer.view import BodyView

PATIENCE_S = 10.0  # for work that was asked to stop when the window is closed
GIVE_BACK_MS = 300  # after a recording was closed: all views have let go of it by then
NEXT_TURN_MS = 5  # 0 would still be the same turn of the event loop
LEAST = (220, 424, 150)  # of the panels on the left, on the right and below, in points
FIRST_RUN = (
    "Biomec is preparing its numerical routines for this computer. This happens only once and takes a minute or two; "
    "afterwards analyses start at once. You can keep using the window."
)
NEAR = 8  # points; a panel that is wider or narrower than the program chose was moved by the user
HIGH = 1000  # points of a window that has room for every list
SHARE = (0.155, 0.3, 0.15)  # of a large window; the rest is the body's


class MainWindow(UserWindow):
    """Viewer in the centre over its timeline; browser, plots, notices, trust and history in docks around it."""

    def __init__(
        self,
        preferences: Preferences | None = None,
        user: Callable[[UserWindow], User] = WindowUser,
        extensions: Loaded = Loaded(),
    ) -> None:
        super().__init__()
        self.context = Context(
            Document(self),
            Jobs(self),
            preferences or Preferences(),
            self,
            user(self),
        )
        context, document, jobs = self.context, self.context.document, self.context.jobs
        for part in (context.aside, context.plots, context.comparison, context.visit):
            part.setParent(self)  # goes with the window, and so does what is connected to it
        self.setAcceptDrops(True)
        self.resize(1360, 840)
        self.view, self.timeline = BodyView(context, bar_menus(), tools=bar_tools()), Timeline(context)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.timeline)
        self.start_page = StartPage(context)
        self.pages = QStackedWidget()
        self.pages.addWidget(_scrolling(self.start_page))  # or it would keep a small window from becoming smaller
        self.pages.addWidget(body)
        self.setCentralWidget(self.pages)

        self.docks = {panel.name: self._dock(panel) for panel in PANELS}
        for before, panel in pairwise(PANELS):
            if before.area == panel.area:
                self.tabifyDockWidget(self.docks[before.name], self.docks[panel.name])
        for front in ("plots", "notices"):
            self.docks[front].raise_()
        plots, notices = self.docks["plots"].widget(), self.docks["notices"].widget()
        assert isinstance(plots, PlotPanel)
        assert isinstance(notices, NoticePanel)
        self.plots, self.notices = plots, notices
        self._share_room(LEAST)

        self.menus = Menus(self.menuBar(), (*all_actions(), *extra_actions(extensions)), context)
        for dock in self.docks.values():
            dock.visibilityChanged.connect(self.menus.ask)
        self._build_status_bar(jobs)
        self._theme_due = QTimer(self, singleShot=True, interval=NEXT_TURN_MS)
        self._theme_due.timeout.connect(self._show_theme)
        self.context.closing.append(self._theme_due.stop)
        self._notices_due = QTimer(self, singleShot=True, interval=0)  # once all panels have their places
        self._notices_due.timeout.connect(self._fit_notices)
        self._widths: tuple[int, ...] | None = None  # of the panels at the sides, as the program last chose them
        self._grown = QTimer(self, singleShot=True, interval=0)
        self._grown.timeout.connect(self._share_growth)
        self.context.closing.append(self._grown.stop)
        self._given: int | None = -1  # height of the panels below that the program chose; None: it is choosing
        document.analysis_changed.connect(self._notices_due.start)
        self.notices.fold_asked.connect(self._fold_notices)
        self.tabifiedDockWidgetActivated.connect(self._tab_chosen)
        self.autosave = Autosave(context, parent=self)
        self.autosave.failed.connect(lambda sentence: self.statusBar().showMessage(sentence, 8000))
        document.opened.connect(self._opened)
        document.title_changed.connect(self._retitle)
        self._retitle()
        self.set_theme(context.preferences.theme)
        self.restoreGeometry(context.preferences.layout("geometry"))
        self._arranged = self.restoreState(context.preferences.layout("docks"))
        self._opened()

    def _dock(self, panel: Panel) -> QDockWidget:
        dock = QDockWidget(panel.title, self)
        dock.setObjectName(panel.title)
        dock.setWidget(panel.make(self.context))
        self.addDockWidget(panel.area, dock)
        dock.hide()  # until a recording is open; docks hidden only after they are tabbed leave a second tab bar behind
        return dock

    # ------------------------------------------------------------------ panels

    def panel_seen(self, name: str) -> bool:
        """Whether a panel is there and no other covers it."""
        return not self.docks[name].isHidden() and not self.docks[name].visibleRegion().isEmpty()

    def show_panel(self, name: str) -> None:
        """Bring a panel before the others, whether it was closed or covered; close the one that is seen."""
        if self.panel_seen(name):
            self.docks[name].hide()
        else:
            self.raise_panel(name)

    def raise_panel(self, name: str) -> None:
        """Bring a panel before the others."""
        self.docks[name].show()
        self.docks[name].raise_()

    def createPopupMenu(self) -> QMenu:
        """Offer the panels, with what their items in the menu do, at a right click on the title of any of them."""
        menu = QMenu(self)
        for action, item in self.menus.items.values():
            if action.menu == PANEL:
                menu.addAction(item)
        return menu

    # ------------------------------------------------------------------ status bar

    def _build_status_bar(self, jobs: Jobs) -> None:
        self.status_line = StatusLine(self.context)
        self.tabs = DockTabs(self, self.docks)
        self.status_line.asked.connect(self.raise_panel)
        self.status_line.judged.connect(self._mark_tabs)
        self.statusBar().addWidget(self.status_line.recording, 1)
        self.statusBar().addPermanentWidget(self.status_line)
        self.told, self.bar, self.stop = ShortLabel(), QProgressBar(), QPushButton("Cancel")
        self._preparing: QProgressDialog | None = None
        self.bar.setMaximumWidth(220)
        self.stop.clicked.connect(self._cancel)
        for widget in (self.told, self.bar, self.stop):
            self.statusBar().addPermanentWidget(widget)
            widget.hide()
        jobs.started.connect(lambda title: self._working(True, title))
        jobs.progressed.connect(self._progressed)
        jobs.finished.connect(lambda title: self._ended(f"{title}: done"))
        jobs.cancelled.connect(lambda title: self._ended(f"{title}: cancelled, nothing was changed"))
        jobs.failed.connect(self._failed)
        aside = self.context.aside
        aside.started.connect(lambda title: self.statusBar().showMessage(f"{title} …"))
        aside.finished.connect(lambda _: self.statusBar().clearMessage())
        aside.failed.connect(lambda title, sentence: self.context.user.fail(title, sentence))

    def _mark_tabs(self) -> None:
        """Put a sign on the tab of every panel that has doubts to tell."""
        doubts = self.status_line.doubts
        self.tabs.mark({name: (sign(one.level, self.theme), one.tip) for name, one in doubts.items()})

    def _working(self, busy: bool, title: str = "") -> None:
        if busy:
            self.told.setText(title)
            self.stop.setEnabled(True)
            self.bar.setRange(0, 100)
            self.bar.setValue(0)  # paints at once all that waits to be painted: not when a result is to be shown
        elif self._preparing is not None:
            preparing, self._preparing = self._preparing, None
            preparing.canceled.disconnect(self._cancel)  # closing counts as cancelling
            preparing.close()
            preparing.deleteLater()
        for widget in (self.told, self.bar, self.stop):
            widget.setVisible(busy)

    def _prepare(self) -> None:
        """Say plainly why the first run takes long; the window can be used meanwhile."""
        if self._preparing is None:
            self._preparing = QProgressDialog("", "Cancel", 0, 0, self)
            words = QLabel(FIRST_RUN)
            words.setWordWrap(True)
            self._preparing.setLabel(words)
            self._preparing.setMinimumSize(460, 150)
            self._preparing.setObjectName("preparing")
            self._preparing.setWindowTitle("Preparing Biomec")
            self._preparing.setMinimumDuration(0)
            self._preparing.canceled.connect(self._cancel)
            self._preparing.show()

    def _progressed(self, status: Status) -> None:
        if status.note == PREPARING:
            self._prepare()
        self.bar.setValue(round(100 * status.fraction))
        left = "" if status.remaining_s is None else f", {status.remaining_s:.0f} s left"
        note = f": {status.note} …" if status.note else ""
        words = f": {status.words}" if status.words and not note else ""
        self.told.setText(f"{status.title}{note}{words}{left}")

    def _cancel(self) -> None:
        """Ask the job to stop, and say that it was heard."""
        self.stop.setEnabled(False)
        self.told.setText(f"{self.context.jobs.title}: stopping …")
        self.context.jobs.cancel()

    def _ended(self, sentence: str) -> None:
        self._working(False)
        self.statusBar().showMessage(sentence, 8000)

    def _failed(self, title: str, sentence: str) -> None:
        self._working(False)
        self.context.user.fail(title, sentence)

    # ------------------------------------------------------------------ following the document

    def _retitle(self) -> None:
        title = self.context.document.title
        self.setWindowTitle(f"{title} – Biomec" if title else "Biomec")

    def _opened(self) -> None:
        """Show the recording with the panels that the user wants, or the start page alone."""
        is_open = self.context.document.is_open
        if self.pages.currentIndex() == 1 and not is_open:
            self._note_panels()
            QTimer.singleShot(GIVE_BACK_MS, give_back)
        hidden = self.context.preferences.hidden_panels
        if not is_open:
            self.pages.setCurrentIndex(0)
        for name, dock in self.docks.items():
            dock.setVisible(is_open and name not in hidden)
        if is_open:
            self.pages.setCurrentIndex(1)  # last: each panel that comes would change the size of the view
        if is_open and not self._arranged:
            self._arranged = True
            self._share_room(self._room())
            self._widths = self._room()[:2]
            self._given = None
        self._notices_due.start()

    def _room(self) -> tuple[int, ...]:
        """Widths of the panels on the left and right, and height of those below, in a window as large as this."""
        shares = (SHARE[0] * self.width(), SHARE[1] * self.width(), SHARE[2] * self.height())
        return tuple(max(least, round(share)) for least, share in zip(LEAST, shares, strict=True))

    def _fit_notices(self) -> None:
        """Unfold notices worth reading; in a low window fold others away, unless the user chose their height."""
        if not self.context.document.is_open or not self.panel_seen("notices"):
            return
        ours = self._given in (None, self.docks["notices"].height())
        if self.notices.folded and self.notices.worth_reading:
            self._fold_notices(False)
        elif ours and not self.notices.folded and not self.notices.worth_reading and self.height() < HIGH:
            self._fold_notices(True)

    def _fold_notices(self, folded: bool) -> None:
        """Let only the numbers of the notices be seen, or as much of the list as there is room for."""
        self.resizeDocks([self.docks["notices"]], [1 if folded else self._room()[2]], Qt.Orientation.Vertical)
        self._given = self.docks["notices"].height()

    def _tab_chosen(self, dock: QDockWidget) -> None:
        """Unfold the panels below for the history, which has nothing to tell in a line."""
        if dock is self.docks["history"] and dock.height() < LEAST[2] // 2:
            self.resizeDocks([dock], [self._room()[2]], Qt.Orientation.Vertical)

    def _share_room(self, room: tuple[int, ...]) -> None:
        """Give the panels on the left and right their widths, and those below their height."""
        left, right, below = room
        self.resizeDocks([self.docks["browser"], self.docks["plots"]], [left, right], Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["notices"]], [below], Qt.Orientation.Vertical)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give panels that a small window squeezed their least width back as soon as there is room."""
        super().resizeEvent(event)
        spare = event.size().width() - event.oldSize().width() if event.oldSize().isValid() else 0
        for name, least in zip(("browser", self._in_front), LEAST, strict=False):
            dock = self.docks[name]
            wanted = min(least, dock.width() + spare)
            if spare > 0 and dock.isVisible() and not dock.isFloating() and dock.width() < wanted:
                spare -= wanted - dock.width()
                self.resizeDocks([dock], [wanted], Qt.Orientation.Horizontal)

        self._grown.start()

    def _share_growth(self) -> None:
        """Give the panels at the sides their share of a larger window, unless the user chose their width."""
        docks = [self.docks[name] for name in ("browser", self._in_front)]
        chosen = self._widths is None or any(
            dock.isFloating() or not dock.isVisible() or abs(dock.width() - width) > NEAR
            for dock, width in zip(docks, self._widths, strict=True)
        )
        wanted = self._room()[:2]
        if not chosen and wanted != self._widths:
            self._widths = wanted
            self.resizeDocks(docks, list(wanted), Qt.Orientation.Horizontal)

    @property
    def _in_front(self) -> str:
        """The panel on the right that is seen; the plots, if none is."""
        right = (panel.name for panel in PANELS if panel.area == RIGHT)
        return next((name for name in right if self.panel_seen(name)), "plots")

    def _note_panels(self) -> None:
        """Remember which panels were closed; those that lie under another as a tab count as open."""
        self.context.preferences.hidden_panels = {name for name, dock in self.docks.items() if dock.isHidden()}

    def set_theme(self, name: str) -> None:
        """Show everything in a theme: styling, the parts with colours of their own and drawing have a turn each."""
        self.theme = theme = themes.chosen(name)
        if self.isVisible():
            self.setUpdatesEnabled(False)  # nothing is drawn half in one theme and half in the other
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        themes.apply(application, theme)
        if self.isVisible():
            self._theme_due.start()
        else:
            self._show_theme()

    def _show_theme(self) -> None:
        parts = (self.view, self.timeline, self.start_page, self.status_line)
        try:
            for part in (*parts, *(dock.widget() for dock in self.docks.values())):
                set_theme = getattr(part, "set_theme", None)
                if set_theme is not None:
                    set_theme(self.theme)
            self._mark_tabs()
        finally:  # one that fails must not leave a window that is never drawn again
            QTimer.singleShot(NEXT_TURN_MS, self, lambda: self.setUpdatesEnabled(True))

    # ------------------------------------------------------------------ files dropped, window closed

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped: one file, or a movement with its static, plates and EMG."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            open_file(self.context, *paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about work that is not saved, remember where everything was, and stop what is running."""
        if not may_discard(self.context) or not all(window.may_close() for window in self.context.windows):
            event.ignore()
            return
        if self.context.document.is_open:
            self._note_panels()
        self.context.preferences.set_layout("geometry", self.saveGeometry())
        self.context.preferences.set_layout("docks", self.saveState())
        working = (self.context.jobs, self.context.aside)
        for jobs in working:
            jobs.cancel()
        self.hide()  # nobody has to look at a window that waits for its work to end
        end = monotonic() + PATIENCE_S
        for jobs in working:
            jobs.wait(max(0.0, end - monotonic()))
        for window in tuple(self.context.windows):  # each leaves the list when it closes
            window.shut()
        for close in self.context.closing:
            close()
        self.context.document.undo_stack.blockSignals(True)  # the parts of the window go in any order now
        event.accept()


def _scrolling(widget: QWidget) -> QScrollArea:
    """A widget that can be scrolled where there is little room."""
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    return area
