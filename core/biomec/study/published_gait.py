"""The published table of tracked gait made anew with virtual people, row by row, beside the published numbers.

[Mouzo2018] Table 3.4 gives, for one healthy person and one with two orthoses and two crutches, how far simulations
leave the recorded walk: place of the lumbar joint, angles, ground reaction, torques of the joints. Here virtual people
walk, whose motion and forces are known and obey the equations of motion. Published numbers have one figure and belong
to other people, so that they are reported beside ours and nothing is judged by them.

A row is an entry of `ROWS`. Rows that are not made here yet say so; another module adds one by `ROWS[key] = replace(
ROWS[key], run=…)` with a function that simulates it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.device_loads import DeviceLoads, cuff_loads, device_columns, device_loads
from biomec.body.loads.measured_aids import together
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.tracking import Tracking, TrackingOptions, track
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.forces.springs import springs
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, reference_motion
from biomec.engine.tree.joint_tree import joint_tree
from biomec.reporting.tables import plain_number, table_text
from biomec.virtual import AssistedWalk, Movement, RecordOptions, VirtualPerson, Walk, record

QUANTITIES = ("place", "angles", "reaction force", "reaction moment", "joint torque")
UNITS = ("m", "rad", "N", "N m", "N m")
GROUPS = ("root place [m]", "angles [rad]", "root force [N]", "root torque [N m]", "joint torques [N m]")
FAILS = (None,) * len(QUANTITIES)
MARGIN_S = 0.1  # of the recording before and after the stretch that is simulated
FAILED_M = 0.5


@dataclass(frozen=True, eq=False)
class Walked:
    """A virtual walk ready to be followed: a movement that obeys the equations of motion under its ground reactions.

    start_s, duration_s : the stretch to simulate
    """

    person: SubjectModel
    reference: ReferenceMotion
    external: ExternalLoads
    time_s: FloatArray
    start_s: float
    duration_s: float

    @cached_property
    def ground(self) -> PrescribedLoads:
        """Ground reactions of feet and crutches."""
        return PrescribedLoads(self.reference.space, self.time_s, self.external)

    def followed(self, control: ControlOptions, step_s: float) -> Tracking:
        """The body led along the walk; springs of devices act, and nothing drives their hinges."""
        options = TrackingOptions(control, step_s=step_s, lost_m=FAILED_M)
        elements = self.person.elements
        return track(
            self.reference, self.ground, options, passive=springs(self.person.system, elements) if elements else None,
            start_s=self.start_s, duration_s=self.duration_s,
        )  # fmt: skip

    def devices(self, tracking: Tracking) -> DeviceLoads:
        """Torques of orthosis and person apart, gaps and forces of cuffs, in the simulated states (S)."""
        run, person = tracking.simulation, self.person
        at = np.searchsorted(run.time_s, tracking.time_s - 1e-9)
        q, qdot, qddot = run.q[at], run.qdot[at], run.qddot[at]
        wrenches = [self.ground.wrenches(float(t)) for t in tracking.time_s]
        force, moment = (np.stack([one[k] for one in wrenches]) for k in (0, 1))
        acting = external_loads(self.external.segments, np.zeros_like(force), force, moment)
        motion = segment_motion(person.system, q, qdot, qddot)
        tree = joint_tree(person.system, person.model.roots)
        loads = newton_euler(tree, motion, q, together(acting, cuff_loads(person, q, qdot)[0]))
        return device_loads(person, loads, q, qdot)


def virtual_walk(
    movement: Movement, person: VirtualPerson, start_s: float, duration_s: float, rate_hz: float = 100.0
) -> Walked:
    """A walk of a virtual person, without cameras or plates between."""
    options = RecordOptions(rate_hz=rate_hz, plate_rate_hz=rate_hz)
    acquisition = record(movement, person, options)
    model, truth = acquisition.model, acquisition.truth
    space = JointSpace(model.system, model.model.roots)
    there = (truth.time_s >= start_s - MARGIN_S - 1e-9) & (truth.time_s <= start_s + duration_s + MARGIN_S + 1e-9)
    reactions = [one for one in truth.reactions.values() if np.abs(one.force[there]).max() > 0.0]
    point, force, moment = (
        np.stack([getattr(one, name)[there] for one in reactions], axis=1) for name in ("point", "force", "moment")
    )
    external = external_loads([one.segment for one in reactions], point, force, moment)
    time_s = truth.time_s[there]
    return Walked(model, reference_motion(space, time_s, truth.q[there]), external, time_s, start_s, duration_s)


@dataclass(frozen=True)
class GaitStudy:
    """What is simulated.

    stretch_s : of every walk; None: one stride
    step_s    : of the integrator (constant acceleration, control once a step) [s]
    stiffness : c_P [1/s²]
    """

    stretch_s: float | None = None
    step_s: float = 1e-3
    stiffness: float = 1e3

    def __post_init__(self) -> None:
        for name in ("stretch_s", "step_s", "stiffness"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < np.inf:
                raise BiomecError(f"Published gait: {name} is {value:g}; give a number above 0.")


class VirtualGaits:
    """The walks of the table, made when a row asks for them."""

    def __init__(self, options: GaitStudy = GaitStudy()) -> None:
        self.options = options
        self._made: dict[str, Walked] = {}

    def walk(self, orthoses: str = "") -> Walked:
        """The healthy walk, or one with crutches and `MODELS` of orthoses."""
        if orthoses not in self._made:
            length = self.options.stretch_s
            if orthoses:
                movement: Movement = AssistedWalk(strides=2, orthoses=orthoses)
                person, stride = VirtualPerson(65.0, 1.52, "female"), AssistedWalk().stride_s
            else:
                movement, person, stride = Walk(strides=3), VirtualPerson(84.0, 1.75, "male"), Walk().stride_s
            self._made[orthoses] = virtual_walk(movement, person, 0.5, stride if length is None else length)
        return self._made[orthoses]

    def followed(self, orthoses: str = "", law: str = "computed torque", root: str = "held") -> Tracking:
        """A walk followed by one law of control."""
        walk, passive = self.walk(orthoses), self.walk(orthoses).person.passive_joints
        chosen = ControlOptions(law, root, self.options.stiffness, passive=passive)
        return walk.followed(chosen, self.options.step_s)


@dataclass(frozen=True)
class GaitRow:
    """A row of the table.

    published : place [m], angles [rad], reaction force [N] and moment [N m], joint torque [N m]; None where it fell
    orthoses  : of the virtual person, as `AssistedWalk` calls them; empty for the healthy one
    run       : simulates it; None where this program has no such row yet
    """

    gait: str
    actuation: str
    variant: str
    published: tuple[float | None, ...]
    orthoses: str = ""
    run: Callable[[VirtualGaits], Tracking] | None = None


ROWS: dict[str, GaitRow] = {
    "S12": GaitRow("healthy", "full", "feed-forward", FAILS, run=lambda all: all.followed(law="feed-forward")),
    "S13": GaitRow("healthy", "full", "proportional-derivative", (1e-7, 1e-5, 1e-2, 1e-4, 1e-4),
                   run=lambda all: all.followed(law="proportional-derivative")),
    "S14": GaitRow("healthy", "full", "computed torque", (1e-6, 1e-4, 1.0, 0.1, 0.1), run=lambda all: all.followed()),
    "S15": GaitRow("healthy", "under", "given reactions", (6e-4, 8e-4, 0.0, 0.0, 1e-3),
                   run=lambda all: all.followed(root="free")),
    "S18": GaitRow("healthy", "under", "contact", (4e-2, 1e-2, 1e2, 1e1, 1e1)),
    "S20": GaitRow("assisted", "full", "computed torque, orthoses that move with the legs",
                   (1e-6, 1e-4, 1.0, 0.1, 0.1), "two", lambda all: all.followed("two")),
    "S22": GaitRow("assisted", "full", "computed torque, orthoses as bodies of their own",
                   (1e-6, 1e-4, 1.0, 0.1, 0.1), "two free", lambda all: all.followed("two free")),
    "S21": GaitRow("assisted", "under", "contact, orthoses that move with the legs",
                   (1e-2, 4e-3, 4e1, 1e1, 1e1), "two"),
    "S23": GaitRow("assisted", "under", "contact, orthoses as bodies of their own", (2e-2, 5e-3, 4e1, 1e1, 2e1),
                   "two free"),
}  # fmt: skip
"""Key -> row of [Mouzo2018] Table 3.4, in its order."""


@dataclass(frozen=True, eq=False)
class GaitRowResult:
    """What a row gave: RMS over the stretch, how it ended, and what devices did.

    time_s, device_names, devices : (S,), (D,) with units, (S, D): torques of orthosis and person apart, misalignment
                                    and forces of cuffs; nothing without devices
    """

    key: str
    row: GaitRow
    here: tuple[float | None, ...]
    completed: bool
    simulated_s: float
    wanted_s: float
    sentence: str
    time_s: FloatArray = field(default_factory=lambda: np.zeros(0))
    device_names: tuple[str, ...] = ()
    devices: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))


def published_gait(
    options: GaitStudy = GaitStudy(),
    keys: Sequence[str] = (),
    progress: Progress | None = None,
    gaits: VirtualGaits | None = None,
) -> tuple[GaitRowResult, ...]:
    """Simulate the rows of the table; all that there are if none is named."""
    unknown = sorted(set(keys) - set(ROWS))
    if unknown:
        raise BiomecError(f"The table has no row {', '.join(unknown)}; it has {', '.join(ROWS)}.")
    gaits, chosen = gaits or VirtualGaits(options), tuple(keys) or tuple(ROWS)
    found = []
    for k, key in enumerate(chosen):
        found.append(_result(key, ROWS[key], gaits))
        if progress is not None:
            progress((k + 1) / len(chosen))
    return tuple(found)


def _result(key: str, row: GaitRow, gaits: VirtualGaits) -> GaitRowResult:
    nothing = (None,) * len(QUANTITIES)
    if row.run is None:
        return GaitRowResult(key, row, nothing, False, 0.0, 0.0, "This row is not simulated here.")
    tracking = row.run(gaits)
    run = tracking.simulation
    done = float(run.time_s[-1] - run.time_s[0])
    walk = gaits.walk(row.orthoses)
    here = tuple(tracking.rms[group] for group in GROUPS) if tracking.completed else nothing
    result = GaitRowResult(key, row, here, tracking.completed, done, walk.duration_s, run.sentence)
    if not (row.orthoses and tracking.completed):
        return result
    names, values = device_columns(walk.devices(tracking))
    return replace(result, time_s=tracking.time_s, device_names=names, devices=values)


def device_csv(one: GaitRowResult) -> str:
    """What devices did in a row, state by state."""
    head = [[f"{t:.6f}"] for t in one.time_s]
    return table_text(["time_s", *one.device_names], head, one.devices)


def gait_csv(results: Sequence[GaitRowResult]) -> str:
    """Every published number beside ours: row, what, unit, published, here, ratio."""
    head, numbers = [], []
    for one in results:
        for k, (what, unit) in enumerate(zip(QUANTITIES, UNITS, strict=True)):
            pair = [np.nan if x is None else x for x in (one.row.published[k], one.here[k])]
            head.append((one.key, one.row.gait, one.row.actuation, one.row.variant, _said(one), what, unit))
            numbers.append((*pair, pair[1] / pair[0] if pair[0] else np.nan))
    columns = [
        "row",
        "gait",
        "actuation",
        "variant",
        "outcome",
        "quantity",
        "unit",
        "published",
        "here",
        "here/published",
    ]
    return table_text(columns, head, np.array(numbers))


def gait_json(results: Sequence[GaitRowResult], options: GaitStudy) -> str:
    """The same for programs, with devices."""
    rows = [
        {
            "row": one.key, "gait": one.row.gait, "actuation": one.row.actuation, "variant": one.row.variant,
            "outcome": _said(one), "simulated_s": plain_number(one.simulated_s),
            "published": dict(zip(QUANTITIES, one.row.published, strict=True)),
            "here": {name: _plain(x) for name, x in zip(QUANTITIES, one.here, strict=True)},
            "units": dict(zip(QUANTITIES, UNITS, strict=True)),
            "devices_max": {
                name: plain_number(float(np.abs(one.devices[:, k]).max())) for k, name in enumerate(one.device_names)
            },
        }
        for one in results
    ]  # fmt: skip
    about = {"table": "Mouzo2018, Table 3.4", "step_s": options.step_s, "stiffness": options.stiffness, "rows": rows}
    return json.dumps(about, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def gait_words(results: Sequence[GaitRowResult]) -> str:
    """The table for people: ours, with the published figure in brackets."""
    titles = ("place m", "angles rad", "force N", "moment N·m", "joints N·m")
    lines = [f"{'row':4} {'walk':16} " + " ".join(f"{title:>16}" for title in titles)]
    for one in results:
        cells = [
            f"{_number(mine)} ({_number(theirs, 0)})" for mine, theirs in zip(one.here, one.row.published, strict=True)
        ]
        name = f"{one.row.gait}, {one.row.actuation}"
        lines.append(f"{one.key:4} {name:16} " + " ".join(f"{cell:>16}" for cell in cells))
        lines.append(f"     {one.row.variant}: {_said(one)}")
    return "\n".join(lines)


def _plain(x: float | None) -> float | None:
    return None if x is None else plain_number(x)


def _said(one: GaitRowResult) -> str:
    if one.row.run is None:
        return "not simulated here"
    if one.completed:
        return "completed"
    return f"fell at {100.0 * one.simulated_s / one.wanted_s:.0f} %"


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}e}" if value else "0"
