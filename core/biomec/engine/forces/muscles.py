"""Muscles that move a system: activations and fibres are states, and their cords pull on bodies.

    y = (a, l̃, W_c, W_d)      ȧ = ȧ(e(t), a)      l̃' = v_max ṽ                       [DeGroote2016, Millard2013]
    Q = Σ F_m g_m,            g = −(∂L/∂q)ᵀ       so that −Q·q̇ = Σ F_m L̇_m

W_c is the work that the contractile parts have put in, W_d what damping has taken out [J]; as states they are as exact
as the motion. With the energy E of tendons and passive fibres, T + V + E − W_c + W_d stays what it was.

A path is traced anew in every state, without a memory of sides, so that forces are a function of the state and a step
can be repeated. `HillMuscles.history` traces a whole run and tells where paths changed sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, for_loops, read_only
from biomec.base.errors import BiomecError
from biomec.engine.forces.activation import Excitation
from biomec.engine.forces.hill_curves import CURVES
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.forces.muscle_kernels import muscle_energy, muscle_fibres, muscle_poses, muscle_rates, spread_pulls
from biomec.engine.forces.state_maps import axes_map, state_map
from biomec.engine.layout import GROUND
from biomec.engine.maps import VectorMap
from biomec.engine.paths.cords import CordPaths, Cords
from biomec.engine.system import System

Angles = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Coordinates θ (T, K) [rad] and their axes (T, K, 3), on which paths depend, of attitudes (T, B, 3, 3)."""
ELASTIC, RIGID = "elastic", "rigid"
TENDONS = (ELASTIC, RIGID)


@dataclass(frozen=True)
class MuscleOptions:
    """How muscles work in a simulation.

    tendon   : "elastic", with the fibre length as a state, or "rigid"
    rigid_below : tendons shorter than this many optimal fibre lengths count as rigid; 0: none. They hardly give, and
               their fibres are so quick that steps would have to be tenths of a millisecond
    curves   : "degroote" or "thelen"
    dynamics : whether activation follows excitation with a delay; otherwise it is the excitation
    """

    tendon: str = ELASTIC
    curves: str = "degroote"
    dynamics: bool = True
    rigid_below: float = 0.0

    def __post_init__(self) -> None:
        if self.tendon not in TENDONS or self.curves not in CURVES:
            raise BiomecError(
                f"Muscles: tendons are {' or '.join(TENDONS)} and curves {' or '.join(CURVES)}, not "
                f'"{self.tendon}" and "{self.curves}".'
            )


@dataclass(frozen=True, eq=False)
class MuscleHistory:
    """What M muscles did in T states of a run; arrays are read-only.

    names          : (M,);  time_s : (T,)
    activation     : (T, M);  force : (T, M) of the tendon [N];  length, speed : (T, M) of the path [m], [m/s]
    fibre_length   : (T, M) over the optimal one;  fibre_speed : (T, M) over the greatest one, shortening negative
    elastic_energy : (T,) in tendons and passive fibres [J]
    contractile_work, damping_work : (T,) put in and taken out since the start [J]
    paths          : as traced from state to state
    """

    names: tuple[str, ...]
    time_s: FloatArray
    activation: FloatArray
    force: FloatArray
    length: FloatArray
    speed: FloatArray
    fibre_length: FloatArray
    fibre_speed: FloatArray
    elastic_energy: FloatArray
    contractile_work: FloatArray
    damping_work: FloatArray
    paths: CordPaths


class PathState(NamedTuple):
    """Cords in one state: length, speed (1, M) [m], [m/s], pull (1, P, 6), and origins (3 B,) and axes (9 B,) of the
    bodies.
    """

    length: FloatArray
    speed: FloatArray
    pull: FloatArray
    origins: FloatArray
    axes: FloatArray


class HillMuscles:
    """Muscles along cords over the bodies of a system, "ground" among them; `InnerForces` for any simulation.

    muscles    : parameters, in the order of the cords
    excitation : e(t) (M,), held between 0 and 1
    angles     : of the coordinates on which paths depend, if there are any
    activation : (M,) with which a run begins; the excitation of its start if not given
    """

    def __init__(
        self,
        system: System,
        cords: Cords,
        muscles: HillParameters,
        excitation: Excitation,
        options: MuscleOptions = MuscleOptions(),
        *,
        angles: Angles | None = None,
        activation: ArrayLike | None = None,
    ) -> None:
        self.system, self.cords, self.options, self.excitation = system, cords, options, excitation
        self.muscles = HillParameters(*(np.array(one, dtype=np.float64) for one in muscles))
        self._angles = angles
        count = len(cords.cords)
        _check(cords, self.muscles, angles)
        self._begin = None if activation is None else np.array(activation, dtype=np.float64)
        if self._begin is not None and not (self._begin.shape == (count,) and _between(self._begin)):
            raise BiomecError(f"Muscles: {count} activations between 0 and 1 are needed to begin with.")
        for name in cords.bodies:
            if name != GROUND:
                system.layout.body(name, "Muscles")
        self._origins = state_map([_origin(system, name) for name in cords.bodies])
        self._axes = axes_map(system, cords.bodies)
        self.curves = CURVES[options.curves]
        long = self.muscles.lts >= options.rigid_below * self.muscles.lopt
        self.elastic: BoolArray = long & (self.muscles.lts > 0.0) & (options.tendon == ELASTIC)

    @property
    def names(self) -> tuple[str, ...]:
        """(M,) of the muscles."""
        return self.cords.names

    @property
    def count(self) -> int:
        """Number M of muscles."""
        return len(self.cords.cords)

    @property
    def size(self) -> int:
        """Number of states: activation and fibre length of each, work put in and taken out."""
        return 2 * self.count + 2

    # ------------------------------------------------------------------ a simulation

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """States of muscles whose fibres are in equilibrium with their tendons, as if the path stood still."""
        a = self._excited(t) if self._begin is None else self._begin
        return np.concatenate([a, self._fibres(self.path(q, qdot).length[0], a), np.zeros(2)])

    def rates(self, t: float, q: FloatArray, qdot: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Generalised forces Q (n,) and ẏ."""
        path = self.path(q, qdot)
        force, rate = self.pulling(t, path.length[0], path.speed[0], y)
        return self.generalised(path, force), rate

    def path(self, q: FloatArray, qdot: FloatArray) -> PathState:
        """Paths in one state (n,), (n,)."""
        bodies = len(self.cords.bodies)
        R, p, twist = np.empty((1, bodies, 3, 3)), np.empty((1, bodies, 3)), np.empty((1, bodies, 6))
        axes = np.empty(9 * bodies)
        muscle_poses(self._origins, self._axes, for_loops(q), for_loops(qdot), R[0], p[0], twist[0], axes)
        theta, turning = (None, None) if self._angles is None else self._angles(R)
        found = self.cords.trace(R, p, twist=twist, theta=theta, turning=turning)
        return PathState(found.length, found.speed, found.pull, p.ravel(), axes)

    def pulling(self, t: float, length: FloatArray, speed: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Forces (M,) of the tendons [N] and ẏ (k,), with paths (M,) of a length and speed."""
        force, rate = np.empty(self.count), np.empty(self.size)
        muscle_rates(
            self.muscles, for_loops(length), for_loops(speed), for_loops(y), self._excited(t), self.curves,
            self.elastic, self.options.dynamics, force, rate,
        )  # fmt: skip
        return force, rate

    def generalised(self, path: PathState, force: FloatArray) -> FloatArray:
        """Q (n,) of tensions (M,) [N] in a state: what they do to bodies, through their points and axes."""
        Q = np.zeros(self.system.n)
        spread_pulls(self._origins, self._axes, path.origins, path.axes, self.cords.tables.pair_body,
                     self.cords.pair_cord, for_loops(path.pull[0]), for_loops(force), Q)  # fmt: skip
        return Q

    def _excited(self, t: float) -> FloatArray:
        e = np.asarray(self.excitation(t), dtype=np.float64)
        if e.shape != (self.count,) or np.isnan(e).any():
            raise BiomecError(f"Muscles: at {t:.4f} s the excitation is not {self.count} numbers.")
        return np.clip(e, 0.0, 1.0)

    def _fibres(self, length: FloatArray, activation: FloatArray) -> FloatArray:
        """Fibre lengths (M,) over the optimal ones of muscles that stand still."""
        fibre = np.empty(self.count)
        muscle_fibres(self.muscles, for_loops(length), for_loops(activation), self.curves, self.elastic, fibre)
        return fibre

    # ------------------------------------------------------------------ afterwards

    def history(self, time_s: FloatArray, q: FloatArray, qdot: FloatArray, y: FloatArray) -> MuscleHistory:
        """What the muscles did in the states (T, n), (T, n), (T, k) of a run."""
        frames, bodies, M = len(q), len(self.cords.bodies), self.count
        R, p, twist = np.empty((frames, bodies, 3, 3)), np.empty((frames, bodies, 3)), np.empty((frames, bodies, 6))
        axes = np.empty(9 * bodies)
        for k in range(frames):
            muscle_poses(self._origins, self._axes, for_loops(q[k]), for_loops(qdot[k]), R[k], p[k], twist[k], axes)
        theta, turning = (None, None) if self._angles is None else self._angles(R)
        paths = self.cords.trace(R, p, twist=twist, theta=theta, turning=turning)
        force, fibre_speed, energy = np.empty((frames, M)), np.empty((frames, M)), np.empty(frames)
        activation, fibre = np.array(y[:, :M]), np.array(y[:, M : 2 * M])
        for k in range(frames):
            t, length = float(time_s[k]), paths.length[k]
            if not self.options.dynamics:
                activation[k] = self._excited(t)
            fibre[k] = np.where(self.elastic, fibre[k], self._fibres(length, activation[k]))
            force[k], rate = self.pulling(t, length, paths.speed[k], y[k])
            fibre_speed[k] = rate[M : 2 * M] / self.muscles.vmax
            energy[k] = muscle_energy(self.muscles, for_loops(length), for_loops(fibre[k]), self.curves, self.elastic)
        return MuscleHistory(
            self.names, read_only(time_s), read_only(activation), read_only(force), paths.length, paths.speed,
            read_only(fibre), read_only(fibre_speed), read_only(energy), read_only(y[:, 2 * M]),
            read_only(y[:, 2 * M + 1]), paths,
        )  # fmt: skip


def _check(cords: Cords, muscles: HillParameters, angles: Angles | None) -> None:
    count = len(cords.cords)
    if any(one.shape != (count,) for one in muscles):
        raise BiomecError(f"Muscles: there are {count} paths, but not the parameters of as many muscles.")
    if cords.coordinates and angles is None:
        raise BiomecError(
            "Muscles: some paths depend on joint angles, and nobody says how these follow from the bodies. Give angles."
        )
    for name, fmax, lopt, lts, pennation, vmax in zip(cords.names, *muscles, strict=True):
        if not (all(0.0 < one < np.inf for one in (fmax, lopt, vmax)) and 0.0 <= lts < np.inf):
            raise BiomecError(
                f"Muscle {name}: force, fibre length and speed must be positive numbers, and the tendon's length not "
                "negative."
            )
        if not 0.0 <= pennation < 0.5 * np.pi:
            raise BiomecError(f"Muscle {name}: the pennation must be at least 0 and less than 90°.")


def _between(values: FloatArray) -> bool:
    return bool(((values >= 0.0) & (values <= 1.0)).all())


def _origin(system: System, name: str) -> VectorMap:
    if name == GROUND:
        return VectorMap.fixed(np.zeros(3))
    return system.layout.point(f"{name}.origin", "Muscles")
