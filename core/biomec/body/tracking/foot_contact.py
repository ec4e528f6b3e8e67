"""Feet and tips of crutches as spheres on the floor, identified from a recording: how they moved, what was measured.

The recorded movement is imposed on the feet; spheres and floor answer with forces. Sought are places and radii of the
spheres and what the contact is made of, so that force and moment come near those measured:

    min Σ_t ‖f(t) − f*(t)‖²/σ_f² + ‖m(t) − m*(t)‖²/(σ_f ℓ)² + ‖c(t)/σ_c‖²,    σ_f = 0.02 W, ℓ = 0.1 m, m about the foot

over the frames of every measured contact and shortly before and after it, when nothing must touch. W is the weight of
the body; c corrects the recorded motion of the foot by what markers leave open (`foot_kernels`). Without it, which is
the published objective [Mouzo2018], no floor as hard as floors are is found: a tenth of a millimetre is 100 N.
Spheres that bear nothing in any compared frame lie as high as they can, so that they do not bear in others.
Differential evolution finds the neighbourhood without a first guess, least squares within the same bounds the minimum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.tracking.foot_kernels import foot_forces
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forces.ground_contact import ContactMaterial, ContactSphere, Ground, GroundContact
from biomec.engine.system import System
from biomec.recording.limb_names import limb_of
from biomec.signals.stretches import stretches

LOADED_N = 20.0  # a foot that bears less does not stand on a plate
AROUND_S = 0.15  # before and after a contact, in which the model must not touch the floor either
LEAST_S = 0.2  # shorter contacts tell too little
LEVER_M = 0.1  # ℓ
SHARE = 0.02  # σ_f over the weight of the body
THICK_M = 0.05  # landmarks so much above the lowest one belong to the sole
SHORT_M = 0.08  # no sole is shorter
PLACES = ("heel", "left ball", "right ball", "toes")
TIP = "TIP_"  # how names of landmarks of tips begin
MOST_FRAMES = 50  # of a foot that are compared while searching
SPARE = 10.0  # [1/m] spheres that no frame needs stay high: 1 mm counts as 0.01 of σ_f, far less than what bears
UNDECIDED = 0.3  # of σ_f, with which K, λ and μ that no frame decides stay in the middle of their bounds
FRACTION_SEARCHED = 0.9  # of the progress; the rest is refinement


@dataclass(frozen=True)
class IdentificationOptions:
    """How contact of the feet is identified.

    seed        : of differential evolution; the same gives the same result
    generations : of differential evolution at most
    population  : members for every unknown
    refinements : steps of least squares at most
    place_mm, turn_deg, speed_m_s : σ_c, how far the recorded motion of a foot may be off: height, turns about level
                  axes, and speed along the floor; its turning on the floor in 0.1 m of the speed. All 0: not at all
    slip_speed  : v_s of friction [m/s], not identified: recorded feet hardly slide
    reach_m     : how far from its landmark along and across the foot the middle of a sphere is sought [m]
    radii_m     : least and largest radius [m]
    stiffness, dissipation, friction : bounds of K [N/m^1.5], λ [s/m] and μ
    """

    seed: int = 1
    generations: int = 40
    population: int = 6
    refinements: int = 60
    place_mm: float = 3.0
    turn_deg: float = 1.0
    speed_m_s: float = 0.03
    slip_speed: float = 0.03
    reach_m: float = 0.03
    radii_m: tuple[float, float] = (0.01, 0.06)
    stiffness: tuple[float, float] = (1e5, 2e6)
    dissipation: tuple[float, float] = (0.05, 5.0)
    friction: tuple[float, float] = (0.5, 1.2)

    def __post_init__(self) -> None:
        if self.generations < 1 or self.population < 2 or self.refinements < 1:
            raise BiomecError(
                "Identification of contact: give at least one generation, two members of it and one step of refinement."
            )
        errors = (self.place_mm, self.turn_deg, self.speed_m_s)
        if any(errors) and not all(0.0 < one < np.inf for one in errors):
            raise BiomecError(
                "Identification of contact: place, turn and speed of a foot may err by more than nothing each, or by "
                "nothing all three."
            )
        for low, high in (self.radii_m, self.stiffness, self.dissipation, self.friction):
            if not 0.0 < low < high < np.inf:
                raise BiomecError("Identification of contact: bounds must be positive, the lower one below the upper.")


@dataclass(frozen=True, eq=False)
class IdentifiedFoot:
    """A foot, or a hand with the tip of a crutch, whose contact was identified.

    Arrays are read-only, over the frames that were compared.

    spheres   : of the foot
    frames    : (F,) numbers of the frames
    measured, modelled               : (F, 3) forces [N]
    measured_moment, modelled_moment : (F, 3) about the foot's origin [N m]
    corrections : (F, 6) of the recorded motion of the foot: height [m], turns about X and Z [rad], speed along X and Z
                  [m/s], turning about Y [rad/s]
    """

    segment: str
    spheres: tuple[ContactSphere, ...]
    frames: IntArray
    measured: FloatArray
    modelled: FloatArray
    measured_moment: FloatArray
    modelled_moment: FloatArray
    corrections: FloatArray
    evaluations: int

    @property
    def lift_mm(self) -> float:
        """Root mean square of the corrections of the foot's height [mm]."""
        return float(1e3 * np.sqrt(np.mean(self.corrections[:, 0] ** 2)))

    @property
    def rms_N(self) -> float:
        """Root mean square of the difference of the forces, all components together [N]."""
        return float(np.sqrt(np.mean(np.sum((self.modelled - self.measured) ** 2, axis=1))))

    @property
    def rms_Nm(self) -> float:
        """The same of the moments [N m]."""
        return float(np.sqrt(np.mean(np.sum((self.modelled_moment - self.measured_moment) ** 2, axis=1))))


@dataclass(frozen=True, eq=False)
class IdentifiedContact:
    """Contact of feet and tips of crutches, identified from a recording.

    floor_m  : height of the floor [m];  weight_N : of the body
    borrowed : feet and tips that nothing measured, which got the mirrored spheres of the other one
    """

    feet: tuple[IdentifiedFoot, ...]
    spheres: tuple[ContactSphere, ...]
    floor_m: float
    weight_N: float
    borrowed: tuple[str, ...] = field(default=())

    def on(self, system: System) -> GroundContact:
        """The contact as a force on a system with these feet."""
        return GroundContact(system, self.spheres, Ground((0.0, self.floor_m, 0.0)))

    @property
    def rms_weights(self) -> float:
        """Root mean square of the difference of the forces of all feet, as a share of body weight."""
        errors = np.concatenate([foot.modelled - foot.measured for foot in self.feet])
        return float(np.sqrt(np.mean(np.sum(errors**2, axis=1)))) / self.weight_N


def identified_contact(
    system: System,
    q: FloatArray,
    qdot: FloatArray,
    external: ExternalLoads,
    rate_hz: float,
    options: IdentificationOptions = IdentificationOptions(),
    progress: Progress | None = None,
) -> IdentifiedContact:
    """Identify spheres under the feet of a recorded movement.

    q, qdot  : (T, n); frames that are NaN are left out
    external : (T, …) what was measured on hands and feet
    progress : told the share that is done; `Cancelled` raised in it ends the work
    """
    limbs = [body.name for body in system.bodies if limb_of(body.name) is not None]
    feet = [name for name in limbs if "foot" in name]
    tips = [name for name in limbs if tip_of(system, name)]
    seen = np.asarray(np.isfinite(q).all(axis=1) & np.isfinite(qdot).all(axis=1))
    used = {}
    for name in (*feet, *tips):
        known = seen & ~_guessed(external, name)
        used[name] = _around(_loaded(external, name) & known, known, rate_hz)
    measured = [name for name in feet if used[name].any()]
    pressing = [name for name in tips if used[name].any()]
    if not feet:
        raise BiomecError(f"{system.name} has no feet whose contact with the floor could be identified.")
    if not measured:
        raise BiomecError(
            "Contact of the feet is identified from what plates measured under them, and no foot stands on a plate for "
            f"{LEAST_S:g} s. Import plates with the recording, or let spheres of usual size touch the floor."
        )
    if tips and not pressing:
        raise BiomecError(
            f"The model has crutches in the {' and the '.join(tips)}, and nothing measured what their tips bear. Name "
            "the channels of the crutches in the settings Loads, or choose a body model without crutches."
        )
    weight = float(sum(body.mass for body in system.bodies) * np.linalg.norm(system.gravity))
    floor = _floor(external, measured)
    found = []
    for k, name in enumerate((*measured, *pressing)):

        def told(share: float, k: int = k) -> None:
            if progress is not None:
                progress((k + share) / (len(measured) + len(pressing)))

        frames = np.flatnonzero(used[name])
        record = _record(system, name, q[frames], qdot[frames], external, frames)
        found.append(_identified(system, name, record, frames, floor, weight, options, told))
    spheres = [sphere for foot in found for sphere in foot.spheres]
    borrowed = (*(name for name in feet if name not in measured), *(name for name in tips if name not in pressing))
    for name in borrowed:
        spheres += _mirrored(name, found[0] if name in feet else found[len(measured)])
    return IdentifiedContact(tuple(found), tuple(spheres), floor, weight, borrowed)


def tip_of(system: System, name: str) -> str:
    """Landmark of the tip of a crutch that a segment holds; empty if it holds none."""
    return next((point for point in system.layout.body(name).points if point.startswith(TIP)), "")


# ------------------------------------------------------------------------------------------------- what was measured


class _Record(NamedTuple):
    """A foot over F frames, in laboratory axes: origin, attitude, their rates; force, and moment about the origin."""

    place: FloatArray
    attitude: FloatArray
    velocity: FloatArray
    omega: FloatArray
    force: FloatArray
    moment: FloatArray


def _loaded(external: ExternalLoads, name: str) -> BoolArray:
    mine = [k for k, segment in enumerate(external.segments) if segment == name]
    return np.asarray(external.force[:, mine, 1].sum(axis=1) > LOADED_N)


def _guessed(external: ExternalLoads, name: str) -> BoolArray:
    """(T,) frames in which a load of the foot was computed from the motion."""
    mine = [k for k, segment in enumerate(external.segments) if segment == name]
    return np.asarray(external.estimated_loads[:, mine].any(axis=1))


def _around(loaded: BoolArray, known: BoolArray, rate_hz: float) -> BoolArray:
    """(T,) frames of contacts that are long enough, and of the time around them."""
    few, used = round(AROUND_S * rate_hz), np.zeros(len(loaded), dtype=np.bool_)
    for first, stop in stretches(loaded).tolist():
        if stop - first >= LEAST_S * rate_hz:
            used[max(0, first - few) : stop + few] = True
    return np.asarray(used & known)


def _floor(external: ExternalLoads, measured: Sequence[str]) -> float:
    """Height at which forces act on the feet, usually that of the plates [m]."""
    mine = [k for k, segment in enumerate(external.segments) if segment in measured]
    loaded = external.force[:, mine, 1] > LOADED_N
    return float(np.median(external.point[:, mine, 1][loaded]))


def _record(
    system: System, name: str, q: FloatArray, qdot: FloatArray, external: ExternalLoads, frames: IntArray
) -> _Record:
    origin = system.layout.point(f"{name}.origin")
    axes = [system.layout.vector(f"{name}.{axis}") for axis in "xyz"]
    place, velocity = origin(q), origin.rate(qdot)
    attitude = np.stack([axis(q) for axis in axes], axis=2)
    turning = np.stack([axis.rate(qdot) for axis in axes], axis=2)
    omega = 0.5 * np.cross(np.moveaxis(attitude, 2, 1), np.moveaxis(turning, 2, 1)).sum(axis=1)
    force, moment = np.zeros((2, len(frames), 3))
    for k, segment in enumerate(external.segments):
        if segment == name:
            acting = external.force[frames, k]
            force += acting
            moment += external.moment[frames, k] + np.cross(external.point[frames, k] - place, acting)
    own = (np.ascontiguousarray(one) for one in (place, attitude, velocity, omega, force, moment))
    return _Record(*own)


# --------------------------------------------------------------------------------------------------------------- search


def _identified(
    system: System,
    name: str,
    record: _Record,
    frames: IntArray,
    floor: float,
    weight: float,
    options: IdentificationOptions,
    told: Callable[[float], None],
) -> IdentifiedFoot:
    low, high = _bounds(system, name, options)
    scale = np.concatenate([np.full(3, 1.0 / weight), np.full(3, 1.0 / (weight * LEVER_M))]) / SHARE
    turn, speed = np.radians(options.turn_deg), options.speed_m_s
    sigma = np.array([1e-3 * options.place_mm, turn, turn, speed, speed, speed / LEVER_M])
    up = system.layout.attitude(name)[1]  # of the floor, in axes of the foot that stands
    every = _Record(*(np.ascontiguousarray(one[:: -(-len(frames) // MOST_FRAMES)]) for one in record))
    count = 0

    def forces(x: FloatArray, motion: _Record) -> tuple[FloatArray, FloatArray, FloatArray]:
        wanted = np.concatenate([motion.force, motion.moment], axis=1)
        found, corrections = np.empty((2, len(wanted), 6))
        height = motion.place[:, 1] - floor
        foot_forces(
            height, motion.attitude, motion.velocity, motion.omega, wanted, *_read(x, options), scale, sigma, found,
            corrections,
        )  # fmt: skip
        return wanted, found, corrections

    def difference(x: FloatArray) -> FloatArray:
        nonlocal count
        count += 1
        wanted, found, corrections = forces(x, every)
        left = (found - wanted) * scale
        allowed = corrections / np.where(sigma > 0.0, sigma, 1.0)
        centres, radii, _ = _read(x, options)
        middle = UNDECIDED * (2.0 * (x[-3:] - low[-3:]) / (high[-3:] - low[-3:]) - 1.0)
        return np.concatenate([left.ravel(), allowed.ravel(), SPARE * (radii - centres @ up), middle])

    def cost(x: FloatArray) -> float:
        d = difference(x)
        return float(d @ d)

    generation = 0

    def step(x: FloatArray, convergence: float = 0.0) -> None:
        nonlocal generation
        generation += 1
        told(FRACTION_SEARCHED * min(1.0, generation / options.generations))

    search = scipy.optimize.differential_evolution(
        cost, list(zip(low, high, strict=True)), seed=options.seed, maxiter=options.generations,
        popsize=options.population, init="sobol", tol=1e-3, polish=False, callback=step, mutation=(0.4, 0.9),
    )  # fmt: skip
    start = np.clip(search.x, low + 1e-9 * (high - low), high - 1e-9 * (high - low))
    fine = scipy.optimize.least_squares(
        difference, start, bounds=(low, high), x_scale=high - low, max_nfev=options.refinements
    )  # fmt: skip
    told(1.0)
    x = fine.x if 2.0 * fine.cost < cost(start) else start
    _, found, corrections = forces(x, record)
    return IdentifiedFoot(
        name, _spheres(name, x, options), read_only(frames, np.int64), read_only(record.force),
        read_only(found[:, :3]), read_only(record.moment), read_only(found[:, 3:]), read_only(corrections), count,
    )  # fmt: skip


def _bounds(system: System, name: str, options: IdentificationOptions) -> tuple[FloatArray, FloatArray]:
    """Bounds of the unknowns: centre (3) and radius of each sphere, log K, log λ, μ; from the extent of the foot."""
    body, tip = system.layout.body(name), tip_of(system, name)
    law = [tuple(np.log(options.stiffness)), tuple(np.log(options.dissipation)), options.friction]
    if tip:
        edges = [(at - options.reach_m, at + options.reach_m) for at in np.asarray(body.points[tip]).tolist()]
        low, high = np.array([*edges, options.radii_m, *law]).T
        return low, high
    points = np.array([np.asarray(at) for point, at in body.points.items() if point != "com"])
    A = system.layout.attitude(name)  # in the reference pose, which stands
    level = points @ A.T
    sole = points[level[:, 1] < level[:, 1].min() + THICK_M]
    first, last, middle = sole.min(axis=0), sole.max(axis=0), 0.5 * (sole.min(axis=0) + sole.max(axis=0))
    if last[0] - first[0] < SHORT_M:
        raise BiomecError(
            f"{name} has no landmarks at heel and ball, so that nobody can say where it touches the floor. Take a body "
            "model and a marker set with markers on both."
        )
    reach = options.reach_m
    up = (first[1] - reach, first[1] + reach)
    across = (middle[2] - reach, middle[2] + reach)
    rear, front = (first[0] - reach, first[0] + reach), (last[0] - 2.0 * reach, last[0] + 0.5 * reach)
    boxes = (
        (rear, up, across),
        (front, up, (first[2] - 0.5 * reach, middle[2])),
        (front, up, (middle[2], last[2] + 0.5 * reach)),
        ((last[0], last[0] + 2.0 * reach), up, across),
    )
    low, high = np.array([edge for box in boxes for edge in (*box, options.radii_m)] + law).T
    return low, high


def _read(x: FloatArray, options: IdentificationOptions) -> tuple[FloatArray, FloatArray, FloatArray]:
    spheres = np.ascontiguousarray(x[:-3]).reshape(-1, 4)
    law = np.array([np.exp(x[-3]), 1.5, np.exp(x[-2]), x[-1], options.slip_speed])
    return np.ascontiguousarray(spheres[:, :3]), np.ascontiguousarray(spheres[:, 3]), law


def _spheres(name: str, x: FloatArray, options: IdentificationOptions) -> tuple[ContactSphere, ...]:
    centres, radii, law = _read(x, options)
    material = ContactMaterial(
        stiffness=float(law[0]), dissipation=float(law[2]), friction=float(law[3]), slip_speed=options.slip_speed
    )
    return tuple(
        ContactSphere(f"{name} {place}", name, read_only(centre), float(radius), material)
        for place, centre, radius in zip(PLACES if len(radii) > 1 else ("tip",), centres, radii, strict=True)
    )


def _mirrored(name: str, other: IdentifiedFoot) -> list[ContactSphere]:
    """Spheres of a foot, or a tip, that nothing measured, as those of the other side."""
    flipped = np.array([1.0, 1.0, -1.0])
    return [
        replace(
            sphere,
            name=f"{name}{sphere.name.removeprefix(other.segment)}",
            body=name,
            centre=read_only(flipped * np.asarray(sphere.centre)),
        )
        for sphere in other.spheres
    ]
