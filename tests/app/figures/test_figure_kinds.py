"""Every figure: drawn in a theme from the demonstration, its data written, its reasons given. No window."""

import csv
import io
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from biomec.base.physics import GRAVITY
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.reporting.statistics.agreement import bland_altman
from biomec_app.figures import convergence
from biomec_app.figures.export import write_figure
from biomec_app.figures.kind import Column, compose, table_text
from biomec_app.figures.registry import figure_groups, figure_named, figures, register_figure
from biomec_app.figures.stick import RAW
from biomec_app.figures.style import Ink, power_of_ten
from biomec_app.kit.theme import DARK, LIGHT

KEYS = [kind.key for kind in figures()]


@pytest.fixture(scope="module")
def demo_analysis(short_analysis):
    """Two push-ups of the demonstration with a short simulation, which one of the figures shows."""
    settings = SimulationSettings(input="resultant", frames=(200, 210))
    return short_analysis.with_simulation(run_simulation(short_analysis, settings))


def first_choices(kind, analysis):
    return {choice.key: choice.options[0] for choice in kind.choices(analysis)}


@pytest.fixture(scope="module")
def made(demo_analysis):
    """Content of every figure with its first choices, found once."""
    kept = {}

    def find(key):
        if key not in kept:
            kind = figure_named(key)
            chosen = first_choices(kind, demo_analysis)
            kept[key] = kind, kind.content(demo_analysis, chosen), chosen
        return kept[key]

    return find


@pytest.mark.parametrize(("key", "theme"), [("violations", LIGHT), *((key, DARK) for key in KEYS)])
def test_a_figure_is_drawn_within_its_paper_in_the_colours_of_the_theme(made, key, theme):
    kind, content, chosen = made(key)
    figure = compose(kind, content, chosen, Ink(theme), (9.0, 6.0), 60.0)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    paper = np.array([int(theme.panel[k : k + 2], 16) for k in (1, 3, 5)])
    assert (pixels[2, 2] == paper).all()
    inked = (np.abs(pixels.astype(int) - paper).max(axis=2) > 40).mean()
    assert 0.01 < inked < 0.6  # something is drawn, and the paper is not full
    assert not (np.abs(pixels[:, -1].astype(int) - paper) > 40).any()  # nothing runs over the right edge
    for axes in figure.axes:
        assert axes.get_position().width > 0.1  # the layout left room for every panel
    texts = [text.get_text().replace("\n", " ") for text in figure.texts]
    assert kind.title in texts
    assert kind.remark(content, chosen) in texts


@pytest.mark.parametrize("key", KEYS)
def test_the_data_of_a_figure_are_a_table_with_headings(made, key):
    kind, content, chosen = made(key)
    rows = list(csv.reader(io.StringIO(table_text(kind.data(content, chosen)))))
    assert len(rows) > 4
    assert len(set(rows[0])) == len(rows[0])
    assert all(len(row) == len(rows[0]) for row in rows)
    numbers = sum(
        cell.replace(".", "").replace("e-", "").replace("-", "").isdigit() for row in rows[1:] for cell in row
    )
    assert numbers > 5


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_says_which_step_it_needs(demo_analysis, key):
    empty = Analysis(demo_analysis.session)
    assert figure_named(key).blocked(empty).startswith('Run "')
    reason = figure_named(key).blocked(demo_analysis)
    assert reason is None or (key == "devices" and reason.startswith("The person wears no device"))


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("models", "preparations")])
def test_the_last_option_of_every_choice_can_be_drawn_too(demo_analysis, key, monkeypatch):
    """All last options together, on light paper: the first ones are drawn on dark."""
    monkeypatch.setitem(convergence.FRAMES, [*convergence.FRAMES][-1], 12)  # more of them are drawn alike
    kind = figure_named(key)
    chosen = {choice.key: choice.options[-1] for choice in kind.choices(demo_analysis)}
    content = kind.content(demo_analysis, chosen)
    FigureCanvasAgg(compose(kind, content, chosen, Ink(LIGHT), (8.0, 5.5), 40.0)).draw()
    assert len(kind.data(content, chosen)[0].values) > 0


@pytest.mark.parametrize("width", [7.0, 9.0])
def test_numbers_of_violations_lie_before_the_end_of_the_axis_and_over_no_line(made, width):
    """The number of the longest bar ran over the line of 1 at the end of the axis."""
    kind, content, chosen = made("violations")
    figure = compose(kind, content, chosen, Ink(LIGHT), (width, 4.0), 60.0)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes = figure.axes[0]
    numbers = [text for text in axes.texts if text.get_text()]
    assert len(numbers) == 2 * len(content)
    end = axes.get_window_extent().x1
    for text in numbers:
        assert text.get_window_extent(canvas.get_renderer()).x1 < end
        assert text.get_bbox_patch().get_facecolor() == axes.get_facecolor()  # hides the lines of the grid


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_equal_figures_give_equal_files(made, kind):
    figure_kind, content, chosen = made("violations")

    def written():
        return write_figure(compose(figure_kind, content, chosen, Ink(LIGHT), (6.0, 4.0), 50.0), kind)

    first = written()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    if kind != "svg":  # names of clip paths in a drawing are random
        assert first == written()


@pytest.mark.parametrize("key", ["violations", "angles"])
def test_a_picture_is_drawn_once_and_is_what_matplotlib_saves(made, monkeypatch, key):
    kind, content, chosen = made(key)
    draws, draw = [], Figure.draw
    monkeypatch.setattr(Figure, "draw", lambda figure, renderer: (draws.append(1), draw(figure, renderer)))
    picture = write_figure(compose(kind, content, chosen, Ink(LIGHT), (6.0, 4.0), 50.0), "png")
    assert len(draws) == 1
    wanted = io.BytesIO()
    figure = compose(kind, content, chosen, Ink(LIGHT), (6.0, 4.0), 50.0)
    figure.savefig(wanted, format="png", metadata={"Software": None})
    assert picture == wanted.getvalue()


# ------------------------------------------------------------------------------------------------ what the figures say
def column(columns, name):
    return np.asarray(next(one.values for one in columns if one.name == name))


def test_angles_are_the_mean_curves_of_the_library(demo_analysis):
    kind = figure_named("angles")
    chosen = {"joint": "Elbow", "shown": "Mean ± SD"}
    columns = kind.data(kind.content(demo_analysis, chosen), chosen)
    k = demo_analysis.angles.names.index("left elbow flexion")
    curves = demo_analysis.cycles.curves["both"]
    assert_allclose(column(columns, "left elbow flexion, mean (deg)"), np.rad2deg(curves.mean[:, k]))
    assert_allclose(column(columns, "left elbow flexion, sd (deg)"), np.rad2deg(curves.sd[:, k]))
    assert_allclose(column(columns, "cycle (%)"), np.arange(101.0))


def test_the_figure_of_a_push_up_begins_with_an_arm(demo_analysis):
    joints = next(choice for choice in figure_named("angles").choices(demo_analysis) if choice.key == "joint").options
    assert joints[0] == "Sternoclavicular"
    assert joints.index("Elbow") < joints.index("Hip")


def test_the_residuals_are_those_that_the_filter_used(demo_analysis):
    kind, chosen = figure_named("residual"), {"point": "C7"}
    found = kind.content(demo_analysis, chosen).analysis
    filtered = demo_analysis.signals.filtered
    k = filtered.markers.index("C7")
    assert_allclose(found.cutoff_hz, filtered.cutoff_hz[k])
    assert_allclose(found.residual, filtered.analysis.residual[:, k])


def test_the_hands_carry_a_known_share_of_the_body_weight(demo_analysis):
    kind = figure_named("plates")
    chosen = {"plate": "right hand (Mao_D)", "cycle": "Whole recording"}
    columns = kind.data(kind.content(demo_analysis, chosen), chosen)
    plate = demo_analysis.signals.trial.plate("Mao_D")
    mass = demo_analysis.session.subject.mass_kg
    expected = 100.0 * plate.force[:, 1] / (mass * GRAVITY)
    assert_allclose(column(columns, "force Y, filtered (% body weight)"), expected, rtol=1e-6)


def test_a_plate_is_drawn_over_a_cycle_of_the_foot_that_stands_on_it(walk_analysis):
    """A foot strikes, stands and lifts off within a cycle of its own; one of the other side cuts its stance in two."""
    kind = figure_named("plates")
    used = set()
    for option in next(choice for choice in kind.choices(walk_analysis) if choice.key == "plate").options:
        content = kind.content(walk_analysis, {"plate": option, "cycle": "Its first loaded cycle"})
        users = {
            item.segment
            for item in walk_analysis.signals.contacts.contacts
            if item.contact.plate == content.signals.plate and item.segment is not None
        }
        assert {content.user} == users  # what the assignment says, whatever the plate is called
        assert option == f"{content.user} ({content.signals.plate})"
        side = content.user.split()[0]
        used.add(side)
        assert content.cycle.startswith(f"Cycle {side} ")
        upward = content.signals.filtered[:, 1]
        whole = kind.content(walk_analysis, {"plate": option, "cycle": "Whole recording"}).signals.filtered[:, 1]
        assert upward.sum() > 0.97 * whole.sum()  # the whole stance is in sight
    assert used == {"right", "left"}


def test_a_cycle_of_the_other_side_is_told(walk_analysis):
    kind = figure_named("plates")
    plate = next(p for p in kind.choices(walk_analysis)[0].options if p.startswith("left"))
    content = kind.content(walk_analysis, {"plate": plate, "cycle": "Cycle right 1"})
    assert "one of the right side, but the left foot" in kind.remark(content, {})


def test_a_frozen_jacobian_needs_more_iterations_for_the_same_constraints(made):
    kind, content, chosen = made("frozen")
    both = content.exact.converged & content.frozen.converged
    assert content.exact.converged.all()
    assert content.exact.violation.max() < 1e-10
    assert content.frozen.iterations[both].mean() > content.exact.iterations[both].mean()
    assert "Exact: 40 of 40 frames converge" in kind.remark(content, chosen)


def test_the_derivatives_of_the_equations_are_those_of_the_differences(made):
    _, content, _ = made("derivatives")
    assert np.nanmedian(content.first_error) < 0.05 * np.nanmedian(content.first)
    assert np.isfinite(content.first_error).mean() > 0.9


def test_one_marker_s_agreement_is_bland_and_altman_s(demo_analysis):
    kind = figure_named("agreement")
    chosen = {"marker": "C7", "share": "95 %", "radius": "Holds that share"}
    content = kind.content(demo_analysis, chosen)
    again = bland_altman(np.zeros_like(content.agreement.axes.difference), content.agreement.axes.difference, 0.05)
    assert_allclose(content.agreement.axes.upper, again.upper)
    assert "C7" in kind.remark(content, chosen)


def test_the_stick_figure_of_raw_positions_is_near_the_consistent_one(demo_analysis):
    kind = figure_named("stick")
    chosen = first_choices(kind, demo_analysis)
    consistent, raw = (kind.content(demo_analysis, {**chosen, "signal": s}) for s in (chosen["signal"], RAW))
    for phase in "ABCD":
        pairs = zip(consistent.phases[phase][1], raw.phases[phase][1], strict=True)
        apart = [np.linalg.norm(a.points - b.points, axis=1).max() for a, b in pairs]
        assert 0.0 < max(apart) < 0.02  # landmarks of the demonstration move by millimetres to obey the model
    assert np.diff([time for time, _ in consistent.phases.values()]).min() > 0.0


def test_the_elbow_is_most_bent_at_phase_c(demo_analysis):
    kind = figure_named("stick")
    content = kind.content(demo_analysis, first_choices(kind, demo_analysis))
    frames = {phase: round(time * demo_analysis.signals.trial.rate_hz) for phase, (time, _) in content.phases.items()}
    flexion = demo_analysis.angles["right elbow flexion"]
    assert max(frames, key=lambda phase: flexion[frames[phase]]) == "C"


def test_columns_of_different_length_end_early_and_gaps_stay_empty():
    text = table_text((Column("a", np.array([1.0, np.nan])), Column("b, c", ["x"])))
    assert text == 'a,"b, c"\n1.0,x\n,\n'


@pytest.mark.parametrize(("value", "text"), [(1e-5, "10⁻⁵"), (1.0, "1"), (1e12, "10¹²"), (0.0, ""), (3.0, "3")])
def test_powers_of_ten_are_written_without_a_formula(value, text):
    assert power_of_ten(value) == text


def test_a_later_stage_adds_its_figure_once(monkeypatch):
    from biomec_app.figures import registry

    groups = {group: list(kinds) for group, kinds in figure_groups().items()}
    monkeypatch.setattr(registry, "_GROUPS", groups)

    class Loads(type(figure_named("rates"))):
        key, title = "loads", "Joint Loads"

    register_figure(Loads(), "loads")
    assert figure_groups()["loads"][-1].key == "loads"
    assert figure_named("loads").title == "Joint Loads"
    with pytest.raises(ValueError, match="already"):
        register_figure(Loads(), "loads")


def test_the_menu_of_figures_does_not_load_what_draws_them():
    """The first window would come half a second later."""
    code = (
        "import sys, biomec_app.shell.actions.signal_analysis; print({'matplotlib', 'scipy.stats'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_a_later_stage_adds_its_page_once(monkeypatch, demo_analysis):
    from biomec.reporting.tables import Section
    from biomec_app.figures import tables
    from biomec_app.shell.actions.signal_analysis import summary_action

    monkeypatch.setattr(tables, "_SUMMARIES", list(tables.summaries()))
    page = tables.Summary("loads", "Joint Loads", "Loads", ("angles",), lambda analysis: (Section("Loads", ("x",)),))
    tables.register_summary(page)
    assert tables.summaries()[-1] is page
    assert summary_action(page).text == "Joint Loads"
    assert page.blocked(demo_analysis) is None
    assert page.blocked(Analysis(demo_analysis.session)).startswith("Run ")
    with pytest.raises(ValueError, match="already"):
        tables.register_summary(page)
