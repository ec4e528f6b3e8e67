"""Figure of the human-like tree: noisy and consistent pose, two joints from near, and what the solution took."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from biomec.base.arrays import FloatArray
from biomec.engine.system import System
from biomec_app.figures.export import save_figure
from biomec_app.figures.style import PAPER, new_figure, quiet, stroke
from examples.engine_tour.drawing import BLUE, INK, PALE, RED, in_space, plane, space, title
from examples.engine_tour.stops import SolvedTree

UNSEEN = ("origin", "com", "ellipsoid")  # points of a body that are not drawn
TO_SCREEN = [2, 0, 1]  # the laboratory's Z, X, Y as x, y, z of the drawing, so that up is up
HEAD_CENTRE, HEAD_RADII = (0.0, 0.13, 0.0), (0.09, 0.12, 0.08)  # in the head's axes [m]
MARGIN = (0.1, 0.1, 0.0)  # about the body [m]
WINDOW_MM = 16.0  # half the side of a view from near
SMALLEST = 1e-19  # where a violation of exactly zero is drawn
NOISY, CONSISTENT = RED, BLUE


def draw_human(path: Path, human: SolvedTree) -> None:
    """Write the figure; its poses are those of the frame in the middle, ordered by how far joints are apart."""
    frame = int(np.argsort(human.result.before["spherical"])[len(human.noisy) // 2])
    figure = new_figure((14.0, 8.0), layout="none")
    grid = figure.add_gridspec(
        2, 3, left=0.03, right=0.975, bottom=0.085, top=0.9, wspace=0.3, hspace=0.42, width_ratios=(1.25, 1.0, 1.1)
    )
    _body(space(figure, grid[:, 0]), human, frame)
    _joint(figure.add_subplot(grid[0, 1]), human, frame, "elbow_R", "Right elbow, enlarged")
    _joint(figure.add_subplot(grid[1, 1]), human, frame, "knee_L", "Left knee, enlarged")
    _violations(figure.add_subplot(grid[0, 2]), human)
    _iterations(figure.add_subplot(grid[1, 2]), human)
    save_figure(figure, path)


def _body(axes: Axes3D, human: SolvedTree, frame: int) -> None:
    styles = {"consistent": (human.result.q, CONSISTENT, 4.5, 0.45), "noisy": (human.noisy, NOISY, 1.2, 1.0)}
    for q, colour, width, alpha in styles.values():
        lines = [line[:, TO_SCREEN] for line in _outline(human.system, q[frame])]
        axes.add_collection3d(
            Line3DCollection(lines, colors=colour, linewidths=width, alpha=alpha, capstyle="round", clip_on=False)
        )
    points = np.concatenate(_outline(human.system, human.result.q[frame]))[:, TO_SCREEN]
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    names = ("Z, right [m]", "X, forward [m]", "Y, up [m]")
    in_space(axes, low, high, names, view=(10.0, 52.0), step=0.3, zoom=1.5, label_pad=-4.0)
    lines = [stroke(color=colour, linewidth=width, alpha=alpha) for _, colour, width, alpha in styles.values()]
    axes.legend(lines, list(styles), loc="center right", bbox_to_anchor=(1.0, 0.28), fontsize=9, frameon=False)
    title(axes, "Human-like tree: 21 bodies, 252 coordinates", "noisy: every body 3 mm and 0.9° astray, at random")


def _outline(system: System, q: FloatArray) -> list[FloatArray]:
    """Lines (k, 3) that show every body [m]: between all its named points, and two rings for the head."""
    lines = []
    for body in system.bodies:
        names = [name for name in body.points if name not in UNSEEN]
        at = [system.layout.point(f"{body.name}.{name}")(q) for name in names]
        lines += [np.stack(pair) for pair in combinations(at, 2)]
    turn = np.linspace(0.0, 2.0 * np.pi, 40)
    head = system.layout.body("head")
    for ring in (np.stack([np.cos(turn), np.sin(turn), 0 * turn]), np.stack([0 * turn, np.sin(turn), np.cos(turn)])):
        local = np.array(HEAD_CENTRE)[:, None] + np.array(HEAD_RADII)[:, None] * ring
        lines.append(np.stack([system.layout.lift(head, head.point_map(point))(q) for point in local.T]))
    return lines


def _joint(axes: Axes, human: SolvedTree, frame: int, joint: str, heading: str) -> None:
    """The joint centre as each of its two bodies has it, seen from behind, about the consistent one."""
    layout = human.system.layout
    bodies = [body for body in human.system.bodies if joint in body.points]
    centres = [layout.point(f"{body.name}.{joint}") for body in bodies]
    gap_mm = 1e3 * np.linalg.norm(centres[0](human.noisy[frame]) - centres[1](human.noisy[frame]))
    middle = centres[0](human.result.q[frame])
    for q, colour in ((human.noisy[frame], NOISY), (human.result.q[frame], CONSISTENT)):
        for body, style in zip(bodies, ("-", "--"), strict=True):
            here, far = (
                1e3 * (layout.point(f"{body.name}.{name}")(q) - middle)[[2, 1]]
                for name in (joint, next(p for p in body.points if p not in (*UNSEEN, joint)))
            )
            axes.plot(*np.stack([here, far], axis=-1), color=colour, linewidth=2.4, linestyle=style, zorder=2)
            axes.plot(*here, "o", color="white", markeredgecolor=colour, markersize=9, markeredgewidth=2.0, zorder=3)
    plane(axes, (-WINDOW_MM, WINDOW_MM), (-WINDOW_MM, WINDOW_MM), ("Z, right [mm]", "Y, up [mm]"))
    parent, child = (body.name.partition("_")[0] for body in bodies)
    title(axes, heading, f"{parent} (line) and {child} (dashes) were {gap_mm:.1f} mm apart")


def _violations(axes: Axes, human: SolvedTree) -> None:
    types = list(human.result.before)
    before, after = (
        np.maximum([by_type[name].max() for name in types], SMALLEST)
        for by_type in (human.result.before, human.result.after)
    )
    place = np.arange(len(types))
    axes.hlines(place, before, after, color=PALE, linewidth=2.5, zorder=1)
    axes.plot(before, place, "s", color=NOISY, markersize=8, label="noisy")
    axes.plot(after, place, "o", color=CONSISTENT, markersize=8, label="consistent")
    axes.set_yticks(place, types)
    axes.set(xscale="log", xlim=(1e-18, 10.0), ylim=(len(types) + 0.2, -0.6))
    axes.set_xlabel("violation a row, worst frame [m, m² or 1]")
    axes.legend(loc="lower center", ncol=2, fontsize=9, frameon=False)
    quiet(axes, PAPER, grid="x")
    title(axes, "Violation by kind of constraint", "rigid starts at round-off: the noise bends no body")


def _iterations(axes: Axes, human: SolvedTree) -> None:
    counts = np.bincount(human.result.iterations)
    used = np.arange(max(int(np.flatnonzero(counts)[0]) - 1, 0), len(counts) + 1)
    heights = [counts[k] if k < len(counts) else 0 for k in used]
    axes.bar(used, heights, color=CONSISTENT, width=0.7)
    for k, height in zip(used, heights, strict=True):
        if height:
            axes.text(k, height, f"{height}", fontsize=9, color=INK, ha="center", va="bottom")
    axes.set(xlabel="iterations", ylabel="frames", ylim=(0, 1.15 * max(heights)))
    axes.set_xticks(used)
    quiet(axes, PAPER, grid="")
    title(axes, "Iterations a frame", f"{len(human.noisy)} frames, each until ‖Φ‖ < 1e-10")
