"""The balance of the whole body: what the ground was measured to do against what the motion asks of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Grade, Limit
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.system import System

MASS = Limit(0.05, 0.10)  # of the entered mass from the weighed one
WEIGHED = 0.15  # of the entered mass; a static that differs by more did not stand wholly on the plates


@dataclass(frozen=True, eq=False)
class BodyWrench:
    """What acts on the segments and on the whole body, so that they move as they do; gravity is not among it.

    force  : (T, S, 3) m (r̈ − g) of every segment [N];  moment : (T, S, 3) J ω̇ + ω × J ω about its centre of mass [N m]
    total_force  : (T, 3) [N];  total_moment : (T, 3) about the centre of mass of the whole body [N m]
    """

    force: FloatArray
    moment: FloatArray
    total_force: FloatArray
    total_moment: FloatArray


def body_wrench(system: System, motion: SegmentMotion, gravity: FloatArray | None = None) -> BodyWrench:
    """What the outside must do to the body.

    f = Σ m (r̈ − g),   h = Σ (r − r_G) × m (r̈ − g) + J ω̇ + ω × J ω          (Newton, Euler; [Nunes2017] Eqs. 5.24, 5.25)
    """
    g = system.gravity if gravity is None else np.asarray(gravity, dtype=np.float64)
    local = np.stack([body.inertia_matrix for body in system.bodies])
    J = np.einsum("tsij,sjk,tslk->tsil", motion.R_WB, local, motion.R_WB)
    spin = np.einsum("tsij,tsj->tsi", J, motion.alpha)
    spin = spin + np.cross(motion.omega, np.einsum("tsij,tsj->tsi", J, motion.omega))
    force = motion.mass[:, None] * (motion.a_com - g)
    arm = motion.p_com - motion.whole_body_com[:, None]
    total = spin + np.cross(arm, force)
    return BodyWrench(*(read_only(a) for a in (force, spin, force.sum(axis=1), total.sum(axis=1))))


@dataclass(frozen=True, eq=False)
class BodyBalance:
    """Measured minus required, over the whole body. Arrays are read-only.

    force     : (T, 3) F − m (r̈_G − g) [N]
    moment    : (T, 3) M_G − Ḣ about the centre of mass [N m]
    measured  : (T,) frames that count: every hand and foot that touches the ground does so on a plate
    force_rms, moment_rms : over them, of the modulus [N], [N m]; NaN without any
    model_kg  : mass of all segments of the model;  entered_kg : the subject's, as entered; None if nobody did
    plates_kg : mass that suits the measured force best, Σ F·(r̈_G − g) / Σ |r̈_G − g|²; None without a measured frame
    """

    force: FloatArray
    moment: FloatArray
    measured: BoolArray
    force_rms: float
    moment_rms: float
    model_kg: float
    entered_kg: float | None
    plates_kg: float | None


def body_balance(
    system: System,
    motion: SegmentMotion,
    external: ExternalLoads,
    measured: BoolArray | None = None,
    entered_kg: float | None = None,
    required: BodyWrench | None = None,
) -> BodyBalance:
    """Compare the external loads with the motion of the whole body.

    measured : (T,) frames in which all contacts were measured; all that have a load, if not given
    required : what the motion asks of the ground (`body_wrench`), if known already
    """
    if external.frames != motion.frames:
        raise BiomecError(
            f"There are {motion.frames} frames of motion and {external.frames} of loads; they must match."
        )
    required = body_wrench(system, motion) if required is None else required
    force = external.total_force - required.total_force
    moment = external.total_moment(motion.whole_body_com) - required.total_moment
    counted = (external.total_force != 0.0).any(axis=1) & ~external.estimated if measured is None else measured
    counted = np.asarray(counted & np.isfinite(force).all(axis=1) & np.isfinite(moment).all(axis=1))
    fall = (motion.whole_body_acceleration - system.gravity)[counted]
    weighed = None
    if counted.any():
        weighed = float((external.total_force[counted] * fall).sum() / (fall**2).sum())
    return BodyBalance(
        read_only(force),
        read_only(moment),
        read_only(counted, np.bool_),
        rms_modulus(force[counted]),
        rms_modulus(moment[counted]),
        float(motion.mass.sum()),
        entered_kg,
        weighed,
    )


@dataclass(frozen=True)
class MassReference:
    """The masses beside each other [kg], and that by which forces are judged.

    entered : by the user or the file, or assumed for the height;  static : weighed while standing on plates;
    walk    : what sound contacts of this movement weigh;  None where not known
    used    : for the contacts;  origin : "static", "steps" (all contacts agree), "entered" or "assumed"
    assumed : nobody entered a mass, so that there is nothing to judge
    """

    entered: float
    static: float | None
    walk: float | None
    used: float
    origin: str
    assumed: bool = False

    @property
    def grade(self) -> Grade:
        """Grade of the entered mass beside the weighed one."""
        return (
            Grade.NOT_JUDGED if self.assumed or self.origin == "entered" else MASS.grade(self.used / self.entered - 1.0)
        )

    @property
    def sentence(self) -> str:
        """Say the masses, and by how much values per kilogram are wrong."""
        if self.assumed:
            found = f"; the steps on the plates weigh {self.used:.1f} kg" if self.origin == "steps" else ""
            return f"The mass is not known, {self.entered:.1f} kg were assumed{found}. Enter the mass."
        if self.origin == "entered":
            found = "" if self.walk is None else f"; the steps on the plates weigh {self.walk:.1f} kg"
            return f"The mass was not weighed; {self.entered:.1f} kg were entered{found}."
        how = "Weighed" if self.origin == "static" else "The steps on the plates weigh"
        walk = ""
        if self.origin == "static" and self.walk is not None:
            walk = f" The steps of this recording weigh {self.walk:.1f} kg."
        off = self.used / self.entered - 1.0
        if abs(off) < 0.01:
            return f"{how} {self.used:.1f} kg, entered {self.entered:.1f} kg: they agree.{walk}"
        size = "small" if off < 0.0 else "large"
        words = f"{how} {self.used:.1f} kg, entered {self.entered:.1f} kg: values per kilogram are"
        return f"{words} {100.0 * abs(off):.0f} % too {size}.{walk}"


def rms_modulus(vectors: FloatArray) -> float:
    """Root mean square of the length of vectors (N, 3): the root of the sum of the squared RMS of the components."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean())) if len(vectors) else float("nan")
