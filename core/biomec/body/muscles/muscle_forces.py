"""Muscle forces by static optimisation: the torques of every frame shared among the muscles by a criterion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice
from biomec.base.progress import Progress, part_of
from biomec.body.muscles.conic import Cones
from biomec.body.muscles.newton_qp import Costs
from biomec.body.muscles.sharing import NO_MOTION, SOLVED, STATUS_WORDS, SharedFrames, SharingProblem, share
from biomec.body.muscles.sharing_model import SharingModel
from biomec.body.muscles.sharing_options import (
    ASSISTED,
    AUTO,
    CONE,
    CUBIC,
    HOLD,
    HYBRID,
    LEFT_OUT,
    LEVEL,
    NO_EMG,
    NO_RIBS,
    PENALTY,
    VOLUME,
    SharingOptions,
)
from biomec.body.muscles.shortages import Shortage, sharing_notices, shortages
from biomec.engine.forces.activation import excitations
from biomec.recording.session import Result
from biomec.recording.step import step_result

RIB_COST, RIB_UNIT_N = 1e-2, 1000.0  # a push of 1000 N costs as much as an activation of 0.1: enough to be unique
SLOPE_ACROSS, SLOPE_ALONG = np.tan(np.deg2rad([38.55, 44.37]))
"""Tangents of the half-angles of the glenoid, front to back and up to down, of the Delft shoulder model."""
SLIP_SHARE = 0.01  # of the body weight: pressure missing in a socket that costs as much as a fully active muscle
COUNTED = 0.01  # of Fmax: passive force beyond it, of any muscle, is counted
BLOCK = 256  # frames whose programme is laid out at once


@dataclass(frozen=True, eq=False)
class EmgTargets:
    """Measured activations (T, E), 0 to 1, NaN where there are none, of E muscles by name."""

    muscles: tuple[str, ...]
    activation: FloatArray


@dataclass(frozen=True, eq=False)
class MuscleForces:
    """Forces of M muscles in T frames; arrays are read-only. Frames that were not solved are NaN.

    names       : (M,);  activation : (T, M) 0 to 1;  force : (T, M) of the tendon [N]
    optimum, passive : (T, M) force at full activation, and without any, that was counted [N]
    length      : (T, M) of the fibres over the optimal one;  speed : (T, M) over the greatest one, shortening negative
    state       : (T, M) as in `biomec.engine.forces.hill_muscle.STATE_WORDS`
    excitation  : (T, M) behind the activations; NaN without a frame rate
    rows        : (K,) torques that were shared, "right hip flexion"
    wanted      : (T, K) net torque [N m];  reserve : (T, K) part of it that no muscle carries [N m]
    ribs        : (C,) contacts of scapula and ribs;  rib_force : (T, C) push on the scapula [N]
    sockets     : (G,) joints that were to stay in their sockets;  slip : (T, G) pressure missing for that [N]
    status      : (T,) as in `biomec.body.muscles.sharing.STATUS_WORDS`;  residual : (T,) of the equations [N m]
    idle        : torques that no muscle turns about, which were left out
    shortages   : where strength is lacking
    """

    names: tuple[str, ...]
    activation: FloatArray
    force: FloatArray
    optimum: FloatArray
    passive: FloatArray
    length: FloatArray
    speed: FloatArray
    state: NDArray[np.uint8]
    excitation: FloatArray
    rows: tuple[str, ...]
    wanted: FloatArray
    reserve: FloatArray
    ribs: tuple[str, ...]
    rib_force: FloatArray
    sockets: tuple[str, ...]
    slip: FloatArray
    status: IntArray
    residual: FloatArray
    idle: tuple[str, ...]
    shortages: tuple[Shortage, ...]
    options: SharingOptions
    notices: tuple[Notice, ...]

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.status)

    @property
    def solved(self) -> BoolArray:
        """(T,) frames that were solved exactly."""
        return np.asarray(self.status == SOLVED)

    @property
    def moving(self) -> BoolArray:
        """(T,) frames with a motion and joint loads, which could be solved."""
        return np.asarray(self.status != NO_MOTION)

    @property
    def largest_reserve_Nm(self) -> float:
        """Greatest reserve torque of any row and frame [N m]; 0 without reserves."""
        return float(np.nan_to_num(np.abs(self.reserve)).max(initial=0.0))

    def index(self, muscle: str) -> int:
        """Number of a muscle, or a sentence."""
        if muscle not in self.names:
            raise BiomecError(f"There is no muscle {muscle} among the {len(self.names)} of this result.")
        return self.names.index(muscle)

    def counts(self) -> dict[str, int]:
        """Status in words -> number of frames."""
        return {words: int((self.status == number).sum()) for number, words in STATUS_WORDS.items()}

    def to_result(self) -> Result:
        """Return what a session stores: all arrays, and names."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        about = {
            "names": self.names,
            "rows": self.rows,
            "ribs": self.ribs,
            "sockets": self.sockets,
            "idle": self.idle,
            "counts": self.counts(),
        }
        return step_result(arrays, self.options, self.notices, **about, shortages=self.shortages)


def muscle_forces(
    model: SharingModel,
    options: SharingOptions = SharingOptions(),
    *,
    strength: FloatArray | None = None,
    emg: EmgTargets | None = None,
    rate_hz: float | None = None,
    progress: Progress | None = None,
) -> MuscleForces:
    """Share the torques of all frames among the muscles.

    strength : (M,) factor of every muscle's force beside the one of the options; 0 removes a muscle
    emg      : measured activations, needed where the options use them
    rate_hz  : of the frames, for excitations
    """
    factor = np.full(len(model.names), options.strength)
    if strength is not None:
        factor = factor * strength
    if not (np.isfinite(factor).all() and (factor >= 0.0).all()):
        raise BiomecError("Muscle forces: factors of strength must be numbers from 0 on.")
    if options.emg != NO_EMG and emg is None:
        raise BiomecError("Muscle forces: measured activations are to be used, but there are none.")
    known = np.isfinite(model.rows.wanted).all(axis=1, keepdims=True)
    optimum, passive = (
        np.where(known, np.nan_to_num(part) * factor, np.nan) for part in (model.rigid.optimum, model.rigid.passive)
    )
    if not _passive_counts(model, options):
        passive = np.where(known, 0.0, np.nan)
    found = _solve(model, options, optimum, passive, emg, progress)
    M, K = len(model.names), len(model.rows.titles)
    reserves = K if options.reserve_Nm is not None else 0
    activation = found.x[:, :M]
    reserve = found.x[:, M : M + reserves] if reserves else np.where(np.isnan(activation[:, :1]), np.nan, np.zeros(K))
    first = M + reserves
    pushing = found.x[:, first : first + (0 if options.ribs == NO_RIBS else len(model.ribs))]
    slip = found.x[:, first + pushing.shape[1] :] if options.glenohumeral == CONE else found.x[:, :0]
    excitation = np.full(activation.shape, np.nan)
    if rate_hz is not None:
        excitation, _ = excitations(np.ascontiguousarray(activation), rate_hz)

    def with_reserves(part: slice) -> SharingProblem:
        reserved = options if options.reserve_Nm is not None else replace(options, reserve_Nm=1.0)
        return _problem(model, reserved, optimum, passive, emg, part)

    short = shortages(model, found, reserve, with_reserves)
    sockets = tuple(model.loads.joints[one.joint] for one in model.sockets) if slip.shape[1] else ()
    notices = sharing_notices(model, found, activation, short, sockets, slip)
    return MuscleForces(
        model.names, read_only(activation), read_only(activation * optimum + passive), read_only(optimum),
        read_only(passive), model.rigid.fibre_length, model.rigid.fibre_speed, model.rigid.state, excitation,
        model.rows.titles, model.rows.wanted, read_only(reserve), model.ribs if pushing.shape[1] else (),
        read_only(pushing), sockets, read_only(slip), read_only(found.status, np.int64), read_only(found.residual),
        model.idle, short, options, tuple(notices),
    )  # fmt: skip


def _passive_counts(model: SharingModel, options: SharingOptions) -> bool:
    if options.passive != AUTO:
        return options.passive != LEFT_OUT
    return bool((np.nan_to_num(model.rigid.passive) > COUNTED * model.hill.fmax).any())


def _solve(
    model: SharingModel,
    options: SharingOptions,
    optimum: FloatArray,
    passive: FloatArray,
    emg: EmgTargets | None,
    progress: Progress | None,
) -> SharedFrames:
    """Solve all frames, block by block."""
    parts = []
    for first in range(0, model.frames, BLOCK):
        part = slice(first, min(first + BLOCK, model.frames))
        within = part_of(progress, part.start / model.frames, part.stop / model.frames)
        parts.append(share(_problem(model, options, optimum, passive, emg, part), within))
    if not parts:
        raise BiomecError("Muscle forces: there are no frames.")
    return SharedFrames(
        *(np.concatenate([getattr(one, name) for one in parts]) for name in ("x", "status", "residual"))
    )


def _problem(
    model: SharingModel,
    options: SharingOptions,
    optimum: FloatArray,
    passive: FloatArray,
    emg: EmgTargets | None,
    part: slice,
) -> SharingProblem:
    """Lay out the programme of some frames: activations, reserves, pushes of the ribs, penalties or slips.

    A slip is a missing pressure into a socket; like a reserve torque, it costs so much that it is only a diagnostic.
    """
    arms = model.arms[part]
    T, M, K = arms.shape
    ribs = 0 if options.ribs == NO_RIBS else len(model.ribs)
    reserves = 0 if options.reserve_Nm is None else K
    penalties = 2 * len(model.sockets) if options.glenohumeral == PENALTY else 0
    slips = len(model.sockets) if options.glenohumeral == CONE else 0
    n = M + reserves + ribs + penalties + slips
    columns = np.zeros((T, n, K + penalties))
    wanted = np.zeros((T, K + penalties))
    known = np.isfinite(model.rows.wanted[part]).all(axis=1).reshape(-1, 1, 1)
    columns[:, :M, :K] = np.where(known, np.nan_to_num(arms), np.nan) * optimum[part][:, :, None]
    wanted[:, :K] = model.rows.wanted[part] - np.einsum("tmk,tm->tk", np.nan_to_num(arms), passive[part])
    columns[:, M + np.arange(reserves), np.arange(reserves)] = 1.0
    columns[:, M + reserves : M + reserves + ribs, :K] = model.rib_arms[part][:, :ribs]
    weight = np.ones(n)
    if options.weights == VOLUME:
        volume = model.hill.fmax * model.hill.lopt
        weight[:M] = volume / volume.mean()
    if options.reserve_Nm is not None:
        weight[M : M + reserves] = options.reserve_Nm**-2
    weight[M + reserves : M + reserves + ribs] = RIB_COST / RIB_UNIT_N**2
    weight[n - penalties - slips :] = model.body_weight**-2 if penalties else (SLIP_SHARE * model.body_weight) ** -2
    power = np.full(n, 2)
    power[:M] = 3 if options.criterion == CUBIC else 2
    low, high = np.full((T, n), -np.inf), np.full((T, n), np.inf)
    low[:, :M], high[:, :M] = options.lowest, 1.0
    low[:, M + reserves : M + reserves + ribs] = -np.inf if options.ribs == HOLD else 0.0
    low[:, n - slips :] = 0.0
    pull, target = np.zeros((T, n)), np.zeros((T, n))
    if emg is not None and options.emg != NO_EMG:
        which = model.indices(emg.muscles)
        there = np.isfinite(emg.activation[part])
        level = np.clip(np.nan_to_num(emg.activation[part]), options.lowest, 1.0)
        if options.emg == ASSISTED:
            pull[:, which] = np.where(there, options.emg_weight, 0.0)
            target[:, which] = np.where(there, level, 0.0)
        elif options.emg == HYBRID:
            low[:, which] = np.where(there, level, low[:, which])
            high[:, which] = np.where(there, level, high[:, which])
    cones = None
    if options.glenohumeral != "free" and model.sockets:
        matrix, offset = _socket_forces(model, optimum, passive, part, n, M + reserves, ribs)
        if options.glenohumeral == CONE:
            matrix[:, np.arange(slips), 0, n - slips + np.arange(slips)] = 1.0
            slopes = np.array([1.0, 1.0 / SLOPE_ALONG, 1.0 / SLOPE_ACROSS])
            cones = Cones(matrix * slopes[:, None], offset * slopes)
        else:  # s − (force across the socket) = 0 with a cost of s², a row and a variable for each direction
            rows = slice(K, K + penalties)
            columns[:, :, rows] = -np.swapaxes(matrix[:, :, 1:].reshape(T, penalties, n), 1, 2)
            columns[:, n - penalties + np.arange(penalties), K + np.arange(penalties)] = 1.0
            wanted[:, rows] = offset[:, :, 1:].reshape(T, penalties)
    levelled = None
    if options.criterion == LEVEL:
        levelled = np.arange(n) < M
    costs = Costs(power, weight, pull, target, low, high)
    filling = M if reserves and not penalties else None
    return SharingProblem(columns, wanted, costs, levelled, cones, filling)


def _socket_forces(
    model: SharingModel, optimum: FloatArray, passive: FloatArray, part: slice, n: int, first_rib: int, ribs: int
) -> tuple[FloatArray, FloatArray]:
    """Force on the humeral head out of, up and forwards across each socket: matrix (T, G, 3, n) and offset (T, G, 3).

    f = f_net − Σ_m (a_m Fopt_m + Fpas_m) u_m − Σ_c p_c n_c, affine in the unknowns (theory of muscle forces §4).
    """
    T = optimum[part].shape[0]
    matrix, offset = np.zeros((T, len(model.sockets), 3, n)), np.zeros((T, len(model.sockets), 3))
    for g, socket in enumerate(model.sockets):
        axes = socket.axes[part]
        offset[:, g] = np.einsum("tki,ti->tk", axes, model.loads.force[part, socket.joint])
        for e in np.flatnonzero(model.crossed.joint == socket.joint):
            m = model.crossed.muscle[e]
            along = np.einsum("tki,ti->tk", axes, np.nan_to_num(model.crossed.force[part, e]))
            matrix[:, g, :, m] -= along * optimum[part, m][:, None]
            offset[:, g] -= along * passive[part, m][:, None]
        pushes = np.einsum("tki,tci->tkc", axes, model.rib_force[part][:, :ribs, socket.joint])
        matrix[:, g, :, first_rib : first_rib + ribs] -= pushes
    return matrix, offset


def summary(forces: MuscleForces, muscles_of: str) -> dict[str, object]:
    """What a summary of results says about muscle forces: frames, how many were solved, largest reserve, set."""
    return {
        "frames": int(forces.moving.sum()),
        "solved": int(forces.solved.sum()),
        "largest_reserve_Nm": forces.largest_reserve_Nm,
        "set": muscles_of,
    }
