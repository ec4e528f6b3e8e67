"""Criteria of injury from a blow, and how near every part of the neck comes to its limits.

    HIC_Δ = max (t₂ − t₁) [∫ a dt/(t₂ − t₁)]^2.5, t₂ − t₁ ≤ Δ, a in g            [Mouzo2018] Eq. 4.13
    BrIC  = √Σ (max|ω_k|/ω_kC)²                                                  [Mouzo2018] Eq. 4.12, [Takhounts2013]
    NIC   = 0.2 a_rel + v_rel²                                                   [Bostrom1996]
    N_ij  = F_z/F_int + M_y/M_int                                                [Eppinger1999]
    N_km  = |F_x|/F_int + M_y/M_int                                              [Schmitt2002]

The source computes HIC over 15 ms, BrIC and ranges of motion. The others are additions; no figure of it checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.base.frozen import FrozenDict
from biomec.base.physics import GRAVITY
from biomec.machines.head_neck.impact import Impact

CRITICAL_RAD_S = np.array([66.25, 56.45, 42.87])
"""ω_C about x, y, z of the head ([Takhounts2013])."""
HIC_RISK = ((1.54, 0.0065), (2.49, 0.00483), (3.39, 0.00372), (4.90, 0.00351), (7.82, 0.00429), (12.24, 0.00565))
"""a, b of P(AIS ≥ k) = 1/(1 + exp(a + 200/HIC − b HIC)), k = 1 … 6 ([PrasadMertz1985], expanded by [NHTSA1995])."""
BRIC_RISK = (0.120, 0.602, 0.987, 1.204, 1.252)
"""λ of P(AIS ≥ k) = 1 − exp(−(BrIC/λ)^2.84), k = 1 … 5 ([Takhounts2013])."""
AIS = ("minor", "moderate", "serious", "severe", "critical", "fatal")
NIJ_INTERCEPTS = (6806.0, 6160.0, 310.0, 135.0)
"""Tension, compression [N], flexion, extension [N·m] of a man of average size ([Eppinger1999])."""
NKM_INTERCEPTS = (845.0, 845.0, 88.1, 47.5)
"""Shear forwards and backwards [N], flexion, extension [N·m] ([Schmitt2002])."""
NIC_LIMIT = 15.0
"""[m²/s²] ([Bostrom1996])."""
RANGES_DEG: Mapping[str, float] = FrozenDict({
    "C0": 25.0, "C1": 20.0, "C2": 10.0, "C3": 15.0, "C4": 20.0, "C5": 20.0, "C6": 17.0, "C7": 9.0,
})  # fmt: skip
"""Flexion and extension together of a bone on the one below it ([WhitePanjabi1990])."""
STRAIN_LIMITS: Mapping[str, float] = FrozenDict({
    "anterior longitudinal": 0.308, "posterior longitudinal": 0.182, "flavum": 0.77, "interspinous": 0.609,
    "capsular": 1.48,
})  # fmt: skip
"""Mean strain at failure between C2 and C5 ([Yoganandan2001]); `OTHER_LIMIT` for ligaments that it does not hold."""
OTHER_LIMIT = 0.3


def strain_limit(ligament: str) -> float:
    """Strain at failure of a ligament, by its name."""
    return next((value for word, value in STRAIN_LIMITS.items() if ligament.startswith(word)), OTHER_LIMIT)


@compiled
def _criterion(impulse: FloatArray, step: float, window: int, peak: FloatArray) -> tuple[float, int, int]:
    """Greatest (Δv)^2.5/(Δt)^1.5 over windows of at most ``window`` steps, and where it begins and ends.

    impulse : (K,) ∫ a dt;  peak : (K,) greatest a within the window that begins there. No window of it exceeds
              Δv_total a_max^1.5, so that most are passed over
    """
    best, begin, end = 0.0, 0, 0
    K = impulse.size
    for i in range(K - 1):
        last = min(i + window, K - 1)
        if (impulse[last] - impulse[i]) * peak[i] ** 1.5 <= best:
            continue
        for j in range(i + 1, last + 1):
            gain, span = impulse[j] - impulse[i], step * (j - i)
            mean = gain / span
            value = span * mean * mean * np.sqrt(mean)
            if value > best:
                best, begin, end = value, i, j
    return best, begin, end


@dataclass(frozen=True)
class HeadInjuryCriterion:
    """HIC and the interval [s] that gives it."""

    value: float
    begin_s: float
    end_s: float


def head_injury_criterion(acceleration_g: FloatArray, step_s: float, window_s: float) -> HeadInjuryCriterion:
    """HIC of the resultant acceleration (K,) [g] at equal steps, over intervals up to ``window_s``."""
    a = np.ascontiguousarray(acceleration_g, dtype=np.float64)
    impulse = np.concatenate([[0.0], np.cumsum(0.5 * step_s * (a[1:] + a[:-1]))])
    window = max(1, min(int(np.floor(window_s / step_s + 1e-9)), a.size))
    value, begin, end = _criterion(impulse, step_s, window, _greatest_ahead(a, window))
    return HeadInjuryCriterion(float(value), begin * step_s, end * step_s)


@compiled
def _greatest_ahead(a: FloatArray, window: int) -> FloatArray:
    """Greatest value of a[i … i + window], of every i."""
    K = a.size
    found, queue, first, last = np.empty(K), np.empty(K, dtype=np.int64), 0, 0
    for i in range(K - 1, -1, -1):
        while last > first and a[queue[last - 1]] <= a[i]:
            last -= 1
        queue[last] = i
        last += 1
        while queue[first] > i + window:
            first += 1
        found[i] = a[queue[first]]
    return found


def brain_injury_criterion(angular_velocity: FloatArray) -> float:
    """BrIC of angular velocities (K, 3) [rad/s] in the head's axes."""
    return float(np.linalg.norm(np.abs(angular_velocity).max(axis=0) / CRITICAL_RAD_S))


def risks_of_hic(hic: float) -> dict[str, float]:
    """P(AIS ≥ k) of a HIC15, 0 to 1, by the words of `AIS`."""
    if not hic > 0.0:
        return dict.fromkeys(AIS, 0.0)
    return {word: float(expit(b * hic - a - 200.0 / float(hic))) for word, (a, b) in zip(AIS, HIC_RISK, strict=True)}


def risks_of_bric(bric: float) -> dict[str, float]:
    """P(AIS ≥ k) of a BrIC, 0 to 1, by the words of `AIS`, but the last."""
    return {word: float(-np.expm1(-((bric / scale) ** 2.84))) for word, scale in zip(AIS, BRIC_RISK, strict=False)}


@dataclass(frozen=True)
class LevelMotion:
    """How far a bone turned on the one below it: least and greatest φ_y from the initial pose [deg], flexion positive.

    limit : half of flexion and extension together; the initial pose is taken as the middle of the range
    """

    name: str
    extension_deg: float
    flexion_deg: float
    limit_deg: float

    @property
    def exceeded(self) -> bool:
        """Whether it turned past its limit."""
        return max(self.flexion_deg, self.extension_deg) > self.limit_deg


@dataclass(frozen=True)
class Strained:
    """Greatest strain and force [N] of a ligament, its limit, and when it passes that [s]; NaN if it does not."""

    name: str
    strain: float
    force: float
    limit: float
    passed_s: float


@dataclass(frozen=True, eq=False)
class Measures:
    """Everything that is read off an impact."""

    impact: Impact

    @cached_property
    def acceleration_g(self) -> FloatArray:
        """Resultant acceleration (K,) of the head's centre of mass [g]."""
        return np.asarray(np.linalg.norm(self.impact.acceleration, axis=1) / GRAVITY)

    @cached_property
    def hic15(self) -> HeadInjuryCriterion:
        """HIC over 15 ms."""
        return head_injury_criterion(self.acceleration_g, self.impact.options.step_s, 0.015)

    @cached_property
    def hic36(self) -> HeadInjuryCriterion:
        """HIC over 36 ms."""
        return head_injury_criterion(self.acceleration_g, self.impact.options.step_s, 0.036)

    @cached_property
    def bric(self) -> float:
        """BrIC."""
        return brain_injury_criterion(self.impact.angular_velocity)

    @property
    def peak_g(self) -> float:
        """Greatest acceleration of the head's centre of mass [g]."""
        return float(self.acceleration_g.max())

    @property
    def peak_angular_velocity(self) -> float:
        """Greatest angular speed of the head [rad/s]."""
        return float(np.linalg.norm(self.impact.angular_velocity, axis=1).max())

    @cached_property
    def peak_angular_acceleration(self) -> float:
        """Greatest angular acceleration of the head [rad/s²]: ω̇ in its axes is that in any."""
        rate = np.diff(self.impact.angular_velocity, axis=0) / self.impact.options.step_s
        return float(np.linalg.norm(rate, axis=1).max(initial=0.0))

    @cached_property
    def nic(self) -> FloatArray:
        """NIC (F,) [m²/s²] of T1, which stands still, relative to C1, forwards."""
        a, v = -self.impact.c1_acceleration[:, 0], -self.impact.c1_velocity[:, 0]
        return np.asarray(0.2 * a + v * v)

    @cached_property
    def neck_loads(self) -> FloatArray:
        """(F, 3) shear forwards, tension [N], flexing moment [N·m] that the head exerts on the neck at C0's origin."""
        f, m = self.impact.neck_force, self.impact.neck_moment
        return np.column_stack([-f[:, 0], -f[:, 2], -m[:, 1]])

    @cached_property
    def nij(self) -> Mapping[str, float]:
        """Greatest N_ij by tension or compression with flexion or extension, such as ``tension-extension``."""
        _, tension, moment = self.neck_loads.T
        pull, push, flexed, extended = NIJ_INTERCEPTS
        return _combined(tension, moment, (pull, push), (flexed, extended), ("tension", "compression"))

    @cached_property
    def nkm(self) -> Mapping[str, float]:
        """Greatest N_km by shear forwards or backwards with flexion or extension, such as ``forwards-flexion``."""
        shear, _, moment = self.neck_loads.T
        ahead, back, flexed, extended = NKM_INTERCEPTS
        return _combined(shear, moment, (ahead, back), (flexed, extended), ("forwards", "backwards"))

    @cached_property
    def levels(self) -> tuple[LevelMotion, ...]:
        """Motion of every level, from C7 up."""
        turn = np.rad2deg(self.impact.z[:, :, 4] - self.impact.z[0, :, 4])
        return tuple(
            LevelMotion(one.name, float(-angle.min()), float(angle.max()), 0.5 * RANGES_DEG.get(one.name, np.inf))
            for one, angle in zip(self.impact.model.bones, turn.T, strict=True)
        )

    @cached_property
    def ligaments(self) -> tuple[Strained, ...]:
        """Ligaments in the order in which they pass their limits; those that do not follow by strain over limit."""
        found = []
        for n, one in enumerate(self.impact.model.ligaments):
            strain = self.impact.ligament_strain[:, n]
            limit = strain_limit(one.name)
            past = np.flatnonzero(strain > limit)
            when = float(self.impact.time_s[past[0]]) if past.size else np.nan
            found.append(
                Strained(one.name, float(strain.max()), float(self.impact.ligament_force[:, n].max()), limit, when)
            )
        return tuple(sorted(found, key=lambda s: (np.nan_to_num(s.passed_s, nan=np.inf), -s.strain / s.limit)))

    @property
    def peak_forces(self) -> dict[str, float]:
        """Greatest force of every disc, facet contact and muscle [N], by name."""
        impact, model = self.impact, self.impact.model
        discs = np.linalg.norm(impact.disc_load[:, :, :3], axis=2).max(axis=0)
        return {
            **{f"disc {one.name}": float(f) for one, f in zip(model.discs, discs, strict=True)},
            **{one.name: float(f) for one, f in zip(model.contacts, impact.contact_force.max(axis=0), strict=True)},
            **{one.name: float(f) for one, f in zip(model.muscles, impact.muscle_force.max(axis=0), strict=True)},
        }


def _combined(
    force: FloatArray,
    moment: FloatArray,
    forces: tuple[float, float],
    moments: tuple[float, float],
    words: tuple[str, str],
) -> Mapping[str, float]:
    """Greatest |F|/F_int + |M|/M_int for each pair of signs; 0 for one that does not occur."""
    found = {}
    for word, side, most in zip(words, (force, -force), forces, strict=True):
        for turn, way, bend in zip(("flexion", "extension"), (moment, -moment), moments, strict=True):
            both = (side >= 0.0) & (way >= 0.0)
            found[f"{word}-{turn}"] = float((side[both] / most + way[both] / bend).max(initial=0.0))
    return FrozenDict(found)
