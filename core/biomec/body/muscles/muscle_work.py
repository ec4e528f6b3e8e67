"""What muscles do to the movement: power, work, and each one's share of a joint moment.

    P = −F L̇          positive while the muscle shortens and gives energy, negative while it is stretched and takes it

Over all bodies, Σ_m P_m is the power of the muscles' pulls, so that the energy of the body balances with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.sharing_model import SharingModel
from biomec.recording.session import Result
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class MuscleWork:
    """Power of M muscles in T frames; arrays are read-only.

    power   : (T, M) given to the body [W];  NaN where a frame was not solved
    given, taken : (M,) work while shortening and while being stretched [J], both positive, over the known frames
    """

    names: tuple[str, ...]
    power: FloatArray
    given: FloatArray
    taken: FloatArray

    def to_result(self) -> Result:
        """Return what a session stores."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(arrays, None, (), names=self.names)


def muscle_work(model: SharingModel, forces: MuscleForces, rate_hz: float) -> MuscleWork:
    """Power and work of all muscles; work is the trapezoidal integral over neighbouring known frames."""
    if not rate_hz > 0.0:
        raise BiomecError(f"The work of muscles needs a positive frame rate, not {rate_hz:g} Hz.")
    power = -forces.force * model.speed
    given, taken = (_integral(np.maximum(sign * power, 0.0), rate_hz) for sign in (1.0, -1.0))
    return MuscleWork(forces.names, read_only(power), read_only(given), read_only(taken))


def _integral(values: FloatArray, rate_hz: float) -> FloatArray:
    """∫ dt of columns (T, M), over pairs of neighbouring frames that are both known."""
    return np.asarray(np.nan_to_num(0.5 * (values[1:] + values[:-1])).sum(axis=0) / rate_hz)


@dataclass(frozen=True, eq=False)
class MomentShares:
    """What makes one torque, (T, …) [N m]; the parts add up to ``total``.

    row     : the torque, such as "right hip flexion";  total : (T,) net torque
    muscles : (E,) that cross the joint, the greatest first;  torque : (T, E)
    reserve : (T,) that no muscle carries;  ribs : (T,) of the ribs pushing
    """

    row: str
    total: FloatArray
    muscles: tuple[str, ...]
    torque: FloatArray
    reserve: FloatArray
    ribs: FloatArray

    def grouped(self, groups: Mapping[str, str]) -> tuple[tuple[str, ...], FloatArray]:
        """Groups, the greatest first, and their torques (T, G); ``groups``: muscle -> group."""
        names = tuple(dict.fromkeys(groups.get(one, one) for one in self.muscles))
        member = np.array([[groups.get(one, one) == name for name in names] for one in self.muscles], dtype=np.float64)
        torque = self.torque @ member.reshape(len(self.muscles), len(names))
        order = greatest_first(torque)
        return tuple(names[k] for k in order), torque[:, order]


def moment_shares(model: SharingModel, forces: MuscleForces, row: str) -> MomentShares:
    """Each muscle's share of one torque."""
    if row not in forces.rows:
        raise BiomecError(f"The torque {row} was not shared among muscles; there are {', '.join(forces.rows)}.")
    k = forces.rows.index(row)
    torque = model.arms[:, :, k] * forces.force
    crossing = np.flatnonzero(np.nan_to_num(model.arms[:, :, k]).any(axis=0))
    order = crossing[greatest_first(torque[:, crossing])]
    ribs = np.einsum("tc,tc->t", forces.rib_force, model.rib_arms[:, : len(forces.ribs), k])
    return MomentShares(
        row, forces.wanted[:, k], tuple(forces.names[m] for m in order), read_only(torque[:, order]),
        forces.reserve[:, k], read_only(ribs),
    )  # fmt: skip


def greatest_first(values: FloatArray) -> Sequence[int]:
    """Columns of (T, N) by the mean of their sizes, the greatest first."""
    known = np.isfinite(values).all(axis=1) if values.size else np.zeros(len(values), dtype=np.bool_)
    mean = np.abs(values[known]).mean(axis=0) if known.any() else np.zeros(values.shape[1])
    return [int(k) for k in np.argsort(-mean, kind="stable")]
