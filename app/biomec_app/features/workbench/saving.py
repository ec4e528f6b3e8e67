"""The menu Export: asks for a name, and writes curves, figures, plots, drawing, movie, equations, or all of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from biomec.base.arrays import FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import file_name, xml
from biomec.base.progress import Progress
from biomec.machines.output import curves_table, written_files
from biomec.machines.study import Run
from biomec_app.features.workbench import neck_map
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.drawing import Drawing
from biomec_app.features.workbench.player import Player
from biomec_app.features.workbench.plots import Plots
from biomec_app.features.workbench.result_pages import FiguresPage
from biomec_app.features.workbench.risk_page import RiskPage
from biomec_app.features.workbench.stage import Stage
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import LIGHT
from biomec_app.plots.figure_export import PlotFigure, figure_writer
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.plot_view import PlotView

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu

FIGURE = QSize(900, 420)  # of saved plots, or higher if there are many
NO_RUN = "There is no run yet. Choose an analysis, and run it."
LANGUAGES = {".py": "Python", ".c": "C", ".m": "MATLAB, Octave", ".tex": "LaTeX", ".csv": "Table", ".txt": "Text",
             ".json": "Data"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Saving:
    """What the items of the menu do, and the parts of the window that they save; ``say`` writes into its status bar."""

    context: Context
    bench: Bench
    stage: Stage
    player: Player
    table: FiguresPage
    panes: Plots
    risks: RiskPage
    painter: Painter
    jobs: Jobs
    say: Callable[[str, int], None]

    def add_items(self, menu: QMenu, item: Callable[..., QAction]) -> None:
        """Fill the menu."""
        item(menu, "curves", "&Curves (CSV)…", self.curves)
        item(menu, "figures", "&Figures (CSV)…", self.figures)
        item(menu, "plots", "&Plots (PNG, SVG, PDF)…", self.plots)
        item(menu, "map", "Risk Map (PNG, SVG, P&DF)…", self.risk_map)
        item(menu, "drawing", "&Drawing (PNG, SVG)…", self.drawing)
        item(menu, "movie", "&Movie (GIF)…", self.movie)
        item(menu, "equations", "&Equations and Other Files…", self.equations)
        menu.addSeparator()
        item(menu, "all", "&All of the Run…", self.everything, "Ctrl+E")

    @property
    def _run(self) -> Run:
        """The chosen run, or the last that is shown."""
        bench = self.bench
        kept = bench.current or next(iter(reversed(bench.shown)), None)
        if kept is None:
            raise BiomecError(NO_RUN)
        return kept.run

    def _ask(self, title: str, pattern: str, name: str) -> Path | None:
        folder = Path(self.context.preferences.folder)
        return self.context.user.ask_file(title, pattern, True, str(folder / name))

    def _name(self, run: Run, ending: str) -> str:
        return f"{run.machine.name}-{run.study}{ending}"

    def _told(self, path: Path) -> None:
        self.say(f"Saved as {path.name}.", 8000)

    def curves(self) -> None:
        """Save the curves of the chosen run as a table."""
        run = self._run
        path = self._ask("Save curves", "Table (*.csv)", self._name(run, ".csv"))
        if path is not None:
            save_text(curves_table(run), path)
            self._told(path)

    def figures(self) -> None:
        """Save the table of figures of the shown runs."""
        run, content = self._run, self.table.content
        path = self._ask("Save figures", "Table (*.csv)", self._name(run, "-figures.csv"))
        if path is not None:
            save_text(content.text(","), path)
            self._told(path)

    def plots(self) -> None:
        """Save the plots as a figure, written in the background."""
        self.panes.show_now()
        run, panes = self._run, self.panes.chosen
        if not panes:
            raise BiomecError("There are no curves to be saved. Tick a quantity beside the plots.")
        path = self._ask("Save plots", "Picture (*.png);;Drawing (*.svg);;Document (*.pdf)", self._name(run, ".png"))
        if path is not None:
            figure = PlotFigure(panes, PlotView(), FIGURE, picture=path.suffix.lower() == ".png")
            try:
                write = figure_writer(figure, path, None)
            finally:
                figure.close()
            self.painter.paint("save", write, lambda _, fault: self._saved(path, fault))

    def _saved(self, path: Path, fault: Exception | None) -> None:
        if isinstance(fault, BiomecError):
            self.context.user.fail("Save plots", str(fault))
        elif fault is not None:
            sentence = (
                f"{path.name} could not be saved because of an error in Biomec ({type(fault).__name__}: {fault})."
            )
            self.context.user.tell("Save plots", sentence)
        else:
            self._told(path)

    def risk_map(self) -> None:
        """Save the map of the figure that is chosen, written in the background."""
        content, figure = self.risks.content, self.risks.figure
        if content is None or content.sides is None:
            raise BiomecError("There is no map. Run the analysis Blows to the head, varied, by direction.")
        path = self._ask("Save map", "Picture (*.png);;Drawing (*.svg);;Document (*.pdf)", f"map-{figure}.png")
        if path is not None:
            self.painter.paint(
                "save", lambda: neck_map.save(content, figure, path), lambda _, fault: self._saved(path, fault)
            )

    def drawing(self) -> None:
        """Save the drawing of the moment."""
        name = f"{self.bench.machine.name}.png"
        path = self._ask("Save drawing", "Picture (*.png);;Drawing (*.svg)", name)
        if path is not None:
            save_drawing(self.stage.drawing, path)
            self._told(path)

    def movie(self) -> None:
        """Save the motion that is shown, in the background."""
        path = self._ask("Save movie", "Animated picture (*.gif)", f"{self.bench.machine.name}.gif")
        if path is not None:
            work = movie(self.stage.drawing, path, float(self.player.speed.currentData()))
            self.jobs.start("Movie", work, self._told)

    def equations(self) -> None:
        """Save one of the files that go with the run, such as its equations in C; the ending chooses which."""
        files = dict(self._run.files)
        if not files:
            raise BiomecError("This run has no equations or other files. Run the analysis Equations for them.")
        pattern = ";;".join(f"{LANGUAGES.get(Path(name).suffix, 'File')} (*{Path(name).suffix})" for name in files)
        path = self._ask("Save equations", pattern, next(iter(files)))
        if path is None:
            return
        fitting = [content for name, content in files.items() if Path(name).suffix == path.suffix.lower()]
        if path.name in files:
            fitting = [files[path.name]]
        if not fitting:
            raise BiomecError(f"{path.name}: there is no such file. Choose a name such as {', '.join(files)}.")
        save_text(fitting[0], path)
        self._told(path)

    def everything(self) -> None:
        """Save curves, figures, report, machine and equations of the chosen run into a folder of its own."""
        run = self._run
        folder = self.context.user.ask_folder("Save all of the run into a folder", "")
        if folder is None:
            return
        place = _free(Path(folder) / file_name(f"{run.machine.name}-{run.study}"))
        written: list[Any] = []
        for name, content in written_files(run).items():
            place.mkdir(parents=True, exist_ok=True)
            save_text(content, place / name)
            written.append(place / name)
        self.context.user.show_written("All of the run", tuple(written), ())


def _free(folder: Path) -> Path:
    """A folder of that name, or with a number behind it, that is not there yet."""
    found, number = folder, 2
    while found.exists():
        found, number = folder.with_name(f"{folder.name}-{number}"), number + 1
    return found


GIF_HZ = 25.0
LONGEST_S = 20.0  # of a movie


def save_text(text: str, path: Path) -> None:
    """Write a text whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def save_drawing(drawing: Drawing, path: Path) -> None:
    """Write the drawing of the moment as PNG or SVG, dark on white."""
    paper = drawing.copy()
    paper.theme = LIGHT
    with atomic_path(path) as temporary:
        match path.suffix.lower():
            case ".svg":
                made = QSvgGenerator()
                made.setFileName(str(temporary))
                made.setSize(QSize(round(paper.size[0]), round(paper.size[1])))
                made.setViewBox(QRectF(0.0, 0.0, *paper.size))
                painter = QPainter(made)
                paper.paint(painter)
                painter.end()
                temporary.write_bytes(xml(temporary.read_bytes()))
            case ".png":
                if not picture(paper, 2.0).save(str(temporary), "PNG"):  # type: ignore[call-overload]  # text
                    raise FileError(path.name, "the picture cannot be written there.")
            case _:
                raise FileError(path.name, "the drawing can be saved as png or svg; change the end of the name.")


def picture(drawing: Drawing, ratio: float = 1.0) -> QImage:
    """The drawing as pixels."""
    image = QImage(round(drawing.size[0] * ratio), round(drawing.size[1] * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    drawing.paint(painter)
    painter.end()
    return image


def movie(drawing: Drawing, path: Path, speed: float) -> Callable[[Progress], Path]:
    """What writes a GIF of the motion in a drawing; it may run beside the window's thread."""
    if path.suffix.lower() != ".gif":
        raise FileError(path.name, "the movie is saved as gif; change the end of the name.")
    if drawing.sketch is None or drawing.sketch.frames < 2:
        raise BiomecError("Nothing moves, so that there is no movie to be saved. Run an analysis first.")
    times = drawing.sketch.motion.time_s
    count = max(2, round(min(float(times[-1] - times[0]) / speed, LONGEST_S) * GIF_HZ))
    paper = drawing.copy()
    paper.theme = LIGHT

    def work(progress: Progress) -> Path:
        with atomic_path(path) as temporary:
            images = _frames(paper, np.linspace(times[0], times[-1], count), progress)
            try:
                next(images).save(
                    temporary, "GIF", save_all=True, append_images=images, duration=round(1000 / GIF_HZ), loop=0
                )
            finally:
                images.close()
        return path

    return work


def _frames(drawing: Drawing, times: FloatArray, progress: Progress) -> Generator[Image.Image]:
    for k, time_s in enumerate(times):
        drawing.time_s = float(time_s)
        image = picture(drawing).convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        pixels = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
        yield Image.fromarray(pixels).quantize(64, dither=Image.Dither.NONE)
        progress((k + 1) / len(times))
