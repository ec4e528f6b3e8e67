"""Two spheres collide head-on: how the contact laws differ on the simplest of impacts [Markus2015]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.contact.force_laws import HYSTERESIS, ContactLaw


@dataclass(frozen=True)
class SphereImpact:
    """Deepest overlap [m], largest force [N], duration [s], speed after over before, and energy lost [J]."""

    law: str
    depth_m: float
    force_N: float
    duration_s: float
    restitution: float
    loss_J: float


def collide(law: ContactLaw, masses: tuple[float, float] = (0.092, 0.092), closing_speed: float = 0.3) -> SphereImpact:
    """Two free spheres [kg] that close at a speed [m/s] collide and part: m δ̈ = −F with the reduced mass."""
    from scipy.integrate import solve_ivp

    mass = masses[0] * masses[1] / (masses[0] + masses[1])
    length = (1.25 * mass * closing_speed**2 / law.stiffness) ** 0.4  # Hertz's deepest overlap
    time = length / closing_speed  # scales make every impact one of order 1

    def rates(_: float, y: FloatArray) -> list[float]:
        force = float(law.force(y[0] * length, y[1] * closing_speed, closing_speed))
        return [float(y[1]), -force * time / (mass * closing_speed)]

    def parted(_: float, y: FloatArray) -> float:
        return float(y[0])

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    run = solve_ivp(
        rates, (0.0, 1e4), [0.0, 1.0], method="DOP853", rtol=1e-11, atol=1e-13, events=parted, max_step=0.04
    )
    depth, speed = run.y[0] * length, run.y[1] * closing_speed
    force = law.force(depth, speed, closing_speed)
    peak = int(np.argmax(force))
    near = slice(max(peak - 1, 0), peak + 2)
    after = float(-speed[-1] / closing_speed)
    return SphereImpact(
        law.name,
        float(_top(run.t[_around(depth)], depth[_around(depth)])),
        float(_top(run.t[near], force[near])),
        float(run.t[-1] * time),
        after,
        0.5 * mass * closing_speed**2 * (1.0 - after**2),
    )


def compare(
    stiffness: float = 5.5e9, restitution: float = 0.7, laws: Sequence[str] = tuple(HYSTERESIS)
) -> tuple[SphereImpact, ...]:
    """The published comparison: spheres of 20 mm and 0.092 kg that close at 0.3 m/s, by each law."""
    return tuple(collide(ContactLaw(name, stiffness, 1.5, restitution)) for name in laws)


def _around(values: FloatArray) -> slice:
    top = int(np.argmax(values))
    return slice(max(top - 1, 0), top + 2)


def _top(t: FloatArray, x: FloatArray) -> float:
    """Largest value of the parabola through three samples."""
    if len(t) < 3:
        return float(x.max())
    a, b, c = np.polyfit(t - t[1], x, 2)
    return float(c - b**2 / (4.0 * a)) if a < 0.0 else float(x.max())
