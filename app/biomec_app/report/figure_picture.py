"""`figure.png`: the person in a handful of moments of a cycle, and one of them large."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from biomec.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.signals.cycles import Cycles
from biomec_app.engine_tour.drawing import new_figure, save
from biomec_app.report.body_scene import METRES_A_NEWTON, camera_for, force_ends, picture
from biomec_app.report.body_shape import BodyShape, shape_at, static_shape
from biomec_app.report.style import FORCE, HAIR, INK, LEFT, MARKER, MIDDLE, MUTED, RIBS, RIGHT

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
    valid, trial = analysis.motion.valid, analysis.clean.trial
    for name, cycles in analysis.repetitions.cycles.items():
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
    shapes = [shape_at(analysis, moment.frame) for moment in chosen] or [static_shape(analysis)]
    floor = _floor(shapes)
    lying = _lies(shapes[0])
    direction = np.array([0.42, 0.36, 1.0]) if lying else np.array([0.95, 0.28, 1.0])
    large, small = LYING if lying else STANDING
    several = len(shapes) > 1
    if not several:
        large = (WIDTH - 2 * EDGE, 866)
    height = HEAD + large[1] + FOOT + (GAP + 2 * (CAPTION + small[1]) if lying and several else 0)
    figure = new_figure(WIDTH / DPI, height / DPI, DPI)
    name = f"{analysis.loaded.subject.name or 'Subject'}: {analysis.loaded.body.model.title}"
    below = f"{told}; the large picture at {chosen[main].label}." if several else f"{told}."
    figure.text(24 / WIDTH, 1.0 - 40 / height, name, fontsize=15, fontweight="bold", color=INK)
    figure.text(24 / WIDTH, 1.0 - 70 / height, below, fontsize=10.5, color=MUTED)
    camera = camera_for(_extent(shapes[main], plates=True), direction, large[0] / large[1])
    _place(figure, picture(shapes[main], camera, floor, large), EDGE, HEAD, height)
    if several:
        offsets = _offsets(shapes)
        everything = np.concatenate([_extent(s) - gone for s, gone in zip(shapes, offsets, strict=True)])
        shared = camera_for(everything, direction, small[0] / small[1])
        for k, (shape, moment, gone) in enumerate(zip(shapes, chosen, offsets, strict=True)):
            left, top = EDGE + k % 3 * (small[0] + GAP), HEAD + k // 3 * (small[1] + CAPTION)
            left, top = (left, top + large[1] + GAP) if lying else (left + large[0] + GAP, top)
            follows = shared.moved(gone)
            _place(figure, picture(shape, follows, floor, small), left, top, height)
            figure.text(
                (left + 0.5 * small[0]) / WIDTH, 1.0 - (top + small[1] + 0.5 * CAPTION) / height, moment.label,
                ha="center", va="center", fontsize=10, color=INK, fontweight="bold" if k == main else "normal",
            )  # fmt: skip
    _legend(figure, shapes, height)
    save(figure, path)


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


def _legend(figure: Figure, shapes: list[BodyShape], height: int) -> None:
    def dot(colour: str, size: float) -> Line2D:
        return Line2D([], [], marker="o", linestyle="none", color=colour, markersize=size)

    entries = {
        "right": Line2D([], [], color=RIGHT, linewidth=4),
        "left": Line2D([], [], color=LEFT, linewidth=4),
        "midline": Line2D([], [], color=MIDDLE, linewidth=4),
        "joint centre": dot(MIDDLE, 9),
        "marker": dot(MARKER, 6),
    }
    if any(shape.ribs for shape in shapes):
        entries["ribcage under the scapulae"] = Patch(facecolor=RIBS, alpha=0.45)
    if any(shape.forces for shape in shapes):
        scale = f"ground force, 0.5 m for {0.5 / METRES_A_NEWTON:.0f} N"
        entries[scale] = Line2D([], [], color=FORCE, linewidth=3, marker="^", markersize=8, markevery=[1])
    figure.legend(
        list(entries.values()), list(entries), loc="lower center", bbox_to_anchor=(0.5, 6 / height), ncols=len(entries),
        frameon=False, fontsize=10, labelcolor=INK, handlelength=1.6, columnspacing=2.2,
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- camera
def _lies(shape: BodyShape) -> bool:
    """Whether the person is longer than high, as in a push-up."""
    size = np.ptp(shape.body_points, axis=0)
    return bool(size[0] > size[1])


def _floor(shapes: list[BodyShape]) -> float:
    """Height of the plates, or of where forces act, or of the lowest point."""
    for places in (
        [corner for shape in shapes for corner in shape.plates],
        [force.point[None] for shape in shapes for force in shape.forces],
    ):
        if places:
            return float(np.median(np.concatenate(places)[:, 1]))
    return float(min(shape.body_points[:, 1].min() for shape in shapes)) - 0.01


def _extent(shape: BodyShape, *, plates: bool = False) -> FloatArray:
    """(P, 3) what must be in the picture: the person, the ribcage, forces, and the plates if asked for."""
    ends = [r.centre + s * r.radii[k] * r.attitude[:, k] for r in shape.ribs for k in range(3) for s in (-1.0, 1.0)]
    points = [shape.body_points, force_ends(shape.forces), np.array(ends).reshape(-1, 3)]
    points += [one.point[None] for one in shape.forces]
    points += shape.plates if plates else ()
    return np.concatenate(points)


def _offsets(shapes: list[BodyShape]) -> list[FloatArray]:
    """How far the person has gone over the floor since the first moment (3,), so that the camera goes along."""
    middles = [0.5 * (s.body_points.min(axis=0) + s.body_points.max(axis=0)) * (1.0, 0.0, 1.0) for s in shapes]
    return [middle - middles[0] for middle in middles]
