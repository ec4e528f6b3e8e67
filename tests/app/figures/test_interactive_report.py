"""The page that moves, in a real browser: no error, no network, curves and figure follow each other."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical.moving_figure import MovingFigure, moving_figure
from biomec.reporting.statistics.stick_figure import stick_figure
from biomec_app.figures.report.interactive import _Data, page
from biomec_app.figures.report.options import ReportOptions
from tests.app.figures.browser import BROWSER, NEEDS, Tab, browser
from tests.app.figures.report_content import FRAMES, example_report, with_names
from tests.core.pipeline.standing import swaying_session
from tests.hostile import HOSTILE

pytestmark = pytest.mark.usefixtures("qapp")
TOP, BOTTOM, LEFT, RIGHT, WIDTH = 24.0, 164.0, 40.0, 292.0, 300.0  # of a panel, as the script lays it out
KINEMATICS = 3  # tab


def growing() -> MovingFigure:
    """An upright line that grows from 1 m to 2 m."""
    points = np.zeros((FRAMES, 3, 3))
    points[:, 1, 1] = np.linspace(0.5, 1.0, FRAMES)
    points[:, 2, 1] = np.linspace(1.0, 2.0, FRAMES)
    return MovingFigure("Trial", FRAMES, 100.0, 1, points, (((0, 1, 2), "right"),))


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    if BROWSER is None:
        pytest.skip(NEEDS)
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def shown(tab: Tab, path, report=None, figures=None) -> Tab:
    """The tab with a report open, which has had no fault so far."""
    tab.faults.clear()
    made = page(report or example_report(), ReportOptions(), figures or [growing(), growing()])
    path.write_text(made, encoding="utf-8")
    tab.open(path)
    return tab


def place_of(tab: Tab, what: str) -> tuple[float, float, float, float]:
    """Left, top, width and height on the screen, after scrolling there."""
    found = f"document.querySelector({what!r})"
    tab.value(f"{found}.scrollIntoView({{block: 'center'}})")
    box = tab.value(f"(() => {{ const b = {found}.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()")
    return tuple(box)


def coloured_height(tab: Tab) -> int:
    """Rows of the canvas that hold the blue of the right side."""
    return tab.value(
        """(() => {
          const seen = document.getElementById('figure'), c = document.createElement('canvas');
          c.width = seen.width; c.height = seen.height;
          const pen = c.getContext('2d', { willReadFrequently: true });
          pen.drawImage(seen, 0, 0);
          const d = pen.getImageData(0, 0, c.width, c.height).data;
          let rows = 0;
          for (let y = 0; y < c.height; y++) {
            for (let k = 4 * y * c.width; k < 4 * (y + 1) * c.width; k += 4) {
              if (d[k] < 60 && d[k + 2] > 120 && d[k + 3] > 200) { rows++; break; }
            }
          }
          return rows;
        })()"""
    )


def test_a_click_on_a_curve_moves_figure_slider_and_marks(tab: Tab, tmp_path) -> None:
    report = example_report()
    shown(tab, tmp_path / "r.html", report)
    tab.drag(centre(place_of(tab, f"#tab-{KINEMATICS}")))
    assert tab.value("document.querySelector('.page.open h2').textContent") == "Kinematics, mean"
    panel = report.pages[KINEMATICS].blocks[0].rows[0][0]
    course = panel.courses[0]
    cycle, percent = 2, 25.0  # of trial 1, from frame 20 to frame 80
    height = BOTTOM - (course.curves[cycle][25] - panel.low) * (BOTTOM - TOP) / (panel.high - panel.low)
    box = place_of(tab, ".page.open svg.panel")
    scale = box[2] / WIDTH
    tab.drag((box[0] + scale * (LEFT + percent / 100 * (RIGHT - LEFT)), box[1] + scale * height))
    origin = course.origins[cycle]
    frame = origin.first + 0.25 * (origin.last - origin.first)
    assert float(tab.value("document.getElementById('moment').value")) == pytest.approx(frame, abs=1.0)  # a pixel
    assert tab.value("document.getElementById('trial').value") == "0"
    assert "Right 25 %" in tab.value("document.getElementById('said').textContent")
    dots = tab.value(
        "[...document.querySelector('.page.open svg.panel').querySelectorAll('circle.side-right')]"
        ".map((one) => [one.cx.baseVal.value, one.cy.baseVal.value])"
    )
    far = [abs(x - LEFT - 0.25 * (RIGHT - LEFT)) + abs(y - height) for x, y in dots]
    assert min(far) < 2.0  # of 300: the click is on a whole pixel
    assert tab.faults == []


def centre(box: tuple[float, float, float, float]) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def test_the_figure_follows_the_slider_and_turns(tab: Tab, tmp_path) -> None:
    shown(tab, tmp_path / "r.html")

    def move(frame: int) -> None:
        tab.value(
            f"(() => {{ const s = document.getElementById('moment'); s.value = {frame};"
            " s.dispatchEvent(new Event('input')); })()"
        )

    move(0)
    small = coloured_height(tab)
    move(FRAMES - 1)
    assert small > 50
    assert coloured_height(tab) / small == pytest.approx(2.0, rel=0.04)  # the ends of a line are round
    picture = "document.getElementById('figure').toDataURL()"
    before = tab.value(picture)
    x, y = centre(place_of(tab, "#figure"))
    tab.drag((x, y), (x + 40, y + 70))
    after = tab.value(picture)
    assert after != before
    # 70 pixels turn it by 0.7 rad, on top of the 0.15 that it begins with: it is seen from above, and shorter
    assert coloured_height(tab) / (2 * small) == pytest.approx(np.cos(0.85) / np.cos(0.15), rel=0.06)
    tab.value("document.getElementById('figure').focus()")
    tab.key("ArrowRight")
    assert tab.value(picture) != after
    assert tab.faults == []


def test_it_plays_and_keys_do_all_that_the_mouse_does(tab: Tab, tmp_path) -> None:
    shown(tab, tmp_path / "r.html")
    tab.value("document.getElementById('tab-0').focus()")
    for _ in range(KINEMATICS):
        tab.key("ArrowRight")
    assert tab.value("document.activeElement.id") == f"tab-{KINEMATICS}"
    tab.value("document.querySelector('.page.open svg.panel').focus()")
    tab.key("Enter")  # the start of a cycle of the right side
    begin = float(tab.value("document.getElementById('moment').value"))
    tab.key("ArrowRight")
    assert float(tab.value("document.getElementById('moment').value")) == begin + 1
    tab.value("document.getElementById('play').click()")
    moved = tab.value(
        f"""new Promise((done) => {{ const look = () => {{ const s = document.getElementById('moment');
        if (+s.value !== {begin + 1}) done(true); else requestAnimationFrame(look); }}; look(); }})"""
    )
    assert moved
    tab.value("document.getElementById('play').click()")
    assert tab.value("document.getElementById('play').textContent") == "Play"
    assert tab.faults == []


def test_every_panel_is_drawn_and_says_why_it_is_empty(tab: Tab, tmp_path) -> None:
    report = example_report()
    shown(tab, tmp_path / "r.html", report)
    grids = [
        block for page in report.pages for block in page.blocks if hasattr(block, "rows") and hasattr(block, "style")
    ]
    panels = [one for grid in grids for row in grid.rows for one in row if one is not None]
    assert tab.value("document.querySelectorAll('svg.panel').length") == len(panels)
    missing = [one.missing for one in panels if one.missing]
    assert tab.value("[...document.querySelectorAll('.missing')].map((one) => one.textContent)") == missing
    assert tab.value("document.querySelectorAll('path.raw').length") == 4
    assert tab.faults == []


def test_names_do_nothing_in_the_browser(tab: Tab, tmp_path) -> None:
    """A name that ends the script's element, or begins one of its own, is shown as it is."""
    name = " ".join(HOSTILE)
    shown(tab, tmp_path / "r.html", with_names(example_report(), name))
    assert tab.value("typeof window.hostile") == "undefined"
    assert tab.value("document.querySelectorAll('script').length") == 2
    assert "<script>hostile()</script>" in tab.value("document.querySelector('svg.panel title').textContent")
    assert tab.faults == []


def test_a_report_without_a_recording_has_curves_but_no_figure(tab: Tab, tmp_path) -> None:
    path = tmp_path / "r.html"
    path.write_text(page(example_report(), ReportOptions(), []), encoding="utf-8")
    tab.faults.clear()
    tab.open(path)
    assert tab.value("document.querySelectorAll('svg.panel path.mean').length") > 0
    assert tab.value("document.getElementById('figure')") is None
    assert tab.faults == []


def test_colours_of_the_sides_are_those_of_the_options(tab: Tab, tmp_path) -> None:
    path = tmp_path / "r.html"
    path.write_text(page(example_report(), ReportOptions(colours="red and green"), [growing()]), encoding="utf-8")
    tab.open(path)
    colour = "getComputedStyle(document.querySelector('svg.panel path.mean.side-{}')).color"
    assert tab.value(colour.format("right")) == "rgb(0, 122, 51)"
    assert tab.value(colour.format("left")) == "rgb(208, 2, 27)"


# ------------------------------------------------------------------------------------------------------------- contents


def test_numbers_survive_as_whole_numbers() -> None:
    import base64

    values = np.array([-31.7, 0.0, np.nan, 74.2, 12.345])
    data = _Data()
    assert data.blob(values) == data.blob(values.copy()) == 0  # kept once
    blob = data.content(ReportOptions())["blobs"][0]
    whole = np.frombuffer(base64.b64decode(blob["data"]), "<i2").astype(float)
    back = np.where(whole == -32768, np.nan, blob["low"] + blob["step"] * (whole + 32767))
    np.testing.assert_allclose(back, values, rtol=0, atol=0.5 * blob["step"] * 1.01, equal_nan=True)  # half a step
    assert data.blob(np.full(3, np.nan)) == 1
    assert data.blob(np.full(3, 7.0)) == 2


def test_a_session_of_ten_trials_stays_below_a_megabyte() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(150, 45, 3))  # noise: nothing can be saved by equal numbers
    figures = [MovingFigure(f"Trial {k}", 300, 100.0, 2, points + k, (((0, 1, 2), "right"),)) for k in range(10)]
    made = page(example_report(cycles=15), ReportOptions(), figures)
    assert len(made.encode()) < 1_000_000
    assert not re.search(r"(?:src|href)=\"(?!data:)|url\((?!#)|@import", made)


def test_the_moving_figure_is_the_stick_figure_of_every_frame() -> None:
    analysis = Analysis(swaying_session(0.2)).run_until("positions")
    made = moving_figure(analysis, "Standing")
    assert made is not None
    body = analysis.body.person
    for k in (0, len(made.points) - 1):
        points = body.points_of(analysis.positions.q[k * made.step])
        points |= {one: path[k * made.step] for one, path in analysis.body.points.items() if one not in points}
        wanted = stick_figure(body.model, points, tuple(body.system.layout.bodies))
        drawn = [made.points[k][list(numbers)] for numbers, _ in made.lines]
        assert len(drawn) == len(wanted)
        for one, other in zip(drawn, wanted, strict=True):
            known = one[np.isfinite(one).all(axis=1)]
            np.testing.assert_allclose(known, other.points, rtol=0, atol=1e-12)  # rounding of sums of a few metres
    assert (made.frames - 1) // made.step == len(made.points) - 1
