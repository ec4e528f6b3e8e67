"""Lines of plots: whatever is drawn together can be told apart, also by the colour-blind."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from biomec.recording.marker_set import Side
from biomec_app.kit.colours import COMPARED, PALETTES
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.plots.plot_content import _looks
from biomec_app.plots.plot_pane import CONDITIONS, LEFT, RIGHT, Trace
from biomec_app.plots.plot_style import PlotStyle
from biomec_app.session.plot_view import TOGETHER, PlotView

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
    sides = [SimpleNamespace(side=side, variant="", dashed=0, label="") for side in (Side.RIGHT, Side.LEFT)]
    curves = [SimpleNamespace(**vars(side), pane=("", k), kind="") for k in range(18) for side in sides]
    looks = _looks(curves, PlotView(grouping=TOGETHER))
    pens = [style.line(Trace(None, "", look.colour, np.zeros(0), np.zeros(0), look.dashed)) for look in looks]
    assert len({(pen.color().name(), tuple(pen.dashPattern())) for pen in pens}) == 36
    assert pens[0].style() == Qt.PenStyle.SolidLine
    assert pens[1].style() == Qt.PenStyle.CustomDashLine  # the left side of a signal has its colour, and is dashed
    assert pens[0].color() == pens[1].color()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_colour_that_comes_again_is_another_one_and_can_be_seen(qapp, theme):
    colours, ground = [PlotStyle(theme).colour(k) for k in range(12)], QColor(theme.panel)
    assert len({one.name() for one in colours}) == 12
    for one in colours:
        bright, dim = sorted((_luminance(one), _luminance(ground)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) > 1.9, one.name()  # contrast [WCAG 2.2]; a lighter pink on white had 1.3


def _luminance(colour: QColor) -> float:
    """Relative luminance of a colour [WCAG 2.2]."""
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour.getRgbF()[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_sides_and_conditions_have_colours_of_their_own(qapp):
    style = PlotStyle(LIGHT)
    assert style.colour(RIGHT) == QColor(LIGHT.right)
    assert style.colour(LEFT) == QColor(LIGHT.left)
    first, second = (style.colour(name) for name in CONDITIONS[:2])
    assert first.blue() > 2 * first.red()
    assert second.red() > 2 * second.blue()
