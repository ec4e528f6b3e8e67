"""Ellipsoids under the scapula: published figures, the root property, mirror symmetry, curvature, sensitivity."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError, DescriptionError
from biomec.body.anatomy.ellipsoids import (
    ContactSurface,
    EllipsoidOptions,
    contact_surfaces,
    dilation,
    fitted,
    load_ellipsoid,
    parse_ellipsoid,
    sensitivity,
    shipped_ellipsoids,
)
from tests.places import DOCS

REFERENCES = (DOCS / "references.md").read_text("utf-8")
MIRROR = np.array([1.0, 1.0, -1.0])
# cadaver landmarks of the Delft shoulder model [KleinBreteler1999], cm from IJ: lateral, up, backward
DELFT = {"PES": (7.50, -1.17, 15.60), "PEI": (10.16, -12.62, 15.67)}
DELFT_ACROMION = (18.26, 0.75, 10.56)


def forward_up_right(lateral, up, back):
    return np.array([-back, up, lateral]) / 100.0


def delft_points():
    return {name: forward_up_right(*p) for name, p in DELFT.items()}


def epfl_points():
    """Root of the spine and inferior angle of the toolbox of [Sarshari2021], from scanner coordinates in mm."""
    IJ, PX = np.array([74.1129, -74.8060, 68.9446]), np.array([82.5171, -133.1130, -76.9724])
    T8, C7 = np.array([78.9481, -24.5985, -40.6273]), np.array([70.5729, -35.7244, 150.7640])
    TE, AI = np.array([-1.585892, 51.318069, 122.640358]), np.array([-4.471809, 44.686996, -8.649490])
    up = (C7 + IJ) / 2 - (T8 + PX) / 2
    right = np.cross(C7 - IJ, (T8 + PX) / 2 - IJ)
    axes = np.array([np.cross(up, right), up, right])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return {"PES": axes @ (TE - IJ) / 1e3, "PEI": axes @ (AI - IJ) / 1e3}


def base(name, stature):
    preset = load_ellipsoid(name)
    scale = stature / preset.reference_stature_m if preset.reference_stature_m else 1.0
    return ContactSurface(scale * preset.centre, scale * preset.radii, preset.attitude, 0.0, name, "")


# ------------------------------------------------------------------------------------------------- published figures
def test_delft_landmarks_lie_outside_the_delft_ellipsoid():
    """φ = 0.75 and 0.56: muscle of two to four centimetres lies between bone and ribs."""
    surface, points = base("delft", 1.68), delft_points()
    assert surface.violation(points["PES"]) == pytest.approx(0.75, abs=0.005)
    assert surface.violation(points["PEI"]) == pytest.approx(0.56, abs=0.005)
    ventral = np.cross(forward_up_right(*DELFT_ACROMION) - points["PES"], points["PEI"] - points["PES"])
    ventral /= np.linalg.norm(ventral)
    assert ventral[0] > 0.0
    for p in points.values():
        steps = np.arange(0.0, 0.060, 1e-5)
        inside = surface.violation(p + steps[:, None] * ventral) < 0.0
        assert 0.025 < steps[np.argmax(inside)] < 0.040


def test_epfl_landmarks_need_the_dilations_of_their_authors():
    points = epfl_points()
    surface = base("epfl", 1.86)
    assert surface.violation(points["PES"]) == pytest.approx(0.83, abs=0.005)
    assert surface.violation(points["PEI"]) == pytest.approx(0.32, abs=0.005)
    surfaces, notices = contact_surfaces(points, side="D", height_m=1.86)
    assert 1e3 * surfaces["PES"].dilation_m == pytest.approx(44.6, abs=0.05)
    assert 1e3 * surfaces["PEI"].dilation_m == pytest.approx(16.7, abs=0.05)
    assert [notice.code for notice in notices] == ["ellipsoid-not-measured"]
    assert "Sarshari2021" in str(notices[0])


def test_the_dilation_is_a_root_of_the_sixth_order_polynomial():
    """Independent of the bracketed search: all roots of the polynomial form of the same equation."""
    points, surface = epfl_points(), base("epfl", 1.86)
    for p in points.values():
        d, r = p - surface.centre, surface.radii
        square = [np.poly1d([1.0, radius]) ** 2 for radius in r]
        polynomial = square[0] * square[1] * square[2]
        for k in range(3):
            polynomial -= float(d[k] ** 2) * square[(k + 1) % 3] * square[(k + 2) % 3]
        roots = polynomial.roots
        (positive,) = [root.real for root in roots if abs(root.imag) < 1e-9 and root.real > 0.0]
        assert dilation(p, surface.centre, r, np.eye(3)) == pytest.approx(positive, abs=1e-10)  # m; of np.roots


# ------------------------------------------------------------------------------------------------------- properties
outside = st.tuples(st.floats(-0.2, 0.0), st.floats(-0.2, 0.1), st.floats(0.02, 0.2))


@settings(max_examples=100, deadline=None)
@given(p=outside, preset=st.sampled_from(shipped_ellipsoids()), height=st.floats(1.4, 2.0))
def test_every_contact_lies_on_its_own_surface(p, preset, height):
    point = {"PES": np.array(p)}
    start = base(preset, height)
    shrunk = ContactSurface(start.centre, start.radii - min(start.radii) / 2, start.attitude, 0.0, "", "")
    if shrunk.violation(point["PES"]) <= 0.0:
        with pytest.raises(BiomecError, match="so deep inside"):
            contact_surfaces(point, side="D", height_m=height, options=EllipsoidOptions(preset))
        return
    surfaces, notices = contact_surfaces(point, side="D", height_m=height, options=EllipsoidOptions(preset))
    surface = surfaces["PES"]
    assert abs(surface.violation(point["PES"])) < 1e-12  # rounding of three squares
    assert (surface.dilation_m > 0.0) == (start.violation(point["PES"]) > 0.0)
    assert_allclose(surface.radii - surface.dilation_m, start.radii, atol=1e-15)
    assert (not 0.0 <= surface.dilation_m <= 0.080) == ("unusual-dilation" in [notice.code for notice in notices])


@settings(max_examples=50, deadline=None)
@given(p=outside, preset=st.sampled_from(shipped_ellipsoids()), rule=st.sampled_from(["dilate", "fit"]))
def test_the_left_is_the_mirror_image_of_the_right(p, preset, rule):
    right = {"PES": np.array(p), "PEI": np.add(p, [-0.01, -0.12, 0.01])}
    left = {name: MIRROR * p for name, p in right.items()}
    options = EllipsoidOptions(preset, rule)
    try:
        a, _ = contact_surfaces(right, side="D", height_m=1.75, options=options)
    except BiomecError:
        assume(False)
    b, _ = contact_surfaces(left, side="E", height_m=1.75, options=options)
    tolerance = 1e-12 if rule == "dilate" else 1e-6  # the fit stops where its steps no longer help
    for name in right:
        assert_allclose(b[name].centre, MIRROR * a[name].centre, atol=tolerance)
        assert_allclose(b[name].radii, a[name].radii, atol=tolerance)
        assert_allclose(b[name].normal(left[name]), MIRROR * a[name].normal(right[name]), atol=10 * tolerance)


def test_a_point_at_the_centre_cannot_glide():
    centre = base("epfl", 1.86).centre
    with pytest.raises(BiomecError, match="PES lies so deep inside the ellipsoid epfl"):
        contact_surfaces({"PES": centre}, side="D", height_m=1.86)


def test_points_inside_and_far_outside_are_told():
    near, far = np.array([-0.08, -0.06, 0.08]), np.array([-0.25, 0.0, 0.2])
    _, notices = contact_surfaces({"PES": near, "PEI": far}, side="D", height_m=1.86)
    said = {notice.about: str(notice) for notice in notices if notice.code == "unusual-dilation"}
    assert "mm inside" in said[("PES",)]
    assert "mm outside" in said[("PEI",)]


# -------------------------------------------------------------------------------------------------------------- fit
@pytest.mark.parametrize("preset", shipped_ellipsoids())
def test_the_fit_puts_both_points_on_one_ellipsoid_near_the_preset(preset):
    points = delft_points()
    start = base(preset, 1.68)
    centre, radii = fitted(points, start.centre, start.radii, start.attitude)
    one = ContactSurface(centre, radii, start.attitude, 0.0, preset, "")
    assert max(abs(one.violation(p)) for p in points.values()) < 1e-5
    # the least change: no other solution of φ = 0 has smaller z. Its first-order conditions are z = Jᵀλ.
    z = np.concatenate([np.log(radii / start.radii), centre - start.centre])
    h = 1e-6
    J = np.array([
        [
            (_moved(start, z + h * e).violation(p) - _moved(start, z - h * e).violation(p)) / (2 * h)
            for e in np.eye(6)
        ]
        for p in points.values()
    ])  # fmt: skip
    multipliers = np.linalg.lstsq(J.T, z, rcond=None)[0]
    # m or logarithm; the weight 1e-8 leaves the solver this near to the stationary point
    assert_allclose(J.T @ multipliers, z, atol=2e-4)


def _moved(start, z):
    return ContactSurface(start.centre + z[3:], start.radii * np.exp(z[:3]), start.attitude, 0.0, "", "")


def test_the_fit_gives_one_surface_for_both():
    surfaces, _ = contact_surfaces(delft_points(), side="D", height_m=1.68, options=EllipsoidOptions("delft", "fit"))
    assert_allclose(surfaces["PES"].radii, surfaces["PEI"].radii, atol=1e-6)
    for name, p in delft_points().items():
        assert abs(surfaces[name].violation(p)) < 1e-12


# -------------------------------------------------------------------------------------------- normals and curvature
def test_curvature_of_a_sphere_and_of_an_ellipsoid_at_its_poles():
    ball = ContactSurface(np.zeros(3), np.full(3, 0.2), np.eye(3), 0.0, "", "")
    p = 0.2 * np.array([0.6, 0.0, 0.8])
    assert_allclose(ball.normal(p), [0.6, 0.0, 0.8])
    assert_allclose(ball.curvatures(p), [5.0, 5.0])
    egg = ContactSurface(np.zeros(3), np.array([0.1, 0.2, 0.15]), np.eye(3), 0.0, "", "")
    assert_allclose(egg.curvatures(np.array([0.1, 0.0, 0.0])), [0.1 / 0.2**2, 0.1 / 0.15**2])  # a/b², a/c²


@settings(max_examples=30, deadline=None)
@given(theta=st.floats(0.2, 2.9), phi=st.floats(-3.0, 3.0), turn=st.floats(-1.5, 1.5))
def test_gaussian_curvature_of_a_turned_ellipsoid(theta, phi, turn):
    """K = 1 / (a² b² c² (Σ d_k²/r_k⁴)²), and the normal is the gradient of φ by differences."""
    r = np.array([0.10, 0.20, 0.14])
    A = Rotation.from_rotvec(turn * np.array([0.6, 0.0, 0.8])).as_matrix()
    surface = ContactSurface(np.array([0.01, -0.02, 0.03]), r, A, 0.0, "", "")
    d = r * [np.sin(theta) * np.cos(phi), np.cos(theta), np.sin(theta) * np.sin(phi)]
    p = surface.centre + A @ d
    gauss = 1.0 / (np.prod(r) ** 2 * np.sum(d**2 / r**4) ** 2)
    assert np.prod(surface.curvatures(p)) == pytest.approx(gauss, rel=1e-9)
    gradient = np.array([surface.violation(p + h) - surface.violation(p - h) for h in 1e-6 * np.eye(3)])
    assert_allclose(surface.normal(p), gradient / np.linalg.norm(gradient), atol=1e-8)  # rounding eps/h


def test_sensitivity_tells_what_another_choice_would_change():
    points = epfl_points()
    found = sensitivity(points, side="D", height_m=1.86)
    assert [one.preset for one in found[:2]] == ["epfl", "epfl"]
    assert {one.preset for one in found} == set(shipped_ellipsoids())
    assert found[0].normal_apart_deg == 0.0
    # recomputed for one variation: the X radius 10 % larger
    surface = base("epfl", 1.86)
    p = points["PES"]
    r = surface.radii * [1.1, 1.0, 1.0]
    s = dilation(p, surface.centre, r, np.eye(3))
    changed = (p - surface.centre) / (r + s) ** 2
    usual = (p - surface.centre) / (surface.radii + found[0].dilation_m) ** 2
    cosine = changed @ usual / np.linalg.norm(changed) / np.linalg.norm(usual)
    assert 0.0 < np.degrees(np.arccos(cosine)) <= found[0].normal_change_deg + 1e-9
    # the choice of the ellipsoid matters: 15 to 30 degrees between published models
    assert 10.0 < max(one.normal_apart_deg for one in found) < 40.0
    none = sensitivity(points, side="D", height_m=1.86, change=0.0)
    assert max(one.normal_change_deg for one in none) < 1e-6


# ----------------------------------------------------------------------------------------------------- input, files
def test_own_centre_and_radii_are_taken_as_they_are_and_mirrored():
    options = EllipsoidOptions(centre=(-0.01, -0.06, 0.03), radii=(0.11, 0.15, 0.11))
    left = {name: MIRROR * p for name, p in epfl_points().items()}
    surfaces, notices = contact_surfaces(left, side="E", height_m=1.5, options=options)
    assert_allclose(surfaces["PES"].centre, [-0.01, -0.06, -0.03])
    assert_allclose(surfaces["PES"].radii - surfaces["PES"].dilation_m, [0.11, 0.15, 0.11])
    assert "centre and radii of your own" in str(notices[0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"side": "R"}, "side of an ellipsoid is D"),
        ({"height_m": 186.0}, "stature of 186 m"),
        ({"points": {"PES": np.array([np.nan, 0.0, 0.0])}}, "PES is not known in the static pose"),
        ({"points": {"PES": np.array([-115.0, 74.0, 75.0])}}, "PES lies 156.0 m from the jugular notch"),
        ({"options": EllipsoidOptions("epfel")}, 'did you mean "epfl"'),
    ],
)
def test_wrong_input_is_refused(change, sentence):
    given = {"points": epfl_points(), "side": "D", "height_m": 1.8, "options": EllipsoidOptions()} | change
    with pytest.raises(BiomecError, match=sentence):
        contact_surfaces(given.pop("points"), **given)


@pytest.mark.parametrize("wrong", [{"rule": "guess"}, {"radii": (0.1, -0.1, 0.1)}, {"centre": (10.0, 0.0, 0.0)}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(DescriptionError):
        EllipsoidOptions(**wrong)


@pytest.mark.parametrize("name", shipped_ellipsoids())
def test_shipped_ellipsoids_name_their_sources(name):
    preset = load_ellipsoid(name)
    assert preset.name == name
    assert preset.note
    for key in preset.sources:
        assert f"({key})=" in REFERENCES


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("radii = [0.1, 0.2, -0.1]", r"mine\.toml, line 4: radii is \[0.1, 0.2, -0.1\]"),
        ("radii = [106.0, 152.0, 111.0]", r"line 4: radii .* Check the unit"),
        ("radius = [0.1, 0.2, 0.1]", r'line 4: there is no key "radius"; did you mean "radii"'),
        ("radii = [0.1, 0.2, 0.1]\nreference_stature_m = 186", "line 5: reference_stature_m"),
    ],
)
def test_broken_files_are_refused_with_the_line(line, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        parse_ellipsoid(f'name = "mine"\ntitle = "Mine"\ncentre = [0.0, -0.06, 0.03]\n{line}\n', "mine.toml")
