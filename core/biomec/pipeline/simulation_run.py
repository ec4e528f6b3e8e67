"""What a simulation gave, beside the motion that was recorded; it can be stored in a project and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice
from biomec.base.plain_types import made_from, restored
from biomec.engine.forward.simulation import Ending
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.recording import Result
from biomec.recording.step import step_result

LEVELS = {"q": "m", "qdot": "m/s", "qddot": "m/s²"}
BY_STEP = (
    "step_time_s", "iterations", "increment", "seconds", "violation", "rate_violation", "acceleration_violation",
    "kinetic", "potential", "work",
)  # fmt: skip
BY_FRAME = (
    "q", "qdot", "qddot", "distance", "angles", "measured_angles", "torques", "inverse_torques", "residual_force",
    "residual_torque", "ground_change", "stop_torques", "activations", "muscle_forces", "reserves", "devices",
)  # fmt: skip
LATER = ("activations", "muscle_forces", "reserves", "devices")  # which runs of earlier versions have not
TEXTS = ("integration", "sentence", "source", "when", "biomec")
NAMES = ("angle_names", "torque_names", "contacts", "stop_names", "muscle_names", "reserve_names", "device_names")


class RunSpread(NamedTuple):
    """Mean and standard deviation."""

    mean: float
    sd: float


@dataclass(frozen=True, eq=False)
class SimulationRun:
    """One simulation of a recorded movement. Arrays are read-only and hold what was reached, however it ended.

    F frames of the recording that were reached, S states (the start and one after every step), n coordinates.

    settings      : what was asked for
    integration   : formulation, integrator and step in words
    first, last   : frames of the stretch, counted from 0, both included; the run may have ended before the last
    rate_hz       : frames a second
    step_time_s   : (S,) of the recording [s], and for every state `iterations`, `increment` [m], `seconds` of the
                    processor, ‖Φ‖, ‖Φ̇‖ and ‖Φ̈‖ (`violation`, …), `kinetic` and `potential` energy and `work` [J] of
                    all forces but the weight
    q, qdot, qddot: (F, n) simulated, at the frames
    distance      : (F, 3) mean |simulated − recorded| over the coordinates, of q, q̇ and q̈
    spread        : "q", "qdot", "qddot" -> mean and standard deviation of that over frames and coordinates
    angle_names, angles, measured_angles   : (A,), (F, A) joint angles [rad]
    torque_names, torques, inverse_torques : (M,), (F, M) [N m] net joint moments that the simulated motion needs under
                    what acted on it, and those of inverse dynamics; none where inverse dynamics has not run
    residual_force, residual_torque : (F, 3) [N], [N m] that hold the root, where joint moments are known
    contacts, ground_change         : (K,), (F, K, 3) [N] what was added to the ground reactions; a segment that touched
                    the ground more than once is there as often
    stop_names, stop_torques        : (Z,), (F, Z) [N m] with which stops turn angles back, a part of the net moments;
                    none where there are no stops
    muscle_names, activations, muscle_forces : (M,), (F, M), (F, M) [N] of muscles that followed the movement
    reserve_names, reserves : (K,), (F, K) [N m] freedoms that muscles turned, and torques that no muscle could give
    device_names, devices : (D,) with units, (F, D): torques of orthosis and person apart, gaps and forces of cuffs
    ending, sentence : how and why it ended
    source        : fingerprint of the motion that it came from
    when, biomec  : when it was run (UTC, ISO 8601), by which version
    """

    settings: SimulationSettings
    integration: str
    first: int
    last: int
    rate_hz: float
    step_time_s: FloatArray
    iterations: IntArray
    increment: FloatArray
    seconds: FloatArray
    violation: FloatArray
    rate_violation: FloatArray
    acceleration_violation: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    work: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    distance: FloatArray
    spread: Mapping[str, RunSpread]
    angle_names: tuple[str, ...]
    angles: FloatArray
    measured_angles: FloatArray
    torque_names: tuple[str, ...]
    torques: FloatArray
    inverse_torques: FloatArray
    residual_force: FloatArray
    residual_torque: FloatArray
    contacts: tuple[str, ...]
    ground_change: FloatArray
    stop_names: tuple[str, ...]
    stop_torques: FloatArray
    activations: FloatArray
    muscle_forces: FloatArray
    reserves: FloatArray
    ending: Ending
    sentence: str
    source: str
    when: str
    biomec: str
    notices: tuple[Notice, ...] = ()
    muscle_names: tuple[str, ...] = ()
    reserve_names: tuple[str, ...] = ()
    device_names: tuple[str, ...] = ()
    devices: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        if not self.device_names:
            object.__setattr__(self, "devices", np.zeros((len(self.q), 0)))
        for name in (*BY_STEP, *BY_FRAME):
            object.__setattr__(self, name, read_only(getattr(self, name), getattr(self, name).dtype))

    @property
    def name(self) -> str:
        """Name of the run in its project."""
        return self.settings.title

    @property
    def frames(self) -> IntArray:
        """(F,) frames that were reached, counted from 0."""
        return np.arange(self.first, self.first + len(self.q))

    @property
    def time_s(self) -> FloatArray:
        """(F,) time of the recording at these frames [s]."""
        return np.asarray(self.frames / self.rate_hz)

    @property
    def completed(self) -> bool:
        """Whether the whole stretch was simulated."""
        return self.ending is Ending.COMPLETED

    @property
    def reached_s(self) -> float:
        """How much time was simulated [s]."""
        return float(self.step_time_s[-1] - self.step_time_s[0])

    @property
    def energy_drift(self) -> FloatArray:
        """(S,) mechanical energy less what it was and what was done on the body [J]; zero for an exact motion."""
        total = self.kinetic + self.potential
        return np.asarray(total - total[0] - self.work)

    @property
    def angle_rms(self) -> dict[str, float]:
        """Angle -> root mean square difference from the recorded motion [rad]."""
        return _rms(self.angle_names, self.angles - self.measured_angles)

    @property
    def torque_rms(self) -> dict[str, float]:
        """Joint moment -> root mean square difference from inverse dynamics [N m]."""
        return _rms(self.torque_names, self.torques - self.inverse_torques)

    @property
    def ground_changes(self) -> dict[str, FloatArray]:
        """Segment -> (F, 3) [N] what was added to the ground reactions on it, all of its contacts together."""
        segments = np.array(self.contacts)
        return {
            segment: np.asarray(self.ground_change[:, segments == segment].sum(axis=1))
            for segment in dict.fromkeys(self.contacts)
        }

    def to_result(self) -> Result:
        """Return what a session stores: everything."""
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in (*BY_STEP, *BY_FRAME)}
        return step_result(
            arrays,
            self.settings,
            self.notices,
            **{name: getattr(self, name) for name in (*TEXTS, *NAMES)},
            name=self.name,
            first=self.first,
            last=self.last,
            rate_hz=self.rate_hz,
            ending=self.ending,
            spread={level: list(one) for level, one in self.spread.items()},
        )


@dataclass(frozen=True)
class _StoredRun:
    """What is stored of a run beside its arrays."""

    options: Mapping[str, Any]
    integration: str
    first: int
    last: int
    rate_hz: float
    spread: Mapping[str, tuple[Any, Any]]  # NaN where no frame was reached
    angle_names: tuple[str, ...]
    torque_names: tuple[str, ...]
    contacts: tuple[str, ...]
    stop_names: tuple[str, ...]
    ending: Ending
    sentence: str
    source: str
    when: str
    biomec: str
    notices: tuple[Notice, ...] = ()
    muscle_names: tuple[str, ...] = ()
    reserve_names: tuple[str, ...] = ()
    device_names: tuple[str, ...] = ()


def stored_run(result: Result) -> SimulationRun:
    """Return the run that `SimulationRun.to_result` made plain."""
    try:
        about = made_from(_StoredRun, result.metadata)
        settings, notices = restored(SimulationSettings, about.options, "settings of a simulation")
        facts = {one.name: getattr(about, one.name) for one in fields(_StoredRun)}
        del facts["options"]
        none = {name: np.zeros((len(result.arrays["q"]), 0)) for name in LATER}
        facts |= {name: (none | dict(result.arrays))[name] for name in (*BY_STEP, *BY_FRAME)}
        facts["spread"] = {level: RunSpread(*map(float, one)) for level, one in about.spread.items()}
        facts["notices"] = (*about.notices, *notices)
        return SimulationRun(settings=settings, **facts)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BiomecError(f"A stored simulation is not complete ({error}). Run it again.") from error


def _rms(names: tuple[str, ...], difference: FloatArray) -> dict[str, float]:
    counted = np.isfinite(difference)
    total = np.where(counted, difference, 0.0)
    mean = (total**2).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return {
        name: float(np.sqrt(one)) if known else float("nan")
        for name, one, known in zip(names, mean, counted.sum(axis=0), strict=True)
    }
