"""Save a movie: which part of the recording, how fast, how large."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QLabel, QSpinBox, QWidget

from biomec.pipeline.stretch import cycle_spans
from biomec_app.kit.dialog_parts import Fault, opened, with_buttons
from biomec_app.session.context import Context
from biomec_app.viewer import export
from biomec_app.viewer.playback import SPEEDS

SIZES = {"640 × 360": (640, 360), "1280 × 720": (1280, 720), "1920 × 1080": (1920, 1080), "3840 × 2160": (3840, 2160)}
USUAL = "1280 × 720"
WHOLE, SHOWN, FREE = "Whole recording", "What the plots show", "Frames"
TITLE = "Save Movie"


class MovieDialog(QDialog):
    """Choose part, speed and size; a line says what the movie will be."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        trial = context.document.analysis.session.dynamic
        self._count, self._rate, self._offset = trial.frames, trial.rate_hz, trial.first_frame
        self.setWindowTitle(TITLE)
        self.part, self.speed, self.size_ = QComboBox(), QComboBox(), QComboBox()
        self.first, self.last = QSpinBox(), QSpinBox()
        self.words, self.wrong = QLabel(), Fault("movie.fault")
        self._build()
        self._part_chosen()
        self.setMinimumWidth(400)

    def _build(self) -> None:
        for widget, name, words in (
            (self.part, "part", "Part of the recording"), (self.first, "first", "First frame"),
            (self.last, "last", "Last frame"), (self.speed, "speed", "Speed"), (self.size_, "size", "Size in pixels"),
        ):  # fmt: skip
            widget.setObjectName(f"movie.{name}")
            widget.setAccessibleName(words)
        for words, span in self._parts().items():
            self.part.addItem(words, span)
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×" if speed != 1.0 else "1× (as recorded)", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        camera = self.context.camera
        sizes = {**SIZES, **({"As in the window": camera.size} if camera is not None else {})}
        for words, size in sizes.items():
            self.size_.addItem(words, size)
        self.size_.setCurrentText(USUAL)
        frames = QHBoxLayout()
        for box, value in ((self.first, self._offset), (self.last, self._offset + self._count - 1)):
            box.setRange(self._offset, self._offset + self._count - 1)
            box.setValue(value)
            box.valueChanged.connect(self._frames_typed)
        for part in (self.first, QLabel("to"), self.last):
            frames.addWidget(part)
        frames.addStretch(1)
        typed = QLabel("&Frames")
        typed.setBuddy(self.first)
        form = QFormLayout()
        form.addRow("&Part", self.part)
        form.addRow(typed, frames)
        form.addRow("&Speed", self.speed)
        form.addRow("Si&ze", self.size_)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.words.setWordWrap(True)
        self.buttons = with_buttons(
            self, form, self.words, self.wrong,
            buttons=QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel,
        )  # fmt: skip
        self.part.activated.connect(self._part_chosen)
        self.speed.activated.connect(self._tell)

    def _parts(self) -> dict[str, tuple[int, int] | None]:
        """What a movie may show -> first and last frame from 0; None for frames that are typed."""
        document = self.context.document
        found: dict[str, tuple[int, int] | None] = {WHOLE: (0, self._count - 1)}
        window = getattr(self.context.figure, "window_s", None)
        if window is not None:
            first, last = (min(max(0, round(time * self._rate)), self._count - 1) for time in window)
            if first < last and (first, last) != found[WHOLE]:
                found[SHOWN] = (first, last)
        for span in cycle_spans(document.analysis):
            now = " (current)" if span.first <= document.frame <= span.last else ""
            found[f"Cycle {span.name}{now}"] = (span.first, span.last)
        found[FREE] = None
        return found

    # ------------------------------------------------------------------ what is chosen

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame, from 0."""
        return self.first.value() - self._offset, self.last.value() - self._offset

    def _part_chosen(self, *_: object) -> None:
        span = self.part.currentData()
        if span is not None:
            for box, frame in zip((self.first, self.last), span, strict=True):
                with QSignalBlocker(box):
                    box.setValue(frame + self._offset)
        self._tell()

    def _frames_typed(self, _: int) -> None:
        self.part.setCurrentText(FREE)
        self._tell()

    def _tell(self, *_: object) -> None:
        first, last = self.frames
        wrong = "The first frame must not come after the last." if first > last else ""
        self.wrong.say(wrong)
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(not wrong)
        recorded = (last - first) / self._rate
        note = "" if ".mp4" in export.movie_kinds() else f" {export.NO_ENCODER}"
        sentence = (
            f"{recorded:.2f} s of the recording; the movie lasts {recorded / self.speed.currentData():.1f} s.{note}"
        )
        self.words.setText("" if wrong else sentence)

    def accept(self) -> None:
        """Ask for a name, and draw the movie in the background."""
        context, kinds = self.context, export.movie_kinds()
        pattern = ";;".join(f"{words} (*{suffix})" for suffix, words in kinds.items())
        path = context.user.ask_file(TITLE, pattern, True, f"movement{next(iter(kinds))}")
        if path is None or context.camera is None:
            return
        path = path.with_suffix(".gif") if path.suffix.lower() == ".mp4" and ".mp4" not in kinds else path
        path = path if path.suffix.lower() in kinds else path.with_name(path.name + next(iter(kinds)))
        document = context.document
        shot = export.Shot(
            document.analysis, context.theme, document.view, context.camera.copy(),
            self.size_.currentData(), self.frames, self.speed.currentData(),
        )  # fmt: skip
        context.jobs.start(TITLE, lambda progress: export.save_movie(shot, path, progress), lambda _: None)
        super().accept()


def ask_movie(context: Context) -> MovieDialog:
    """Show the dialog."""
    return opened(MovieDialog(context, context.window))
