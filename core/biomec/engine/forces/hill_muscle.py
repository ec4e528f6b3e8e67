"""Forces of Hill muscles: a contractile and a passive part at an angle to a tendon, as wide as at rest.

    h = lopt sin α₀        fibre length l = √(h² + (L − l_T)²)        cos α = (L − l_T)/l

With a *rigid tendon* l_T = lts, the fibre follows the path (length L, speed L̇):

    ṽ = L̇ cos α/(v_max lopt)     F = a Fopt + Fpas,   Fopt = Fmax f_L f_V cos α,   Fpas = Fmax f_P cos α

f_P is held at 1 there: a fibre that seems to be stretched further has a path that does not fit it, which is reported.

With an *elastic tendon* the normalised fibre length l̃ is a state:

    f_T(l_T/lts) = (a f_L(l̃) f_V(ṽ) + f_P(l̃) + β ṽ) cos α,     l_T = L − l cos α,     l̃' = v_max ṽ

β > 0 makes the right side rise with ṽ whatever the activation, so that ṽ is unique. [DeGroote2016, Millard2013]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.forces.hill_curves import (
    DEGROOTE,
    THELEN,
    active_length,
    damped_velocity,
    force_velocity,
    passive_energy,
    passive_length,
    tendon_energy,
    tendon_force,
)

WORKING, SLACK, SHORT, STRETCHED, FAST, UNKNOWN = 0, 1, 2, 3, 4, 5
STATE_WORDS = {
    WORKING: "within its working range",
    SLACK: "slack: the tendon alone is longer than the path",
    SHORT: "too short: fibres below 0.4 of their optimal length",
    STRETCHED: "overstretched: fibres above 1.6 of their optimal length",
    FAST: "too fast: fibres beyond their greatest velocity",
    UNKNOWN: "path not known",
}
SLACK_BELOW = 0.05  # of lopt: along the tendon, the fibres are shorter than that
SHORTEST, LONGEST = 0.4, 1.6  # of lopt
DAMPING = 0.1  # β
_STEPS = 100


class HillParameters(NamedTuple):
    """M muscles. fmax [N], lopt and lts [m], pennation at optimal length [rad], vmax [lopt/s]; each (M,)."""

    fmax: FloatArray
    lopt: FloatArray
    lts: FloatArray
    pennation: FloatArray
    vmax: FloatArray


class RigidTendon(NamedTuple):
    """Muscles whose tendons do not give, in T frames; arrays are read-only.

    optimum, passive : (T, M) force along the tendon at full activation, and with none [N]
    fibre_length     : (T, M) over the optimal one;  fibre_speed : (T, M) over the greatest one, shortening negative
    cosine           : (T, M) of the pennation
    state            : (T, M) as in `STATE_WORDS`; slack muscles have no force
    """

    optimum: FloatArray
    passive: FloatArray
    fibre_length: FloatArray
    fibre_speed: FloatArray
    cosine: FloatArray
    state: NDArray[np.uint8]


def rigid_tendon(muscles: HillParameters, length: FloatArray, speed: FloatArray, curves: int = DEGROOTE) -> RigidTendon:
    """Forces at path lengths (T, M) [m] and speeds [m/s]. NaN lengths give NaN forces."""
    optimum, passive, fibre_length, fibre_speed, cosine = np.empty((5, *length.shape))
    state = np.empty(length.shape, dtype=np.uint8)
    made = RigidTendon(optimum, passive, fibre_length, fibre_speed, cosine, state)
    rigid_forces(muscles, np.ascontiguousarray(length), np.ascontiguousarray(speed), curves, made)
    for array in made:  # made here, so that nobody else holds them: no copy is needed
        array.setflags(write=False)
    return made


@compiled
def rigid_forces(
    muscles: HillParameters,
    length: FloatArray,
    speed: FloatArray,
    curves: int,
    made: RigidTendon,
) -> None:
    """Fill forces of rigid tendons at lengths and speeds (T, M)."""
    optimum, passive, fibre_length, fibre_speed, cosine, state = made
    sines = np.sin(muscles.pennation)
    for t in range(length.shape[0]):
        for m in range(length.shape[1]):
            lopt = muscles.lopt[m]
            along = length[t, m] - muscles.lts[m]
            if not np.isfinite(along):
                optimum[t, m] = passive[t, m] = fibre_length[t, m] = fibre_speed[t, m] = cosine[t, m] = np.nan
                state[t, m] = UNKNOWN
                continue
            if along < SLACK_BELOW * lopt:
                optimum[t, m] = passive[t, m] = fibre_speed[t, m] = cosine[t, m] = 0.0
                fibre_length[t, m] = sines[m]
                state[t, m] = SLACK
                continue
            width = lopt * sines[m]
            fibre = np.sqrt(width * width + along * along)
            c = along / fibre
            l, v = fibre / lopt, speed[t, m] * c / (muscles.vmax[m] * lopt)
            f_L, _ = active_length(curves, l)
            f_V, _ = force_velocity(curves, v, 1.0)
            f_P, _ = passive_length(curves, l)
            optimum[t, m] = muscles.fmax[m] * f_L * f_V * c
            passive[t, m] = muscles.fmax[m] * min(f_P, 1.0) * c
            fibre_length[t, m], fibre_speed[t, m], cosine[t, m] = l, v, c
            if l > LONGEST:
                state[t, m] = STRETCHED
            elif l < SHORTEST:
                state[t, m] = SHORT
            elif abs(v) > 1.0:
                state[t, m] = FAST
            else:
                state[t, m] = WORKING


class ElasticMuscle(NamedTuple):
    """One muscle: as `HillParameters` has it."""

    fmax: float
    lopt: float
    lts: float
    pennation: float
    vmax: float


@compiled
def elastic_rate(
    muscle: ElasticMuscle, path: float, fibre: float, activation: float, curves: int
) -> tuple[float, float]:
    """ṽ of the fibre, whose length l̃ changes by v_max ṽ a second, and the force of the tendon [N].

    path : L [m];  fibre : l̃, which must exceed sin α₀
    """
    stretch, c = _tendon_stretch(muscle, path, fibre)
    pull, _ = tendon_force(curves, stretch)
    f_L, _ = active_length(curves, fibre)
    f_P, _ = passive_length(curves, fibre)
    ability, wanted = activation * f_L, pull / c - f_P
    if curves == THELEN:
        return damped_velocity(ability, DAMPING, wanted, activation), muscle.fmax * pull
    low, high = (wanted - 2.0 * ability) / DAMPING, wanted / DAMPING  # 0 ≤ f_V < 2
    v = min(max(0.0, low), high)
    for _ in range(_STEPS):
        f_V, slope = force_velocity(curves, v, activation)
        off = ability * f_V + DAMPING * v - wanted
        if off > 0.0:
            high = v
        else:
            low = v
        step = off / (ability * slope + DAMPING)
        if abs(step) <= 1e-15 * (1.0 + abs(v)):
            break
        v -= step
        if not low <= v <= high:
            v = 0.5 * (low + high)
    return v, muscle.fmax * pull


@compiled
def elastic_equilibrium(muscle: ElasticMuscle, path: float, activation: float, curves: int) -> float:
    """l̃ at which fibre and tendon of a muscle that stands still pull alike; at most that of a slack tendon.

    The tendon pulls more, the shorter the fibre: at the shortest fibre it wins, with a slack tendon the fibre does.
    """
    width = np.sin(muscle.pennation)
    slack = max(path - muscle.lts, 0.0) / muscle.lopt
    low, high = max(width, 1e-3) * (1.0 + 1e-9), np.sqrt(width * width + slack * slack)
    if high <= low:
        return float(low)
    for _ in range(_STEPS):
        fibre = 0.5 * (low + high)
        stretch, c = _tendon_stretch(muscle, path, fibre)
        pull, _ = tendon_force(curves, stretch)
        f_L, _ = active_length(curves, fibre)
        f_P, _ = passive_length(curves, fibre)
        if (activation * f_L + f_P) * c < pull:
            low = fibre
        else:
            high = fibre
    return float(0.5 * (low + high))


@compiled
def elastic_energy(muscle: ElasticMuscle, path: float, fibre: float, curves: int) -> float:
    """Energy in tendon and passive fibre [J]."""
    stretch, _ = _tendon_stretch(muscle, path, fibre)
    tendon = muscle.lts * tendon_energy(curves, stretch)
    return muscle.fmax * (tendon + muscle.lopt * passive_energy(curves, fibre))


@compiled
def contractile_powers(
    muscle: ElasticMuscle, fibre: float, fibre_speed: float, activation: float, curves: int
) -> tuple[float, float]:
    """What the contractile part puts in, and what the damping takes out [W].

    −Fmax a f_L f_V · v_max lopt ṽ, positive while shortening, and Fmax β ṽ · v_max lopt ṽ. With the energy E of
    `elastic_energy` and the force F of the tendon, E' = F L' + put in − taken out.
    """
    f_L, _ = active_length(curves, fibre)
    f_V, _ = force_velocity(curves, fibre_speed, activation)
    rate = muscle.fmax * muscle.vmax * muscle.lopt * fibre_speed
    return -activation * f_L * f_V * rate, DAMPING * fibre_speed * rate


@compiled
def _tendon_stretch(muscle: ElasticMuscle, path: float, fibre: float) -> tuple[float, float]:
    """l_T/lts and cos α of a fibre l̃."""
    sine = np.sin(muscle.pennation) / fibre
    c = np.sqrt(max(1.0 - sine * sine, 1e-12))
    return (path - muscle.lopt * fibre * c) / muscle.lts, c
