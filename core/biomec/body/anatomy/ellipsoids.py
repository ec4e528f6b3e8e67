"""Scapulothoracic contact: ellipsoids of the ribcage on which points of the scapula glide.

No recording of a scapula tells the size of the ribcage under it: the contact patch is too small. The ellipsoid is taken
from a published model (a TOML file, described in `docs/inertia-and-ellipsoids.md`), adapted by one number for each
contact point, and `sensitivity` tells how much depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, read_only, rotation_about
from biomec.base.description_file import Descriptions
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.fields import MM, setting, shipped
from biomec.base.notices import Notice, info, warning
from biomec.base.toml_table import TomlTable, read_toml, shown

FILE_KEYS = (
    "name", "title", "sources", "confidence", "note", "centre", "radii", "turn_about_y_rad", "reference_stature_m",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class EllipsoidPreset:
    """An ellipsoid of the right side in thorax axes (X forward, Y up, Z right), from IJ.

    centre              : (3,) [m]
    radii               : (3,) [m]
    attitude            : (3, 3) columns are its axes
    reference_stature_m : stature that it belongs to; None if it is not scaled
    """

    name: str
    title: str
    sources: tuple[str, ...]
    confidence: str
    note: str
    centre: FloatArray
    radii: FloatArray
    attitude: FloatArray
    reference_stature_m: float | None = None

    def words(self) -> str:
        """Name and sources, for messages."""
        return f"{self.name} ({', '.join(self.sources) or self.title})"


def parse_ellipsoid(text: str, source: str) -> EllipsoidPreset:
    """Ellipsoid described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    turn = float(top.numbers("turn_about_y_rad", ())) if "turn_about_y_rad" in top else 0.0
    stature = _within(top, "reference_stature_m", (), 3.0) if "reference_stature_m" in top else None
    return EllipsoidPreset(
        name=top.text("name"),
        title=top.text("title"),
        sources=tuple(top.texts("sources")) if "sources" in top else (),
        confidence=top.text("confidence") if "confidence" in top else "medium",
        note=top.text("note") if "note" in top else "",
        centre=read_only(top.numbers("centre", (3,))),
        radii=read_only(_within(top, "radii", (3,), 1.0)),
        attitude=read_only(rotation_about([0.0, 1.0, 0.0], turn)),
        reference_stature_m=None if stature is None else float(stature),
    )


ELLIPSOIDS = Descriptions("ellipsoid", ("ellipsoids",), parse_ellipsoid)
shipped_ellipsoids, load_ellipsoid = ELLIPSOIDS.shipped, ELLIPSOIDS.load


def _within(top: TomlTable, key: str, shape: tuple[int, ...], limit: float) -> FloatArray:
    numbers = top.numbers(key, shape)
    if not np.all((numbers > 0.0) & (numbers < limit)):
        raise top.refusal(
            f"{key} is {shown(numbers.tolist())}; it must be more than 0 and less than {limit:g} m. Check the unit.",
            key,
        )
    return numbers


RULES = ("dilate", "fit")
SHRINK_LIMIT = 0.5  # an ellipsoid may lose this part of its smallest radius; more means that it does not fit the person
LARGEST_DILATION = 0.080  # m; no soft tissue between scapula and ribs is thicker
FARTHEST = 1.0  # m from IJ; no scapula is so far away
FIT_WEIGHT = 1e-8  # of the unknowns of the fit against the squares of the violations
MIRROR = np.diag([1.0, 1.0, -1.0])

ContactPoints = Mapping[str, FloatArray]
"""Contact point -> (3,) position from IJ in thorax axes (X forward, Y up, Z right) [m]."""


@dataclass(frozen=True)
class EllipsoidOptions:
    """Which ellipsoid, and how it is brought to the scapula.

    preset : name of a shipped ellipsoid, or a file that ends with .toml
    rule   : "dilate" gives every contact point its own ellipsoid, larger by the thickness of the tissue under it;
             "fit" changes centre and radii as little as possible until all points lie on one ellipsoid
    centre : (x, y, z) from IJ [m], right side, instead of the preset's and its scaling
    radii  : (x, y, z) [m], instead of the preset's and its scaling
    """

    preset: str = setting(
        "epfl", "Ellipsoid", "Published shape of the ribcage.", choices=partial(shipped, "ellipsoids"), files=True
    )
    rule: str = setting(
        "dilate", "Brought to the scapula by", "Every contact its own larger ellipsoid, or one that is fitted to all.",
        choices={"dilate": "an ellipsoid for every contact", "fit": "one fitted ellipsoid"})  # fmt: skip
    centre: tuple[float, float, float] | None = setting(
        None, "Own centre", "X Y Z from IJ on the right side, instead of the preset's; empty takes the preset's.",
        unit="mm", factor=MM, nothing="the preset's")  # fmt: skip
    radii: tuple[float, float, float] | None = setting(
        None, "Own half axes", "X Y Z, instead of the preset's; empty takes the preset's.", unit="mm", factor=MM,
        nothing="the preset's")  # fmt: skip

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise DescriptionError(f'The rule of the ellipsoid is {" or ".join(RULES)}, not "{self.rule}".')
        if self.radii is not None and not all(0.0 < r < 1.0 for r in self.radii):
            raise DescriptionError(
                f"The radii of the ellipsoid are {self.radii}; they must be positive and less than 1 m."
            )
        if self.centre is not None and not all(abs(c) < 1.0 for c in self.centre):
            raise DescriptionError(f"The centre of the ellipsoid is {self.centre}; it must be less than 1 m from IJ.")


@dataclass(frozen=True, eq=False)
class ContactSurface:
    """Ellipsoid on which one point of the scapula glides; fixed in the thorax.

    centre     : (3,) from IJ, thorax axes [m]
    radii      : (3,) of this contact's ellipsoid, dilated [m]
    attitude   : (3, 3) columns are the ellipsoid's axes in the thorax
    dilation_m : what was added to the radii; negative if they shrank
    """

    centre: FloatArray
    radii: FloatArray
    attitude: FloatArray
    dilation_m: float
    preset: str
    source: str

    def violation(self, point: FloatArray) -> FloatArray:
        """φ = Σ (d_k / r_k)² − 1 with d = Aᵀ(p − c), 0 on the surface ([Nunes2017] Eq. 4.3). (..., 3) -> (...)."""
        d = (np.asarray(point) - self.centre) @ self.attitude
        return np.asarray(np.sum((d / self.radii) ** 2, axis=-1) - 1.0)

    def normal(self, point: FloatArray) -> FloatArray:
        """Outward unit normal (3,) at a point (3,) of the surface, in thorax axes."""
        gradient = self.attitude @ ((np.asarray(point) - self.centre) @ self.attitude / self.radii**2)
        return np.asarray(gradient / np.linalg.norm(gradient))

    def curvatures(self, point: FloatArray) -> FloatArray:
        """Principal curvatures (2,) at a point (3,) of the surface, smaller first [1/m].

        With D = A diag(1/r²) Aᵀ the normal is n = D d/|D d|, and the shape operator is P D P / |D d| with P = 1 − n nᵀ.
        """
        D = self.attitude @ np.diag(1.0 / self.radii**2) @ self.attitude.T
        gradient = D @ (np.asarray(point) - self.centre)
        n = self.normal(point)
        P = np.eye(3) - np.outer(n, n)
        bent = np.linalg.eigvalsh(P @ D @ P / np.linalg.norm(gradient))
        return np.asarray(bent[1:])  # the surface is convex: the smallest one is 0 and belongs to n


@dataclass(frozen=True)
class SurfaceSensitivity:
    """What a contact would be with another ellipsoid, or with this one if its radii were different.

    dilation_m          : of this preset at this contact
    normal_apart_deg    : angle between its normal and that of the ellipsoid in use
    curvatures          : principal curvatures, smaller first [1/m]
    normal_change_deg   : largest turn of the normal when radii change and the ellipsoid is dilated again
    curvature_change    : largest relative change of a principal curvature then [-]
    """

    preset: str
    contact: str
    dilation_m: float
    normal_apart_deg: float
    curvatures: tuple[float, float]
    normal_change_deg: float
    curvature_change: float


def contact_surfaces(
    points: ContactPoints, *, side: str, height_m: float, options: EllipsoidOptions = EllipsoidOptions()
) -> tuple[Mapping[str, ContactSurface], tuple[Notice, ...]]:
    """Ellipsoids of the contact points of one side, such that every point lies on its own in the static pose.

    points   : contact point -> (3,) position from IJ in thorax axes [m]
    side     : "D" (right) or "E" (left, for which Z is mirrored)
    height_m : stature, by which presets with a reference stature are scaled [m]
    """
    _check(points, side, height_m)
    preset = load_ellipsoid(options.preset)
    centre, radii, attitude = _base(preset, side, height_m, options)
    if options.rule == "fit":
        centre, radii = fitted(points, centre, radii, attitude)
    surfaces, notices = {}, [_origin_of(preset, options, height_m)]
    for name, p in points.items():
        s = dilation(p, centre, radii, attitude)
        if s is None:
            raise BiomecError(
                f"The point {name} lies so deep inside the ellipsoid {preset.name} that it cannot glide on it. Check "
                f"the landmarks of the scapula and of the thorax in the static pose, or choose another ellipsoid."
            )
        if not 0.0 <= s <= LARGEST_DILATION and options.rule == "dilate":
            notices.append(_unusual(name, preset, s))
        surfaces[name] = ContactSurface(
            read_only(centre), read_only(radii + s), read_only(attitude), s, preset.name, preset.words()
        )
    return surfaces, tuple(notices)


def dilation(point: FloatArray, centre: FloatArray, radii: FloatArray, attitude: FloatArray) -> float | None:
    """Length s [m] by which all radii must grow for the ellipsoid to pass through a point ([Sarshari2021]).

        Σ_k ((Aᵀ(p − c))_k / (r_k + s))² = 1

    The left side falls from above to below 1 as s grows from −min r, so that there is one root at most; s < 0 shrinks
    the ellipsoid. None if it would have to shrink by more than `SHRINK_LIMIT` of its smallest radius.
    """
    d = (np.asarray(point, dtype=np.float64) - centre) @ attitude

    def excess(s: float) -> float:
        return float(np.sum((d / (radii + s)) ** 2) - 1.0)

    least, most = -SHRINK_LIMIT * float(np.min(radii)), float(np.linalg.norm(d))
    if not excess(least) > 0.0:
        return None
    return float(scipy.optimize.brentq(excess, least, most, xtol=1e-16, rtol=1e-15))


def fitted(
    points: ContactPoints, centre: FloatArray, radii: FloatArray, attitude: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Centre and radii (3,) of one ellipsoid through all points, as near to the given one as can be.

    Six unknowns z: logarithms of the factors of the radii, and shifts of the centre [m]. Minimises
    Σ φ(p)² + 1e-8 ‖z‖². Two points determine two of the six; the rest stays with the preset.
    """
    p = np.array(list(points.values()))

    def residual(z: FloatArray) -> FloatArray:
        d = (p - centre - z[3:]) @ attitude
        violations = np.sum((d / (radii * np.exp(z[:3]))) ** 2, axis=1) - 1.0
        return np.concatenate([violations, np.sqrt(FIT_WEIGHT) * z])

    z = scipy.optimize.least_squares(residual, np.zeros(6), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    return centre + z[3:], radii * np.exp(z[:3])


def sensitivity(
    points: ContactPoints,
    *,
    side: str,
    height_m: float,
    options: EllipsoidOptions = EllipsoidOptions(),
    change: float = 0.10,
) -> tuple[SurfaceSensitivity, ...]:
    """How much the surfaces under the scapula depend on a choice that nobody can measure.

    For the ellipsoid in use and for every other shipped one: its normal and curvatures at each contact, and their
    largest change when radii, one by one and all together, are ``change`` larger or smaller and the ellipsoid is
    dilated again. Presets that cannot reach a contact are left out there.
    """
    used, _ = contact_surfaces(points, side=side, height_m=height_m, options=options)
    others = [replace(options, preset=name, centre=None, radii=None) for name in shipped_ellipsoids()]
    found = []
    for chosen in [options, *(other for other in others if other.preset != options.preset)]:
        base = _base(load_ellipsoid(chosen.preset), side, height_m, chosen)
        for name, p in points.items():
            surface = _through(p, *base)
            if surface is None:  # this preset does not suit the person at all
                continue
            varied = [_through(p, base[0], base[1] * factors, base[2]) for factors in _factors(change)]
            kept = [one for one in varied if one is not None]
            bent = surface.curvatures(p)
            found.append(
                SurfaceSensitivity(
                    preset=chosen.preset,
                    contact=name,
                    dilation_m=surface.dilation_m,
                    normal_apart_deg=_angle_deg(surface.normal(p), used[name].normal(p)),
                    curvatures=(float(bent[0]), float(bent[1])),
                    normal_change_deg=max(
                        (_angle_deg(one.normal(p), surface.normal(p)) for one in kept), default=np.nan
                    ),
                    curvature_change=max((_relative(one.curvatures(p), bent) for one in kept), default=np.nan),
                )
            )
    return tuple(found)


def _check(points: ContactPoints, side: str, height_m: float) -> None:
    if side not in ("D", "E"):
        raise DescriptionError(f'The side of an ellipsoid is D (right) or E (left), not "{side}".')
    if not 0.0 < height_m < 3.0:
        raise BiomecError(f"A stature of {height_m:g} m is impossible. Check the number and its unit.")
    for name, p in points.items():
        if np.shape(p) != (3,) or not np.isfinite(p).all():
            raise BiomecError(
                f"The contact point {name} is not known in the static pose. Without it the scapula cannot glide on the "
                f"ribcage: add its landmarks to the static, or choose a model without shoulder girdle."
            )
        if np.linalg.norm(p) > FARTHEST:
            raise BiomecError(
                f"The contact point {name} lies {np.linalg.norm(p):.1f} m from the jugular notch. Check the landmarks "
                f"of the scapula in the static pose, and the unit of length."
            )


def _base(
    preset: EllipsoidPreset, side: str, height_m: float, options: EllipsoidOptions
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centre, radii and attitude of a side, before any contact."""
    scale = 1.0 if preset.reference_stature_m is None else height_m / preset.reference_stature_m
    centre = scale * preset.centre if options.centre is None else np.array(options.centre)
    radii = scale * preset.radii if options.radii is None else np.array(options.radii)
    mirror = MIRROR if side == "E" else np.eye(3)
    return mirror @ centre, radii, mirror @ preset.attitude @ mirror


def _through(p: FloatArray, centre: FloatArray, radii: FloatArray, attitude: FloatArray) -> ContactSurface | None:
    s = dilation(p, centre, radii, attitude)
    return None if s is None else ContactSurface(centre, radii + s, attitude, s, "", "")


def _factors(change: float) -> list[FloatArray]:
    """Factors of the radii: one by one and all together, larger and smaller."""
    which = [*np.eye(3), np.ones(3)]
    return [1.0 + sign * change * one for one, sign in product(which, (1.0, -1.0))]


def _angle_deg(a: FloatArray, b: FloatArray) -> float:
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def _relative(changed: FloatArray, reference: FloatArray) -> float:
    return float(np.max(np.abs(changed / reference - 1.0)))


def _origin_of(preset: EllipsoidPreset, options: EllipsoidOptions, height_m: float) -> Notice:
    own = [what for what in ("centre", "radii") if getattr(options, what) is not None]
    scaled = preset.reference_stature_m is not None and len(own) < 2
    by = f", scaled to a stature of {height_m:.2f} m" if scaled else ", not scaled"
    given = f", with {' and '.join(own)} of your own" if own else ""
    return info(
        "ellipsoid-not-measured",
        f"The ribcage under the scapula is the ellipsoid {preset.words()}{by}{given}. It is an assumption: markers "
        f"cannot tell its size. Look at the sensitivity before you rely on small differences of scapular angles.",
    )


def _unusual(name: str, preset: EllipsoidPreset, s: float) -> Notice:
    size = f"{abs(1e3 * s):.0f} mm"
    lies = f"{size} inside" if s < 0.0 else f"{size} outside"
    return warning(
        "unusual-dilation",
        f"The point {name} lies {lies} the ellipsoid {preset.name}, which was changed by as much; 0 to "
        f"{1e3 * LARGEST_DILATION:.0f} mm are usual. Check the landmarks of scapula and thorax, and the stature.",
        name,
    )
