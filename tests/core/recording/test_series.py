"""Markers, model outputs and analog channels."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.recording import Analog, Markers, Outputs


def test_a_marker_with_one_missing_component_is_missing():
    p = np.ones((3, 2, 3))
    p[1, 0, 2] = np.nan
    p[2, 1, 0] = np.inf
    markers = Markers(("A", "B"), p, 100.0)
    np.testing.assert_array_equal(markers.visible, [[True, True], [False, True], [True, False]])
    assert np.isnan(markers["A"][1]).all()
    assert np.isnan(markers["B"][2]).all()
    np.testing.assert_array_equal(markers["B"][:2], 1.0)


def test_markers_are_copied_and_cannot_be_written():
    p = np.zeros((2, 1, 3))
    markers = Markers(("A",), p, 100.0, np.zeros((2, 1)))
    p[:] = 5.0
    assert not markers.p_WM.any()
    with pytest.raises(ValueError, match="read-only"):
        markers.p_WM[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        markers.residual[0] = 1.0


def test_a_frozen_array_is_kept_without_a_copy_and_a_view_of_a_writable_one_is_not():
    p = np.zeros((2, 1, 3))
    view = p[:]
    view.setflags(write=False)
    assert Markers(("A",), view, 1.0).p_WM is not view
    p.setflags(write=False)
    assert Markers(("A",), p, 1.0).p_WM is p


def test_selection_keeps_order_values_and_residuals():
    rng = np.random.default_rng(0)
    markers = Markers(("A", "B", "C"), rng.normal(size=(4, 3, 3)), 50.0, rng.normal(size=(4, 3)))
    chosen = markers.select(["C", "A"])
    assert chosen.names == ("C", "A")
    np.testing.assert_array_equal(chosen["C"], markers["C"])
    np.testing.assert_array_equal(chosen.residual[:, 0], markers.residual[:, 2])
    assert "B" in markers
    assert "B" not in chosen
    assert markers.select(()).p_WM.shape == (4, 0, 3)


def test_no_markers_at_all_still_have_a_clock():
    none = Markers.none(7, 100.0)
    assert (none.frames, none.names, none.visible.shape) == (7, (), (7, 0))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Markers(("A",), np.zeros((2, 3)), 1.0), "shape (frames, markers, 3)"),
        (lambda: Markers(("A",), np.zeros((2, 2, 3)), 1.0), "1 names were given for 2"),
        (lambda: Markers(("A", "B", "A"), np.zeros((2, 3, 3)), 1.0), "the name A occurs more than once"),
        (lambda: Markers(("A",), np.zeros((2, 1, 3)), 0.0), "must be positive"),
        (lambda: Markers(("A",), np.zeros((2, 1, 3)), np.nan), "must be positive"),
        (lambda: Markers(("A",), np.zeros((2, 1, 3)), 1.0, np.zeros((1, 1))), "residuals need the shape (2, 1)"),
        (lambda: Markers(("A",), np.zeros((2, 1, 3)), 1.0)["Z"], "There is no marker Z; there are A."),
        (lambda: Outputs(("A",), ("ANGLES",), (), np.zeros((2, 1, 3)), 1.0), "a kind and a unit"),
        (lambda: Outputs(("A",), ("ANGLES",), ("deg",), np.zeros(2), 1.0), "shape (frames, outputs, 3)"),
        (lambda: Outputs(("A",), ("ANGLES",), ("deg",), np.zeros((2, 1, 3)), 1.0)["B"], "no model output B"),
        (lambda: Analog(("A",), np.zeros(2), ("V",), 1.0), "shape (samples, channels)"),
        (lambda: Analog(("A",), np.zeros((2, 1)), (), 1.0), "0 units were given for 1"),
        (lambda: Analog(("A",), np.zeros((2, 1)), ("V",), -1.0), "must be positive"),
        (lambda: Analog(("A",), np.zeros((2, 1)), ("V",), 1.0)["B"], "There is no channel B; there are A."),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(build, words):
    with pytest.raises(BiomecError) as refused:
        build()
    assert words in str(refused.value)


def test_series_are_compared_by_identity_so_that_comparing_never_fails():
    a, b = Markers(("A",), np.zeros((2, 1, 3)), 1.0), Markers(("A",), np.zeros((2, 1, 3)), 1.0)
    assert a == a
    assert a != b
    assert len({a, b}) == 2


def test_analog_times_start_where_they_are_said_to():
    analog = Analog(["EMG"], np.arange(4.0)[:, None], ["V"], 2000.0, -0.001)
    np.testing.assert_allclose(analog.time_s, [-0.001, -0.0005, 0.0, 0.0005], atol=1e-15)
    assert analog.names == ("EMG",)
    assert analog["EMG"].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_outputs_are_found_by_name():
    values = np.arange(12.0).reshape(2, 2, 3)
    outputs = Outputs(["Hip", "Knee"], ["ANGLES"] * 2, ["deg"] * 2, values, 100.0)
    assert (outputs.frames, outputs.names) == (2, ("Hip", "Knee"))
    np.testing.assert_array_equal(outputs["Knee"], values[:, 1])
