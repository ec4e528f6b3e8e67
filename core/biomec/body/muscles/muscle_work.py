"""What muscles do to the movement: power, work, and each one's share of a joint moment.

    P = −F L̇          positive while the muscle shortens and gives energy, negative while it is stretched and takes it

Over all bodies, Σ_m P_m is the power of the muscles' pulls, so that the energy of the body balances with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.sharing_model import SharingModel
from biomec.recording.session import Result
from biomec.recording.step import step_result

SMALL_NM, SMALL_SHARE = 3.0, 0.2
"""Greatest torques below that, or below this share of the greatest one of the other sense, are not listed."""


@dataclass(frozen=True, eq=False)
class MuscleWork:
    """Power of M muscles in T frames; arrays are read-only.

    power   : (T, M) given to the body [W];  NaN where a frame was not solved
    given, taken : (M,) work while shortening and while being stretched [J], both positive, over the counted frames
    seconds : (M,) time over which work was summed;  counted : (T, M) the frames
    """

    names: tuple[str, ...]
    power: FloatArray
    given: FloatArray
    taken: FloatArray
    seconds: FloatArray
    counted: BoolArray

    @property
    def extremes(self) -> tuple[FloatArray, FloatArray]:
        """(M,) least and greatest power over the counted frames [W]; NaN without any."""
        power = np.where(self.counted, self.power, np.nan)
        known = self.counted.any(axis=0)
        low, high = np.full(known.shape, np.nan), np.full(known.shape, np.nan)
        low[known], high[known] = np.nanmin(power[:, known], axis=0), np.nanmax(power[:, known], axis=0)
        return low, high

    def to_result(self) -> Result:
        """Return what a session stores."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(arrays, None, (), names=self.names)


def muscle_work(
    model: SharingModel, forces: MuscleForces, rate_hz: float, counted: BoolArray | None = None
) -> MuscleWork:
    """Power and work of all muscles; work is the trapezoidal integral over neighbouring known frames.

    counted : (T, M) frames over which work is summed, such as those in which the loads of its joints can be used
    """
    if not rate_hz > 0.0:
        raise BiomecError(f"The work of muscles needs a positive frame rate, not {rate_hz:g} Hz.")
    power = -forces.force * model.speed
    summed = power if counted is None else np.where(counted, power, np.nan)
    given, taken = (_integral(np.maximum(sign * summed, 0.0), rate_hz) for sign in (1.0, -1.0))
    seconds = _integral(np.where(np.isnan(summed), np.nan, 1.0), rate_hz)
    return MuscleWork(
        forces.names, read_only(power), read_only(given), read_only(taken), read_only(seconds),
        read_only(np.isfinite(summed), np.bool_),
    )  # fmt: skip


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


@dataclass(frozen=True)
class TorqueMaker:
    """What a muscle gives to a torque in one frame: [N m] in its sense, and over the whole torque; against it < 0."""

    name: str
    torque_Nm: float
    share: float


@dataclass(frozen=True)
class TorquePeak:
    """Who makes a torque where it is greatest; the shares of all muscles, ribs and ``reserve`` add up to 1.

    title  : "right knee extension";  joint : "right knee";  frame : from 0
    makers : muscles or groups, those that give most first and those against it last
    """

    title: str
    joint: str
    frame: int
    torque_Nm: float
    makers: tuple[TorqueMaker, ...]
    reserve: float


def torque_peaks(
    model: SharingModel, forces: MuscleForces, groups: Mapping[str, str], counted: Mapping[str, BoolArray]
) -> tuple[TorquePeak, ...]:
    """Who makes each torque, where it is greatest in either sense; small ones are left out.

    groups  : muscle -> what it is a part of;  counted : joint -> (T,) frames that may be taken
    """
    found = []
    for k, row in enumerate(forces.rows):
        joint = model.loads.joints[int(model.rows.joint[k])]
        taken = np.isfinite(forces.wanted[:, k]) & np.isfinite(forces.force).all(axis=1)
        taken &= counted.get(joint, np.ones_like(taken))
        if not taken.any():
            continue
        shares = moment_shares(model, forces, row)
        names, torque = shares.grouped(groups)
        largest = float(np.abs(forces.wanted[taken, k]).max())
        for sense, title in ((1.0, row), (-1.0, model.rows.opposite[k])):
            course = np.where(taken, sense * forces.wanted[:, k], -np.inf)
            frame = int(course.argmax())
            whole = float(course[frame])
            if whole < max(SMALL_NM, SMALL_SHARE * largest):
                continue
            parts = sense * torque[frame]
            makers = tuple(
                TorqueMaker(names[g], float(parts[g]), float(parts[g] / whole))
                for g in np.argsort(-parts, kind="stable") if abs(parts[g]) > 0.0
            )  # fmt: skip
            found.append(TorquePeak(title, joint, frame, whole, makers, float(sense * shares.reserve[frame] / whole)))
    return tuple(found)


def greatest_first(values: FloatArray) -> Sequence[int]:
    """Columns of (T, N) by the mean of their sizes, the greatest first."""
    known = np.isfinite(values).all(axis=1) if values.size else np.zeros(len(values), dtype=np.bool_)
    mean = np.abs(values[known]).mean(axis=0) if known.any() else np.zeros(values.shape[1])
    return [int(k) for k in np.argsort(-mean, kind="stable")]
