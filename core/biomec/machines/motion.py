"""Where the bodies of a machine are: at its start, along its laws, and in the answer of a study. For drawings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.driven_motion import follow_drivers
from biomec.engine.drivers import AngleDriver
from biomec.engine.layout import GROUND
from biomec.engine.position import PositionSolver
from biomec.engine.system import System
from biomec.machines.laws import Law
from biomec.machines.machine import DRIVERS, Machine, is_length
from biomec.machines.study import Run

STRAYED = "With these values the parts cannot be joined; they are drawn as far apart as they are."
STUCK = "With these values the machine cannot go through the whole motion; it stops where it is stuck."
SHORT = "Its laws turn it so fast that only the first {} are drawn."
LARGEST_TURN = np.pi / 2  # [rad] from one drawing to the next; more cannot be seen, and takes long to follow
SMALL = 1e-9  # singular value of the constraints below which something is free
START = "start of {}"  # name of the driver that turns a body to where a free motion begins


@dataclass(frozen=True, eq=False)
class MachineMotion:
    """Places of bodies over time.

    time_s  : (T,)
    origins : body -> (T, dim) its origin [m], NaN where it is not known
    axes    : body -> (T, dim, dim), columns are its axes in the laboratory
    fault   : why it is not the motion that is wanted, as a sentence; empty if it is
    """

    time_s: FloatArray
    origins: Mapping[str, FloatArray]
    axes: Mapping[str, FloatArray]
    fault: str = ""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(next(iter(self.origins.values())).shape[-1])

    def place(self, body: str, local: ArrayLike) -> FloatArray:
        """Where a point of a body (or of the ground) is: (T, dim) of its local coordinates (dim,)."""
        point = np.asarray(local, dtype=np.float64)
        if body == GROUND:
            return np.broadcast_to(point, (len(self.time_s), point.size))
        return np.asarray(self.origins[body] + self.axes[body] @ point)


def as_described(machine: Machine) -> MachineMotion:
    """The machine in the poses of its file, whether its parts are joined there or not. Takes no time."""
    return _motion(machine.system, np.zeros(1), machine.system.reference[None], "")


def at_start(machine: Machine) -> MachineMotion:
    """The machine in one moment, its parts joined: where its laws begin, or else where a free motion does."""
    try:
        q, fault = _start(machine)
    except BiomecError as error:
        q, fault = machine.system.reference, str(error)
    return _motion(machine.system, np.zeros(1), q[None], fault)


def at_free_start(machine: Machine) -> MachineMotion:
    """The machine where a free motion begins: at the start of its file if it has one, else as `at_start`."""
    from biomec.machines.closed_chain.study_parts import start_state
    from biomec.machines.reference_points import reference_point_model

    if not (machine.is_planar and machine.start.given):
        return at_start(machine)
    model = reference_point_model(machine, "none")
    q, _, _ = start_state(machine, model)
    poses = {name: pose[None] for name, pose in model.poses(q).items()}
    turns = {name: (np.cos(pose[:, 2]), np.sin(pose[:, 2])) for name, pose in poses.items()}
    axes = {name: read_only(np.stack([c, -s, s, c], axis=-1).reshape(-1, 2, 2)) for name, (c, s) in turns.items()}
    return MachineMotion(np.zeros(1), {name: read_only(pose[:, :2]) for name, pose in poses.items()}, axes)


def along_laws(machine: Machine, frames: int = 61) -> MachineMotion | None:
    """The motion that the laws of the machine prescribe; None where they leave anything free.

    Driven angles without a law turn once, so that a machine whose file has none can be seen at work. Where they turn
    too fast to be seen, it is as much of the motion as can be.
    """
    from biomec.machines.closed_chain.study_parts import with_laws

    if machine.system.drivers:
        machine = with_laws(machine, 360.0 / machine.duration_s)
    if not _prescribed(machine):
        return None
    laws, system = {one.driver: one.law for one in machine.prescriptions}, machine.system
    seen_s = _seen(machine, laws, frames)
    time_s = np.linspace(0.0, seen_s, frames)
    try:
        found = follow_drivers(system, system.drive({k: law.value(time_s) for k, law in laws.items()}))
    except BiomecError as error:
        start = at_start(machine)
        return MachineMotion(start.time_s, start.origins, start.axes, str(error))
    reached = int(found.valid.argmin()) if not found.valid.all() else frames
    if reached == 0:
        return at_start(machine)
    short = SHORT.format(f"{seen_s:.3g} s") if seen_s < machine.duration_s else ""
    return _motion(system, time_s[:reached], found.q[:reached], STUCK if reached < frames else short)


def _seen(machine: Machine, laws: Mapping[str, Law], frames: int) -> float:
    """How much of the duration [s] so many drawings can show."""
    time_s = np.linspace(0.0, machine.duration_s, 10 * frames)
    angles = [law for name, law in laws.items() if not is_length(name, machine.system)]
    fastest = max((float(np.abs(law.rate(time_s)).max()) for law in angles), default=0.0)
    longest = (frames - 1) * LARGEST_TURN
    return machine.duration_s if fastest * machine.duration_s <= longest else longest / fastest


def of_run(run: Run) -> MachineMotion | None:
    """The motion in the answer of a study; None if nothing moves there. Bodies left out stand still."""
    poses = {name: np.asarray(one) for name, one in run.poses.items()}
    frames = len(next(iter(poses.values()))) if poses else 0
    if not frames:
        return None
    start = at_start(run.machine) if set(poses) != {one.name for one in run.machine.system.bodies} else None
    origins, axes = {}, {}
    for body in run.machine.system.bodies:
        if body.name in poses:
            pose = poses[body.name]
            if pose.ndim == 3:  # in space: attitude and position
                origins[body.name], axes[body.name] = read_only(pose[..., 3]), read_only(pose[..., :3])
                continue
            cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
            origins[body.name] = read_only(pose[:, :2])
            axes[body.name] = read_only(np.stack([cos, -sin, sin, cos], axis=-1).reshape(-1, 2, 2))
        elif start is not None:
            origins[body.name] = np.repeat(start.origins[body.name], frames, axis=0)
            axes[body.name] = np.repeat(start.axes[body.name], frames, axis=0)
    return MachineMotion(read_only(run.time_s[:frames]), origins, axes)


def _prescribed(machine: Machine) -> bool:
    """Whether the laws leave nothing free."""
    system, laws = machine.system, {one.driver: one.law for one in machine.prescriptions}
    if not system.drivers or set(laws) != set(system.drivers):
        return False
    now = system.drive({name: law.value(0.0) for name, law in laws.items()})
    return bool(np.linalg.matrix_rank(system.jacobian(system.reference, now), tol=SMALL) == system.n)


def _start(machine: Machine) -> tuple[FloatArray, str]:
    """Coordinates of the start, and what is wrong with them."""
    system = machine.system
    values = {one.driver: float(one.law.value(0.0)) for one in machine.prescriptions}
    followed = bool(system.drivers) and set(values) == set(system.drivers)  # a path of a point has several drivers
    kept = [one for one in system.constraints if followed or not isinstance(one, DRIVERS)]
    values = values if followed else {}
    if machine.is_planar and not _prescribed(machine):
        values |= {START.format(name): angle for name, angle in machine.start.angles.items()}
        kept += [AngleDriver(START.format(name), f"{GROUND}.x", f"{name}.x") for name in machine.start.angles]
    if kept == list(system.constraints):
        return _joined(system, values)
    layout = system.layout
    ground = {name: at for name, at in layout.ground.items() if name != "origin"}
    directions = {name: at for name, at in layout.directions.items() if name not in ("x", "y", "z")}
    whole = System(system.bodies, kept, name=system.name, ground=ground, directions=directions, gravity=system.gravity)
    return _joined(whole, values)


def _joined(system: System, values: Mapping[str, float]) -> tuple[FloatArray, str]:
    """The configuration nearest to the reference that obeys the constraints and the drivers."""
    if values:
        found = follow_drivers(system, system.drive({name: np.array([value]) for name, value in values.items()}))
        q, valid = found.q[0], bool(found.valid[0])
    else:
        solved = PositionSolver(system).solve(system.reference)
        q, valid = solved.q[0], bool(solved.valid[0])
    return (q, "") if valid else (system.reference, STRAYED)


def _motion(system: System, time_s: FloatArray, q: FloatArray, fault: str) -> MachineMotion:
    """Motion of coordinates (T, n)."""
    layout = system.layout
    names = [body.name for body in system.bodies]
    letters = "xyz"[: layout.dimension]
    origins = {name: read_only(layout.point(f"{name}.origin")(q)) for name in names}
    axes = {
        name: read_only(np.stack([layout.vector(f"{name}.{axis}")(q) for axis in letters], axis=-1)) for name in names
    }
    return MachineMotion(read_only(time_s), origins, axes, fault)
