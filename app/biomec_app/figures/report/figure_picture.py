"""`figure.png`: the person in a handful of moments of a cycle, and one of them large."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.signals.cycles import Cycles
from biomec_app.figures.export import save_figure
from biomec_app.figures.report.style import HAIR, INK, LEFT, MUTED, PAPER, RIGHT
from biomec_app.figures.style import new_figure
from biomec_app.kit.theme import LIGHT
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.viewer.canvas import Canvas, picture
from biomec_app.viewer.overlays import Entry
from biomec_app.viewer.scene import Scene

SHOWN = frozenset({"anatomical points", "plates", "forces"})
MOMENTS = 6
WIDTH, HEAD, FOOT, CAPTION, EDGE, GAP = 1500, 92, 56, 34, 24, 12  # pixels
LYING = (1452, 580), (476, 262)  # width and height of the large picture and of a small one; three in a row below it
STANDING = (562, 866), (284, 399)  # the small ones beside it
DPI = 120


@dataclass(frozen=True)
class Moment:
    """A moment to draw: its frame from 0, and what stands under its picture."""

    frame: int
    label: str


def moments(analysis: Analysis) -> tuple[str, list[Moment], int]:
    """What the moments are taken from, the moments, and which of them to show large.

    They lie across the first valid cycle, or else across the valid frames.
    """
    valid, trial = analysis.motion.valid, analysis.signals.trial
    for name, cycles in analysis.cycles.groups.items():
        good = np.flatnonzero(cycles.valid)
        if good.size:
            return _of_cycle(name, cycles, int(good[0]))
    frames = np.flatnonzero(valid)
    if not frames.size:
        return "No frame obeys the model: the static pose", [], 0
    chosen = frames[np.round(np.linspace(0, len(frames) - 1, min(MOMENTS, len(frames)))).astype(int)]
    return "Across the recording", [Moment(int(f), f"{f / trial.rate_hz:.2f} s") for f in chosen], len(chosen) // 2


def _of_cycle(name: str, cycles: Cycles, number: int) -> tuple[str, list[Moment], int]:
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
        labels[main] += ", phase changes"
    which = f"cycle {number + 1}" if name == "both" else f"{name.lower()} cycle {number + 1}"
    return f"Across {which}", [Moment(f, label) for f, label in zip(frames, labels, strict=True)], main


def draw_figure(analysis: Analysis, path: Path) -> None:
    """Draw and save the picture."""
    told, chosen, main = moments(analysis)
    colours = replace(LIGHT, right=RIGHT, left=LEFT, sky_bottom=PAPER)
    scene = Scene(analysis, colours, View(static=not chosen, overlays=SHOWN))
    reaches = [_reach(scene, moment.frame) for moment in chosen] or [_reach(scene, 0)]
    lying = _lies(reaches[0])
    direction = np.array([0.42, 0.36, 1.0]) if lying else np.array([0.95, 0.28, 1.0])
    large, small = LYING if lying else STANDING
    several = len(reaches) > 1
    if not several:
        large = (WIDTH - 2 * EDGE, 866)
    height = HEAD + large[1] + FOOT + (GAP + 2 * (CAPTION + small[1]) if lying and several else 0)
    figure = new_figure((WIDTH / DPI, height / DPI), dpi=DPI, layout="none")
    name = f"{analysis.body.subject.name or 'Subject'}: {analysis.body.person.model.title}"
    below = f"{told}; the large picture at {chosen[main].label}." if several else f"{told}."
    figure.text(24 / WIDTH, 1.0 - 40 / height, name, fontsize=15, fontweight="bold", color=INK)
    figure.text(24 / WIDTH, 1.0 - 70 / height, below, fontsize=10.5, color=MUTED)
    camera = _camera(np.concatenate([reaches[main], *_plates(scene)]), direction, large)
    canvas = Canvas()
    scene.update(chosen[main].frame if chosen else 0)
    _place(figure, picture(scene, camera, large, canvas), EDGE, HEAD, height)
    if several:
        offsets = _offsets(reaches)
        everything = np.concatenate([reach - gone for reach, gone in zip(reaches, offsets, strict=True)])
        shared = _camera(everything, direction, small)
        for k, (moment, gone) in enumerate(zip(chosen, offsets, strict=True)):
            left, top = EDGE + k % 3 * (small[0] + GAP), HEAD + k // 3 * (small[1] + CAPTION)
            left, top = (left, top + large[1] + GAP) if lying else (left + large[0] + GAP, top)
            scene.update(moment.frame)
            _place(figure, picture(scene, shared.moved(gone), small, canvas), left, top, height)
            figure.text(
                (left + 0.5 * small[0]) / WIDTH, 1.0 - (top + small[1] + 0.5 * CAPTION) / height, moment.label,
                ha="center", va="center", fontsize=10, color=INK, fontweight="bold" if k == main else "normal",
            )  # fmt: skip
    canvas.close()
    _legend(figure, scene.legend(), height)
    save_figure(figure, path)


def _place(figure: Figure, image: np.ndarray, left: int, top: int, height: int) -> None:
    """Put an image pixel by pixel, in a thin frame."""
    rows, columns = image.shape[:2]
    bottom = height - top - rows
    figure.figimage(image, left, bottom, origin="upper")
    box = Rectangle(
        (left / WIDTH, bottom / height), columns / WIDTH, rows / height,
        transform=figure.transFigure, fill=False, edgecolor=HAIR, linewidth=0.9,
    )  # fmt: skip
    figure.add_artist(box)


def _legend(figure: Figure, entries: list[Entry], height: int) -> None:
    def sign(entry: Entry) -> Artist:
        if entry.form == "patch":
            return Patch(facecolor=entry.colour)
        if entry.form == "dot":
            return Line2D([], [], marker="o", linestyle="none", color=entry.colour, markersize=7)
        head = ">" if entry.form == "arrow" else "none"
        return Line2D([], [], color=entry.colour, linewidth=3, marker=head, markersize=7, markevery=(1, 2))

    figure.legend(
        [sign(entry) for entry in entries], [entry.text for entry in entries], loc="lower center",
        bbox_to_anchor=(0.5, 6 / height), ncols=len(entries), frameon=False, fontsize=10, labelcolor=INK,
        handlelength=1.6, columnspacing=2.2,
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- camera
def _camera(points: FloatArray, direction: FloatArray, size: tuple[int, int]) -> Camera:
    """Camera that sees all points (P, 3) from a direction (3,), as near as possible; size: width and height."""
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


def _offsets(reaches: list[FloatArray]) -> list[FloatArray]:
    """How far the person has gone over the floor since the first moment (3,), so that the camera goes along."""
    middles = [0.5 * (reach.min(axis=0) + reach.max(axis=0)) * (1.0, 0.0, 1.0) for reach in reaches]
    return [middle - middles[0] for middle in middles]
