"""The virtual laboratory: a person performs a movement, and cameras, force plates and EMG record it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeVar

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import butter, sosfiltfilt

from biomec.base.arrays import FloatArray, read_only, rotation_about
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.body.loads.device_loads import cuff_loads
from biomec.body.loads.ground_reaction import GroundReaction, shared_reactions
from biomec.recording import BIOMEC_AXES, Analog, Event, ForcePlate, Markers, Source, Trial
from biomec.virtual.disturbances import (
    Gap,
    LabelError,
    disturbed,
    draw_gaps,
    draw_label_errors,
    skin_displacements,
)
from biomec.virtual.instrumented import crutch_channels
from biomec.virtual.loads import CarriedLoad, carried_loads, required_wrench
from biomec.virtual.movement import Movement, Performance
from biomec.virtual.person import MARKER_SET, VirtualPerson
from biomec.virtual.skeleton import Placed, Skeleton, Y
from biomec.virtual.wearing import Worn, static_markers, worn

SWAY_M, SWAY_HZ = 0.002, 0.31  # nobody stands quite still
FULL_EFFORT_V = 5e-4  # root mean square at full effort
AMPLIFIER_V = 4e-6
BAND_HZ = (20.0, 400.0)


@dataclass(frozen=True)
class RecordOptions:
    """How the laboratory records. Without disturbances, which is the default, the recording is exact.

    rate_hz, plate_rate_hz, emg_rate_hz : samples a second; those of the plates a whole multiple of the frames
    static_s      : length of the static acquisition [s]
    noise_mm      : standard deviation of every marker coordinate
    soft_tissue_mm: how far the skin of the thigh moves over the bone in a quarter turn of the hip; other segments less
    plate_noise_n : standard deviation of every force component [N]; moments 0.1 m of it
    gaps          : gaps in a marker, on average;  gap_s : the longest of them [s]
    mislabelled   : how often two labels are exchanged
    removed       : take off the markers that the set removes after the static acquisition
    hidden        : markers that no camera sees in the dynamic trial
    marker_set    : "biomec-full", or "plug-in-gait" or "gait-37" on the same body; with crutches "gait-43"
    heading_rad   : the person faces this far to the left of the laboratory's X axis
    seed          : the same seed gives the same recording, bit by bit
    """

    rate_hz: float = 100.0
    plate_rate_hz: float = 500.0
    emg_rate_hz: float = 1000.0
    static_s: float = 1.0
    noise_mm: float = 0.0
    soft_tissue_mm: float = 0.0
    plate_noise_n: float = 0.0
    gaps: float = 0.0
    gap_s: float = 0.15
    mislabelled: int = 0
    removed: bool = True
    hidden: tuple[str, ...] = ()
    marker_set: str = MARKER_SET
    heading_rad: float = 0.0
    seed: int = 0
    recorded: date = date(2026, 3, 2)

    def __post_init__(self) -> None:
        ratio = self.plate_rate_hz / self.rate_hz if self.rate_hz > 0.0 else 0.0
        if not (ratio >= 1.0 and abs(ratio - round(ratio)) < 1e-9 and self.emg_rate_hz > 50.0):
            raise BiomecError(
                f"Virtual recording: plates at {self.plate_rate_hz:g} Hz must be a whole multiple of the frames at "
                f"{self.rate_hz:g} Hz, and the EMG faster than 50 Hz."
            )
        amounts = (self.noise_mm, self.soft_tissue_mm, self.plate_noise_n, self.gaps, self.gap_s, self.mislabelled)
        if not (min(amounts) >= 0.0 and np.isfinite(amounts).all() and self.static_s * self.rate_hz >= 1.0):
            raise BiomecError("Virtual recording: disturbances cannot be negative, and the static needs a frame.")
        object.__setattr__(self, "hidden", tuple(self.hidden))

    @property
    def ratio(self) -> int:
        """Samples of the plates in a frame."""
        return round(self.plate_rate_hz / self.rate_hz)


DEMO = RecordOptions(noise_mm=0.3, soft_tissue_mm=4.0, plate_noise_n=0.5, gaps=0.15, seed=2026)
"""An ordinary day in a good laboratory."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What really happened. Arrays over the frames of the dynamic trial, read-only, in the laboratory's axes.

    q, qdot, qddot : (T, n) natural coordinates of the 21-segment model and their derivatives
    landmarks      : every point of the model, joint centres included -> (T, 3) [m]
    markers        : all markers of the set without any disturbance (T, M, 3) [m], as they ride on the bones
    reactions      : contact -> what the ground does to it, at the frames
    loads          : joint -> what its proximal segment does to the distal one
    gaps, label_errors : what was hidden and exchanged
    events         : what a laboratory would mark
    """

    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    landmarks: Mapping[str, FloatArray]
    markers: Markers
    reactions: Mapping[str, GroundReaction]
    loads: Mapping[str, CarriedLoad]
    gaps: tuple[Gap, ...]
    label_errors: tuple[LabelError, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, eq=False)
class VirtualAcquisition:
    """A complete acquisition: static and dynamic trial (markers, plates, EMG), and the truth behind them."""

    person: VirtualPerson
    movement: Movement
    model: SubjectModel
    static: Trial
    dynamic: Trial
    truth: Truth
    options: RecordOptions


def model_of(person: VirtualPerson, model: str = "m21", marker_set: str = MARKER_SET) -> SubjectModel:
    """A person's own model, built from the undisturbed standing pose in a marker set."""
    standing = static_markers(person, marker_set)
    return build_subject_model(load_model(model), standing.places, standing.marker_set, person.subject)


def record(
    movement: Movement, person: VirtualPerson = VirtualPerson(), options: RecordOptions = RecordOptions()
) -> VirtualAcquisition:
    """Let a person perform a movement, and record it."""
    own = movement.marker_set
    if own != MARKER_SET and options.marker_set == MARKER_SET:
        options = replace(options, marker_set=own)
    model = model_of(person, movement.model, own)
    skeleton = Skeleton(model.system)
    frames = round(movement.duration_s * options.rate_hz)
    if frames < 2:
        raise BiomecError(f"{movement.name} lasts {movement.duration_s:g} s: too short to be recorded.")
    steps = options.ratio if movement.sharp else 1
    time_s = np.arange((frames + 1) * steps) / (options.rate_hz * steps)  # one frame more, for plates between frames
    performance = movement.perform(skeleton, time_s)
    reactions = shared_reactions(*required_wrench(model.system, performance.placed), performance.contacts)
    at_frames = {name: _at(one, slice(0, frames * steps, steps)) for name, one in performance.placed.items()}
    heading = rotation_about(Y, options.heading_rad)
    rng = np.random.default_rng(options.seed)
    dressed = worn(person, model, options.marker_set)
    scene = _Scene(dressed, model, at_frames, heading)
    dynamic_p, gaps, errors, names = _seen(scene, options, rng)
    recorded = Trial(
        source=_source(movement.name, dynamic_p),
        markers=Markers(names, dynamic_p, options.rate_hz),
        axes=BIOMEC_AXES,
        subject=dressed.subject,
        recorded=options.recorded,
        plates=_plates(performance, reactions, options, steps, frames, heading, rng),
        analog=crutch_channels(
            model, performance, reactions, frames * options.ratio, options.plate_rate_hz, options.plate_noise_n, rng
        )
        if movement.sharp
        else None,
        emg=emg_signals(performance.efforts, time_s, options.emg_rate_hz, frames / options.rate_hz, rng),
    )
    truth = scene.truth(skeleton, reactions, slice(0, frames * steps, steps), options, gaps, errors, performance.events)
    static = _static(dressed, options, heading, rng)
    return VirtualAcquisition(person, movement, model, static, recorded, truth, options)


class _Scene:
    """Where everything is in every frame, in the axes of a laboratory that the person faces at an angle."""

    def __init__(self, dressed: Worn, model: SubjectModel, placed: Mapping[str, Placed], heading: FloatArray) -> None:
        self.dressed, self.model, self.placed, self.heading = dressed, model, placed, heading
        self.turns = {name: one.turn.value for name, one in placed.items()}

    def markers(self) -> dict[str, FloatArray]:
        """Every marker of the set, riding on its bone (T, 3) [m]."""
        owner = self.dressed.owner
        return {name: self._place(owner[name], stood) for name, stood in self.dressed.places.items()}

    def _place(self, segment: str, stood: FloatArray) -> FloatArray:
        return np.asarray(self.placed[segment].up_to(0).point(stood).value @ self.heading.T)

    def skin(self, amplitude_m: float, rng: np.random.Generator) -> dict[str, FloatArray]:
        """How far skin carries the markers away (T, 3) [m]."""
        proximal = {}
        for joint in self.model.model.joints:
            proximal[joint.distal] = joint.proximal
        moved = skin_displacements(
            self.dressed.places, self.dressed.marker_set, self.dressed.owner, self.turns, proximal, amplitude_m, rng
        )
        return {name: shift @ self.heading.T for name, shift in moved.items()}

    def straps(self, skeleton: Skeleton) -> dict[str, GroundReaction]:
        """What cuffs and struts of devices do to both of their segments, as if it came from outside."""
        states = skeleton.coordinates(self.placed)
        loads, _ = cuff_loads(self.model, states.value, states.rate)
        none = np.zeros((loads.frames, 3))
        return {
            f"strap {k}": GroundReaction(name, loads.point[:, k], loads.force[:, k], none)
            for k, name in enumerate(loads.segments)
        }

    def truth(
        self,
        skeleton: Skeleton,
        reactions: Mapping[str, GroundReaction],
        part: slice,
        options: RecordOptions,
        gaps: tuple[Gap, ...],
        errors: tuple[LabelError, ...],
        events: tuple[Event, ...],
    ) -> Truth:
        q, qdot, qddot = (
            read_only((one.reshape(len(one), -1, 3) @ self.heading.T).reshape(one.shape))
            for one in skeleton.coordinates(self.placed).parts
        )
        landmarks = {}
        for body in self.model.system.bodies:
            for point in body.points:
                if point in self.model.static:
                    landmarks[point] = read_only(self._place(body.name, skeleton.point(f"{body.name}.{point}")))
        clean = self.markers()
        p = np.stack(list(clean.values()), axis=1)
        there = {name: _at_frames(one, part) for name, one in reactions.items()}
        carried = carried_loads(skeleton, self.placed, there | self.straps(skeleton))
        turned = {name: _turned(one, self.heading, ("point", "force", "moment")) for name, one in there.items()}
        loads = {name: _turned(one, self.heading, ("centre", "force", "torque")) for name, one in carried.items()}
        time_s = read_only(np.arange(len(p)) / options.rate_hz)
        markers = Markers(tuple(clean), p, options.rate_hz)
        return Truth(
            time_s, q, qdot, qddot, FrozenDict(landmarks), markers, FrozenDict(turned), FrozenDict(loads), gaps,
            errors, events,
        )  # fmt: skip


def _seen(
    scene: _Scene, options: RecordOptions, rng: np.random.Generator
) -> tuple[FloatArray, tuple[Gap, ...], tuple[LabelError, ...], tuple[str, ...]]:
    """What the cameras see in the dynamic trial (T, M, 3), with the gaps and label errors that were made."""
    markers = scene.markers()
    unknown = sorted(set(options.hidden) - set(markers))
    if unknown:
        raise BiomecError(f"Virtual recording: {', '.join(unknown)} cannot be hidden; the set has no such marker.")
    if options.soft_tissue_mm > 0.0:
        skin = scene.skin(1e-3 * options.soft_tissue_mm, rng)
        markers = {name: p + skin[name] for name, p in markers.items()}
    marker_set = scene.dressed.marker_set
    names = tuple(
        name for name in markers if name not in options.hidden and not (options.removed and marker_set[name].removed)
    )
    p_WM = np.stack([markers[name] for name in names], axis=1)
    if options.noise_mm > 0.0:
        p_WM = p_WM + rng.normal(scale=1e-3 * options.noise_mm, size=p_WM.shape)
    errors = draw_label_errors(p_WM, names, options.rate_hz, options.mislabelled, rng)
    gaps = draw_gaps(names, len(p_WM), options.rate_hz, options.gaps, options.gap_s, rng) if options.gaps else ()
    return disturbed(p_WM, names, gaps, errors), gaps, errors, names


def _static(dressed: Worn, options: RecordOptions, heading: FloatArray, rng: np.random.Generator) -> Trial:
    """The person stands, swaying as one piece by a few millimetres."""
    frames = max(1, round(options.static_s * options.rate_hz))
    angle = 2.0 * np.pi * SWAY_HZ * np.arange(frames) / options.rate_hz
    sway = SWAY_M * np.stack([np.sin(angle), np.zeros(frames), 0.5 * np.sin(1.7 * angle)], axis=1)
    p = np.stack(list(dressed.places.values()))[None] + sway[:, None]
    p = p @ heading.T
    if options.noise_mm > 0.0:
        p = p + rng.normal(scale=1e-3 * options.noise_mm, size=p.shape)
    return Trial(
        source=_source("Static", p),
        markers=Markers(tuple(dressed.places), p, options.rate_hz),
        axes=BIOMEC_AXES,
        subject=dressed.subject,
        recorded=options.recorded,
    )


def _plates(
    performance: Performance,
    reactions: Mapping[str, GroundReaction],
    options: RecordOptions,
    steps: int,
    frames: int,
    heading: FloatArray,
    rng: np.random.Generator,
) -> tuple[ForcePlate, ...]:
    """What the force plates measure, at their own rate; between frames of a smooth movement by splines."""
    samples = np.arange(frames * options.ratio) / options.plate_rate_hz
    up = np.array([0.0, 1.0, 0.0])
    found = []
    for plate in performance.plates:
        origin = plate.corners.mean(axis=0)
        force, moment = np.zeros((2, len(performance.time_s), 3))
        for contact, borne_by in performance.borne_by.items():
            if borne_by == plate.name:
                one = reactions[contact]
                force = force + one.force
                moment = moment + one.moment + np.cross(one.point - origin, one.force)
        if steps != options.ratio:
            force, moment = (np.asarray(CubicSpline(performance.time_s, a)(samples)) for a in (force, moment))
        force, moment = force[: len(samples)], moment[: len(samples)]
        if options.plate_noise_n > 0.0:
            force = force + rng.normal(scale=options.plate_noise_n, size=force.shape)
            moment = moment + rng.normal(scale=0.1 * options.plate_noise_n, size=moment.shape)
        found.append(
            ForcePlate(
                plate.name, force @ heading.T, moment @ heading.T, options.plate_rate_hz, heading @ origin, up,
                plate.corners @ heading.T,
            )
        )  # fmt: skip
    return tuple(found)


def _at_frames(one: GroundReaction, part: slice) -> GroundReaction:
    return replace(one, point=one.point[part], force=one.force[part], moment=one.moment[part])


Turned = TypeVar("Turned", GroundReaction, CarriedLoad)


def _turned(one: Turned, heading: FloatArray, vectors: tuple[str, ...]) -> Turned:
    """The same in the axes of a laboratory that the person faces at an angle."""
    there: dict[str, Any] = {name: read_only(getattr(one, name) @ heading.T) for name in vectors}
    return replace(one, **there)


def _at(one: Placed, part: slice) -> Placed:
    """A placed segment at some of its frames."""
    return Placed(one.turn[part], one.stood, one.now[part])


def _source(name: str, p: FloatArray) -> Source:
    return Source.of_bytes(name, "virtual", np.ascontiguousarray(p).tobytes())


def emg_signals(
    efforts: Mapping[str, FloatArray], time_s: FloatArray, rate_hz: float, duration_s: float, rng: np.random.Generator
) -> Analog | None:
    """Surface EMG as amplifiers give it, of efforts (T,) between 0 and 1 at times (T,); None where no muscle is known.

    x = e(t) · n(t) + amplifier noise, n being Gaussian noise between 20 and 400 Hz of unit power.
    """
    if not efforts:
        return None
    samples = round(duration_s * rate_hz)
    at = np.arange(samples) / rate_hz
    high = min(BAND_HZ[1], 0.45 * rate_hz)
    band = butter(2, (BAND_HZ[0], high), "bandpass", fs=rate_hz, output="sos")
    channels = []
    for effort in efforts.values():
        carrier = sosfiltfilt(band, rng.normal(size=samples))
        level = np.interp(at, time_s, effort)
        channels.append(FULL_EFFORT_V * level * carrier / carrier.std() + AMPLIFIER_V * rng.normal(size=samples))
    names = tuple(efforts)
    return Analog(names, np.stack(channels, axis=1), ("V",) * len(names), rate_hz)
