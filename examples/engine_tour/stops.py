"""Stops of the engine tour: mechanisms whose answer is known. Each gives its checks, and what there is to draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

import numpy as np
from scipy.linalg import eigh

from biomec.base.arrays import FloatArray
from biomec.base.physics import GRAVITY
from biomec.base.progress import thread_count
from biomec.engine.dense import solve_positions_dense
from biomec.engine.driven_motion import follow_drivers, velocities
from biomec.engine.position import PositionResult, PositionSolver
from biomec.engine.reference.human import contact_points, human_motion, human_system, human_tree
from biomec.engine.reference.planar import four_bar, four_bar_points, pendulum, slider_crank, slider_position
from biomec.engine.reference.spatial import bennett, bennett_angles, spatial_pendulum
from biomec.engine.reference.trees import perturbed
from biomec.engine.structure import null_space, structure
from biomec.engine.system import System
from examples.engine_tour.checks import Check, agree, at_most, same_counts, shown

Result = TypeVar("Result")

TURN = np.linspace(0.0, 2.0 * np.pi, 241)  # a full turn in steps of 1.5° [rad]
CRANK, ROD = 0.3, 1.0  # of the slider-crank [m]
SIDE, BASE = 1.0, 2.0  # of the parallelogram [m]
TWIST, OTHER_TWIST = 0.6, 1.1  # of the bars of Bennett's linkage [rad]
ROUND_OFF = 1e-9  # allowed between two ways to solve the same equations
FOLLOWED = 5e-9  # allowed along a motion [m, rad]: ‖Φ‖ < 1e-10 over 0.07, the smallest singular value of Φq, times 3


@dataclass(frozen=True)
class Expected:
    """Counts and limits that are known before the engine runs; ask for others to see a check fail."""

    bennett: tuple[int, ...] = (48, 54, 47, 7, 1)  # coordinates, rows, rank, redundant rows, degrees of freedom
    human: tuple[int, ...] = (252, 214, 6, 44)  # coordinates, rows, redundant rows, degrees of freedom
    human_held: tuple[int, ...] = (226, 220, 32)  # rows, rank, degrees of freedom with palms and soles held
    iterations: int = 15  # most for a frame that starts 3 mm and 0.9° away
    violation: float = 1e-10  # largest ‖Φ‖ of a solved frame


@dataclass(frozen=True)
class MechanismTurn:
    """A mechanism that follows its driver: ``angle`` (T,) [rad] and coordinates ``q`` (T, n)."""

    system: System
    angle: FloatArray
    q: FloatArray

    def point(self, reference: str) -> FloatArray:
        """Path (T, dim) of a point such as ``crank.A`` [m]."""
        return self.system.layout.point(reference)(self.q)

    def body_point(self, body: str, local: tuple[float, ...]) -> FloatArray:
        """Path (T, dim) of a point given by its coordinates in a body [m]."""
        layout = self.system.layout
        return layout.lift(layout.body(body), layout.body(body).point_map(local))(self.q)


@dataclass(frozen=True)
class SmallSwings:
    """Small oscillations of a hanging chain: ``frequencies`` (g,) [rad/s], and ``modes`` (n, g) as changes of q."""

    system: System
    frequencies: FloatArray
    modes: FloatArray


@dataclass(frozen=True)
class SolvedTree:
    """Coordinates ``noisy`` (T, n) of the human-like tree, and ``result``, which obeys its constraints."""

    system: System
    noisy: FloatArray
    result: PositionResult


def warm_up() -> None:
    """Use the engine once, which compiles it where that has not been done yet."""
    system = human_system()
    q = np.array(system.reference)[None]
    solver = PositionSolver(system)
    solver.solve(q)
    solver.solve(q, contacts=contact_points(system, q))
    system.velocity_rhs(q)


def swinging_rods() -> tuple[list[Check], SmallSwings]:
    """Hanging rods: ω = √(3g/2L) for one, ω² = (3 ± 6/√7) g/L for two alike. L = 1 m. The second is drawn."""
    single, double = (_small_oscillations(pendulum([-np.pi / 2] * count)) for count in (1, 2))
    one = np.sqrt(1.5 * GRAVITY)
    two = np.sqrt((3.0 + np.array([-6.0, 6.0]) / np.sqrt(7.0)) * GRAVITY)
    checks = [
        agree("rod pendulum", "frequency of small swings [rad/s]", single.frequencies, one, ROUND_OFF),
        agree("double pendulum", "both frequencies of small swings [rad/s]", double.frequencies, two, ROUND_OFF),
    ]
    return checks, double


def _small_oscillations(system: System) -> SmallSwings:
    """About the reference configuration: RᵀMR z̈ + RᵀKR z = 0, where K = ∂(Φqᵀλ)/∂q and Φqᵀλ = Q."""
    q, Phi_q = system.reference, system.jacobian(system.reference)
    lam = np.linalg.lstsq(Phi_q.T, system.gravity_force)[0]
    R = null_space(Phi_q).R
    # Φq of bars and hinges is linear in q, so the difference is the derivative along the columns of R
    KR = np.stack([(system.jacobian(q + r) - Phi_q).T @ lam for r in R.T], axis=1)
    squares, modes = eigh(R.T @ KR, R.T @ (system.mass_matrix @ R))
    return SmallSwings(system, np.sqrt(squares), R @ modes)


def four_bar_turn() -> tuple[list[Check], MechanismTurn]:
    """Four-bar linkage through a full turn, against the point where two circles meet."""
    motion = _follow(four_bar(angle=0.0, driven=True), "crank angle", TURN)
    _, B = four_bar_points(TURN)
    return [agree("four-bar", "joint B over a full turn [m]", motion.point("coupler.B"), B, FOLLOWED)], motion


def slider_crank_turn() -> tuple[list[Check], MechanismTurn]:
    """Slider-crank through a full turn, against x = r cos φ + √(l² − r² sin²φ) and its derivative at 1 rad/s."""
    system = slider_crank(CRANK, ROD, angle=0.0)
    motion = _follow(system, "crank angle", TURN)
    drive = system.drive({"crank angle": TURN}, {"crank angle": 1.0})
    rates = MechanismTurn(system, TURN, velocities(system, motion.q, drive).value)
    x, speed = motion.point("slider.B")[:, 0], rates.point("slider.B")[:, 0]
    name = "slider-crank"
    checks = [
        agree(name, "slider over a full turn [m]", x, slider_position(TURN, CRANK, ROD), FOLLOWED),
        agree(name, "its speed at 1 rad/s [m/s]", speed, slider_speed(TURN), FOLLOWED),
    ]
    return checks, motion


def slider_speed(angle: FloatArray) -> FloatArray:
    """Closed form of the slider's speed at 1 rad/s [m/s]: −r sin φ − r² sin φ cos φ / √(l² − r² sin²φ)."""
    across, along = CRANK * np.sin(angle), CRANK * np.cos(angle)
    return -across - across * along / np.sqrt(ROD**2 - across**2)


def parallelogram_turn() -> tuple[list[Check], MechanismTurn]:
    """Parallelogram through both change points, where its bars lie in one line and it could fold the other way.

    There Φ grows with the square of a motion across the line, so ‖Φ‖ < 1e-10 leaves some 1e-5 m; 1.5° beside it, Φ
    grows with the motion, and 1e-10 / sin 1.5° is 4e-9.
    """
    angle = TURN + 0.5 * np.pi
    motion = _follow(four_bar(SIDE, BASE, SIDE, BASE, angle=angle[0], driven=True), "crank angle", angle)
    got, B = motion.point("coupler.B"), np.stack([BASE + SIDE * np.cos(angle), SIDE * np.sin(angle)], axis=-1)
    in_line = np.abs(np.sin(angle)) < 1e-9
    between, at = (four_bar(SIDE, BASE, SIDE, BASE, angle=phi) for phi in (angle[0], 0.0))
    freedoms = [structure(system).degrees_of_freedom for system in (between, at)]
    name = "parallelogram"
    checks = [
        agree(name, "joint B between the change points [m]", got[~in_line], B[~in_line], 1e-8),
        agree(name, "joint B at the two change points [m]", got[in_line], B[in_line], 5e-5),
        same_counts(name, "DoF between/at the change points", freedoms, (1, 2)),
    ]
    return checks, motion


def bennett_turn(expected: Expected) -> tuple[list[Check], MechanismTurn]:
    """Bennett's linkage through its motion, against tan ½θ₁ tan ½θ₂ = sin ½(β+α) / sin ½(β−α)."""
    found = structure(bennett(twist=TWIST, other=OTHER_TWIST))
    counts = (found.coordinates, found.rows, found.rank, len(found.redundant), found.degrees_of_freedom)
    system = bennett(1.0, twist=TWIST, other=OTHER_TWIST, driven=True)
    motion = _follow(system, "hinge angle", TURN + bennett_angles(1.0, TWIST, OTHER_TWIST))
    theta_1, theta_2 = _hinge_angle(motion, "bar4", "bar1"), _hinge_angle(motion, "bar1", "bar2")
    closed = bennett_angles(theta_2, TWIST, OTHER_TWIST)
    name = "Bennett's linkage"
    checks = [
        same_counts(name, "coordinates/rows/rank/redundant/DoF", counts, expected.bennett),
        agree(name, "closure θ₁(θ₂) over a full turn [rad]", np.unwrap(theta_1), np.unwrap(closed), FOLLOWED),
    ]
    return checks, motion


def _hinge_angle(motion: MechanismTurn, before: str, after: str) -> FloatArray:
    """Angle (T,) from one bar to the next about their hinge [rad], in (−π, π]."""
    layout = motion.system.layout
    x, y, axis = (layout.vector(name)(motion.q) for name in (f"{before}.x", f"{after}.x", f"{before}.second"))
    return np.arctan2(np.einsum("ti,ti->t", np.cross(x, y), axis), np.einsum("ti,ti->t", x, y))


def spatial_chain(count: int = 10) -> list[Check]:
    """Rods on spherical joints: 12 coordinates, 6 + 3 rows and 3 degrees of freedom each."""
    found = structure(spatial_pendulum(count))
    counts = (found.coordinates, found.rows, len(found.redundant), found.degrees_of_freedom)
    known = (12 * count, 9 * count, 0, 3 * count)
    return [same_counts(f"chain of {count} rods", "coordinates/rows/redundant/DoF", counts, known)]


def human_counts(expected: Expected) -> list[Check]:
    """Count the human-like tree of 21 bodies, free and with a temporary point at each palm and sole."""
    system = human_system()
    q = np.array(system.reference)
    free, held = structure(system), structure(system, q, contacts=contact_points(system, q[None]))
    of_free = (free.coordinates, free.rows, len(free.redundant), free.degrees_of_freedom)
    of_held = (held.rows, held.rank, held.degrees_of_freedom)
    name = "human-like tree"
    return [
        same_counts(name, "coordinates/rows/redundant/DoF", of_free, expected.human),
        same_counts(name, "rows/rank/DoF, palms and soles held", of_held, expected.human_held),
    ]


def human_consistency(frames: int, expected: Expected) -> tuple[list[Check], SolvedTree]:
    """Make the human-like tree consistent in ``frames`` frames with every body 3 mm and 0.9° astray."""
    tree, system, rng = human_tree(), human_system(), np.random.default_rng(1)
    moving = tree.coordinates(system, human_motion(tree, frames, rng))
    noisy = perturbed(system, moving, rng, position_m=0.003, angle_deg=0.9)
    solver = PositionSolver(system)
    result, seconds = _shortest(lambda: solver.solve(noisy))
    held = solver.solve(noisy, contacts=contact_points(system, noisy))
    few = np.linspace(0, frames - 1, min(frames, 8)).astype(int)
    (plain, _, _), plain_seconds = _shortest(lambda: solve_positions_dense(system, noisy[few]))
    ms, plain_ms = 1e3 * seconds / frames, 1e3 * plain_seconds / few.size
    name, iterations, violation = "human-like tree", expected.iterations, expected.violation
    checks = [
        at_most(name, f"{frames} frames: most iterations", int(result.iterations.max()), iterations, "d"),
        at_most(name, f"{frames} frames: largest ‖Φ‖", float(result.violation.max()), violation, ".2e"),
        at_most(name, "the same, held: most iterations", int(held.iterations.max()), iterations, "d"),
        at_most(name, "the same, held: largest ‖Φ‖", float(held.violation.max()), violation, ".2e"),
        agree(name, f"q of {few.size} frames, by dense algebra", result.q[few], plain, ROUND_OFF),
        shown(name, f"time a frame, {thread_count()} threads", f"{ms:.2f} ms"),
        shown(name, "time a frame, by dense algebra, 1 thread", f"{plain_ms:.1f} ms"),
        shown(name, "dense algebra takes longer by", f"{plain_ms / ms:.0f} ×"),
    ]
    return checks, SolvedTree(system, noisy, result)


def _shortest(work: Callable[[], Result]) -> tuple[Result, float]:
    """Result of ``work``, and the shortest of three times it took [s]: the one least disturbed by other programs."""
    times = [perf_counter()]
    for _ in range(3):
        result = work()
        times.append(perf_counter())
    return result, float(np.diff(times).min())


def _follow(system: System, driver: str, angle: FloatArray) -> MechanismTurn:
    return MechanismTurn(system, angle, follow_drivers(system, system.drive({driver: angle})).q)
