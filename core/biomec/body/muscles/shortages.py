"""Where muscles lack strength: which joint, when, by how much, and which muscles would have to be stronger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.body.muscles.sharing import (
    ALMOST,
    FAILED,
    INFEASIBLE,
    NO_MOTION,
    SharedFrames,
    SharingProblem,
    share,
    with_strength,
)
from biomec.body.muscles.sharing_model import SharingModel
from biomec.engine.forces.hill_muscle import FAST, SHORT, SLACK, STRETCHED
from biomec.signals.stretches import stretches

ACCEPTED_SHARE, ACCEPTED_NM = 0.05, 1.0  # of the row's greatest torque, or that: reserves up to it are a diagnostic
STRONGEST = 10.0  # activation that is tried to see which muscles would have to be stronger
SATURATED = 0.999
SLIPPING_N = 5.0  # noise of markers and plates does as much
LISTED = 6  # names in a sentence


@dataclass(frozen=True)
class Shortage:
    """A torque that the muscles cannot make.

    torque  : "right knee extension";  joint : "right knee"
    frames  : first and last frame of the worst stretch;  count : of all frames in which it is lacking
    missing_Nm, wanted_Nm : in the worst frame
    muscles : those that would have to be stronger there, by the names that people use, with the factor, the greatest
              first; none if nothing helps
    """

    torque: str
    joint: str
    frames: tuple[int, int]
    count: int
    missing_Nm: float
    wanted_Nm: float
    muscles: tuple[tuple[str, float], ...]

    @property
    def sentence(self) -> str:
        """The same in words."""
        lacking = f"{self.missing_Nm:.1f} of {self.wanted_Nm:.1f} N·m"
        if self.missing_Nm > self.wanted_Nm:  # as where measured activations are taken as they are
            lacking = f"{self.missing_Nm:.1f} N·m where {self.wanted_Nm:.1f} are asked for, as others pull against it"
        words = f"{self.torque.capitalize()}: the muscles lack {lacking}, in {self.count} frames."
        if not self.muscles:
            return f"{words} No muscle of the set could make it, even ten times as strong."
        named = "; ".join(f"{name} {factor:.1f} times" for name, factor in self.muscles[:3])
        return f"{words} It would take muscles as strong as: {named}."


def shortages(
    model: SharingModel, found: SharedFrames, reserve: FloatArray, with_reserves: Callable[[slice], SharingProblem]
) -> tuple[Shortage, ...]:
    """Rows in which reserves do more than a diagnostic may, the worst first.

    reserve       : (T, K) of the solution [N m]; frames without a solution are solved again with reserves
    with_reserves : programme of some frames with reserves after the muscles
    """
    M, K = len(model.names), len(model.rows.titles)
    lacking = np.nan_to_num(reserve)
    for t in np.flatnonzero(found.status == INFEASIBLE):
        lacking[t] = np.nan_to_num(share(with_reserves(slice(t, t + 1))).x[0, M : M + K])
    peak = np.nan_to_num(np.abs(model.rows.wanted)).max(axis=0, initial=0.0)
    limit = np.maximum(ACCEPTED_SHARE * peak, ACCEPTED_NM)
    listed = []
    for k in range(K):
        beyond = np.asarray(np.abs(lacking[:, k]) > limit[k])
        if not beyond.any():
            continue
        worst = int(np.abs(lacking[:, k]).argmax())
        first, last = next((int(a), int(b) - 1) for a, b in stretches(beyond) if a <= worst < b)
        name = model.rows.titles[k] if lacking[worst, k] > 0.0 else model.rows.opposite[k]
        joint = model.tree.joints[int(model.rows.joint[k])].name
        needed = _stronger(model, with_reserves(slice(worst, worst + 1)), k, limit[k])
        missing, wanted = abs(float(lacking[worst, k])), abs(float(model.rows.wanted[worst, k]))
        listed.append(Shortage(name, joint, (first, last), int(beyond.sum()), missing, wanted, needed))
    return tuple(sorted(listed, key=lambda one: -one.missing_Nm))


def _stronger(model: SharingModel, one_frame: SharingProblem, row: int, limit: float) -> tuple[tuple[str, float], ...]:
    """Muscles of a row that are beyond full activation where they may be, if that fills the row; with the factors."""
    M = len(model.names)
    x = share(with_strength(one_frame, M, STRONGEST)).x[0]
    if not np.isfinite(x).all() or abs(x[M + row]) > limit:
        return ()
    over = [m for m in np.argsort(-x[:M]) if x[m] > 1.0 and model.arms[:, m, row].any()]
    return tuple((model.title(model.names[m]), float(x[m])) for m in over)


def sharing_notices(
    model: SharingModel,
    found: SharedFrames,
    activation: FloatArray,
    short: tuple[Shortage, ...],
    sockets: tuple[str, ...] = (),
    slip: FloatArray | None = None,
) -> list[Notice]:
    """What a user should know about a solution.

    sockets, slip : joints and the pressures (T, G) that are missing to keep them in their sockets [N]
    """
    notices = []
    for status, code, words in (
        (INFEASIBLE, "muscles-too-weak", "have no solution: the muscles are not strong enough for the movement"),
        (FAILED, "sharing-failed", "could not be solved, and are left out"),
        (ALMOST, "sharing-almost", "are solved with a residual above 1e-8 N·m"),
    ):
        frames = np.flatnonzero(found.status == status)
        if frames.size:
            make = warning if status == ALMOST else problem
            stretch = int(frames[0]), int(frames[-1])
            notices.append(make(code, f"Muscle forces: {frames.size} frames {words}.", frames=stretch))
    notices += [warning("strength-lacking", one.sentence, one.joint, frames=one.frames) for one in short]
    for joint, missing in zip(sockets, [] if slip is None else slip.T, strict=True):
        lacking = np.nan_to_num(missing) > SLIPPING_N
        if lacking.any():
            words = (
                f"The muscles cannot press the {joint} joint into its socket in {lacking.sum()} frames: up to "
                f"{np.nanmax(missing):.0f} N are missing."
            )
            notices.append(warning("socket-slips", words, joint))
    if model.idle:
        words = f"No muscle of the set turns these joints, so their torques are not shared: {', '.join(model.idle)}."
        notices.append(info("torques-without-muscles", words, *model.idle))
    there = found.status != NO_MOTION
    for state, code, words in (
        (SLACK, "muscles-slack", "slack, and give no force: the path is shorter than the tendon"),
        (STRETCHED, "muscles-overstretched", "stretched beyond 1.6 of their optimal length"),
        (SHORT, "muscles-too-short", "shorter than 0.4 of their optimal length"),
        (FAST, "muscles-too-fast", "moved faster than their fibres can go"),
    ):
        names = _often(model, np.asarray(model.rigid.state == state), there)
        if names:
            notices.append(
                warning(code, f"Muscles {words}, with the share of frames: {_listed(model, names)}.", *names)
            )
    names = _often(model, np.isnan(model.rigid.optimum), there)
    if names:
        words = (
            "Muscles whose path is not known, because markers of their bones are missing, count as without force "
            f"there, with the share of frames: {_listed(model, names)}."
        )
        notices.append(warning("muscles-without-path", words, *map(model.title, names)))
    names = _often(model, np.asarray(np.nan_to_num(activation) >= SATURATED), there)
    if names:
        words = f"Muscles at their full strength, with the share of frames: {_listed(model, names)}."
        notices.append(warning("muscles-saturated", words, *map(model.title, names)))
    if model.ribs:
        words = (
            "The conoid ligament is not in the model, and the roll of the clavicle is not seen by markers: no muscle "
            "balances that roll."
        )
        notices.append(info("clavicle-roll", words))
    return notices


def _often(model: SharingModel, where: BoolArray, there: BoolArray) -> dict[str, float]:
    """Muscle -> share of the frames in which something holds, the most frequent first; only those with any."""
    if not there.any():
        return {}
    share_of = where[there].mean(axis=0)
    return {model.names[m]: float(share_of[m]) for m in np.argsort(-share_of, kind="stable") if share_of[m] > 0.0}


def _listed(model: SharingModel, names: dict[str, float]) -> str:
    shown = [f"{model.title(name)} ({100.0 * share:.0f} %)" for name, share in list(names.items())[:LISTED]]
    more = len(names) - LISTED
    return "; ".join(shown) + (f" and {more} more" if more > 0 else "")
