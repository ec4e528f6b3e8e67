"""The import: one dialog for the files, the subject, axes and units, labels, and the frames of separate EMG.

Everything is filled in from the files, so that the default button imports at once. Whoever changes a file or an axis
sees what the files then say; what cannot be read is reported, and the last choice that could be read stays.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.plain_text import html
from biomec.io.session_import import SKIP, STANDS_STILL, Choice
from biomec.pipeline.outlook import Obstacles, obstacles
from biomec.recording import EmgAlignment
from biomec_app.dialogs.axes import AxesForm
from biomec_app.dialogs.import_plan import (
    KIND_TITLES,
    KINDS,
    ImportPlan,
    Preview,
    all_notices,
    analysis_of,
    analysis_reach,
    chosen_path,
    decided,
    file_state,
    import_line,
    overview,
    read,
)
from biomec_app.dialogs.mapping import MappingForm
from biomec_app.dialogs.subject import SubjectForm
from biomec_app.kit.dialog_parts import Fault, NoticeText, explanation, heading, page
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.project_file import RECORDINGS, analyse_imported, imported, may_discard

FILES, SUBJECT, AXES, LABELS, EMG = range(5)
PAGES = ("Files", "Subject", "Axes and units", "Labels", "EMG frames")
GOOD, LOOK, WRONG = "✓", "!", "✖"
STILL = "The subject stands still all the time; is this the static? Import the movement."
SPOKEN = {GOOD: "nothing to do", LOOK: "worth a look", WRONG: "must be put right"}
TRY_MS = 300  # after the last change
MARK = Qt.ItemDataRole.UserRole
DOUBTS = ("-contradicted", "-doubtful", "-implausible")  # ends of notices about axes and units


class ImportDialog(QDialog):
    """Ask what is not certain about a recording, and import it."""

    def __init__(self, context: Context, preview: Preview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self.preview, self.plan = context, preview, preview.plan
        self._jobs, self._trying = Jobs(self), Jobs(self)
        self._trying.failed.connect(self._not_tried)
        self._found = Obstacles()  # what is in the way of the analysis, as far as that was tried
        self._try_due = QTimer(self, singleShot=True, interval=TRY_MS)
        self._try_due.timeout.connect(self._try)
        self._wanted: ImportPlan | None = None  # a plan that came while another was being read
        self._finish = False
        self.setWindowTitle("Import")
        self.resize(940, 620)
        self._build()
        self._jobs.failed.connect(self._failed)
        self._jobs.started.connect(lambda _: self.busy.setVisible(True))
        for ended in (self._jobs.finished, self._jobs.cancelled, self._jobs.failed):
            ended.connect(lambda *_: self.busy.setVisible(False))
        self.subject.show_subject(preview.session.subject, preview.session.recorded)
        self._show()
        self.pages.setCurrentRow(LABELS if preview.labels_need_a_look else FILES)
        self.import_button.setFocus()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.title, self.summary = heading(""), explanation()
        self.pages, self.stack = QListWidget(), QStackedWidget()
        self.pages.setObjectName("import.pages")
        self.pages.setAccessibleName("Parts of the import")
        self.pages.setFixedWidth(170)
        self.pages.setSpacing(2)
        for name in PAGES:
            item = QListWidgetItem(name)
            item.setSizeHint(QSize(150, 34))
            self.pages.addItem(item)
        self.subject, self.axes = SubjectForm(), AxesForm(self.context.theme)
        self.mapping = MappingForm(self.context)
        for widget in (self._files_page(), self._subject_page(), self._axes_page(), self._labels_page(),
                       self._emg_page()):  # fmt: skip
            self.stack.addWidget(widget)
        self.wrong = Fault("import.fault")
        self.analyse = QCheckBox("&Analyse at once")
        self.analyse.setObjectName("import.analyse")
        self._wish = self.context.preferences.analyse_imported
        self.analyse.setChecked(self._wish)
        self.analyse.toggled.connect(self._wished)
        self.reach = explanation()
        self.reach.setObjectName("import.reach")
        self.reason = rich(QLabel())
        self.reason.setObjectName("import.reason")
        self.reason.setWordWrap(True)
        self.reason.setContentsMargins(18, 0, 18, 4)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setFixedSize(120, 8)
        self.busy.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.import_button = self.buttons.addButton("&Import", QDialogButtonBox.ButtonRole.AcceptRole)
        self.import_button.setObjectName("import.accept")
        self.import_button.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        head = QVBoxLayout()
        head.setContentsMargins(4, 0, 4, 4)
        head.addWidget(self.title)
        head.addWidget(self.summary)
        middle = QHBoxLayout()
        middle.addWidget(self.pages)
        right = QVBoxLayout()
        right.addWidget(self.stack, 1)
        right.addWidget(self.reason)
        middle.addLayout(right, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.analyse)
        bottom.addWidget(self.reach, 1)
        bottom.addWidget(self.busy)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addLayout(middle, 1)
        layout.addWidget(self.wrong)
        layout.addLayout(bottom)
        self.pages.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.pages.currentRowChanged.connect(lambda _: self._say_why())
        for form in (self.subject, self.mapping):
            form.changed.connect(self._check)
            form.changed.connect(self._try_due.start)
        self.axes.changed.connect(self._axes_chosen)

    def _files_page(self) -> QWidget:
        widget, layout = page("Files", "What belongs to the movement was sought beside it, by the names of the files.")
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(12)
        self.names: dict[str, QLabel] = {}
        self.whys: dict[str, QLabel] = {}
        self.browse: dict[str, QPushButton] = {}
        self.none: dict[str, QPushButton] = {}
        for k, kind in enumerate(KINDS):
            row = 2 * k
            name, why = QLabel(), explanation()
            name.setObjectName(f"import.{kind}")
            name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            browse, none = QPushButton("Browse…"), QPushButton("None")
            browse.setAccessibleName(f"Choose the file: {KIND_TITLES[kind]}")
            none.setAccessibleName(f"Use no file: {KIND_TITLES[kind]}")
            browse.setObjectName(f"import.{kind}.browse")
            none.setObjectName(f"import.{kind}.none")
            for button in (browse, none):
                button.setAutoDefault(False)
            browse.clicked.connect(lambda _=False, kind=kind: self._browse(kind))
            none.clicked.connect(lambda _=False, kind=kind: self._choose(kind, SKIP))
            grid.addWidget(rich(QLabel(f"<b>{KIND_TITLES[kind]}</b>")), row, 0)
            for column, part in ((1, name), (2, browse), (3, none)):
                grid.addWidget(part, row, column)
            grid.addWidget(why, row + 1, 1, 1, 3)
            self.names[kind], self.whys[kind], self.browse[kind], self.none[kind] = name, why, browse, none
        layout.addLayout(grid)
        layout.addSpacing(8)
        layout.addWidget(QLabel("What was noticed"))
        self.notices = NoticeText("import.notices")
        layout.addWidget(self.notices, 1)
        return widget

    def _subject_page(self) -> QWidget:
        widget, layout = page("Subject", "Filled in from the files and their names. What you enter here wins.")
        layout.addWidget(self.subject, 1)
        return widget

    def _axes_page(self) -> QWidget:
        widget, layout = page("Axes and units", "How the laboratory's axes point, and how that is known. "
                              "Biomec computes with X forward, Y up and Z to the right.")  # fmt: skip
        layout.addWidget(self.axes, 1)
        return widget

    def _labels_page(self) -> QWidget:
        widget, layout = page("Labels", "Which label is which marker. Orange rows are not certain: decide them.")
        layout.addWidget(self.mapping, 1)
        return widget

    def _emg_page(self) -> QWidget:
        widget, layout = page("EMG frames", "The EMG file holds the whole recording. Say which of its frames the "
                              "movement was saved with, so that both run on one clock.")  # fmt: skip
        self.first, self.last, self.emg_words = QSpinBox(), QSpinBox(), explanation()
        grid = QGridLayout()
        grid.setColumnStretch(2, 1)
        for row, (text, box, name) in enumerate(
            (("&First frame", self.first, "first"), ("&Last frame", self.last, "last"))
        ):
            box.setObjectName(f"import.emg.{name}")
            box.setRange(1, 10_000_000)
            box.setMinimumWidth(110)
            label = QLabel(text)
            label.setBuddy(box)
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1)
            box.editingFinished.connect(self._frames_chosen)
        layout.addLayout(grid)
        layout.addWidget(self.emg_words)
        layout.addStretch(1)
        return widget

    # ------------------------------------------------------------------ showing what was read

    def _show(self) -> None:
        preview = self.preview
        trial = preview.session.dynamic
        name = self.plan.dynamic.name
        self.title.setText(name)
        self.summary.setText(overview(preview.session))
        for kind in KINDS:
            there, words = file_state(preview, kind)
            path = chosen_path(preview, kind)
            inside = there and path is None
            self.names[kind].setText(path.name if path else f"in {name} itself" if inside else "–")
            self.names[kind].setToolTip(str(path) if path else "")
            self.whys[kind].setText(words)
            self.whys[kind].setVisible(bool(words))
            self.none[kind].setEnabled(path is not None)
        self.notices.show_notices(all_notices(preview.session))
        self.axes.show_session(preview.session, self.plan.reverse_plates, self.plan.factor)
        self.mapping.show_labels(
            preview.session, preview.marker_set, preview.fits, preview.mapping, self.plan.label_map
        )
        alignment = preview.session.emg_alignment
        self.pages.item(EMG).setHidden(alignment is None)
        if alignment is not None:
            for box, value in ((self.first, alignment.first), (self.last, alignment.last)):
                box.setValue(value)
            self.emg_words.setText(
                f"These are {alignment.last - alignment.first + 1} frames; the movement has {trial.frames}, "
                f"and by its own word begins with frame {trial.first_frame}."
            )
        self._check()
        self._try_due.start()

    def _check(self) -> None:
        """Mark the pages, and let nothing be imported that is wrong."""
        preview = self.preview
        subject, labels = self.subject.fault(), self.mapping.fault()
        unknown = self.subject.unknown()
        codes = {notice.code for notice in all_notices(preview.session)}
        doubts = [one.sentence for one in all_notices(preview.session) if one.code.endswith(DOUBTS)]
        looked = not preview.labels_need_a_look or self.mapping.touched
        marks = {
            FILES: GOOD if file_state(preview, "static")[0] and STANDS_STILL not in codes else LOOK,
            SUBJECT: WRONG if subject else LOOK if unknown else GOOD,
            AXES: LOOK if doubts else GOOD,
            LABELS: WRONG if labels else GOOD if looked and not self._found.model else LOOK,
            EMG: LOOK if "emg-frames" in codes or "emg-length" in codes else GOOD,
        }
        reasons = {
            FILES: STILL if STANDS_STILL in codes else "There is no static acquisition.",
            SUBJECT: subject or f"Not known, and therefore estimated: {', '.join(unknown)}.",
            AXES: doubts[0] if doubts else "",
            LABELS: labels or self._found.model or "Some labels are not certain.",
            EMG: "The EMG does not cover the movement.",
        }
        for row, mark in marks.items():
            item = self.pages.item(row)
            item.setIcon(mark_icon(mark, self.context.theme))
            item.setData(MARK, mark)
            item.setToolTip("" if mark == GOOD else reasons[row])
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{PAGES[row]}: {SPOKEN[mark]}")
        if subject or labels:
            self.wrong.say(subject or labels)
        elif not self._told_by_files:
            self.wrong.say("")
        self.import_button.setEnabled(not (subject or labels))
        known = preview.fits or self.mapping.touched
        self._step, words = analysis_reach(preview.session.dynamic, known, self._found)
        self.reach.setText(words)
        if self._step is None:
            self.analyse.setEnabled(False)  # first, so that the user's wish stays
        self.analyse.setChecked(self._wish and self._step is not None)
        self.analyse.setEnabled(self._step is not None)
        for part in (self.analyse, self.reach):
            part.setToolTip(self._found.model or words)
        self._say_why()

    def _wished(self, on: bool) -> None:
        """Keep what the user wants, also while it cannot be."""
        self._wish = on if self.analyse.isEnabled() else self._wish

    def _say_why(self) -> None:
        """Say why the page that is shown is worth a look; errors are shown elsewhere."""
        item = self.pages.currentItem()
        doubtful = item is not None and item.data(MARK) == LOOK
        theme = self.context.theme
        reason = (
            f'<span style="color:{theme.rebuilt}"><b>{LOOK}</b></span>&nbsp; {html(item.toolTip())}' if doubtful else ""
        )
        self.reason.setText(reason)
        self.reason.setVisible(doubtful)

    def _try(self) -> None:
        """Find out in the background whether a model can be built with what is entered."""
        if self._trying.busy:
            self._try_due.start()
        elif not (self.subject.fault() or self.mapping.fault()):
            plan = self._decided()
            session = decided(self.preview, plan)
            self._trying.start("Try", lambda progress: obstacles(session, plan.settings, progress), self._tried)

    def _tried(self, found: Obstacles) -> None:
        self._found = found
        self._check()

    def _not_tried(self, title: str, sentence: str) -> None:
        """Leave it to the analysis to tell: what was found about other choices does not count any more."""
        self._tried(Obstacles())

    _told_by_files = False
    _step: str | None = None

    # ------------------------------------------------------------------ choices that need the files again

    def _browse(self, kind: str) -> None:
        title = f"Choose the file: {KIND_TITLES[kind]}"
        path = self.context.user.ask_file(title, RECORDINGS, False, str(self.plan.dynamic.parent))
        if path is not None:
            self._choose(kind, path)

    def _choose(self, kind: str, choice: Choice) -> None:
        self._read({"static": replace(self.plan, static=choice), "plates": replace(self.plan, plates=choice),
                    "emg": replace(self.plan, emg=choice, saved_frames=None)}[kind])  # fmt: skip

    def _axes_chosen(self) -> None:
        axes = self.axes.axes()
        now = self.preview.session.dynamic.axes
        chosen = self.plan.axes if (axes.up, axes.forward) == (now.up, now.forward) else axes
        reverse, factor = self.axes.reverse.isChecked(), self.axes.factor()
        self._read(replace(self.plan, axes=chosen, reverse_plates=reverse, factor=factor))

    def _frames_chosen(self) -> None:
        first, last = self.first.value(), self.last.value()
        now = self.preview.session.emg_alignment
        if now is None or (first, last) == (now.first, now.last):
            return
        try:
            self._read(replace(self.plan, saved_frames=EmgAlignment(first, last)))
        except BiomecError as error:
            self._failed("", str(error))

    def _read(self, plan: ImportPlan) -> None:
        """Read the files of another plan; the newest plan wins."""
        if self._jobs.busy:
            self._wanted = plan
            return
        if plan == self.plan:
            return
        self._jobs.start("Read", lambda progress: read(plan.of_files), lambda preview: self._was_read(plan, preview))

    def _was_read(self, plan: ImportPlan, preview: Preview) -> None:
        self.plan, self.preview, self._told_by_files = plan, replace(preview, plan=plan), False
        wanted, self._wanted = self._wanted, None
        self._show()
        if wanted is not None:
            self._read(wanted)
        elif self._finish:
            self.accept()

    def _failed(self, title: str, sentence: str) -> None:
        """Say what could not be read; the choices that could be stay."""
        self._wanted, self._finish, self._told_by_files = None, False, True
        self._show()
        self.wrong.say(sentence)

    # ------------------------------------------------------------------ the end

    def accept(self) -> None:
        """Import."""
        if self._jobs.busy:
            self._finish = True
            return
        if not self.import_button.isEnabled() or not may_discard(self.context):
            return
        plan = self._decided()
        session = decided(self.preview, plan)
        self.context.preferences.analyse_imported = self._wish
        super().accept()
        imported(self.context, analysis_of(plan, session), plan.dynamic, import_line(plan, session))
        if self.analyse.isChecked() and self._step is not None and not self.context.jobs.busy:
            analyse_imported(self.context, self._step)

    def _decided(self) -> ImportPlan:
        """The plan with what is entered about subject and labels."""
        return replace(
            self.plan,
            subject=self.subject.subject(),
            recorded=self.subject.recorded(),
            marker_set=self.mapping.marker_set,
            label_map=self.mapping.label_map(),
        )

    def done(self, result: int) -> None:
        """Stop reading and filling tables when the dialog goes."""
        self.mapping.rest()
        self._try_due.stop()
        for jobs in (self._jobs, self._trying):
            jobs.cancel()
            jobs.wait(5.0)
        super().done(result)

    def closeEvent(self, event: QCloseEvent) -> None:
        """The cross in the corner cancels."""
        self.reject()


def mark_icon(mark: str, theme: Theme) -> QIcon:
    """A mark in a square of its own, so that all names begin at the same place."""
    colours = {GOOD: theme.middle, LOOK: theme.rebuilt, WRONG: theme.fault}
    icon = QIcon()
    for mode, colour in ((QIcon.Mode.Normal, colours[mark]), (QIcon.Mode.Selected, theme.on_accent)):
        picture = QPixmap(64, 64)
        picture.setDevicePixelRatio(4.0)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        font = painter.font()
        font.setPixelSize(14)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(QRect(0, 0, 16, 16), Qt.AlignmentFlag.AlignCenter, mark)
        painter.end()
        icon.addPixmap(picture, mode)
    return icon


def ask_import(context: Context, preview: Preview) -> ImportDialog:
    """Show the import dialog."""
    dialog = ImportDialog(context, preview, context.window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
