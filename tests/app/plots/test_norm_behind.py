"""The norm behind angles, moments and powers of a walk in the Signals panel: of whose curve, in which sign and unit."""

import numpy as np
import pytest

from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical_curves import clinical_cycles
from biomec.reporting.norms.norm_file import shipped_norm
from biomec_app.curves.catalogue import Catalogue, catalogue
from biomec_app.features.loads.curves import load_key
from biomec_app.plots.figure_export import figure_table
from biomec_app.plots.plot_content import panes
from biomec_app.plots.plots import PlotPanel
from biomec_app.session.norm_sets import WITHOUT
from biomec_app.session.plot_view import CYCLES, MEAN, SEPARATE, TIME, TOGETHER, PlotView
from biomec_app.shell.actions.utilities import ACTIONS
from tests.core.reporting.clinical.walks import walk

CHILDREN, ADULTS = shipped_norm("children-dixon2017"), shipped_norm("adults-fukuchi2018")
HIPS = ("angle/right hip abduction", "angle/left hip abduction")


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return walk()


@pytest.fixture(scope="module")
def curves(analysis) -> Catalogue:
    return catalogue(analysis)


def shown(curves, analysis, keys, norm=CHILDREN, **view):
    return panes(curves.found(keys), PlotView(**{"over": MEAN} | view), analysis, norm=norm)


def hip_moments(curves, axes, normalisation):
    """Moments of the right hip in these axes and units."""
    start = load_key("right hip", axes)
    keys = [one.key for one in curves if one.key.startswith(start) and one.key.endswith("moment")]
    return curves.found([key.replace("/none/", f"/{normalisation}/") for key in keys])


def test_moments_and_powers_that_have_a_norm_are_the_clinical_curves_times_their_factor(curves, analysis):
    """The factor is checked against the curves of the report, which turn signs and divide by the mass on their own."""
    clinical = clinical_cycles(analysis).curves
    mass = analysis.body.person.measures["mass"]
    cases = [(curves[f"power/{unit}/right knee"], kg) for unit, kg in (("W", mass), ("W/kg", 1.0))]
    cases += [(one, kg) for unit, kg in (("none", mass), ("mass", 1.0)) for one in hip_moments(curves, "distal", unit)]
    assert len(cases) == 2 + 6
    names = set()
    for curve, kilograms in cases:
        name, factor = curve.clinical
        names.add(name)
        (pane,) = panes([curve], PlotView(over=MEAN), analysis)
        expected = factor * clinical["right", name].mean
        # the same spline through the same samples; they differ by the order of multiplications
        assert np.allclose(pane.traces[0].y, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        assert abs(factor) == pytest.approx(kilograms)
    assert {"knee power", "hip extensor moment"} <= names


def test_other_axes_units_and_kinds_have_no_norm(curves):
    of_other_axes = [*hip_moments(curves, "joint", "mass"), *hip_moments(curves, "laboratory", "mass")]
    assert of_other_axes
    assert not any(one.clinical for one in of_other_axes)
    assert not any(one.clinical for one in curves if one.kind in ("Segments", "Joint forces", "Markers"))


@pytest.mark.parametrize("over", [MEAN, CYCLES])
def test_the_band_lies_in_the_sign_of_the_plot(curves, analysis, over):
    """Our abduction is positive, the norm's adduction is: where the norm is highest, its band is lowest."""
    (pane,) = shown(curves, analysis, HIPS, over=over)
    norm = CHILDREN.curves["hip adduction"]
    assert pane.norm.edges[0] == pytest.approx(-(norm.mean + norm.sd))
    assert pane.norm.edges[1] == pytest.approx(-(norm.mean - norm.sd))
    assert pane.extent[0] < pane.norm.edges[0].min() < pane.norm.edges[1].max() < pane.extent[1]
    assert CHILDREN.about.title in pane.norm.name


def test_no_band_over_time_of_other_movements_of_mixed_curves_or_where_the_norm_has_none(
    curves, analysis, short_analysis
):
    assert shown(curves, analysis, HIPS, over=TIME)[0].norm is None
    mixed = (*HIPS, "angle/right hip flexion")
    assert [pane.norm for pane in shown(curves, analysis, mixed, grouping=TOGETHER)] == [None]
    assert all(pane.norm for pane in shown(curves, analysis, mixed, grouping=SEPARATE))
    assert shown(curves, analysis, ("angle/right elbow flexion",))[0].norm is None
    power = ("power/W/kg/right knee",)
    assert shown(curves, analysis, power)[0].norm is not None
    assert shown(curves, analysis, power, norm=ADULTS)[0].norm is None  # they have angles only
    push_up = catalogue(short_analysis)
    assert shown(push_up, short_analysis, ("angle/right hip flexion",))[0].norm is None


def test_the_table_of_the_figure_holds_the_norm(curves, analysis):
    heads, columns = figure_table(shown(curves, analysis, HIPS))
    at = heads.index("Hip, abduction, norm, mean [°]")
    assert columns[at] == pytest.approx(-CHILDREN.curves["hip adduction"].mean)
    assert heads[at + 1] == "Hip, abduction, norm, standard deviation [°]"


@pytest.fixture
def panel(qtbot, context, analysis) -> PlotPanel:
    context.document.open(analysis)
    context.document.select(curves=HIPS)
    made = PlotPanel(context, ACTIONS)
    qtbot.addWidget(made)
    made.resize(620, 500)
    made.show()
    context.plots.set(over=MEAN)
    return made


def bands(panel):
    return [pane.norm.name for pane in panel.panes if pane.norm is not None]


def test_the_panel_draws_the_norm_of_the_clinical_plots_names_it_and_can_do_without(panel, context, qtbot):
    qtbot.waitUntil(lambda: bool(bands(panel)))
    assert bands(panel)[0].startswith("norm, mean ± SD: ")
    assert bands(panel)[0] in [words for words, _ in panel.grid.legend.entries]
    assert "curve: m21" in panel.notice.text()

    context.norm.wish = ADULTS.name
    qtbot.waitUntil(lambda: [ADULTS.about.title in name for name in bands(panel)] == [True])
    context.norm.wish = WITHOUT
    qtbot.waitUntil(lambda: not panel.is_drawing and not bands(panel))
    assert "curve: m21" not in panel.notice.text()

    context.norm.wish = CHILDREN.name
    qtbot.waitUntil(lambda: bool(bands(panel)))
    next(action for action in ACTIONS if action.key == "utilities.norm").run(context)
    qtbot.waitUntil(lambda: not panel.is_drawing and not bands(panel))
