"""Springs of an orthosis by a bending moment that was measured on its bar.

A load cell beside a locked joint of an orthosis measures the moment m about the axis of its hinge, which is that of the
spring there. The motion of the limbs is known, so that springs and cuffs decide what the moment is [Mouzo2018]:

    min Σ (m(k, c, θ₀) − m_measured)²

over factors of stiffness and damping, in their logarithms, and over the free angle of the lock. An orthosis that is a
body of its own takes its place in its cuffs anew with every trial (`held_devices`); one that moves with the leg has the
angle of the joint. This is a fit to the data at hand: the remainder says how well the model *can* repeat them, not how
well it foretells others. What the moment does not determine is said: two springs in series look like one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.anatomy.changed_springs import SpringChange, changed_springs
from biomec.body.anatomy.model import SpringDefinition
from biomec.body.anatomy.model_devices import HINGE
from biomec.body.anatomy.subject_devices import unmarked_hinges
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.held_devices import LEAST_FRAMES, balanced_motion, held_device, unsettled
from biomec.engine.forces.device_springs import AngleElement
from biomec.engine.forward.reference_motion import longest_stretch

FITS = ("cuffs", "cuff damping", "lock", "lock damping", "free angle")
"""What can be fitted: stiffness of all cuffs and struts that hold the device, their damping, stiffness and damping of
the lock, and the angle in which it is free."""
USUAL = ("cuffs", "free angle")
ROUNDS = 4  # in which the device is placed anew
SETTLED = 1e-3  # of a factor from round to round
MOST_FACTOR = 100.0
UNSURE = 0.2  # relative standard error beyond which a number is not determined


@dataclass(frozen=True)
class FittedSpring:
    """A number that was fitted, with its standard error as far as the remainder is noise."""

    name: str
    unit: str
    before: float
    after: float
    error: float


@dataclass(frozen=True, eq=False)
class DeviceCalibration:
    """Springs that fit a measured moment.

    lock             : spring whose moment was measured
    fitted           : numbers before and after
    changes          : spring -> change, for `changed_springs`
    person           : with the springs that were found
    frames           : slice of the recording
    measured, before, after : (F,) moment of the proximal on the distal piece about the hinge's axis [N m]
    """

    lock: str
    fitted: tuple[FittedSpring, ...]
    changes: dict[str, SpringChange]
    person: SubjectModel
    frames: slice
    measured: FloatArray
    before: FloatArray
    after: FloatArray
    notices: tuple[Notice, ...]

    @property
    def rmse(self) -> tuple[float, float]:
        """Root mean square of the remainder before and after [N m]."""
        return _rms(self.before - self.measured), _rms(self.after - self.measured)

    @property
    def sentence(self) -> str:
        """What was reached, and what it is not."""
        before, after = self.rmse
        return (
            f"Moment of the {self.lock}: RMS difference from the measurement {before:.2f} N·m before and "
            f"{after:.2f} N·m after the fit, over {len(self.measured)} frames. This is a fit to these data, "
            "not a prediction for others."
        )


class _Model:
    """The moment of a lock as a function of what is fitted."""

    def __init__(
        self,
        person: SubjectModel,
        lock: SpringDefinition,
        fit: Sequence[str],
        motion: tuple[FloatArray, FloatArray, FloatArray],
        rate_hz: float,
    ) -> None:
        self.person, self.lock, self.fit, self.rate_hz = person, lock, tuple(fit), rate_hz
        hinges = unmarked_hinges(person)
        self.hinges = hinges if lock.joint in hinges else ()
        self.motion, self.left_rad = motion, 0.0
        self.cuffs = self._holding()

    def _holding(self) -> tuple[str, ...]:
        """Cuffs and struts that hold the device of the lock: those that its hinges move, or that share them."""
        if not self.hinges:
            return ()
        q, qdot, qddot = (level[:1] for level in self.motion)
        device = held_device(self.person, self.hinges, q, qdot, qddot, self.rate_hz)
        moved = {row.element.name: np.abs(row.G).max(axis=(0, 1)) > 0.0 for row in device.rows}
        mine = np.array([name == self.lock.joint for name in self.hinges])
        for _ in self.hinges:
            mine = mine | np.any([own for own in moved.values() if (own & mine).any()], axis=0)
        of_cuffs = {one.name for one in self.person.springs if one.kind != HINGE}
        return tuple(name for name, own in moved.items() if name in of_cuffs and (own & mine).any())

    def changes(self, x: FloatArray) -> dict[str, SpringChange]:
        """Changes of springs by ln factors and by the angle [rad]."""
        values = dict(zip(self.fit, x, strict=True))
        factor = {name: float(np.exp(values.get(name, 0.0))) for name in FITS if name != "free angle"}
        found = {name: SpringChange(factor["cuffs"], factor["cuff damping"]) for name in self.cuffs}
        free = float(values.get("free angle", 0.0))
        return found | {self.lock.name: SpringChange(factor["lock"], factor["lock damping"], free)}

    def place(self, x: FloatArray) -> None:
        """Lay down the equations about where the device is with x."""
        worn = changed_springs(self.person, self.changes(x))
        if self.hinges:
            found = balanced_motion(worn, self.hinges, *self.motion, self.rate_hz)
            self.motion, self.left_rad = found.levels, found.left_rad
            self.device = held_device(worn, self.hinges, *self.motion, self.rate_hz)

    def moment(self, x: FloatArray) -> FloatArray:
        """(F,) [N m]."""
        worn = changed_springs(self.person, self.changes(x))
        element = next(one for one in worn.elements if one.name == self.lock.name)
        assert isinstance(element, AngleElement)
        if not self.hinges:
            return element.state(worn.system, self.motion[0], self.motion[1]).force
        device = self.device.with_elements(worn.elements)
        turns = device.balanced()
        row = next(one for one in device.rows if one.element.name == self.lock.name)
        return np.asarray(device.spring_force(row, turns.u, turns.udot)[0][:, 0])


def calibrated_device(
    person: SubjectModel,
    lock: str,
    motion: tuple[FloatArray, FloatArray, FloatArray],
    rate_hz: float,
    measured: FloatArray,
    fit: Sequence[str] = USUAL,
    progress: Progress | None = None,
) -> DeviceCalibration:
    """Fit springs of a device to the moment (T,) [N m] of one of its hinges, NaN where it was not measured.

    motion : q, q̇, q̈ (T, n)
    """
    spring = _known(person, lock, fit)
    levels = tuple(np.asarray(level) for level in motion)
    known = np.isfinite(np.concatenate(levels, axis=1)).all(axis=1) & np.isfinite(measured)
    part = longest_stretch(known) if known.any() else slice(0, 0)
    if part.stop - part.start < max(LEAST_FRAMES, 3 * len(fit)):
        raise BiomecError(
            f"The moment of the {lock} and the motion are known together in only {part.stop - part.start} consecutive "
            "frames, too few for a fit. Check start and rate of the measured moment."
        )
    target = np.asarray(measured[part], dtype=np.float64)
    model = _Model(person, spring, fit, (levels[0][part], levels[1][part], levels[2][part]), rate_hz)
    if not model.cuffs and {"cuffs", "cuff damping"} & set(fit):
        raise BiomecError(
            f"No cuff holds the {lock}: its device moves with the leg or has markers of its own. Fit "
            "the lock and the free angle."
        )
    x = np.zeros(len(fit))
    limit = np.array([np.pi / 2 if name == "free angle" else np.log(MOST_FACTOR) for name in fit])
    model.place(x)
    before = model.moment(x)
    for k in range(ROUNDS):
        found = scipy.optimize.least_squares(
            lambda trial: model.moment(trial) - target, x, bounds=(-limit, limit), x_scale="jac", diff_step=1e-4
        )
        moved, x = float(np.abs(found.x - x).max()), found.x
        model.place(x)
        if progress is not None:
            progress((k + 1) / ROUNDS)
        if moved < SETTLED or not model.hinges:
            break
    if progress is not None:
        progress(1.0)
    after = model.moment(x)
    errors = _errors(found.jac, after - target)
    changes = model.changes(x)
    fitted, notices = _told(person, spring, model.cuffs, fit, x, errors, limit)
    notices += unsettled(model.hinges, model.left_rad)
    return DeviceCalibration(
        lock, fitted, changes, changed_springs(person, changes), part, read_only(target), read_only(before),
        read_only(after), tuple(notices),
    )  # fmt: skip


def _known(person: SubjectModel, lock: str, fit: Sequence[str]) -> SpringDefinition:
    locks = [one.name for one in person.springs if one.kind == HINGE]
    if lock not in locks:
        raise BiomecError(f"There is no hinge spring {lock} in the model; there are {', '.join(locks) or 'none'}.")
    unknown = [name for name in fit if name not in FITS]
    if unknown or not fit or len(set(fit)) < len(fit):
        raise BiomecError(f"Fit some of {', '.join(FITS)}, each once, not {', '.join(fit) or 'nothing'}.")
    return next(one for one in person.springs if one.name == lock)


def _errors(J: FloatArray, left: FloatArray) -> FloatArray:
    """Standard errors of a least-squares fit; infinite where the columns depend on each other."""
    freedom = max(len(left) - J.shape[1], 1)
    try:
        covariance = np.linalg.inv(J.T @ J) * float(left @ left) / freedom
    except np.linalg.LinAlgError:
        return np.full(J.shape[1], np.inf)
    if np.linalg.cond(J.T @ J) > 1e12:
        return np.full(J.shape[1], np.inf)
    return np.sqrt(np.maximum(np.diag(covariance), 0.0))


def _told(
    person: SubjectModel,
    lock: SpringDefinition,
    cuffs: Sequence[str],
    fit: Sequence[str],
    x: FloatArray,
    errors: FloatArray,
    limit: FloatArray,
) -> tuple[tuple[FittedSpring, ...], list[Notice]]:
    """Numbers before and after, and what the moment does not determine."""
    element = next(one for one in person.elements if one.name == lock.name)
    assert isinstance(element, AngleElement)
    rest = float(getattr(element.spring, "rest", 0.0))
    first = next((one for one in person.springs if one.name in cuffs), lock)
    meant = {
        "cuffs": (f"stiffness of {', '.join(cuffs)}", "N/m", first.stiffness),
        "cuff damping": (f"damping of {', '.join(cuffs)}", "N s/m", first.damping),
        "lock": (f"stiffness of {lock.name}", "N m/rad", lock.stiffness),
        "lock damping": (f"damping of {lock.name}", "N m s/rad", lock.damping),
    }
    found, unsure, bound = [], [], []
    for name, value, error, most in zip(fit, x, errors, limit, strict=True):
        if name == "free angle":
            found.append(FittedSpring(f"free angle of {lock.name}", "deg", *np.degrees([rest, rest + value, error])))
        else:
            words, unit, before = meant[name]
            after = before * float(np.exp(value))
            found.append(FittedSpring(words, unit, before, after, after * float(error)))
        if error > UNSURE:
            unsure.append(name)
        if abs(value) > 0.999 * most:
            bound.append(name)
    notices = []
    if unsure or bound:
        names = ", ".join(dict.fromkeys((*unsure, *bound)))
        notices.append(
            warning(
                "calibration-undetermined",
                f"The measured moment does not determine {names}: other values fit equally well. Fit fewer "
                "numbers, and measure the others.",
            )
        )
    sides = {one.stiffness for one in person.springs if one.name in cuffs}
    if "cuffs" in fit and len(sides) > 1:
        words = "Cuffs and struts of different stiffness were multiplied by one factor; the table names the first."
        notices.append(info("calibration-one-factor", words))
    return tuple(found), notices


def _rms(x: FloatArray) -> float:
    return float(np.sqrt(np.mean(x**2)))
