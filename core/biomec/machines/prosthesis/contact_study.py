"""The studies `contact-laws` and `contact-points`: all laws on two spheres, and where two outlines meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.plain_text import table
from biomec.base.progress import Progress
from biomec.engine.contact.force_laws import DIVIDES_BY_RESTITUTION, HYSTERESIS, ContactLaw
from biomec.engine.contact.impacts import SphereImpact, collide
from biomec.engine.contact.profiles import (
    Circle,
    ClosestPoints,
    Cubic,
    Profile,
    ProfileLine,
    ProfileOutline,
    closest_points,
)
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, curve, option, time_limit

SMALLEST = 0.05  # restitution from which f(c_r) is drawn: two of the laws divide by it
SAMPLES = 96
SWEEP = "Restitution: restitution"


def refusal(machine: Machine) -> str | None:
    """Why a machine has no contact to speak of."""
    return None if machine.stops else "it has no stop, and contact laws are those of stops."


@dataclass(frozen=True)
class ContactLawOptions:
    """Options of the study; the published comparison by default."""

    mass_kg: float = option(0.092, "Mass of either sphere", "kg")
    closing_speed_m_s: float = option(0.3, "Speed at which they close", "m/s")
    stiffness: float = option(5.5e9, "Stiffness K", "N/m^n")
    exponent: float = option(1.5, "Exponent n")
    restitution: float = option(0.7, "Restitution that the laws are given, above 0, up to 1")
    time_limit_s: float = time_limit()


def run_contact_laws(machine: Machine, options: ContactLawOptions, progress: Progress | None = None) -> Run:
    """Two spheres collide by every law, and f(c_r) of every law."""
    if not (options.mass_kg > 0.0 and options.closing_speed_m_s > 0.0):
        raise BiomecError("Contact laws: mass and closing speed of the spheres must be above 0.")
    if not 0.0 < options.restitution <= 1.0:
        raise BiomecError("Contact laws: the restitution must be above 0, and at most 1.")
    impacts: list[SphereImpact] = []
    for k, name in enumerate(HYSTERESIS):
        law = ContactLaw(name, options.stiffness, options.exponent, options.restitution)
        impacts.append(collide(law, (options.mass_kg, options.mass_kg), options.closing_speed_m_s))
        if progress is not None:
            progress((k + 1) / len(HYSTERESIS))
    sweep = np.linspace(SMALLEST, 1.0, SAMPLES)
    factors = {name: [factor(float(one)) for one in sweep] for name, factor in HYSTERESIS.items()}
    figures = {f"{one.law}_restitution": one.restitution for one in impacts}
    figures |= {f"{one.law}_force_max_N": one.force_N for one in impacts}
    rows = [["law", "deepest overlap [µm]", "largest force [N]", "duration [µs]", "restitution", "energy lost [mJ]"]]
    rows += [[one.law, f"{1e6 * one.depth_m:.4f}", f"{one.force_N:.2f}", f"{1e6 * one.duration_s:.2f}",
              f"{one.restitution:.4f}", f"{1e3 * one.loss_J:.4f}"] for one in impacts]  # fmt: skip
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    text = "\n".join("  ".join(cell.rjust(wide) for cell, wide in zip(row, widths, strict=True)) for row in rows)
    swept = [["restitution", *factors], *([f"{x:.9g}", *(f"{one[k]:.9g}" for one in factors.values())]
             for k, x in enumerate(sweep))]  # fmt: skip
    return Run(
        "contact-laws",
        "Contact laws on two spheres",
        machine,
        options,
        sweep,
        (
            curve("Restitution", "restitution", "", sweep),
            *(curve("Factor f of the law", k, "", v) for k, v in factors.items()),
        ),
        figures,
        notices=(
            f"Curves are f over the restitution from {SMALLEST:g} on; {' and '.join(DIVIDES_BY_RESTITUTION)} grow "
            "without bound towards 0.",
        ),
        text=f"{text}\n\nF = K δ^n (1 + f δ'/δ'(-)); two equal spheres, head-on",
        files={"spheres.csv": table(rows), "factors.csv": table(swept)},
        over=SWEEP,
    )


@dataclass(frozen=True)
class ContactPointOptions:
    """Options of the study."""

    first: str = option("circle 0.02", "Curved outline: circle RADIUS, or cubic a0 a1 a2 a3 of S(φ) [m]")
    second: str = option(
        "line -0.041905 -3.9743", "Other outline: circle RADIUS, cubic a0 a1 a2 a3, or line INTERCEPT SLOPE [m]"
    )
    first_pose: str = option("0 0 0", "Where the first stands: x, y [m] and angle [deg]")
    second_pose: str = option("0.05 0 0", "Where the second stands: x, y [m] and angle [deg]")
    guess_deg: str = option("0 180", "Angles of both outlines to begin the search from [deg]")
    time_limit_s: float = time_limit()


PROFILES: dict[str, tuple[Callable[..., Profile], int]] = {
    "circle": (Circle, 1),
    "line": (ProfileLine, 2),
    "cubic": (Cubic, 4),
}


def run_contact_points(machine: Machine, options: ContactPointOptions, progress: Progress | None = None) -> Run:
    """Closest points of two outlines by Newton's method on two angles."""
    first, second = (
        ProfileOutline(_profile(text), np.zeros(2), _pose(pose, what))
        for text, pose, what in ((options.first, options.first_pose, "first pose"),
                                 (options.second, options.second_pose, "second pose"))
    )  # fmt: skip
    found: ClosestPoints = closest_points(first, second, np.deg2rad(_numbers(options.guess_deg, 2, "guess")))
    if progress is not None:
        progress(1.0)
    figures = {
        "gap_mm": 1e3 * found.gap,
        "first_angle_deg": float(np.rad2deg(found.phi_i)),
        "second_angle_deg": float(np.rad2deg(found.phi_j)),
        "iterations": float(found.iterations),
    }
    words = (
        f"first point   {found.point_i[0]:.9g}, {found.point_i[1]:.9g} m, normal {found.normal_i[0]:.6f}, "
        f"{found.normal_i[1]:.6f}\nsecond point  {found.point_j[0]:.9g}, {found.point_j[1]:.9g} m, normal "
        f"{found.normal_j[0]:.6f}, {found.normal_j[1]:.6f}"
    )
    overlap = ("The outlines overlap.",) if found.gap < 0.0 else ()
    return Run(
        "contact-points", "Closest points", machine, options, np.zeros(0), (), figures, notices=overlap, text=words
    )


def _profile(text: str) -> Profile:
    name, _, rest = text.strip().partition(" ")
    if name not in PROFILES:
        raise BiomecError(
            f'Closest points: "{text}" is not an outline. Write circle 0.02, line -0.04 -4 or cubic 0.02 0 0 0.'
        )
    kind, count = PROFILES[name]
    return kind(*_numbers(rest, count, name))


def _pose(text: str, what: str) -> np.ndarray:
    x, y, angle = _numbers(text, 3, what)
    return np.array([x, y, np.deg2rad(angle)])


def _numbers(text: str, count: int, what: str) -> list[float]:
    try:
        found = [float(one) for one in text.replace(",", " ").replace("−", "-").split()]
    except ValueError:
        found = []
    if len(found) != count or not np.isfinite(found).all():
        raise BiomecError(f'Closest points: {what} needs {count} number{"s" if count > 1 else ""}, not "{text}".')
    return found


LAWS_STUDY = Study(
    "contact-laws",
    "Contact laws",
    "Two spheres collide by every contact law: overlap, force, duration, restitution; and the factor f of every law.",
    ContactLawOptions,
    refusal,
    run_contact_laws,
)
POINTS_STUDY = Study(
    "contact-points",
    "Closest points of two outlines",
    "Where two convex outlines are nearest: circles, lines, or cubics in polar form.",
    ContactPointOptions,
    refusal,
    run_contact_points,
)
