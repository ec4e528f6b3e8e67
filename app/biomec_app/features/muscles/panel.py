"""All muscles in one list: searched, switched, over time or cycle; what is chosen here stands out in the 3-D view."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis, run_first, step_named
from biomec.pipeline.outlook import obstacle_of_loads
from biomec_app.features.muscles.group_menu import GroupButton
from biomec_app.features.muscles.heat_content import (
    CYCLE,
    ORDERS,
    TIME,
    EmgBeside,
    MuscleFilter,
    cycle_words,
    cycles_of,
    emg_beside,
    has_cycles,
    heat_rows,
    place_in_cycle,
)
from biomec_app.features.muscles.heat_map import HeatMap
from biomec_app.features.muscles.moment_tab import MomentTab
from biomec_app.features.muscles.plotted import SHOWN, keys_of, muscle_of_keys
from biomec_app.features.muscles.readings import STEP, has_muscles, readings_of
from biomec_app.features.muscles.trust_tab import MuscleTrustTab
from biomec_app.kit.dock_tabs import bring_forward
from biomec_app.kit.judged_pages import JudgedPages
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context

TITLE = step_named(STEP).title
EMG_JOB = "EMG beside the muscles"
OVERLAYS = {"muscles": "&Muscles", "wrap surfaces": "&Wraps", "contact forces": "Con&tacts"}
SIDES = {"": "Both sides", "right": "Right", "left": "Left"}


class MusclePanel(QWidget):
    """Search, groups and sides over a heat map of activation; facts of the chosen muscle; a page about trust."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("muscles")
        self._theme: Theme = LIGHT
        self._known: Analysis | None = None
        self._emg: EmgBeside | None = None
        self._emg_of: Analysis | None = None
        self._picked: str | None = None
        self._curves: tuple[str, ...] = ()
        self._before: object = None
        self.filter = MuscleFilter()
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._judge)
        self._build()
        document = self._document
        document.opened.connect(self.refresh)
        document.analysis_changed.connect(self._analysis_changed)
        document.frame_changed.connect(self._show_frame)
        document.view_changed.connect(self._view_changed)
        document.selection_changed.connect(self._selection_changed)
        context.aside.finished.connect(self._aside_finished)
        context.closing.append(self._later.stop)
        self.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.search = QLineEdit()
        self.search.setObjectName("muscles.search")
        self.search.setAccessibleName("Search muscles")
        self.search.setPlaceholderText("Search, such as “gluteus” or “vastus right”")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda words: self._filter(words=words))
        self.side, self.group, self.order, self.over = (
            self._combo(name, words) for name, words in (
                ("side", "Side of the body"), ("group", "Which muscle, with all its parts"),
                ("order", "Order of the muscles"), ("over", "Activation over time, or its mean over the cycle"),
            )
        )  # fmt: skip
        for value, text in SIDES.items():
            self.side.addItem(text, value)
        for value, text in ORDERS.items():
            self.order.addItem(text, value)
        self.over.addItem("Over time", TIME)
        for field, combo in (("side", self.side), ("group", self.group), ("order", self.order), ("over", self.over)):
            combo.activated.connect(lambda _, field=field, combo=combo: self._filter(**{field: combo.currentData()}))
        self.groups = GroupButton(self._document)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        grid.addWidget(self.search, 0, 0, 1, 3)
        grid.addWidget(self.side, 0, 3)
        for k, part in enumerate((self.group, self.order, self.over, self.groups)):
            grid.addWidget(part, 1, k)
            grid.setColumnStretch(k, 1)
        shown = QHBoxLayout()
        shown.setSpacing(4)
        self.overlays: dict[str, QPushButton] = {}
        for name, text in OVERLAYS.items():
            button = QPushButton(text)
            button.setCheckable(True)
            button.setObjectName(f"muscles.show.{name}")
            button.setAccessibleName(f"Show {name} in the 3-D view")
            button.setToolTip(f"Show {name} in the 3-D view")
            button.clicked.connect(lambda _, name=name: self._toggle(name))
            self.overlays[name] = button
            shown.addWidget(button)
        self.map = HeatMap("muscles.map")
        self.map.chosen.connect(self.choose)
        self.map.entered.connect(lambda name: self._plot(look=True))
        self.map.moved.connect(self._go)
        self.area = QScrollArea()
        self.area.setWidget(self.map)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusProxy(self.map)
        self.map.line_shown.connect(lambda y: self.area.ensureVisible(0, y + 8, 0, 40))
        self.facts = rich_label("muscles.facts", "About the chosen muscle")
        self.what = self._combo("what", "What is plotted of the chosen muscle")
        for value, text in SHOWN.items():
            self.what.addItem(text, value)
        self.what.activated.connect(lambda _: self._plot())
        self.plot = QPushButton("&Plot")
        self.plot.setObjectName("muscles.plot")
        self.plot.setToolTip("Plot the chosen muscle, or all that are listed if none is chosen (Enter in the list)")
        self.plot.clicked.connect(lambda: self._plot(look=True))
        foot = QHBoxLayout()
        foot.addWidget(self.what, 1)
        foot.addWidget(self.plot)
        first = QWidget()
        layout = QVBoxLayout(first)
        layout.setContentsMargins(8, 6, 8, 4)
        layout.setSpacing(5)
        layout.addLayout(grid)
        layout.addLayout(shown)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.facts)
        layout.addLayout(foot)
        self.moments = MomentTab(self.context)
        self.trust = MuscleTrustTab(self.context)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("muscles.tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(first, "&Activation")
        self.tabs.addTab(self.moments, "&Moments")
        self.tabs.addTab(self.trust, "T&rust")
        self.pages = JudgedPages("muscles", self.tabs)
        self.pages.asked.connect(lambda: self.context.run_until(STEP))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.pages)

    def _combo(self, name: str, words: str) -> QComboBox:
        combo = QComboBox()
        combo.setObjectName(f"muscles.{name}")
        combo.setAccessibleName(words)
        combo.setToolTip(words)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(5)
        return combo

    # ------------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has changed while nobody looked."""
        super().showEvent(event)
        self.refresh()

    def _analysis_changed(self) -> None:
        """Come to the front, and show muscles in the 3-D view, when they were computed."""
        before, document = self._before, self._document
        self._before = document.analysis.done.get(STEP) if document.is_open else None
        self.refresh()
        if self._before is not None and self._before is not before and self.context.jobs.title == TITLE:
            document.set_view(overlays=document.view.overlays | {"muscles"})
            bring_forward(self)

    def refresh(self) -> None:
        """Show the analysis as it is now; that waits until somebody looks."""
        document = self._document
        if not document.is_open:
            self._known = None
            self.pages.tell("No recording is open.")
        elif not has_muscles(document.analysis):
            self._known = document.analysis
            reason = obstacle_of_loads(document.analysis)
            todo = (
                f"{html(run_first(STEP))}<br><br>It says which muscles carry the movement, and what presses in the "
                'joints under them.<br><br><a href="run">Compute muscle forces</a>'
            )
            self.pages.tell(html(reason) or todo)
        elif self.isVisible() and document.analysis is not self._known:
            self._later.start()

    def _judge(self) -> None:
        if not self._document.is_open or not has_muscles(self._document.analysis):
            return
        self._known = self._document.analysis
        readings = readings_of(self._known)
        self.groups.set_readings(readings)
        self._fill_choices()
        self.pages.show_content()
        self.moments.set_analysis(self._known)
        self.trust.set_analysis(self._known)
        self._find_emg()
        self._fill()
        self._view_changed()
        self._selection_changed()

    def _fill_choices(self) -> None:
        assert self._known is not None
        groups = readings_of(self._known).groups
        before = self.filter.group
        self.group.clear()
        self.group.addItem("All muscles", "")
        for name in groups:
            self.group.addItem(name, name)
        self.group.setCurrentIndex(max(0, self.group.findData(before)))
        at = self.over.findData(CYCLE)
        if has_cycles(self._known) and at < 0:
            self.over.addItem("Mean cycle", CYCLE)
        elif not has_cycles(self._known) and at >= 0:
            self.over.removeItem(at)
        self.filter = replace(
            self.filter, group=str(self.group.currentData()), over=str(self.over.currentData()),
        )  # fmt: skip

    def _filter(self, **changes: str) -> None:
        self.filter = replace(self.filter, **changes)
        self._fill()

    def _fill(self) -> None:
        if self._known is None or not has_muscles(self._known):
            return
        rows = heat_rows(self._known, self.filter, self._document.view.no_muscles, self._emg)
        self.map.set_rows(rows)
        self._show_frame(self._document.frame)

    def _find_emg(self) -> None:
        """Measured activations are found in the background, once for a result."""
        known = self._known
        if known is None or known is self._emg_of or self.context.aside.busy or not has_muscles(known):
            return
        if known.session.dynamic.emg is None:
            self._emg, self._emg_of = None, known
            return

        def work(progress: Progress) -> EmgBeside | None:
            return emg_beside(known)

        def done(found: EmgBeside | None) -> None:
            if self._known is known:
                self._emg, self._emg_of = found, known
                self._fill()

        self.context.aside.start(EMG_JOB, work, done)

    def _aside_finished(self, title: str) -> None:
        if title != EMG_JOB and self.isVisible():
            self._find_emg()

    def _show_frame(self, frame: int) -> None:
        if self._known is None or not self.isVisible() or not has_muscles(self._known):
            return
        readings = readings_of(self._known)
        forces = readings.forces
        if frame >= forces.frames:
            return
        now = dict(zip(forces.names, forces.activation[frame].tolist(), strict=True))
        place: float | None = frame / max(forces.frames - 1, 1)
        if self.filter.over == CYCLE:
            shown = self._picked if self._picked in readings.place else forces.names[0]
            place = place_in_cycle(cycles_of(self._known, readings.muscle(shown)), frame)
        self.map.set_hand(place, now)
        self.moments.set_frame(frame)
        self._show_facts(frame)

    def _show_facts(self, frame: int) -> None:
        assert self._known is not None
        readings = readings_of(self._known)
        if self._picked not in readings.place:
            self.facts.setText("Click a muscle here or in the 3-D view. Ctrl adds one to the plots; arrows go on.")
            return
        m, forces = readings.place[self._picked], readings.forces
        one = readings.muscles[m]
        joints = ", ".join(readings.crossed.get(one.name, ())) or "no joint of the model"
        level, force, length = forces.activation[frame, m], forces.force[frame, m], forces.length[frame, m]
        self.facts.setText(
            f"<b>{html(one.sided_title.capitalize())}</b>: now {100.0 * level:.0f} %, {force:.0f} N, fibres at "
            f"{length:.2f} of their optimal length. Crosses {html(joints)}. Strength {one.fmax:.0f} N, optimal fibre "
            f"{1000.0 * one.lopt:.0f} mm, tendon {1000.0 * one.lts:.0f} mm ({html(one.source.title)})."
            + (f" {html(cycle_words(self._known, one))}" if self.filter.over == CYCLE else "")
        )

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.map.set_theme(theme)
        self.moments.set_theme(theme)
        self.trust.set_theme(theme)

    # ------------------------------------------------------------------ what the user does

    def choose(self, muscle: str, added: bool = False) -> None:
        """Let a muscle stand out, and plot it; ``added``: beside those that are plotted."""
        if self._known is None:
            return
        keys = keys_of(readings_of(self._known), (muscle,), (str(self.what.currentData()),))
        curves = tuple(dict.fromkeys((*self._document.selection.curves, *keys))) if added else keys
        self._picked, self._curves = muscle, curves
        self._document.select(muscle=muscle, curves=curves, segment=None, point=None)
        self.map.set_muscle(muscle)
        self._show_frame(self._document.frame)

    def _plot(self, look: bool = False) -> None:
        """Plot the chosen muscle, or the first of the list."""
        if self._known is None or not has_muscles(self._known):
            return
        rows = [row.muscle for row in self.map.rows]
        chosen = self._picked if self._picked in rows else None
        readings = readings_of(self._known)
        keys = keys_of(readings, (chosen,) if chosen else rows[:12], (str(self.what.currentData()),))
        self._curves = keys
        self._document.select(curves=keys)
        if look:
            self.context.plots.look_asked.emit()

    def _go(self, place: float) -> None:
        """Go to where the colours were clicked."""
        if self.filter.over == TIME:
            self._document.set_frame(round(place * (self._document.frames - 1)))

    def _toggle(self, name: str) -> None:
        self._document.set_view(overlays=self._document.view.overlays ^ {name})

    def _view_changed(self) -> None:
        view = self._document.view
        for name, button in self.overlays.items():
            button.setChecked(name in view.overlays)
        if self._known is not None and self.isVisible():
            self._fill()

    def _selection_changed(self) -> None:
        """Follow what was picked in the 3-D view, or what is plotted."""
        selection = self._document.selection
        if self._known is None or not has_muscles(self._known):
            return
        readings = readings_of(self._known)
        if selection.muscle != self._picked:
            self._picked = selection.muscle
            if selection.muscle in readings.place:
                self.choose(str(selection.muscle))
        elif selection.curves != self._curves:
            plotted = muscle_of_keys(selection.curves)
            if plotted in readings.place and plotted != self._picked:
                self._picked = plotted
                self._document.select(muscle=plotted)
        self._curves = self._document.selection.curves
        self.map.set_muscle(self._picked)
        self._show_frame(self._document.frame)
