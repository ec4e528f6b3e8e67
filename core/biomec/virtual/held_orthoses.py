"""Where orthoses that are bodies of their own are on a leg: nothing but springs, cuffs and weight holds them.

Their hinges turn by a and b, and about each axis

    τ(a, b, ȧ, …) = −k θ − c θ̇          θ from standing, k and c of the spring there

where τ is what changes the momentum of all beyond the hinge (`virtual.loads`), less what weight and cuffs do. A steady
walk repeats itself, so that a and b are Fourier series of a stride, corrected harmonic by harmonic until this holds:
δ = −(K + i ω C)⁻¹ r with the remainder r. Nothing of the engine's dynamics is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.anatomy.model import SpringDefinition
from biomec.body.loads.ground_reaction import GroundReaction
from biomec.virtual.jets import Jet, harmonics
from biomec.virtual.loads import carried_loads
from biomec.virtual.skeleton import Placed, Skeleton

HARMONICS = 24
ROUNDS = 12
SETTLED_NM = 1e-3  # a harmonic of the remainder that is smaller needs no further round
NUDGE = 1e-4  # [rad] for the stiffness


@dataclass(frozen=True, eq=False)
class HeldOrthosis:
    """An orthosis of a leg and what holds it, in the order ankle, knee: names of hinges, with their springs."""

    side: str
    springs: tuple[SpringDefinition, ...]

    @property
    def hinges(self) -> tuple[str, str]:
        """Of ankle and knee."""
        return f"{self.side} orthosis ankle", f"{self.side} orthosis knee"

    def placed(self, skeleton: Skeleton, foot: Placed, angles: Sequence[Jet]) -> dict[str, Placed]:
        """Both pieces on a placed foot, at angles (T,) of the hinges [rad]."""
        ankle, knee = (skeleton.joints[name] for name in self.hinges)
        lower = ankle.outwards(foot, ankle.turned(angles[0]))
        upper = knee.outwards(lower, knee.turned(angles[1]))
        return {f"{self.side} orthosis shank": lower, f"{self.side} orthosis thigh": upper}

    def settled(
        self, skeleton: Skeleton, placed: Mapping[str, Placed], strides: Jet, stride_s: float, start: Sequence[Jet]
    ) -> FloatArray:
        """Fourier series (2, 1 + 2 HARMONICS) of both hinges over a whole stride.

        placed  : the person over one stride, at equal intervals;  strides : (T,) of the leg
        start   : hinges (T,) [rad] to begin with
        """
        p = strides.value
        omega = 2.0 * np.pi * np.arange(HARMONICS + 1) / stride_s
        rows = np.array([_series(one.value, p) for one in start])
        C = np.diag([self._of_hinge(name)[1] for name in self.hinges]).astype(complex)

        def remainder(rows: FloatArray) -> FloatArray:
            angles = [harmonics(strides, row[0], *zip(row[1::2], row[2::2], strict=True)) for row in rows]
            return self.remainder(skeleton, placed, angles)

        now = remainder(rows)
        nudged = [rows + NUDGE * np.outer(one, np.eye(rows.shape[1])[0]) for one in np.eye(2)]
        K = np.stack([(remainder(one) - now).mean(axis=1) / NUDGE for one in nudged], axis=1)
        if not np.linalg.eigvalsh(0.5 * (K + K.T)).min() > 0.0:
            raise BiomecError(f"The {self.side} orthosis falls over: its cuffs and springs are too soft to hold it.")
        for _ in range(ROUNDS):
            found = np.array([_series(one, p) for one in now])
            if np.abs(found).max() < SETTLED_NM:
                break
            complex_rows = _complex(found)
            change = np.stack([-np.linalg.solve(K + 1j * w * C, complex_rows[:, k]) for k, w in enumerate(omega)], 1)
            rows = rows + _real(change)
            now = remainder(rows)
        return rows

    def remainder(self, skeleton: Skeleton, placed: Mapping[str, Placed], angles: Sequence[Jet]) -> FloatArray:
        """Torque (2, T) about both hinges that nothing gives [N m]: 0 where the orthosis moves as it would."""
        there = {**placed, **self.placed(skeleton, placed[f"{self.side} foot"], angles)}
        loads = carried_loads(skeleton, there, self._cuffs(skeleton, there))
        found = []
        for name, angle in zip(self.hinges, angles, strict=True):
            joint = skeleton.joints[name]
            axis = there[joint.proximal].direction(joint.axes[0]).value
            k, c = self._of_hinge(name)
            found.append(np.einsum("ti,ti->t", loads[name].torque, axis) + k * angle.value + c * angle.rate)
        return np.array(found)

    def _of_hinge(self, name: str) -> tuple[float, float]:
        mine = [one for one in self.springs if one.joint == name]
        return sum(one.stiffness for one in mine), sum(one.damping for one in mine)

    def _cuffs(self, skeleton: Skeleton, placed: Mapping[str, Placed]) -> dict[str, GroundReaction]:
        """What cuffs do to both of their segments, as if it came from outside."""
        found = {}
        for spring in self.springs:
            if spring.first:
                ends = [
                    placed[end.partition(".")[0]].point(skeleton.point(end)) for end in (spring.first, spring.second)
                ]
                gap = ends[1] - ends[0]
                force = -spring.stiffness * gap.value - spring.damping * gap.rate
                for end, point, sign in zip((spring.first, spring.second), ends, (-1.0, 1.0), strict=True):
                    name = end.partition(".")[0]
                    none = np.zeros_like(force)
                    found[f"{spring.name}, {name}"] = GroundReaction(name, point.value, sign * force, none)
        return found


def held_orthoses(skeleton: Skeleton, springs: Sequence[SpringDefinition]) -> tuple[HeldOrthosis, ...]:
    """Orthoses of a skeleton that are bodies of their own; none where they move with the legs."""
    sides = [side for side in ("right", "left") if f"{side} orthosis ankle" in skeleton.joints]
    return tuple(HeldOrthosis(side, tuple(one for one in springs if one.name.startswith(side))) for side in sides)


def _series(x: FloatArray, p: FloatArray) -> FloatArray:
    """Fourier series (1 + 2 HARMONICS) of values (T,) at equal intervals of a stride: mean, cosines and sines."""
    turns = np.exp(-2j * np.pi * p[:, None] * np.arange(HARMONICS + 1))
    found = 2.0 / len(x) * (x @ turns)
    row = np.zeros(1 + 2 * HARMONICS)
    row[0], row[1::2], row[2::2] = 0.5 * found[0].real, found[1:].real, -found[1:].imag
    return row


def _complex(rows: FloatArray) -> FloatArray:
    return np.concatenate([rows[:, :1], rows[:, 1::2] - 1j * rows[:, 2::2]], axis=1)


def _real(found: FloatArray) -> FloatArray:
    rows = np.zeros((len(found), 1 + 2 * HARMONICS))
    rows[:, 0], rows[:, 1::2], rows[:, 2::2] = found[:, 0].real, found[:, 1:].real, -found[:, 1:].imag
    return rows
