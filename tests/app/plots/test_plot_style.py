"""Lines of plots: whatever is drawn together can be told apart, also by the colour-blind."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from biomec_app.kit.colours import COMPARED, PALETTES
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.plots.plot_pane import CONDITIONS, LEFT, RIGHT, Trace
from biomec_app.plots.plot_style import PlotStyle, dashes_of

SEEN = {  # linear RGB as people without red, green or blue cones see it: the usual matrices for sRGB
    "all": np.eye(3),
    "no red": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "no green": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
}


def lab(colour: str, eyes: str) -> np.ndarray:
    """CIE L*a*b* of a colour of sRGB, D65."""
    c = np.array([int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    linear = np.clip(SEEN[eyes] @ linear, 0.0, 1.0)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("colours", [*PALETTES.values(), COMPARED["light"][:2], COMPARED["dark"][:2]], ids=str)
def test_colours_stay_apart(colours, eyes):
    """A difference of 15 is seen at a glance; 2.3 is just noticeable."""
    for one, other in combinations(colours, 2):
        assert np.linalg.norm(lab(one, eyes) - lab(other, eyes)) > 15.0, (one, other)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_no_two_lines_of_many_look_the_same(theme, qapp):
    style = PlotStyle(theme)
    blank = Trace(None, "", 0, np.zeros(0), np.zeros(0))
    traces = [replace(blank, colour=k, dashed=left) for k in range(18) for left in (False, True)]
    looks = {(style.line(trace).color().name(), dashes_of(trace)) for trace in traces}
    assert len(looks) == 36
    assert not dashes_of(traces[0])
    assert dashes_of(traces[1])  # the left side of a signal has its colour, and is dashed
    assert style.line(traces[0]).color() == style.line(traces[1]).color()


def test_sides_and_conditions_have_colours_of_their_own(qapp):
    style = PlotStyle(LIGHT)
    assert style.colour(RIGHT) == QColor(LIGHT.right)
    assert style.colour(LEFT) == QColor(LIGHT.left)
    first, second = (style.colour(name) for name in CONDITIONS[:2])
    assert first.blue() > 2 * first.red()
    assert second.red() > 2 * second.blue()
