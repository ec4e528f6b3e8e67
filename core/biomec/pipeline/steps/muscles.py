"""Which muscles make the torques of the joints, what the joints then bear, and how far both can be trusted.

The step comes after `loads` and is run by whoever asks for it: joint loads are needed by many, muscles by some.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, Scope, warning
from biomec.base.progress import Progress, part_of
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.device_loads import without_springs
from biomec.body.muscles.emg_comparison import MeasuredActivation, measured_activation, proposed_muscles
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.joint_contact import JointContacts, joint_contacts
from biomec.body.muscles.lacking import lower_bounds
from biomec.body.muscles.muscle_forces import EmgTargets, MuscleForces, muscle_forces
from biomec.body.muscles.muscle_paths import MusclePaths, muscle_paths
from biomec.body.muscles.muscle_set import MuscleSource
from biomec.body.muscles.muscle_trust import ContactPeak, MuscleTrust, contact_peaks, muscle_trust
from biomec.body.muscles.muscle_work import MuscleWork, TorquePeak, muscle_work, torque_peaks
from biomec.body.muscles.patella import PatellaForces, patella_forces, patella_peaks
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing_model import SharingModel, person_muscles
from biomec.body.muscles.sharing_options import ASSISTED, HYBRID, NO_EMG
from biomec.body.muscles.what_if import MuscleQuestion
from biomec.pipeline.settings import MuscleSettings
from biomec.pipeline.steps.body import LoadedBody
from biomec.pipeline.steps.loads import LoadResult, tree_of
from biomec.pipeline.steps.segments import determined_motion
from biomec.pipeline.steps.signals import CleanSignals
from biomec.recording import Analog, Result
from biomec.recording.step import step_result
from biomec.signals.emg_muscles import EmgReading

GROUND_DOUBTS = {
    "muscles-without-ground": "No force of the ground is known: read only limbs that touch nothing.",
    "muscles-estimated-ground": "In part of the frames the ground reaction was estimated, not measured.",
    "muscles-all-estimated-ground": "The ground reaction was estimated throughout, not measured.",
}
"""Code of a notice about the ground reaction -> what the verdict says of it."""
FOLLOWED = {ASSISTED: "are drawn to EMG (EMG-assisted)", HYBRID: "take EMG as it is (EMG-hybrid)"}
"""How sharing uses measured activations -> what that does to the forces."""
TRACED = 0.4  # share of the time that paths take
STORED = {
    "paths": ("length",),
    "forces": ("activation", "force", "length", "wanted", "reserve", "rib_force", "slip", "status", "residual"),
    "contacts": ("force", "net", "torque"),
    "work": ("given", "taken", "seconds"),
}
"""Part of the result -> arrays that a session stores; all others follow from these, and would double its file."""


@dataclass(frozen=True, eq=False)
class MuscleResult:
    """Muscle forces of a recording, and what the joints bear with them. Frames without a solution are NaN.

    paths    : of the muscles over the segments, with the fitted set;  model : what sharing rests on
    forces   : activations and forces of the muscles;  contacts : of the joints;  work : of the muscles
    trust    : reserves, saturation, slack, scaling, in words and figures
    peaks    : joint -> greatest contact force over the frames in which its loads can be used
    emg      : measured activations, where they took part, and `channels`: channel -> elements that it measures
    counted  : joint -> (T,) frames in which its loads can be used
    """

    paths: MusclePaths
    model: SharingModel
    forces: MuscleForces
    contacts: JointContacts
    work: MuscleWork
    trust: MuscleTrust
    peaks: tuple[ContactPeak, ...]
    options: MuscleSettings
    notices: tuple[Notice, ...] = ()
    emg: MeasuredActivation | None = None
    channels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    counted: Mapping[str, BoolArray] = field(default_factory=FrozenDict)

    @property
    def fitted(self) -> FittedMuscles:
        """The muscle set on the person."""
        return self.paths.fitted

    @property
    def set_name(self) -> str:
        """Name or file of the muscle set."""
        return self.options.set

    @cached_property
    def patellae(self) -> PatellaForces:
        """What the patellae press on the thighs with, where the set allows it."""
        return patella_forces(self.paths, self.forces)

    @cached_property
    def question(self) -> MuscleQuestion:
        """The same as what variants are compared with: weaker, stronger, removed or transferred muscles."""
        body = self.fitted.person.model
        emg = self.emg.targets(dict(self.channels)) if self.emg is not None else None
        return MuscleQuestion(
            self.model, self.options.sharing, self.paths.motion, body, self.forces, self.contacts, emg
        )  # fmt: skip

    def to_result(self) -> Result:
        """Return what a session stores: paths, forces, contacts, the set, how it was scaled, and the criterion."""
        arrays: dict[str, NDArray[Any]] = {}
        about: dict[str, Any] = {}
        for part, names in STORED.items():
            value = getattr(self, part)
            arrays |= {f"{part} {name}": np.asarray(getattr(value, name)) for name in names}
            if part != "paths":
                known = value.to_result().metadata
                about[part] = {key: item for key, item in known.items() if key not in ("options", "notices")}
        return step_result(
            arrays, self.options, self.notices, **about, set=self.set_name,
            sources=[{"title": one.title, "licence": one.licence, "credit": one.credit} for one in self.sources],
            scales=[{"segment": one.segment, "factors": one.factors} for one in self.fitted.scales],
            trust=self.trust, peaks=self.peaks,
        )  # fmt: skip

    @cached_property
    def torque_peaks(self) -> tuple[TorquePeak, ...]:
        """Which whole muscles make each torque where it is greatest, over the best frames of its joint's loads."""
        groups = {one.name: one.group for one in self.fitted.muscles}
        return torque_peaks(self.model, self.forces, groups, self.counted)

    @property
    def sources(self) -> tuple[MuscleSource, ...]:
        """Models from which the muscles that are used come, each once."""
        return tuple({one.source.name: one.source for one in self.fitted.muscles}.values())


def muscles(
    clean: CleanSignals,
    loaded: LoadedBody,
    motion: ConsistentMotion,
    loads: LoadResult,
    options: MuscleSettings = MuscleSettings(),
    emg: Analog | None = None,
    reading: EmgReading | None = None,
    progress: Progress | None = None,
) -> MuscleResult:
    """Muscle and contact forces of all frames.

    emg, reading : measured EMG and the names of its channels, which the options may use
    """
    person, rate = loaded.person, clean.trial.rate_hz
    fitted = fit_muscles(person, load_muscle_set(options.set), options.fit)
    q, qdot, _ = determined_motion(person, motion)
    tree, moving = tree_of(person, loads.options), loads.segments
    if loads.reduced is not None:  # its bodies have other centres of mass, from which no path is laid
        q, qdot, tree = loads.reduced.q, loads.reduced.qdot, loads.reduced.tree
        moving = segment_motion(person.system, q, qdot)
    traced = muscle_paths(person, q, qdot, fitted, motion=moving, progress=part_of(progress, 0.0, TRACED))
    torques = without_springs(person, loads.newton_euler, q, qdot)  # what an orthosis gives, no muscle has to
    model = person_muscles(traced, torques, tree=tree, curves=options.sharing.curves)
    measured, channels, targets = _measured(fitted, clean, options, emg, reading)
    forces = muscle_forces(model, options.sharing, emg=targets, rate_hz=rate, progress=part_of(progress, TRACED, 1.0))
    contacts = joint_contacts(model, forces, traced.motion, person.model, person.joint_axes())
    ground = _ground(loads)
    sizes = _unknown_sizes(measured, channels, options)
    doubts = (*(GROUND_DOUBTS[one.code] for one in ground), *(one.sentence for one in sizes))
    trust = muscle_trust(model, forces, fitted, doubts)
    notices = (
        *ground, *traced.notices, *forces.notices, *sizes, *(measured.notices if measured is not None else ())
    )  # fmt: skip
    work = muscle_work(model, forces, rate, _counted(model, loads))
    bounds = lower_bounds(model, forces)
    least = {joint: bounds[:, j] for j, joint in enumerate(contacts.joints)}
    patellae = patella_forces(traced, forces)
    peaks = (
        *patella_peaks(patellae, contacts.body_weight, loads.trust.frames_of, least),
        *contact_peaks(contacts, loads.trust.frames_of, bounds),
    )
    return MuscleResult(
        traced, model, forces, contacts, work, trust, peaks, options, notices, measured,
        tuple(channels.items()), FrozenDict({joint: one.best for joint, one in loads.trust.frames_of.items()}),
    )  # fmt: skip


def _measured(
    fitted: FittedMuscles, clean: CleanSignals, options: MuscleSettings, emg: Analog | None, reading: EmgReading | None
) -> tuple[MeasuredActivation | None, dict[str, tuple[str, ...]], EmgTargets | None]:
    """Measured activations, which elements each channel measures, and what sharing does with them."""
    if options.sharing.emg == NO_EMG:
        return None, {}, None
    if emg is None:
        raise BiomecError(
            "Muscle forces are to use measured activations, but the recording has no EMG. Add the file with the EMG, "
            'or choose "not used" as measured activation.'
        )
    reading = reading or EmgReading()
    channels = proposed_muscles(reading.table.assigned(emg.names), fitted.muscles)
    if not channels:
        raise BiomecError(
            f"No EMG channel ({', '.join(emg.names[:6])}) could be matched with a muscle of the set. Say in the "
            'settings of EMG which channel is which muscle, or choose "not used" as measured activation.'
        )
    found = measured_activation(
        emg, clean.trial.frames, clean.trial.rate_hz, options.emg, reading.mvc, reading.mvc_from
    )  # fmt: skip
    return found, channels, found.targets(channels)


def _unknown_sizes(
    measured: MeasuredActivation | None, channels: Mapping[str, tuple[str, ...]], options: MuscleSettings
) -> list[Notice]:
    """A warning where sharing follows EMG whose sizes nobody knows."""
    guessed = [channel for channel in channels if measured is not None and channel in measured.own_maximum]
    if not guessed:
        return []
    words = (
        f"Muscle forces {FOLLOWED[options.sharing.emg]}, but no maximal contraction is known for "
        f"{', '.join(guessed)}: the greatest EMG of this trial counts as full strength there. Do not use the sizes of "
        "muscle and contact forces; enter maximal contractions in Edit ▸ EMG Channels… first."
    )
    return [warning("emg-sizes-unknown", words, *guessed, scope=Scope.JOINTS)]


def _counted(model: SharingModel, loads: LoadResult) -> BoolArray:
    """(T, M) frames in which the loads of all joints that a muscle crosses can be used."""
    found = np.ones((model.frames, len(model.names)), dtype=np.bool_)
    for m, name in enumerate(model.names):
        for joint in model.crossed_joints.get(name, ()):
            if joint in loads.trust.frames_of:
                found[:, m] &= loads.trust.frames_of[joint].best
    return found


def _ground(loads: LoadResult) -> list[Notice]:
    """What muscle forces suffer from where the ground reaction is not known or was estimated."""
    external = loads.external
    if not np.nan_to_num(external.force).any():
        words = (
            "No force of the ground is known, so that the torques of limbs that stand on it are wrong, and so are "
            "their muscle and contact forces. Use only limbs that touch nothing, or record with force plates."
        )
        return [warning("muscles-without-ground", words, scope=Scope.JOINTS)]
    if not external.estimated.any():
        return []
    if external.estimated.all():
        code, where = "muscles-all-estimated-ground", "The ground reaction was estimated throughout, not measured"
    else:
        code = "muscles-estimated-ground"
        share = 100.0 * float(external.estimated.mean())
        where = f"In {share:.0f} % of the frames the ground reaction was estimated, not measured"
    words = f"{where}; how it is shared between limbs is a guess, and so are the muscle forces that follow from it."
    return [warning(code, words, scope=Scope.JOINTS)]
