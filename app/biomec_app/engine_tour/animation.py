"""Animation of three mechanisms of the engine tour over one turn, as a GIF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image  # comes with matplotlib, which needs it for every picture file

from biomec_app.engine_tour import poses
from biomec_app.engine_tour.drawing import INK, new_figure, space
from biomec_app.engine_tour.stops import Motion

COLOURS = 48  # in the GIF: enough for smooth edges
PICTURE_MS = 60


def animate_mechanisms(path: Path, four_bar: Motion, slider_crank: Motion, bennett: Motion, pictures: int) -> None:
    """Write one turn of the three mechanisms in ``pictures`` pictures, repeated for ever."""
    turn = np.linspace(0, len(four_bar.angle) - 1, pictures, endpoint=False).astype(int)
    frames = [_picture(four_bar, slider_crank, bennett, int(t)) for t in turn]
    palette = frames[0].quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    images[0].save(path, save_all=True, append_images=images[1:], duration=PICTURE_MS, loop=0, optimize=True)


def _picture(four_bar: Motion, slider_crank: Motion, bennett: Motion, t: int) -> Image.Image:
    figure = new_figure(10.4, 3.3, dpi=90)
    left, middle = figure.add_axes((0.045, 0.14, 0.275, 0.72)), figure.add_axes((0.375, 0.14, 0.25, 0.72))
    right = space(figure, (0.655, 0.02, 0.28, 0.88))
    poses.four_bar_scene(left, four_bar)
    poses.four_bar_pose(left, four_bar, t)
    poses.slider_crank_scene(middle, slider_crank)
    poses.slider_crank_pose(middle, slider_crank, t)
    poses.bennett_scene(right, bennett, zoom=1.0)
    poses.bennett_pose(right, bennett, t)
    for x, name in ((0.045, "Four-bar linkage"), (0.375, "Slider-crank"), (0.665, "Bennett's linkage")):
        figure.text(x, 0.91, name, fontsize=11, fontweight="bold", color=INK)
    figure.canvas.draw()
    return Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
