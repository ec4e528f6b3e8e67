"""Curves of an analysis against the results that they come from, and against each other."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec_app.curves import catalogue as module
from biomec_app.curves import measured as curves_measured
from biomec_app.curves.catalogue import Catalogue, catalogue, list_curves
from biomec_app.curves.curve import RAW, Curve

KINDS = (
    "Joint angles", "Joint moments, joint axes", "Joint moments, proximal axes", "Joint moments, distal axes",
    "Joint moments, laboratory axes", "Joint forces, joint axes", "Joint forces, proximal axes",
    "Joint forces, distal axes", "Joint forces, laboratory axes",
    "Joint moments, gravity part, joint axes", "Joint moments, inertial part, joint axes",
    "Joint moments, external part, joint axes", "Joint forces, gravity part, joint axes",
    "Joint forces, inertial part, joint axes", "Joint forces, external part, joint axes",
    "Joint power", "Energy", "Compression and shear", "Residual",
    "Segments", "Whole body", "Markers", "Markers, as recorded", "Landmarks", "Landmarks, as measured",
    "Force plates", "Force plates, as recorded", "EMG envelopes", "EMG, as recorded", "Natural coordinates", "Quality",
    "Landmark shifts", "Marker residuals",
)  # fmt: skip


@pytest.fixture(scope="module")
def curves(demo_analysis: Analysis) -> Catalogue:
    return catalogue(demo_analysis)


def test_there_is_every_kind(curves: Catalogue) -> None:
    assert tuple(curves.kinds) == KINDS


def test_kinds_and_groups_hold_every_key_once(curves: Catalogue) -> None:
    keys = [key for groups in curves.kinds.values() for keys in groups.values() for key in keys]
    assert sorted(keys) == sorted(curve.key for curve in curves)
    assert len(keys) == len(set(keys)) == len(curves)


def test_every_curve_has_a_value_for_every_time(curves: Catalogue) -> None:
    for curve in curves:
        assert curve.time_s.shape == curve.values.shape, curve.key
        assert curve.time_s.ndim == 1
        assert np.all(np.diff(curve.time_s) > 0.0)


def test_listing_computes_nothing(demo_analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr(curves_measured, "process_emg", fail)
    listed = Catalogue(curve for provider in module.PROVIDERS for curve in provider(demo_analysis))
    assert "emg/triceps_D" in listed
    with pytest.raises(AssertionError, match="computed"):
        _ = listed["emg/triceps_D"].values


def test_angles_are_in_degrees_with_both_directions_named(curves: Catalogue, demo_analysis: Analysis) -> None:
    elbow = curves["angle/right elbow flexion"]
    assert np.allclose(elbow.values, demo_analysis.angles["right elbow flexion"] * 180.0 / np.pi, equal_nan=True)
    assert (elbow.unit, elbow.side, elbow.component) == ("°", Side.RIGHT, "flexion")
    assert elbow.detail.replace("\N{NO-BREAK SPACE}", " ") == "flexion + / extension −"
    assert elbow.pane == curves["angle/left elbow flexion"].pane


def test_markers_are_in_millimetres(curves: Catalogue, demo_analysis: Analysis) -> None:
    assert np.array_equal(curves["marker/C7/Y"].values, 1000.0 * demo_analysis.signals.markers["C7"][:, 1])
    raw = curves["marker raw/C7/Y"]
    assert np.array_equal(raw.values, 1000.0 * demo_analysis.preparation.dynamic.markers["C7"][:, 1], equal_nan=True)
    assert raw.variant == RAW
    assert raw.pane == curves["marker/C7/Y"].pane


def test_landmarks_differ_by_their_shift(curves: Catalogue) -> None:
    """The shift is stored by the solution, the places come from the coordinates: they must agree."""
    gap = [curves[f"landmark/GU_D/{i}"].values - curves[f"landmark raw/GU_D/{i}"].values for i in "XYZ"]
    assert np.allclose(np.linalg.norm(gap, axis=0), curves["shift/GU_D"].values, atol=1e-6)


def test_velocities_and_accelerations_are_derivatives(curves: Catalogue) -> None:
    """Central differences at 100 Hz of a movement below 1 Hz are good to a few thousandths of its range."""
    for stem in ("body/{} Y", "segment/head/{} Y"):
        place, speed = (curves[stem.format(what)] for what in ("position", "velocity"))
        slope = np.gradient(place.values / 1000.0, place.time_s)
        assert np.abs(slope - speed.values)[5:-5].max() < 0.02 * np.ptp(speed.values)


def test_details_of_centres_of_mass_differ_from_their_beginning(curves: Catalogue) -> None:
    for group in ("segment/right thigh/", "body/"):
        details = [curves[f"{group}{level} {axis}"].detail for level in ("position", "velocity") for axis in "XYZ"]
        assert len({one[:12] for one in details}) == 6, details  # a narrow plot shows no more
        assert all(one.endswith("centre of mass") for one in details)


def test_coordinates_are_the_axes_of_segments(curves: Catalogue, demo_analysis: Analysis) -> None:
    body, q = demo_analysis.body.person, demo_analysis.motion.q
    R = body.attitudes(q)["thorax"]
    found = np.stack([curves[f"coordinate/thorax/axis y {i}"].values for i in "XYZ"], axis=1)
    assert np.allclose(found, R[:, :, 1], atol=1e-12)
    point = np.stack([curves[f"coordinate/thorax/IJ {i}"].values for i in "XYZ"], axis=1)
    assert np.allclose(point, 1000.0 * body.points_of(q)["thorax.IJ"], atol=1e-9)
    rate = curves["coordinate/thorax/IJ Y velocity"]
    assert rate.unit == "m/s"
    assert np.allclose(np.gradient(point[:, 1] / 1000.0, rate.time_s)[3:-3], rate.values[3:-3], atol=0.02)


def test_forces_in_body_weights_add_up_to_the_whole(curves: Catalogue) -> None:
    """Hands and feet of a push-up carry the whole weight: on average 100 %."""
    plates = ("Mao_D", "Mao_E", "Pe_D", "Pe_E")
    total = np.sum([curves[f"plate/{name}/relative force Y"].values for name in plates], axis=0)
    assert abs(total.mean() - 100.0) < 2.0
    ratio = curves["plate/Mao_D/force Y"].values / curves["plate/Mao_D/relative force Y"].values
    assert np.allclose(ratio, ratio[0])


def test_plates_have_the_side_of_who_uses_them(curves: Catalogue) -> None:
    assert curves["plate/Mao_D/force Y"].side is Side.RIGHT
    assert curves["plate/Mao_E/force Y"].pane == curves["plate/Mao_D/force Y"].pane
    assert curves["plate/Mao_D/force Y"].pane != curves["plate/Pe_D/force Y"].pane


def test_envelopes_are_smooth_and_not_negative(curves: Catalogue) -> None:
    raw, envelope = curves["emg raw/triceps_D"].values, curves["emg/triceps_D"].values
    assert envelope.min() >= 0.0
    assert np.abs(np.diff(envelope)).max() < 0.05 * np.abs(np.diff(raw)).max()


def test_violations_shrink(curves: Catalogue, demo_analysis: Analysis) -> None:
    for kind in demo_analysis.positions.position.before:
        if kind != "temporary":
            before, after = curves[f"violation before/{kind}"], curves[f"violation after/{kind}"]
            assert after.log
            assert np.median(after.values) < 1e-3 * np.median(before.values)


def test_what_was_not_computed_is_not_listed(demo_analysis: Analysis) -> None:
    bare = catalogue(Analysis(demo_analysis.session))
    assert set(bare.kinds) == {"Markers, as recorded", "Force plates, as recorded", "EMG envelopes", "EMG, as recorded"}
    for steps in range(len(demo_analysis.done)):
        partial = replace(demo_analysis, done=dict(list(demo_analysis.done.items())[:steps]))
        assert all(curve.values.size for curve in catalogue(partial))


def test_points_and_segments_are_found_by_name(curves: Catalogue) -> None:
    assert curves.of_point("thorax.C7") == ["marker/C7/X", "marker/C7/Y", "marker/C7/Z"]
    assert curves.of_segment("right hand")[0] == "segment/right hand/position X"
    assert curves.of_point("nowhere") == []


def test_an_unknown_key_is_told(curves: Catalogue) -> None:
    with pytest.raises(BiomecError, match="no curve angle/third knee"):
        _ = curves["angle/third knee"]
    assert curves.found(["angle/third knee", "body/position Y"]) == [curves["body/position Y"]]


def test_a_later_part_lists_its_curves_too(demo_analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    def powers(analysis: Analysis) -> Iterator[Curve]:
        time = analysis.session.dynamic.time_s
        yield Curve("power/x", "Powers", "x", None, "power", "power of x", "W", lambda: (time, np.ones_like(time)))

    monkeypatch.setattr(module, "PROVIDERS", [*module.PROVIDERS, powers])
    assert list_curves(demo_analysis)["power/x"].values.mean() == 1.0
