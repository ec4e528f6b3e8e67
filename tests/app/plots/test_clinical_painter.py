"""Clinical grids, bars and paths of pressure: everything is drawn, in its place, on any device, and can be clicked."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from biomec.reporting.clinical.blocks import (
    EVERY,
    Band,
    Bar,
    Bars,
    Course,
    Grid,
    Panel,
    PathOfPressure,
    course_of,
)
from biomec.reporting.clinical_presentation import BY_NAME, KINEMATIC_GRID, KINETIC_GRID
from biomec_app.kit.colours import DARK
from biomec_app.plots.clinical.bar_painter import bars_height, paint_bars
from biomec_app.plots.clinical.grid_layout import grid_layout, ticks, value_at
from biomec_app.plots.clinical.grid_painter import deviation_stretches, paint_grid, runs, thinned
from biomec_app.plots.clinical.look import GREY, SIDE_COLOURS, Look
from biomec_app.plots.clinical.pressure_painter import paint_path

pytestmark = pytest.mark.usefixtures("qapp")
PERCENT = np.linspace(0.0, 100.0, 101)
WHOLE = QRectF(0.0, 0.0, 800.0, 560.0)


def wave(name: str, shift: float = 0.0, cycles: int = 4) -> np.ndarray:
    row = BY_NAME[name]
    mean = 0.5 * (row.low + row.high) + 0.3 * (row.high - row.low) * np.sin(2 * np.pi * PERCENT / 100.0 + shift)
    return mean + 0.02 * (row.high - row.low) * np.arange(cycles)[:, None]


def panel(name: str, cycles: int = 4, **changes: object) -> Panel:
    row = BY_NAME[name]
    courses = tuple(
        replace(
            course_of(side, wave(name, shift, cycles), side.capitalize()),
            foot_off=60.0 + shift,
            opposite_foot_off=11.0,
            opposite_contact=50.0,
            static=0.5 * (row.low + row.high),
        )
        for side, shift in (("right", 0.0), ("left", 0.6))
    )
    mean, step = wave(name, cycles=1)[0], 0.1 * (row.high - row.low)
    band = Band(PERCENT, mean - step, mean + step, mean, 61.0)
    made = Panel(name, row.title, row.unit, row.up, row.down, row.low, row.high, courses=courses, band=band)
    return replace(made, **changes)


def grid_of(names: tuple[tuple[str, ...], ...] = KINEMATIC_GRID, **changes: object) -> Grid:
    return Grid("Kinematics", tuple(tuple(panel(name) for name in row) for row in names), **changes)


def picture(width: int = 800, height: int = 560) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    return image


THICK = Look(point=3.0)  # lines of more than two pixels, whose colour is not mixed with that of the paper


def painted(grid: Grid, look: Look = THICK, rect: QRectF = WHOLE):
    image = picture()
    image.fill(QColor(look.theme.panel))
    painter = QPainter(image)
    layout, words = paint_grid(painter, rect, grid, look)
    painter.end()
    return image, layout, words


def lone(values: np.ndarray, side: str = "right", **changes: object) -> Grid:
    """A grid of one panel with one course, nothing else in it."""
    course = course_of(side, np.atleast_2d(values), side.capitalize())
    return Grid("one", ((Panel("a", "A [°]", "°", "Up", "Down", -30.0, 30.0, courses=(course,), **changes),),))


def coloured(image: QImage, point: QPointF, colour: str, reach: int = 1) -> bool:
    """Whether a pixel nearby is clearly of a colour, by the distance of its red, green and blue."""
    wanted = QColor(colour)
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            x, y = int(point.x()) + dx, int(point.y()) + dy
            if image.valid(x, y):
                seen = image.pixelColor(x, y)
                away = max(abs(seen.red() - wanted.red()), abs(seen.green() - wanted.green()),
                           abs(seen.blue() - wanted.blue()))  # fmt: skip
                if away < 60:
                    return True
    return False


def blue(image: QImage) -> np.ndarray:
    """(height, width) whether a pixel has the blue of the right side."""
    bits = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return (bits & 0xFFFFFF) == 0x0072B2


def overlapping(words: list, slack: float = 0.5) -> list[tuple[str, str]]:
    """Pairs of words that cover each other; letters have some air above and below, so that boxes may touch."""
    inner = [(one.text, one.place.adjusted(slack, 0.12 * one.place.height(), -slack, -0.12 * one.place.height()))
             for one in words]  # fmt: skip
    return [(a, b) for (a, one), (b, other) in combinations(inner, 2) if one.intersects(other)]


@pytest.mark.parametrize("names", [KINEMATIC_GRID, KINETIC_GRID])
@pytest.mark.parametrize("rect", [QRectF(20, 10, 760, 530), QRectF(0, 0, 500, 700), QRectF(5, 5, 780, 320)])
@pytest.mark.parametrize("look", [Look(), Look(size=8.0, strips=True), Look(point=0.7, colours=GREY)])
def test_words_neither_overlap_nor_leave_the_rectangle(names, rect, look) -> None:
    grid = grid_of(names, note="The norm is of 12 children who walk at 1.2 m/s, and the note is long. " * 3)
    _, _, words = painted(grid, look, rect)
    assert overlapping(words) == []
    outer = rect.adjusted(-0.5, -0.5, 0.5, 0.5)
    assert [one.text for one in words if not outer.contains(one.place)] == []


def test_every_panel_has_its_title_with_unit_and_its_words_whole() -> None:
    _, _, words = painted(grid_of(KINETIC_GRID), Look(), QRectF(0, 0, 790, 550))
    texts = [one.text for one in words]
    for row in KINETIC_GRID:
        for name in row:
            curve = BY_NAME[name]
            assert {curve.title, curve.up, curve.down} <= set(texts)
    assert all(one.whole for one in words)


def test_every_finite_sample_is_drawn_also_one_that_stands_alone() -> None:
    """A curve that is partly missing was once left out as a whole by another program."""
    values = 20.0 * np.sin(2 * np.pi * PERCENT / 100.0)
    values[10:20] = np.nan
    values[40:45] = values[46:50] = np.nan  # 45 stands alone
    values[:3] = np.nan
    image, layout, _ = painted(lone(values))
    place = layout.places[0]
    for percent, value in zip(PERCENT, values, strict=True):
        if np.isfinite(value):
            assert coloured(image, place.point(percent, value), "#0072B2"), percent
    gap = [
        p for p in (12.0, 15.0, 18.0) if coloured(image, place.point(p, 20.0 * np.sin(2 * np.pi * p / 100)), "#0072B2")
    ]
    assert gap == []


def test_fewer_than_three_cycles_are_drawn_one_by_one() -> None:
    two = np.array([np.full(101, -20.0), np.full(101, 20.0)])
    image, layout, _ = painted(lone(two))
    place = layout.places[0]
    assert coloured(image, place.point(30, 20), "#0072B2")
    assert coloured(image, place.point(30, -20), "#0072B2")
    assert not coloured(image, place.point(30, 3), "#0072B2"), "no mean of two cycles"
    three = np.array([np.full(101, -20.0), np.full(101, 0.5), np.full(101, 20.0)])
    image, layout, _ = painted(lone(three))
    place = layout.places[0]
    assert coloured(image, place.point(30, 0.5 / 3), "#0072B2")
    assert not coloured(image, place.point(30, 20), "#0072B2"), "only the band, which is pale"
    image, layout, _ = painted(replace(lone(three), style=EVERY))
    assert coloured(image, layout.places[0].point(30, 20), "#0072B2")


def test_events_and_static_stand_where_they_belong() -> None:
    grid = lone(np.full(101, -25.0))
    course = replace(grid.rows[0][0].courses[0], foot_off=62.0, opposite_contact=48.0, static=12.0)
    image, layout, _ = painted(Grid("one", ((replace(grid.rows[0][0], courses=(course,)),),)))
    place = layout.places[0]
    heights = np.arange(place.plot.top() + 2, place.plot.bottom() - 60)
    column = [coloured(image, QPointF(place.x(62.0), y), "#0072B2") for y in heights]
    assert 0.3 < np.mean(column) < 1.0, "a dashed line"
    assert coloured(image, QPointF(place.x(48.0), place.plot.bottom() - 3), "#0072B2")
    assert not coloured(image, QPointF(place.x(48.0), place.plot.top() + 50), "#0072B2", 3)
    assert coloured(image, QPointF(place.plot.right() + 7, place.y(12.0)), "#0072B2")


def test_a_panel_without_data_says_why_and_has_no_axis() -> None:
    words = painted(Grid("g", ((panel("hip power", courses=(), missing="No plate was hit by one foot alone."),),)))[2]
    assert [one.text for one in words] == ["Hip power [W/kg]", "No plate was hit by one foot alone."]


@pytest.mark.parametrize("colours", SIDE_COLOURS)
@pytest.mark.parametrize("theme", [Look().theme, DARK])
def test_sides_have_the_chosen_colours(colours, theme) -> None:
    look = Look(theme, colours, point=3.0)
    values = np.full(101, 10.0)
    for side in ("right", "left"):
        image, layout, _ = painted(lone(values, side), look)
        place = layout.places[0]
        assert any(coloured(image, place.point(p, 10.0), look.colour(side)) for p in range(20, 60))
    assert look.colour("right") != look.colour("left")


def test_left_is_dashed_in_grey_only() -> None:
    assert Look(colours=GREY).pen("left").dashPattern()
    assert not Look(colours=GREY).pen("right").dashPattern()
    assert not Look().pen("left").dashPattern()
    assert Look().pen("left", visit=1).dashPattern()
    assert Look().colour("left", 1) != Look().colour("left"), "an earlier visit is paler"


def test_a_wider_scale_and_a_norm_are_explained() -> None:
    texts = {one.text for one in painted(Grid("g", ((panel("hip flexion", grown=True),),)))[2]}
    assert {"scale wider than usual", "norm, mean ± 1 SD", "foot off", "standing", "Right", "Left"} <= texts
    texts = {one.text for one in painted(lone(np.zeros(101)))[2]}
    assert not {"scale wider than usual", "norm, mean ± 1 SD", "foot off", "standing"} & texts


def test_long_labels_and_markup_stay_words_on_their_line() -> None:
    label = "<b>" + "Anna & " * 40 + "</b>"
    grid = lone(np.zeros(101))
    course = replace(grid.rows[0][0].courses[0], label=label)
    _, _, words = painted(Grid("g", ((replace(grid.rows[0][0], courses=(course,)),),)))
    shown = next(one for one in words if one.text.startswith("<b>"))
    assert not shown.whole
    assert shown.text.endswith("…")
    assert shown.place.width() <= 0.5 * WHOLE.width()


def test_a_point_finds_the_curve_the_cycle_and_the_percent() -> None:
    grid = replace(grid_of(), style=EVERY)
    layout = grid_layout(WHOLE, grid, Look())
    place = layout.place_of("knee flexion")
    course = place.panel.courses[1]
    point = place.point(33.4, value_at(course.percent, course.curves[2], 33.4))
    hit = layout.hit(point, reach=6.0)
    assert (hit.panel.name, hit.course.side, hit.cycle, hit.on_mean) == ("knee flexion", "left", 2, False)
    assert hit.percent == pytest.approx(33.4)
    assert hit.value == pytest.approx(wave("knee flexion", 0.6)[2][33], abs=1.0)
    mean = grid_layout(WHOLE, grid_of(), Look())
    place = mean.place_of("hip flexion")
    hit = mean.hit(place.point(70.0, place.panel.courses[0].mean[70]), reach=6.0)
    assert (hit.course.side, hit.on_mean, round(hit.percent)) == ("right", True, 70)
    assert mean.hit(QPointF(-5.0, -5.0), 6.0) is None
    assert mean.hit(place.point(70.0, place.panel.high), 2.0) is None
    assert mean.place_at(place.plot.center()) is place


def test_a_missing_stretch_cannot_be_hit() -> None:
    values = np.zeros(101)
    values[30:60] = np.nan
    layout = grid_layout(WHOLE, lone(values), Look())
    place = layout.places[0]
    assert layout.hit(place.point(45.0, 0.0), 500.0) is None
    assert layout.hit(place.point(80.0, 0.0), 5.0) is not None


def test_percent_and_value_come_back_from_a_point() -> None:
    place = grid_layout(WHOLE, grid_of(), Look()).places[5]
    point = place.point(12.5, 17.25)
    assert place.percent(point.x()) == pytest.approx(12.5)
    assert place.value(point.y()) == pytest.approx(17.25)


def test_strips_show_how_far_from_the_norm() -> None:
    band = Band(PERCENT, np.full(101, -2.0), np.full(101, 2.0), np.zeros(101), deviations=2.0)  # SD 1
    values = np.where(PERCENT < 50, 0.5, np.where(PERCENT < 80, -1.5, 3.0))
    found = deviation_stretches(course_of("right", values[None, :], "Right"), band)
    assert found == [(49.5, 79.5, 1), (79.5, 100.0, 2)]


def test_usual_activity_is_a_strip_below_and_raw_stays_in_its_scale() -> None:
    raw = 0.4 * np.sin(np.linspace(0, 900, 5000))[None, :]
    course = replace(course_of("right", np.full((1, 101), 40.0), "Right"), raw=raw)
    one = Panel("ta", "Tibialis anterior [% of the maximum]", "%", "", "", 0.0, 100.0, courses=(course,),
                active=((0.0, 13.0), (56.0, 100.0)), raw_limit=0.5, raw_unit="mV")  # fmt: skip
    image, layout, words = painted(Grid("EMG", ((one,),)))
    place = layout.places[0]
    below = place.strip.center().y()
    paper = QColor("#FFFFFF").rgb()
    assert image.pixel(int(place.x(6.0)), int(below)) != paper
    assert image.pixel(int(place.x(80.0)), int(below)) != paper
    assert image.pixel(int(place.x(30.0)), int(below)) == paper
    middle, half = place.plot.center().y(), 0.5 * place.plot.height()
    assert image.pixel(int(place.x(72.0)), int(middle - 0.6 * half)) != paper  # within ±0.4 of ±0.5
    assert image.pixel(int(place.x(72.0)), int(middle - 0.9 * half)) == paper
    assert overlapping(words) == []
    assert "±0.5 mV" in {one.text for one in words}


def test_thinning_keeps_the_extremes() -> None:
    values = np.random.default_rng(3).normal(size=4000)
    values[1234], values[2000:2010] = 9.0, np.nan
    percent, shown = thinned(np.linspace(0, 100, 4000), values, 200)
    assert len(shown) <= 400
    assert np.nanmax(shown) == 9.0
    assert np.nanmin(shown) == np.nanmin(values)
    assert percent[np.nanargmax(shown)] == pytest.approx(100 * 1234 / 3999)
    assert (np.diff(percent) > 0).all()


def test_runs_and_ticks() -> None:
    assert list(runs(np.array([np.nan, 1, 2, np.nan, 3]))) == [slice(1, 3), slice(4, 5)]
    assert list(runs(np.full(4, np.nan))) == []
    assert ticks(-20.0, 70.0, 6) == [-20.0, 0.0, 20.0, 40.0, 60.0]
    assert ticks(-0.5, 0.5, 6)[0] == -0.4
    for low, high in ((-15, 75), (0, 60), (-3, 3), (-2, 5), (0.0, 1.5), (-30, 30)):
        for most in (2, 4, 6):
            found = ticks(low, high, most)
            assert 1 <= len(found) <= most
            assert all(low <= t <= high for t in found)
            assert len({round(b - a, 9) for a, b in pairwise(found)}) <= 1


def test_the_same_plot_comes_out_on_every_device() -> None:
    grid = grid_of()
    data = QByteArray()
    for kind in ("pdf", "svg"):
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        if kind == "pdf":
            device = QPdfWriter(buffer)
            device.setResolution(1200)
        else:
            device = QSvgGenerator()
            device.setOutputDevice(buffer)
        point = device.logicalDpiX() / 72.0
        painter = QPainter(device)
        layout, words = paint_grid(painter, QRectF(0, 0, 500 * point, 300 * point), grid, Look(point=point))
        painter.end()
        buffer.close()
        assert data.size() > 10_000
        assert overlapping(words, slack=0.5 * point) == []
        small = grid_layout(QRectF(0, 0, 500, 300), grid, Look())
        for a, b in zip(layout.places, small.places, strict=True):
            assert a.plot.left() / point == pytest.approx(b.plot.left(), abs=2.0)  # letters come in whole pixels
            assert a.plot.height() / point == pytest.approx(b.plot.height(), abs=4.0)


# ---------------------------------------------------------------------------------------------------------------- bars


def profile() -> Bars:
    rows = [Bar(name, "°", right=5.0 + k, left=9.0 - k, healthy=4.0) for k, name in enumerate(("hip", "knee", "ankle"))]
    return Bars("Profile", (*rows, Bar("GPS", "°", 6.0, 7.0, 6.5, healthy=5.5)), True, "One step is 1.6°.")


def test_bars_are_as_long_as_their_values() -> None:
    bars, look = profile(), Look()
    height = bars_height(bars, look, 600.0)
    image = picture(620, int(height) + 20)
    painter = QPainter(image)
    words = paint_bars(painter, QRectF(10, 10, 600, height), bars, look)
    painter.end()
    assert overlapping(words) == []
    lengths = blue(image)[:, 100:].sum(axis=1)
    changes = np.flatnonzero(np.diff(lengths)) + 1
    shown = sorted(int(part[0]) for part in np.split(lengths, changes) if part[0] > 5 and len(part) > 3)
    # what is blue is what is beyond the grey part: 1, 2 and 3 degrees of the joints, 0.5 of the score
    assert np.array(shown) / shown[-1] * 3.0 == pytest.approx([0.5, 1.0, 2.0, 3.0], abs=0.05)
    assert {"5.0", "9.0", "6.5", "[°]", "One step is 1.6°."} <= {one.text for one in words}


def test_rows_of_different_units_have_their_own_scales_and_units() -> None:
    rows = (Bar("Cadence", "steps/min", 110, 112, norm=(115.0, 6.0), digits=0), Bar("Step width", "m"),
            Bar("Step length", "m", 0.6, -0.1, norm=(0.65, 0.05), digits=2))  # fmt: skip
    image = picture()
    painter = QPainter(image)
    words = paint_bars(painter, QRectF(10, 10, 700, 200), Bars("Time", rows, False), Look())
    painter.end()
    texts = {one.text for one in words}
    assert {"Cadence [steps/min]", "110", "0.60", "−0.10", "no value", "norm, mean ± 1 SD"} <= texts
    assert overlapping(words) == []


# ------------------------------------------------------------------------------------------------------------- pressure


def test_paths_of_both_feet_share_one_scale() -> None:
    along = np.linspace(0.0, 210.0, 50)
    paths = (
        ("right", "R", np.c_[10 * np.sin(along / 70), along]),
        ("left", "L", np.c_[-10 * np.sin(along / 70), along]),
    )
    image = picture()
    painter = QPainter(image)
    words = paint_path(painter, QRectF(10, 10, 600, 500), PathOfPressure("Pressure", paths, "A note."), Look())
    painter.end()
    titles = {one.text: one.place.center().x() for one in words if one.text.endswith("foot")}
    assert titles["Left foot"] < titles["Right foot"]
    assert overlapping(words) == []
    assert np.flatnonzero(blue(image).any(axis=0)).min() > 300, "the right foot is on the right"


def course_without(side: str) -> Course:
    return course_of(side, np.zeros((0, 101)), side)


def test_a_course_without_cycles_draws_nothing_and_is_no_fault() -> None:
    grid = Grid("g", ((Panel("a", "A", "°", "U", "D", -1.0, 1.0, courses=(course_without("right"),)),),))
    _, layout, _ = painted(grid)
    assert layout.hit(layout.places[0].plot.center(), 100.0) is None
