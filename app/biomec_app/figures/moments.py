"""The person in a handful of moments of a cycle, and one of them large, as the 3-D view shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.signals.cycles import Cycles
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import PAPER, SMALL, Ink, patch, stroke
from biomec_app.session.view_options import View

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    from biomec_app.session.camera import Camera
    from biomec_app.viewer.overlays import LegendEntry
    from biomec_app.viewer.scene import Scene

SHOWN = frozenset({"anatomical points", "plates", "forces"})
MOMENTS = 6
CAPTION, GAP, FOOT = 34, 12, 46  # of 1/120 inch: line below a small picture, between pictures, legend below all
LYING = (1452, 580), (476, 262)  # width and height of the large picture and of a small one; three in a row below it
STANDING = (562, 866), (284, 399)  # the small ones beside it
ALONE = (1452, 866)
DOTS = 120  # an inch, that the sizes above are counted in
HEAD = 0.74  # inches


@dataclass(frozen=True)
class CycleMoment:
    """A moment to draw: its frame from 0, and what stands under its picture."""

    frame: int
    label: str


def moments(analysis: Analysis) -> tuple[str, list[CycleMoment], int]:
    """What the moments are taken from, the moments, and which of them to show large.

    They lie across the first valid cycle, or else across the valid frames.
    """
    valid, trial = analysis.positions.valid, analysis.signals.trial
    for name, cycles in analysis.cycles.groups.items():
        good = np.flatnonzero(cycles.valid)
        if good.size:
            return _of_cycle(name, cycles, int(good[0]))
    frames = np.flatnonzero(valid)
    if not frames.size:
        return "No frame obeys the model: the static pose", [], 0
    chosen = frames[np.round(np.linspace(0, len(frames) - 1, min(MOMENTS, len(frames)))).astype(int)]
    return "Across the recording", [CycleMoment(int(f), f"{f / trial.rate_hz:.2f} s") for f in chosen], len(chosen) // 2


def _of_cycle(name: str, cycles: Cycles, number: int) -> tuple[str, list[CycleMoment], int]:
    """Moments of a cycle, one of them where the phase changes; more before it if it comes late."""
    first, last = (int(frame) for frame in cycles.spans[number])
    turn = float(cycles.phase_changes_percent[number])
    turns = np.isfinite(turn) and 5.0 < turn < 95.0
    main = int(np.clip(round(turn / 100.0 * (MOMENTS - 1)), 1, MOMENTS - 2)) if turns else MOMENTS // 2
    middle = turn if turns else 100.0 * main / (MOMENTS - 1)
    parts = [*np.linspace(0.0, middle, main + 1), *np.linspace(middle, 100.0, MOMENTS - main)[1:]]
    frames = [round(first + part / 100.0 * (last - first)) for part in parts]
    labels = [f"{part:.0f} %" for part in parts]
    if turns:
        labels[main] += f", {cycles.phase}"
    which = f"cycle {number + 1}" if name == "both" else f"{name.lower()} cycle {number + 1}"
    return f"Across {which}", [CycleMoment(f, label) for f, label in zip(frames, labels, strict=True)], main


@dataclass(frozen=True, eq=False)
class MomentsContent:
    """The analysis, what the moments are taken from, the moments, and which of them is shown large."""

    analysis: Analysis
    source: str
    moments: tuple[CycleMoment, ...]
    main: int


class MomentsFigure(FigureKind):
    """The body in moments of the movement."""

    key, title = "moments", "Body in Moments of the Movement"
    help = "The body model, plates and forces in six moments of a cycle"
    needs = ("signals", "body", "positions", "cycles")
    least = (8.5, 5.5)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> MomentsContent:
        """Moments across the first valid cycle, or else across the valid frames."""
        source, found, main = moments(analysis)
        return MomentsContent(analysis, source, tuple(found), main)

    def remark(self, content: MomentsContent, chosen: Chosen) -> str:
        """What the moments are taken from."""
        model = content.analysis.body.person.model.title
        large = f"; the large picture at {content.moments[content.main].label}" if len(content.moments) > 1 else ""
        return f"{model}. {content.source}{large}."

    def size(self, content: MomentsContent, chosen: Chosen) -> tuple[float, float]:
        """As large as the pictures."""
        width, height = _Layout.of(content, _scene(content, None)).all
        return (width + 48) / DOTS, HEAD + (height + FOOT) / DOTS

    def draw(self, figure: Figure, content: MomentsContent, chosen: Chosen, ink: Ink) -> None:
        """Pictures of the 3-D view, drawn as large as they are shown, with the legend of the view below them."""
        from biomec_app.viewer.canvas import Canvas, picture

        scene = _scene(content, ink)
        layout = _Layout.of(content, scene)
        engine = figure.get_layout_engine()
        assert engine is not None
        room = np.array(engine.get()["rect"]) * np.tile(figure.get_size_inches(), 2) * DOTS  # left, low, width, height
        scale = min(room[2] / layout.all[0], (room[3] - FOOT) / layout.all[1])
        corner = room[0] + 0.5 * (room[2] - scale * layout.all[0]), room[1] + room[3]
        moments_, main, reaches = content.moments, content.main, layout.reaches
        canvas = Canvas()

        def place(left: float, top: float, size: tuple[int, int], camera: Camera) -> tuple[float, float]:
            """Draw the scene into a box given in the layout; the middle of its lower edge, in parts of the figure."""
            inches = figure.get_size_inches()
            box = np.array([corner[0] + scale * left, corner[1] - scale * (top + size[1]), *np.multiply(scale, size)])
            pixels = np.maximum(np.round(box[2:] * figure.dpi / DOTS), 8).astype(int)
            axes = figure.add_axes(tuple(box / DOTS / np.tile(inches, 2)))
            axes.imshow(picture(scene, camera, (int(pixels[0]), int(pixels[1])), canvas), aspect="auto")
            axes.set(xticks=[], yticks=[])
            for spine in axes.spines.values():
                spine.set(color=ink.theme.line, linewidth=0.9)
            return float((box[0] + 0.5 * box[2]) / DOTS / inches[0]), float(box[1] / DOTS / inches[1])

        camera = _camera(np.concatenate([reaches[main], *_plates(scene)]), layout.direction, layout.large)
        scene.update(moments_[main].frame if moments_ else 0)
        place(0, 0, layout.large, camera)
        if len(moments_) > 1:
            offsets = _offsets(reaches)
            everything = np.concatenate([reach - gone for reach, gone in zip(reaches, offsets, strict=True)])
            shared = _camera(everything, layout.direction, layout.small)
            for k, (moment, gone) in enumerate(zip(moments_, offsets, strict=True)):
                scene.update(moment.frame)
                x, y = place(*layout.corner(k), layout.small, shared.moved(gone))
                line = CAPTION / DOTS / figure.get_figheight()
                figure.text(x, y - 0.5 * scale * line, moment.label, ha="center", va="center", fontsize=SMALL + 1.0,
                            color=ink.theme.text, fontweight="bold" if k == main else "normal")  # fmt: skip
        canvas.close()
        figure.set_layout_engine("none")  # everything has its place
        entries = scene.legend()
        figure.legend(
            [_sign(entry) for entry in entries], [entry.text for entry in entries], loc="lower center",
            bbox_to_anchor=(0.5, 0.05 / figure.get_figheight()), ncols=len(entries), frameon=False,
            fontsize=SMALL + 1.0, labelcolor=ink.theme.text, handlelength=1.6, columnspacing=1.6, borderaxespad=0.0,
        )  # fmt: skip

    def data(self, content: MomentsContent, chosen: Chosen) -> tuple[Column, ...]:
        """One row a moment."""
        trial = content.analysis.signals.trial
        return (
            Column("moment", [moment.label for moment in content.moments]),
            Column("frame", [trial.first_frame + moment.frame for moment in content.moments]),
            Column("time (s)", [moment.frame / trial.rate_hz for moment in content.moments]),
        )


@dataclass(frozen=True, eq=False)
class _Layout:
    """Places of the pictures [1/120 inch], where the eye is, and what must be in the picture of every moment."""

    lying: bool
    large: tuple[int, int]
    small: tuple[int, int]
    all: tuple[int, int]
    direction: FloatArray
    reaches: tuple[FloatArray, ...]

    @classmethod
    def of(cls, content: MomentsContent, scene: Scene) -> _Layout:
        """Small pictures below the large one if the person lies, else beside it."""
        reaches = tuple(_reach(scene, moment.frame) for moment in content.moments) or (_reach(scene, 0),)
        lying = _lies(reaches[0])
        direction = np.array([0.42, 0.36, 1.0]) if lying else np.array([0.95, 0.28, 1.0])
        large, small = LYING if lying else STANDING
        if len(reaches) == 1:
            return cls(lying, ALONE, small, ALONE, direction, reaches)
        rows = 2 * (small[1] + CAPTION)
        whole = (large[0], large[1] + GAP + rows) if lying else (large[0] + 3 * (GAP + small[0]), max(large[1], rows))
        return cls(lying, large, small, whole, direction, reaches)

    def corner(self, k: int) -> tuple[int, int]:
        """Left and top of a small picture."""
        left, top = k % 3 * (self.small[0] + GAP), k // 3 * (self.small[1] + CAPTION)
        return (left, top + self.large[1] + GAP) if self.lying else (left + self.large[0] + GAP, top)


def _scene(content: MomentsContent, ink: Ink | None) -> Scene:
    """What the 3-D view would show."""
    from biomec_app.viewer.scene import Scene

    theme = PAPER.theme if ink is None else ink.theme
    return Scene(content.analysis, theme, View(static=not content.moments, overlays=SHOWN))


def _sign(entry: LegendEntry) -> Artist:
    """Sign of the legend."""
    if entry.form == "patch":
        return patch(facecolor=entry.colour)
    if entry.form == "dot":
        return stroke(marker="o", linestyle="none", color=entry.colour, markersize=7)
    head = ">" if entry.form == "arrow" else "none"
    return stroke(color=entry.colour, linewidth=3, marker=head, markersize=7, markevery=(1, 2))


# --------------------------------------------------------------------------------------------------------------- camera
def _camera(points: FloatArray, direction: FloatArray, size: tuple[int, int]) -> Camera:
    """Camera that sees all points (P, 3) from a direction (3,), as near as possible; size: width and height."""
    from biomec_app.session.camera import Camera

    camera = Camera.from_direction(direction)
    camera.fit(points, size[0] / size[1])
    return camera


def _reach(scene: Scene, frame: int) -> FloatArray:
    """(P, 3) what must be in the picture of a frame: the skin of the person, and the tips of the forces."""
    scene.update(frame)
    tips = [label.place for label in scene.labels() if label.text.endswith(" N")]
    skin = scene.figure.surfaces[0].points if scene.figure is not None else scene.body_points()
    return np.concatenate([skin, np.array(tips).reshape(-1, 3)])


def _plates(scene: Scene) -> list[FloatArray]:
    return [plate.corners for plate in scene.poses.plates if plate.corners is not None and not scene.view.static]


def _lies(reach: FloatArray) -> bool:
    """Whether the person is longer than high, as in a push-up."""
    size = np.ptp(reach, axis=0)
    return bool(size[0] > size[1])


def _offsets(reaches: tuple[FloatArray, ...]) -> list[FloatArray]:
    """How far the person has gone over the floor since the first moment (3,), so that the camera goes along."""
    middles = [0.5 * (reach.min(axis=0) + reach.max(axis=0)) * (1.0, 0.0, 1.0) for reach in reaches]
    return [middle - middles[0] for middle in middles]
