"""Thinning out of long curves: extremes and gaps stay."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomec_app.plots.plot_axis import peaks


@given(arrays(np.float64, st.integers(2, 400), elements=st.floats(-1e6, 1e6)), st.integers(1, 50))
def test_extremes_stay(y: np.ndarray, group: int) -> None:
    chosen = peaks(y, group)
    assert np.all(np.diff(chosen) > 0)
    assert (y[chosen].min(), y[chosen].max()) == (y.min(), y.max())
    assert chosen[0] == 0
    if group > 2:
        assert len(chosen) <= 2 * (len(y) // group) + group + 1


def test_one_frame_that_sticks_out_is_still_drawn() -> None:
    y = np.sin(np.linspace(0.0, 20.0, 9000))
    y[4321] = 5.0
    assert 4321 in peaks(y, 15)


def test_gaps_stay() -> None:
    y = np.arange(300.0)
    y[100:150] = np.nan
    chosen = peaks(y, 10)
    assert np.isnan(y[chosen][(chosen >= 100) & (chosen < 150)]).all()
    assert np.isfinite(y[chosen][(chosen < 100) | (chosen >= 150)]).all()


def test_a_curve_that_fills_its_area_lets_those_below_be_seen(qtbot):
    import pyqtgraph as pg
    from PySide6.QtGui import QPen

    from biomec_app.plots.plot_axis import THIN, SampledCurve

    time = np.linspace(0.0, 90.0, 9001)
    view = pg.PlotWidget()
    qtbot.addWidget(view)
    view.resize(200, 100)
    view.show()
    box = view.getViewBox()
    slow, fast = (SampledCurve(time, np.sin(w * time), QPen(), alone=False) for w in (0.5, 6.0))
    for curve in (slow, fast):
        box.addItem(curve)
        box.setXRange(0.0, 90.0, padding=0.0)
        curve.thin_out()
    assert slow.opacity() == 1.0
    assert fast.opacity() == THIN


def test_all_samples_are_drawn_where_their_steps_are_not_equal(qtbot):
    """A groove in a stretch of dense steps, or a loop over another quantity, must not be cut."""
    import pyqtgraph as pg
    from PySide6.QtGui import QPen

    from biomec_app.plots.plot_axis import SampledCurve

    view = pg.PlotWidget()
    qtbot.addWidget(view)
    view.resize(200, 100)
    view.show()
    turn = np.linspace(0.0, 6.28, 3000)
    for x in (np.cos(turn), np.geomspace(1e-3, 1.0, 3000)):
        curve = SampledCurve(x, np.sin(turn), QPen())
        view.getViewBox().addItem(curve)
        view.getViewBox().setXRange(0.4, 0.6, padding=0.0)
        curve.thin_out()
        assert len(curve.getData()[0]) == 3000
