"""Joint loads at a glance: how far to trust them, which joints are in doubt, and what of them is plotted and drawn."""

from __future__ import annotations

from html import escape

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSlider,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.progress import Progress
from biomec.body.loads.contributions import PARTS
from biomec.body.loads.load_components import AXES_WORDS, LoadReading
from biomec.body.loads.residuals import THRESHOLDS
from biomec.body.loads.sensitivity import JointDoubt, LoadBand
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.load_reading import chosen_loads
from biomec.pipeline.load_sensitivity import CUTOFF, doubts_of, load_sensitivity
from biomec.pipeline.outlook import obstacle_of_loads
from biomec_app.curves.curve import capital
from biomec_app.features.loads import choice as choices
from biomec_app.features.loads.choice import WHAT, LoadChoice, chosen_keys, joints_of, read_choice
from biomec_app.features.loads.readings import Readings, has_loads, stem
from biomec_app.features.loads.residual_course import ResidualCourse
from biomec_app.features.loads.trust_content import COLUMNS, LoadTrustPage, trust_page
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.dock_tabs import bring_forward
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import FROM_START, zero_told
from biomec_app.session.context import Context
from biomec_app.session.view_options import View
from biomec_app.viewer.overlays.forces import METRES_A_NEWTON

SIGNS = {"good": "✓", "check": "!", "poor": "✕", "not judged": "–"}
IMPORTANT = "Main joints"
DOUBT = "How far the loads may be off"
CUTOFF_HZ = 1.0  # by which the cut-off frequencies are lowered and raised
SCALES = 40  # steps of the slider: lengths of arrows from 1/4 to 8 times the usual
LOWEST, HIGHEST = 0.25, 8.0
ARROW = 0.5  # m that the largest joint force has after Auto
ARROWS = ("joint forces", "joint moments", "load residual")


class LoadPanel(QWidget):
    """Verdict, limits, places to look at, doubt of every joint, residual over time; what of the loads is plotted."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("loads")
        self._theme = LIGHT
        self._known: Analysis | None = None
        self.page: LoadTrustPage | None = None
        self.doubts: tuple[JointDoubt, ...] = ()
        self.choice = LoadChoice()
        self._reading: LoadReading | None = None  # of the settings, as it was shown last
        self._filling = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._judge)
        self._build()
        document = self._document
        document.opened.connect(self._opened)
        document.analysis_changed.connect(self._analysis_changed)
        document.frame_changed.connect(self._show_frame)
        document.view_changed.connect(self._show_view)
        document.selection_changed.connect(self._show_choice)
        context.aside.started.connect(self._show_filter)  # methods: they are let go with the panel
        context.aside.failed.connect(self._show_filter)
        context.aside.finished.connect(self._aside_finished)
        context.closing.append(self._later.stop)
        self.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.verdict, self.steps, self.table, self.facts, self.places = (QLabel() for _ in range(5))
        for label, name, words in (
            (self.verdict, "loads.verdict", "Verdict about the loads"),
            (self.steps, "loads.steps", "Contacts with plates and their joints"),
            (self.table, "loads.thresholds", "Residual beside published limits"),
            (self.facts, "loads.facts", "Balance, methods and ground reaction"),
            (self.places, "loads.places", "Where to look"),
        ):
            label.setObjectName(name)
            label.setAccessibleName(words)
            label.setWordWrap(True)
            label.setMinimumWidth(1)
            label.setTextFormat(Qt.TextFormat.RichText)
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.places.setTextInteractionFlags(links)
        self.places.linkActivated.connect(lambda link: self.go(int(link)))
        self.steps.setTextInteractionFlags(links)
        self.steps.linkActivated.connect(lambda link: self.go_to_step(int(link)))
        self.frame = QFrame()
        self.frame.setObjectName("loadsFrame")
        framed = QVBoxLayout(self.frame)
        framed.setContentsMargins(10, 6, 8, 6)
        framed.addWidget(self.verdict)
        framed.addWidget(self.steps)
        self.bars = BarChart("loads.doubt", "How far moments may be off", "RMS, in % of the peak", least=5)
        self.bars.chosen.connect(self._joint_chosen)
        self.filter = QPushButton("Include the &Filter")
        self.filter.setObjectName("loads.filter")
        self.filter.setToolTip(
            "Run the analysis twice more, with cut-off frequencies 1 Hz lower and higher, and add what changes"
        )
        self.filter.clicked.connect(lambda: self._find_band(CUTOFF_HZ))
        self.course = ResidualCourse()
        self.course.picked.connect(self._document.set_frame)
        self.over = QLabel(f"<b>Residual over time {FROM_START}</b>")
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(8, 6, 8, 4)
        grid.setVerticalSpacing(5)
        grid.addWidget(self.frame, 0, 0)
        grid.addLayout(self._plot_row(), 1, 0)
        grid.addLayout(self._arrow_row(), 2, 0)
        grid.addWidget(self.table, 3, 0)
        grid.addWidget(self.facts, 4, 0)
        grid.addWidget(self.places, 5, 0)
        grid.addWidget(self.bars, 6, 0)
        grid.addWidget(self.filter, 7, 0, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.over, 8, 0)
        grid.addWidget(self.course, 9, 0)
        grid.setRowStretch(6, 3)
        grid.setRowStretch(9, 2)
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = QLabel()
        self.nothing.setObjectName("loads.nothing")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setMargin(24)
        self.nothing.linkActivated.connect(lambda _: self.context.run_until("loads"))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.nothing)
        self.pages.addWidget(scroll)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)

    def _plot_row(self) -> QGridLayout:
        """What of the loads is plotted."""
        self.combos: dict[str, QComboBox] = {}
        row = QGridLayout()
        row.setHorizontalSpacing(4)
        row.setVerticalSpacing(3)
        for k, (field, options, words) in enumerate((
            ("what", WHAT, "What is plotted of the loads"),
            ("joint", {"": IMPORTANT}, "Which joint is plotted"),
            ("axes", AXES_WORDS, "Axes of the components"),
            ("unit", choices.UNITS, "Unit: as they are, by mass, or by weight"),
            ("method", choices.SHOWN, "Method: multibody is drawn solid, Newton-Euler dashed"),
            ("sign", choices.SIGNS, "Internal: what muscles and ligaments do; external: the load that they resist"),
        )):  # fmt: skip
            combo = QComboBox()
            combo.setObjectName(f"loads.{field}")
            combo.setAccessibleName(words)
            combo.setToolTip(words)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(6)
            for value, text in options.items():
                combo.addItem(text, value)
            combo.activated.connect(self._choice_made)
            self.combos[field] = combo
            row.addWidget(combo, k // 3, k % 3)
        self.plot = QPushButton("&Plot")
        self.plot.setObjectName("loads.plot")
        self.plot.setToolTip("Plot the chosen loads in the panel Signals")
        self.plot.clicked.connect(self._plot_asked)
        row.addWidget(self.plot, 2, 0, 1, 3)
        for column in range(3):
            row.setColumnStretch(column, 1)
        return row

    def _arrow_row(self) -> QHBoxLayout:
        """Arrows of the loads in the 3-D view."""
        row = QHBoxLayout()
        row.setSpacing(4)
        self.arrows: dict[str, QPushButton] = {}
        for name, text in zip(ARROWS, ("Forces", "Moments", "Residual"), strict=True):
            button = QPushButton(text)
            button.setCheckable(True)
            button.setObjectName(f"loads.arrows.{name}")
            button.setAccessibleName(f"Show {name} in the 3-D view")
            button.setToolTip(f"Show {name} as arrows in the 3-D view")
            button.clicked.connect(lambda _, name=name: self._toggle(name))
            self.arrows[name] = button
            row.addWidget(button)
        self.scale = QSlider(Qt.Orientation.Horizontal)
        self.scale.setObjectName("loads.scale")
        self.scale.setAccessibleName("Length of arrows in the 3-D view")
        self.scale.setToolTip("Length of all force arrows in the 3-D view")
        self.scale.setRange(0, SCALES)
        self.scale.setMinimumWidth(50)
        self.scale.valueChanged.connect(self._scaled)
        self.auto = QPushButton("Auto")
        self.auto.setObjectName("loads.scale.auto")
        self.auto.setToolTip("Choose a length by which the largest joint force fits")
        self.auto.clicked.connect(self.auto_scale)
        row.addWidget(self.scale, 1)
        row.addWidget(self.auto)
        return row

    # ------------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        """Judge what has changed while nobody looked."""
        super().showEvent(event)
        self.refresh()

    def _opened(self) -> None:
        self._reading = None
        self.refresh()

    def _analysis_changed(self) -> None:
        """Come to the front when loads were computed."""
        before = self._before_loads
        self._before_loads = self._document.analysis.done.get("loads") if self._document.is_open else None
        self.refresh()
        if self._before_loads is not None and self._before_loads is not before and self.context.jobs.title == RUN:
            bring_forward(self)

    _before_loads: object = None

    def refresh(self) -> None:
        """Judge the analysis as it is now; that waits until somebody looks."""
        document = self._document
        if not document.is_open:
            self._known = None
            self._tell("No recording is open.")
        elif not has_loads(document.analysis):
            self._known = document.analysis
            reason = obstacle_of_loads(document.analysis)
            todo = f'{escape(run_first("loads"))}<br><br><a href="run">Compute the joint loads</a>'
            self._tell(escape(reason) or todo)
        elif self.isVisible() and document.analysis is not self._known:
            self._later.start()

    def _tell(self, sentence: str) -> None:
        self.page = None
        self.nothing.setText(sentence)
        self.pages.setCurrentIndex(0)

    def _judge(self) -> None:
        if not self._document.is_open or not has_loads(self._document.analysis):
            return
        self._known = self._document.analysis
        self.page = trust_page(self._known)
        self.pages.setCurrentIndex(1)
        self._fill_joints(self._known)
        self._show_words(self.page)
        counting = THRESHOLDS if self._known.loads.reduced is not None else ()  # limits after residual reduction
        limits = tuple(one.force_rms for one in counting), tuple(one.torque_rms for one in counting)
        rate = self._known.signals.trial.rate_hz
        self.course.set_content(self.page.force, self.page.torque, self.page.counted, rate, limits)
        self._show_frame(self._document.frame)
        self._show_view()
        self._follow_settings(self._known.settings.load_reading)
        self._show_choice()
        self._show_doubts()
        self._find_band()

    def _follow_settings(self, reading: LoadReading) -> None:
        """Read the loads as the settings do, at first and whenever these change; what is plotted changes with them."""
        before, self._reading = self._reading, reading
        if before == reading:
            return
        self.choice = self.choice.read_as(reading)
        self._fill_choice(self.choice)
        if before is not None and self._plots_loads:
            self._plot_chosen()

    def _aside_finished(self, title: str) -> None:
        self._find_band()
        self._show_filter()

    def _find_band(self, cutoff_hz: float = 0.0) -> None:
        """Find the band in the background, once; the filter's part only if asked, because it runs everything again."""
        if self._known is None or not has_loads(self._known) or self.context.aside.busy or not self.isVisible():
            return
        readings, known = Readings(self._known), self._known
        if (readings.band is not None and not cutoff_hz) or not known.is_current("loads"):
            return

        def work(progress: Progress) -> tuple[LoadBand, tuple[JointDoubt, ...]]:
            for part in PARTS:  # with all constraints kept they take longer than the window may wait
                readings.part(part)
            band = load_sensitivity(known, cutoff_hz=cutoff_hz, progress=progress)
            return band, doubts_of(known.loads, band)

        def done(found: tuple[LoadBand, tuple[JointDoubt, ...]]) -> None:
            Readings(known).keep_band(*found)
            if self._known is known:
                self._show_doubts()
                self.context.plots.changed.emit()

        self.context.aside.start(DOUBT, work, done)

    def _show_doubts(self) -> None:
        self.doubts = () if self._known is None or not has_loads(self._known) else Readings(self._known).doubts
        bars = [
            Bar(
                capital(one.joint),
                (100.0 * one.moment_share,),
                f"{100.0 * one.moment_share:.0f} %",
                f"{capital(one.joint)}: moments may be off by {one.moment:.1f} N·m, forces by {one.force:.0f} N "
                f"({100.0 * one.force_share:.0f} % of the peak). What counts most: {one.worst}. Click to plot it.",
                one.joint,
            )
            for one in self.doubts
        ]
        self.bars.set_bars(bars, ("rebuilt",))
        self._show_filter()

    def _show_filter(self, *_: str) -> None:
        """Whether the part of the filter can be added now."""
        band = None if self._known is None or not has_loads(self._known) else Readings(self._known).band
        self.filter.setEnabled(band is not None and CUTOFF not in band.sources and not self.context.aside.busy)

    def _fill_joints(self, analysis: Analysis) -> None:
        combo = self.combos["joint"]
        before, names = combo.currentData(), joints_of(analysis)
        combo.blockSignals(True)
        combo.clear()
        combo.addItem(IMPORTANT, "")
        for name in names:
            combo.addItem(capital(name), name)
        combo.setCurrentIndex(max(0, combo.findData(before)))
        combo.blockSignals(False)
        what = self.combos["what"]
        at, there = what.findData("contact"), bool(analysis.loads.multibody.contacts)
        if there and at < 0:
            what.addItem(WHAT["contact"], "contact")
        elif not there and at >= 0:
            what.removeItem(at)

    def _show_words(self, page: LoadTrustPage) -> None:
        theme = self._theme
        tint = _tints(theme)[page.level]
        self.frame.setStyleSheet(
            f"#loadsFrame {{ background: {theme.panel}; border: 1px solid {theme.line}; border-left: 5px solid {tint};"
            " border-radius: 4px; }"
        )
        stale = "<br><i>Settings have changed since; compute the loads again.</i>" if page.stale else ""
        self.verdict.setText(
            f'<span style="color:{tint}; font-weight:bold">{SIGNS[page.level]}</span>&nbsp; '
            f"<b>{page.advice}</b> {escape(page.verdict)}{stale}"
        )
        self.steps.setText(_steps(page, theme))
        self.steps.setVisible(bool(page.steps))
        self.table.setText(_table(page, theme))
        self.facts.setText("<br>".join(f"• {escape(fact)}" for fact in page.facts))
        rows = "".join(
            f'<tr><td style="color:{theme.faint}; padding-right:8px">{escape(one.title)}</td><td>'
            + (f'<a href="{k}" style="color:{theme.accent}">{escape(one.words)}</a>' if one.frame is not None
               else escape(one.words))
            + "</td></tr>"
            for k, one in enumerate(page.places)
        )  # fmt: skip
        self.places.setText(f"<table cellspacing=0 cellpadding=1>{rows}</table>")
        self.places.setVisible(bool(page.places))
        begins = zero_told(self._document.analysis.session.dynamic)
        self.places.setToolTip(f"Click to go there. {begins}")
        for part in (self.verdict, self.over):
            part.setToolTip(begins)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.bars.set_theme(theme)
        self.course.set_theme(theme)
        if self.page is not None:
            self._show_words(self.page)

    # ------------------------------------------------------------------ what the user does

    def go(self, number: int) -> None:
        """Go to what a link names."""
        if self.page is None or not 0 <= number < len(self.page.places):
            return
        place = self.page.places[number]
        if place.segment is not None:
            self._document.select(segment=place.segment, point=None)
        if place.frame is not None:
            self._document.set_frame(place.frame)

    def go_to_step(self, number: int) -> None:
        """Go to where a contact with a plate begins."""
        if self.page is not None and 0 <= number < len(self.page.steps):
            step = self.page.steps[number]
            if step.segment is not None:
                self._document.select(segment=step.segment, point=None)
            self._document.set_frame(step.frame)

    def _joint_chosen(self, joint: object) -> None:
        """Plot the moments of a joint of the bars."""
        combo = self.combos["joint"]
        combo.setCurrentIndex(max(0, combo.findData(stem(str(joint)))))
        self._plot_asked()

    def _plot_asked(self) -> None:
        """Plot what was chosen, and show the plots, which may stand behind this panel."""
        self._plot_chosen()
        self.context.plots.look_asked.emit()

    def _choice_made(self) -> None:
        """Plot at once what was chosen, if loads are plotted already."""
        self._take_choice()
        if self._plots_loads:
            self._plot_chosen()

    @property
    def _plots_loads(self) -> bool:
        kinds = ("load", "power/", "stress/", "residual load/", "contact force/")
        return any(key.startswith(kinds) for key in self._document.selection.curves)

    def _take_choice(self) -> None:
        self.choice = LoadChoice(**{field: str(combo.currentData()) for field, combo in self.combos.items()})
        of_components = self.choice.what in choices.QUANTITIES
        self.combos["axes"].setEnabled(of_components or self.choice.what == "residual")
        self.combos["unit"].setEnabled(of_components or self.choice.what == "power")
        self.combos["method"].setEnabled(of_components and self.choice.what not in choices.BY_ORIGIN)
        self.combos["sign"].setEnabled(of_components)
        self.combos["joint"].setEnabled(self.choice.what not in ("residual", "contact"))

    def _plot_chosen(self) -> None:
        self._take_choice()
        if self._known is not None and has_loads(self._known):
            self._filling = True
            self._document.select(curves=chosen_keys(self._known, self.choice))
            self._filling = False

    def _show_choice(self) -> None:
        """Show axes, unit, method and sign of what is plotted."""
        if self._filling or self.page is None:
            return
        self._fill_choice(read_choice(self._document.selection.curves, self.choice))

    def _fill_choice(self, choice: LoadChoice) -> None:
        for field in ("what", "axes", "unit", "method", "sign"):
            combo = self.combos[field]
            combo.setCurrentIndex(max(0, combo.findData(getattr(choice, field))))
        self._take_choice()

    def _toggle(self, name: str) -> None:
        self._document.set_view(overlays=self._document.view.overlays ^ {name})

    def _scaled(self, step: int) -> None:
        if not self._filling:
            self._document.set_view(force_scale=scale_of(step))

    def auto_scale(self) -> None:
        """Let the largest joint force have a length that fits."""
        if self._known is None or not has_loads(self._known):
            return
        force = chosen_loads(self._known).force
        sizes = np.linalg.norm(force[self._known.loads.trust.residuals.counted], axis=2)
        if not sizes.size:
            sizes = np.linalg.norm(force, axis=2)
        largest = float(np.nanmax(sizes, initial=0.0))
        if largest > 0.0:
            scale = ARROW / (METRES_A_NEWTON * largest)
            self._document.set_view(force_scale=float(np.clip(scale, LOWEST, HIGHEST)))

    def _show_view(self) -> None:
        """Show which arrows are drawn, and how long."""
        view: View = self._document.view
        for name, button in self.arrows.items():
            button.setChecked(name in view.overlays)
        self._filling = True
        self.scale.setValue(step_of(view.force_scale))
        self._filling = False

    def _show_frame(self, frame: int) -> None:
        if self.isVisible():
            self.course.set_frame(frame)


RUN = "Inverse Dynamics"


def scale_of(step: int) -> float:
    """Length of arrows at a step of the slider."""
    return float(LOWEST * (HIGHEST / LOWEST) ** (step / SCALES))


def step_of(scale: float) -> int:
    """Step of the slider at a length of arrows."""
    return round(SCALES * float(np.log(max(scale, LOWEST) / LOWEST) / np.log(HIGHEST / LOWEST)))


def _held(words: str) -> str:
    """Words that are not broken into lines."""
    return escape(words).replace(" ", "&nbsp;")


def _tints(theme: Theme) -> dict[str, str]:
    """Grade -> colour."""
    return {"good": theme.contact, "check": theme.rebuilt, "poor": theme.failed, "not judged": theme.faint}


def _steps(page: LoadTrustPage, theme: Theme) -> str:
    """Contacts with plates, each with its joints and their expected errors, in the colours of their grades."""
    tints, rows = _tints(theme), []
    for k, step in enumerate(page.steps):
        joints = ", ".join(f'<span style="color:{tints[grade]}">{_held(text)}</span>' for text, grade in step.joints)
        rows.append(
            f'<tr><td style="color:{tints[step.grade]}; padding-right:5px"><b>{SIGNS[step.grade]}</b></td>'
            f'<td style="padding-right:10px"><a href="{k}" title="{escape(step.sentence)}" '
            f'style="color:{theme.accent}">{_held(step.title)}</a></td>'
            f'<td style="padding-right:10px">{escape(step.words)}</td><td>{joints}</td></tr>'
        )
    note = f'<div style="color:{theme.faint}; font-size:8pt">Joints: expected error of their moments, N·m/kg</div>'
    return f"<table cellspacing=0 cellpadding=1>{''.join(rows)}</table>" + note * any(s.joints for s in page.steps)


def _table(page: LoadTrustPage, theme: Theme) -> str:
    """The residual beside the limits, exceeded ones in red."""
    head = "".join(
        f'<td align="right" style="color:{theme.faint}; padding-left:10px">{escape(text)}</td>' for text in COLUMNS[1:]
    )
    rows = [f'<tr><td style="color:{theme.faint}">{_held("Residual, N and N·m")}</td>{head}</tr>']
    for row in page.rows:
        cells = "".join(
            f'<td align="right" style="color:{theme.fault if kept is False else theme.text}; padding-left:10px">'
            f"{'<b>' if kept is None else ''}{escape(text)}{'</b>' if kept is None else ''}</td>"
            for text, kept in row.cells
        )
        verdict = "" if row.kept is None or row.name == "Here" else "kept" if row.kept else "exceeded"
        colour = theme.fault if verdict == "exceeded" else theme.faint
        rows.append(
            f'<tr><td>{_held(row.name)}</td>{cells}<td style="color:{colour}; padding-left:10px">{verdict}</td></tr>'
        )
    sources = "; ".join(f"{row.name}: {row.source}" for row in page.rows[1:])
    if sources and page.rows[1].kept is None:
        sources = f"Limits are meant for what residual reduction leaves; here they judge nothing. {sources}"
    note = f'<div style="color:{theme.faint}; font-size:8pt">{escape(sources)}</div>' if sources else ""
    return f"<table cellspacing=0 cellpadding=1>{''.join(rows)}</table>{note}"
