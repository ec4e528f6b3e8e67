"""All simulations of the recording: how they ended, what they cost, how near they are; shown, plotted, compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QColor, QFont, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.plain_text import html
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun
from biomec.reporting.tables import Section, number, power
from biomec_app.features.loads.choice import important_joints
from biomec_app.features.loads.readings import has_loads
from biomec_app.features.simulations.curves import MUSCLES, SETS, plotted
from biomec_app.features.simulations.dialog import open_simulation
from biomec_app.features.simulations.running import TITLE, delete, rename, show
from biomec_app.features.simulations.runs import ENDINGS, RunFacts, comparison, distance_words, run_facts
from biomec_app.kit.dock_tabs import bring_forward
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Status
from biomec_app.session.plot_view import TIME
from biomec_app.session.view_options import SIMULATED
from biomec_app.viewer.scene import shown_run

COLUMNS = ("Run", "Ended", "Distance", "‖Φ‖", "ms/step")
TIPS = (
    "Name of the run; double-click to show it",
    "How it ended",
    "Mean distance to the recorded motion",
    "Largest violation of the constraints",
    "Time of the processor for a step, ms",
)
EMPTY = (
    "A simulation asks which movement follows from loads, equations and steps of time. It starts from the recorded "
    "movement and is shown beside it."
)
MS = 1e3
JOINTS = ("elbow", "glenohumeral", "hip", "knee")


class SimulationPanel(QWidget):
    """List of runs over the facts of the chosen one, and the progress of the one that is running."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("simulations")
        self._theme: Theme = LIGHT
        self._known: Analysis | None = None
        self._names: tuple[str, ...] = ()
        self.facts: RunFacts | None = None
        self.ask_name = self._ask_name
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._fill)
        self._build()
        document, jobs = self._document, context.jobs
        document.opened.connect(self.refresh)
        document.analysis_changed.connect(self._analysis_changed)
        document.view_changed.connect(self._show_view)
        jobs.started.connect(self._started)
        jobs.progressed.connect(self._progressed)
        for signal in (jobs.finished, jobs.cancelled, jobs.failed):
            signal.connect(self._ended)
        context.closing.append(self._later.stop)
        self.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setObjectName("simulations.runs")
        self.table.setAccessibleName("Simulations")
        self.table.setHorizontalHeaderLabels(COLUMNS)
        for k, tip in enumerate(TIPS):
            item = self.table.horizontalHeaderItem(k)
            assert item is not None  # the labels were set
            item.setToolTip(tip)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.setWordWrap(True)
        self.table.setMinimumHeight(110)
        self.table.verticalHeader().hide()
        head = self.table.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for k in range(1, len(COLUMNS)):
            head.setSectionResizeMode(k, QHeaderView.ResizeMode.ResizeToContents)
        self.table.itemSelectionChanged.connect(self._chosen)
        self.table.cellDoubleClicked.connect(lambda row, column: self.show_run(beside=True))
        self.words = rich(QLabel())
        self.words.setObjectName("simulations.facts")
        self.words.setAccessibleName("Facts of the chosen simulation")
        self.words.setWordWrap(True)
        self.words.setMinimumWidth(1)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        scroll = QScrollArea()
        scroll.setWidget(self.words)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(5)
        inside.addLayout(self._button_rows())
        inside.addWidget(self.table, 2)
        inside.addWidget(scroll, 3)
        self.nothing = rich(QLabel())
        self.nothing.setObjectName("simulations.nothing")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setMargin(24)
        self.nothing.linkActivated.connect(lambda _: self.new())
        self.pages = QStackedWidget()
        self.pages.addWidget(self.nothing)
        self.pages.addWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 4)
        layout.addWidget(self._progress_row())
        layout.addWidget(self.pages, 1)

    def _button_rows(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(4)
        self.buttons: dict[str, QPushButton | QToolButton] = {}
        for k, (name, text, tip, act) in enumerate((
            ("new", "&New…", "Simulate the movement anew", self.new),
            ("again", "&Vary…", "Another run, starting from the settings of the chosen one", self.vary),
            ("show", "&Show", "Show the simulated body alone in the 3-D view", lambda: self.show_run(beside=False)),
            ("over", "&Overlay", "Show the simulated body over the recorded one", lambda: self.show_run(beside=True)),
            ("compare", "&Compare…", "Table of the chosen runs, or of all where only one is chosen", self.compare),
            ("figure", "F&igure…", "Distance, constraints and energy of all runs over time", self.draw),
            ("rename", "&Rename…", "Give the chosen run another name", self.rename),
            ("delete", "&Delete", "Delete the chosen runs; Undo brings them back", self.delete),
        )):  # fmt: skip
            button = QPushButton(text)
            button.setObjectName(f"simulations.{name}")
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setMinimumWidth(40)
            button.clicked.connect(lambda checked=False, act=act: self._try(act))
            self.buttons[name] = button
            grid.addWidget(button, (k + (k > 1)) // 3, (k + (k > 1)) % 3)
        for name in ("show", "over"):
            self.buttons[name].setCheckable(True)
        self.plot = QToolButton()
        self.plot.setObjectName("simulations.plot")
        self.plot.setText("Plot")
        self.plot.setToolTip("Plot curves of the chosen runs beside the recorded ones")
        self.plot.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.plot.setSizePolicy(self.buttons["new"].sizePolicy())
        menu, self.plot_items = QMenu(self.plot), dict[str, QAction]()
        for what, words in SETS.items():
            item = self.plot_items[what] = menu.addAction(words)
            item.setObjectName(f"simulations.plot.{what}")
            item.triggered.connect(lambda checked=False, what=what: self.plot_curves(what))
        self.plot.setMenu(menu)
        grid.addWidget(self.plot, 0, 2)
        for column in range(3):
            grid.setColumnStretch(column, 1)
        return grid

    def _progress_row(self) -> QWidget:
        self.running = QFrame()
        self.running.setObjectName("simulations.running")
        self.told, self.bar, self.stop = QLabel(), QProgressBar(), QPushButton("S&top")
        self.told.setObjectName("simulations.told")
        self.told.setAccessibleName("Progress of the simulation")
        self.told.setWordWrap(True)
        self.bar.setObjectName("simulations.bar")
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(8)
        self.stop.setObjectName("simulations.stop")
        self.stop.setToolTip("End the simulation now and keep what it has reached")
        self.stop.clicked.connect(self.halt)
        row = QHBoxLayout(self.running)
        row.setContentsMargins(0, 0, 0, 4)
        column = QVBoxLayout()
        column.setSpacing(3)
        column.addWidget(self.told)
        column.addWidget(self.bar)
        row.addLayout(column, 1)
        row.addWidget(self.stop)
        self.running.hide()
        return self.running

    # ------------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has changed while nobody looked."""
        super().showEvent(event)
        self.refresh()

    def _analysis_changed(self) -> None:
        """Come to the front when a run was made, and choose it."""
        names = tuple(self._document.analysis.simulations) if self._document.is_open else ()
        new = [name for name in names if name not in self._names]
        self.refresh()
        if new and self.context.jobs.title == TITLE:
            self._fill()
            self.choose(new[-1])
            bring_forward(self)

    def refresh(self) -> None:
        """Show the runs as they are now; that waits until somebody looks."""
        document = self._document
        if not document.is_open:
            self._known, self._names, self.facts = None, (), None
            self._tell("No recording is open.")
        elif not document.analysis.simulations:
            self._known, self._names, self.facts = document.analysis, (), None
            self._tell(f'{html(EMPTY)}<br><br><a href="new">Simulate the movement …</a>')
        elif self.isVisible() and document.analysis is not self._known:
            self._later.start()
        else:
            self._names = tuple(document.analysis.simulations)

    def _tell(self, sentence: str) -> None:
        self.nothing.setText(sentence)
        self.pages.setCurrentIndex(0)

    def _fill(self) -> None:
        document = self._document
        if not document.is_open or not document.analysis.simulations:
            return
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        chosen, before = self.chosen, len(self._names)
        analysis = self._known = document.analysis
        self._names = tuple(analysis.simulations)
        if len(self._names) == before:  # one may be called otherwise now
            chosen = tuple(self._names[row] for row in rows)
        self.pages.setCurrentIndex(1)
        self.table.blockSignals(True)
        self.table.setRowCount(len(self._names))
        for row, run in enumerate(analysis.simulations.values()):
            self._fill_row(row, run, run.name in analysis.stale_simulations)
        self.table.clearSelection()
        kept = [name for name in chosen if name in self._names] or [self._names[-1]]
        mode = self.table.selectionMode()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        for name in kept:
            self.table.selectRow(self._names.index(name))
        self.table.setSelectionMode(mode)
        self.table.blockSignals(False)
        self.table.resizeRowsToContents()
        self._describe()

    def _fill_row(self, row: int, run: SimulationRun, stale: bool) -> None:
        steps = max(len(run.step_time_s) - 1, 1)
        texts = (
            run.name, ENDINGS[run.ending], distance_words(run),
            power(float(run.violation.max())), number(MS * float(run.seconds.sum()) / steps, 2),
        )  # fmt: skip
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(run.name if column == 0 else run.sentence if column == 1 else TIPS[column])
            if column > 1:
                item.setTextAlignment(right)
            if column == 1 and not run.completed:
                item.setForeground(QColor(self._theme.fault))
            if column == 0 and stale:
                font = QFont(self.table.font())
                font.setItalic(True)
                item.setFont(font)
                item.setToolTip("The motion has changed since this run.")
            self.table.setItem(row, column, item)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the chosen runs, in the order of the list."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return tuple(self._names[row] for row in rows if row < len(self._names))

    def choose(self, *names: str) -> None:
        """Choose runs."""
        self.table.clearSelection()
        mode = self.table.selectionMode()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        for name in names:
            self.table.selectRow(self._names.index(name))
        self.table.setSelectionMode(mode)

    def _chosen(self) -> None:
        """Tell of the chosen run; where a simulation is shown in the 3-D view, show this one."""
        self._describe()
        chosen, document = self.chosen, self._document
        if len(chosen) != 1 or chosen[0] not in document.analysis.simulations:
            return
        shown = shown_run(document.analysis, document.view)
        if shown is not None and shown.name != chosen[0]:
            show(self.context, chosen[0], beside=len(document.view.signals) > 1)

    def _describe(self) -> None:
        chosen, analysis = self.chosen, self._known
        self.facts = None
        if analysis is not None and chosen and chosen[-1] in analysis.simulations:
            self.facts = run_facts(analysis, analysis.simulations[chosen[-1]])
            self.words.setText(facts_html(self.facts, analysis.simulations[chosen[-1]], self._theme))
        else:
            self.words.setText("Choose a run.")
        self._show_view()

    def _show_view(self) -> None:
        """Show which buttons can be pressed, and whether the chosen run is in the 3-D view."""
        one, busy = len(self.chosen) == 1, self.context.jobs.busy
        view = self._document.view
        shown = shown_run(self._document.analysis, view) if self._document.is_open else None
        here = one and shown is not None and shown.name == self.chosen[0]
        self.buttons["show"].setChecked(here and view.signals == (SIMULATED,))
        self.buttons["over"].setChecked(here and len(view.signals) > 1)
        for name in ("show", "over"):
            self.buttons[name].setEnabled(one)
            font = self.buttons[name].font()
            font.setBold(self.buttons[name].isChecked())
            self.buttons[name].setFont(font)
        for name in ("again", "rename"):
            self.buttons[name].setEnabled(one and not busy)
        self.buttons["new"].setEnabled(not busy)
        self.buttons["delete"].setEnabled(bool(self.chosen) and not busy)
        self.plot.setEnabled(bool(self.chosen))
        runs = self._document.analysis.simulations if self.chosen else {}
        self.plot_items[MUSCLES].setEnabled(any(runs[name].muscle_names for name in self.chosen if name in runs))

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._known = None
        self.refresh()

    # ------------------------------------------------------------------ progress

    def _started(self, title: str) -> None:
        self._show_view()
        if title != TITLE:
            return
        self.told.setText("Simulation: getting ready …")
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)
        self.running.show()
        bring_forward(self)

    def _progressed(self, status: Status) -> None:
        if status.title != TITLE or not self.stop.isEnabled():
            return
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * status.fraction))
        left = (
            ""
            if status.remaining_s is None or status.fraction >= 1.0
            else f", about {max(1.0, status.remaining_s):.0f} s left"
        )
        self.told.setText(f"{status.note or status.words or 'Analysis'}{left}".capitalize())

    def _ended(self, title: str, *_: object) -> None:
        self.running.hide()
        self._show_view()

    def halt(self) -> None:
        """End the running simulation; what it has reached is kept."""
        self.stop.setEnabled(False)
        self.told.setText("Stopping …")
        self.context.jobs.cancel()

    # ------------------------------------------------------------------ what the user does

    def _try(self, act: Callable[[], None]) -> None:
        """Do what a button means; what cannot be done is reported."""
        try:
            act()
        except BiomecError as error:
            self.context.user.fail(TITLE, str(error))
        self._show_view()

    def new(self) -> None:
        """Open the dialog."""
        if self._document.is_open and not self.context.jobs.busy:
            open_simulation(self.context)

    def vary(self) -> None:
        """Open the dialog with the settings of the chosen run."""
        if len(self.chosen) == 1:
            run = self._document.analysis.simulations[self.chosen[0]]
            open_simulation(self.context, replace(run.settings, name=""))

    def show_run(self, *, beside: bool) -> None:
        """Show the chosen run in the 3-D view."""
        if len(self.chosen) == 1:
            show(self.context, self.chosen[0], beside=beside)

    def plot_curves(self, what: str) -> None:
        """Plot curves of the chosen runs."""
        analysis = self._document.analysis
        joints = important_joints(analysis) if has_loads(analysis) else JOINTS
        joints = joints if what == "moments" else tuple({"glenohumeral": "shoulder"}.get(one, one) for one in joints)
        keys = plotted(analysis, self.chosen, what, (*joints, *JOINTS[1:2]) if what == "angles" else joints)
        if not keys:
            return
        self._document.select(curves=keys)
        self.context.plots.look_asked.emit()
        runs = [analysis.simulations[name] for name in self.chosen]
        first, last = min(run.first for run in runs), max(run.last for run in runs)
        if self.context.plots.view.over == TIME:
            self.context.plots.set(window_s=(first / runs[0].rate_hz, last / runs[0].rate_hz))

    def compare(self) -> None:
        """Open the table of the chosen runs, or of all."""
        from biomec_app.figures.tables import open_tables

        names = self.chosen if len(self.chosen) > 1 else ()

        def make(analysis: Analysis) -> tuple[Section, ...]:
            return comparison(analysis, [name for name in names if name in analysis.simulations])

        open_tables(self.context, "Simulation Runs Compared", make(self._document.analysis), make)

    def draw(self) -> None:
        """Open the figure of all runs."""
        from biomec_app.figures.registry import figure_named
        from biomec_app.figures.window import open_figure

        open_figure(self.context, figure_named("simulation-runs"))

    def _ask_name(self, before: str) -> str | None:
        name, agreed = QInputDialog.getText(self, "Rename Simulation", "Name of the run:", text=before)
        return name if agreed else None

    def rename(self) -> None:
        """Ask for another name of the chosen run."""
        if len(self.chosen) != 1:
            return
        after = self.ask_name(self.chosen[0])
        if after is not None:
            rename(self.context, self.chosen[0], after)

    def delete(self) -> None:
        """Delete the chosen runs."""
        if self.chosen:
            delete(self.context, self.chosen)


def facts_html(facts: RunFacts, run: SimulationRun, theme: Theme) -> str:
    """Facts of a run: how it ended, then a table, then what was noticed."""
    colour = theme.contact if facts.completed else theme.fault
    stale = "<br><i>The motion has changed since this run: run it again.</i>" if facts.stale else ""
    rows = "".join(
        f'<tr><td style="color:{theme.faint}; padding-right:10px">{_held(name)}</td><td>{html(value)}</td></tr>'
        for name, value in facts.rows.items()
    )
    sentences = [notice.sentence for notice in run.notices if notice.sentence != run.sentence]
    notices = "".join(f"<br>• {html(sentence)}" for sentence in sentences)
    return (
        f'<b>{html(facts.name)}</b><br><span style="color:{colour}">{html(facts.sentence)}</span>{stale}'
        f"<table cellspacing=0 cellpadding=1>{rows}</table>{notices}"
    )


def _held(words: str) -> str:
    """Words that are not broken into lines."""
    return html(words).replace(" ", "&nbsp;")
