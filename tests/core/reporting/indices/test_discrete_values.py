"""Values of curves against the norm sets' own, and against curves whose extremes are known."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.indices.discrete_values import FOOT_OFF, WINDOWS, Window, discrete_values
from tests.core.reporting.indices.norm_limbs import ADULTS, CHILDREN, limbs, table

T = np.linspace(0.0, 100.0, 101)


@pytest.mark.parametrize(("name", "off"), [(CHILDREN, 58.0), (ADULTS, 61.0)])
def test_every_value_of_the_norm_sets_comes_back(name, off):
    keys, curves = limbs(name)
    found = {one.window.name: one for one in discrete_values(curves, np.full(len(keys), off))}
    _, *rows = table(name, "discrete.csv")
    assert [row[0] for row in rows] == list(found)
    for parameter, _, curve, first, last, taken, mean, sd, count in rows:
        one = found[parameter]
        edges = [str(int(off if edge == FOOT_OFF else edge)) for edge in (one.window.first, one.window.last)]
        assert (one.window.curve, *edges, one.window.taken) == (curve, first, last, taken)
        assert (one.mean, one.sd) == pytest.approx((float(mean), float(sd)), abs=0.002), parameter  # three digits
        assert len(one.values) == int(count)


def test_windows_end_at_the_cycles_own_foot_off():
    curve = np.stack([T, T])  # grows throughout
    least, most = (
        Window("x", "°", "x", *edges, taken) for *edges, taken in ((FOOT_OFF, 100, "min"), (0, FOOT_OFF, "max"))
    )
    low, high = discrete_values({"x": curve}, [58.3, 61.0], (least, most))
    assert low.values.tolist() == [59.0, 61.0]
    assert high.values.tolist() == [58.0, 61.0]
    assert high.at_percent.tolist() == [58.0, 61.0]
    assert (low.edge, high.edge) == (True, True)


def test_an_extreme_inside_its_window_is_no_edge():
    bump = np.exp(-(((T - 71.0) / 10.0) ** 2))[None]
    found = {one.window.name: one for one in discrete_values({"knee flexion": bump}, [60.0])}
    swing = found["knee flexion, peak in swing"]
    assert (swing.mean, swing.at_percent[0], swing.edge) == (1.0, 71.0, False)
    assert found["knee flexion, time of peak in swing"].mean == 71.0
    assert found["knee flexion, peak in loading"].edge  # still rising at 30 %
    assert not found["knee flexion, range"].edge
    assert swing.z(0.5, 0.25) == pytest.approx(2.0)


def test_without_foot_off_only_the_windows_that_need_it_are_missing():
    found = {one.window.name: one for one in discrete_values({"knee flexion": np.sin(T / 20.0)[None]}, [np.nan])}
    assert np.isnan(found["knee flexion, peak in swing"].mean)
    assert np.isfinite(found["knee flexion, peak in loading"].mean)


def test_cycles_differ_by_curve():
    curves = {"knee flexion": np.zeros((3, 101)), "knee power": np.zeros((1, 51))}
    found = discrete_values(curves, {"knee flexion": [60.0] * 3, "knee power": [60.0]})
    assert {len(one.values) for one in found} == {3, 1}
    with pytest.raises(BiomecError, match="knee power has 1 cycles, but foot off is given for 3"):
        discrete_values(curves, [60.0] * 3)


def test_a_gap_in_the_window_leaves_no_value():
    curve = np.zeros((1, 101))
    curve[0, 70] = np.nan
    found = {one.window.name: one for one in discrete_values({"knee flexion": curve}, [60.0])}
    assert np.isnan(found["knee flexion, peak in swing"].mean)
    assert found["knee flexion, peak in loading"].mean == 0.0


def test_names_are_unique():
    assert len({window.name for window in WINDOWS}) == len(WINDOWS) == 34
