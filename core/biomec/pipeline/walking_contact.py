"""A recorded walk that nothing but contact of its feet keeps up: identified from plates, and tried until it stays up.

Whether legs are bent to what the contact needs, how much the place of the root counts, and measured forces,
suit one recording and not another (`TRIES`). They are tried in turn; a run that stays near ends the search, otherwise
the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.tracking.contact_tracking import BalanceOptions, ContactTracked
from biomec.body.tracking.foot_contact import IdentificationOptions, IdentifiedContact, identified_contact, tip_of
from biomec.body.tracking.settling import settled
from biomec.engine.forces.applied import Forces
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forces.ground_contact import GroundContact
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, reference_motion
from biomec.engine.forward.simulation import Ending, Simulation, simulate
from biomec.engine.system import System
from biomec.recording.limb_names import limb_of

NEAR_M = 0.045  # a run whose root stays so near to the recording needs no further try
FAR_M = 0.1  # a run that leaves the recording farther tells little of the person
WHOLE = 0.95  # of the person's mass: a model of less lacks segments
HANDS_SHARE = 0.02  # of body weight: hands that bear more matter
FAIR_SHARE = 0.1  # of body weight: contact that misses the plates by more is worth a warning
IDENTIFYING = 0.5  # of the progress


class Try(NamedTuple):
    """How a run is tried: legs bent to the contact; share of c_P of joints; W of the place; √ε of measured forces."""

    settled: bool
    stiffness: float = 0.4
    place: float = 10.0
    measured: float = 0.03


TRIES = (
    Try(True),
    Try(False),
    Try(True, measured=0.01),
    Try(False, measured=0.01),
    Try(True, place=30.0),
    Try(False, place=30.0, measured=0.01),
)


@dataclass(frozen=True, eq=False)
class WalkingContact:
    """A walk ready to run on identified contact.

    identified : from the recording;  contact : the same as a force on the body as it is simulated
    recorded, pressed : the movement as recorded, and with legs bent to the contact
    measured : what the plates measured under the feet
    passive  : what else acts;  passive_joints : that nothing drives
    """

    identified: IdentifiedContact
    contact: GroundContact
    recorded: ReferenceMotion
    pressed: ReferenceMotion
    measured: PrescribedLoads
    stiffness: float
    step_s: float
    passive: Forces | None
    passive_joints: tuple[str, ...] = ()

    def walker(self, how: Try) -> ContactTracked:
        """The body with the control of one try."""
        options = BalanceOptions(
            stiffness=how.stiffness * self.stiffness, place=how.place, measured=how.measured, step_s=self.step_s,
            passive=self.passive_joints,
        )  # fmt: skip
        reference = self.pressed if how.settled else self.recorded
        return ContactTracked(reference, self.contact, options, self.passive, measured=self.measured)

    def run(
        self, start_s: float, duration_s: float, progress: Progress | None, cancelled: Callable[[], bool] | None
    ) -> tuple[Simulation, tuple[Notice, ...]]:
        """Simulate until a run stays near to the recording, and say which it was."""
        run, how, tries = self.best(start_s, duration_s, progress, cancelled)
        fell_s = None if run.ending in (Ending.COMPLETED, Ending.STOPPED) else float(run.time_s[-1])
        return run, self._notices(how, self.away_m(run), tries, fell_s)

    def best(
        self,
        start_s: float,
        duration_s: float,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[Simulation, Try, int]:
        """The first run that stays near to the recording, else the best one; how it was tried, and how many were."""
        kept: list[tuple[float, Simulation, Try]] = []
        for k, how in enumerate(TRIES):

            def told(share: float, k: int = k) -> None:
                if progress is not None:
                    progress(IDENTIFYING + (1.0 - IDENTIFYING) * (k + share) / len(TRIES))

            walker = self.walker(how)
            first = walker.reference.state(start_s)
            run = simulate(walker, *first, duration_s, self.step_s, start_s=start_s, progress=told, cancelled=cancelled)
            away = self.away_m(run)
            kept.append((away if run.ending is Ending.COMPLETED else np.inf, run, how))
            if run.ending is Ending.STOPPED or (run.ending is Ending.COMPLETED and away < NEAR_M):
                break
        if progress is not None:
            progress(1.0)
        lasting = max(float(run.time_s[-1]) for _, run, _ in kept)
        best = min((one for one in kept if one[1].time_s[-1] > lasting - 1e-9), key=lambda one: one[0])
        return best[1], best[2], len(kept)

    def away_m(self, run: Simulation) -> float:
        """How far the root of a run is from the recorded one at most [m]."""
        space = self.recorded.space
        few = range(0, len(run.time_s), max(1, len(run.time_s) // 200))
        poses = [space.pose(run.q[k]).root - self.recorded.at(float(run.time_s[k])).pose.root for k in few]
        return float(np.linalg.norm(poses, axis=1).max())

    def _notices(self, how: Try, away_m: float, tries: int, fell_s: float | None = None) -> tuple[Notice, ...]:
        """What was identified and how it went; ``fell_s`` : when no try kept the body up [s of the recording]."""
        identified = self.identified
        share = 100.0 * identified.rms_weights
        kept = "The first run is kept" if tries == 1 else f"The best of {tries} runs is kept"
        words = (
            f"Contact of the {_parts(identified)} was identified from what they bore: its forces differ from those "
            f"measured by {share:.1f} % of body weight RMS, with places that are moved by "
            f"{_lift_mm(identified):.1f} mm RMS. "
            f"{'Legs were bent to it by as much. ' if how.settled else ''}{kept}; its root leaves the recorded one by "
            f"{1e3 * away_m:.0f} mm at most."
        )
        found = [info("contact-identified", words)]
        if fell_s is not None:
            words = (
                f"The body did not stay up in any of {tries} runs: the longest one ended at {fell_s:.2f} s. "
                "Before and after the plates nothing shows how the feet press: choose one cycle in which plates "
                "measured every step, or another seed."
            )
            found.append(warning("walk-fell", words))
        elif away_m > FAR_M:
            words = (
                f"The body left its recorded place by {1e3 * away_m:.0f} mm: its torques are not the person's. "
                "Do not rely on its loads; try another cycle or another seed."
            )
            found.append(warning("walk-left-recording", words))
        if identified.rms_weights > FAIR_SHARE:
            words = (
                f"Identified contact misses the measured forces by {share:.0f} % of body weight. Look whether plates "
                "and markers belong together, and whether the body mass is right."
            )
            found.append(warning("contact-fits-badly", words))
        if identified.borrowed:
            words = f"Nothing measured the {' and the '.join(identified.borrowed)}: spheres of the other side stand in."
            found.append(info("contact-borrowed", words))
        return tuple(found)


def _parts(identified: IdentifiedContact) -> str:
    return "feet" if all("foot" in one.segment for one in identified.feet) else "feet and of the tips of crutches"


def _lift_mm(identified: IdentifiedContact) -> float:
    return float(np.sqrt(np.mean([foot.lift_mm**2 for foot in identified.feet])))


def walking_contact(
    system: System,
    simulated: System,
    roots: Sequence[str],
    motion: tuple[FloatArray, FloatArray],
    external: ExternalLoads,
    rate_hz: float,
    stretch: slice,
    stiffness: float,
    step_s: float,
    identification: IdentificationOptions,
    passive: Forces | None,
    passive_joints: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> WalkingContact:
    """Identify contact from a whole recording, and make a stretch of it ready to be simulated.

    system, simulated : as recorded, and with what is different from it
    motion            : q and q̇ (T, n) of the recording;  external : (T, …)
    """
    refuse_hands(system, external, stretch)

    def told(share: float) -> None:
        if progress is not None:
            progress(IDENTIFYING * share)

    q, qdot = motion
    found = identified_contact(system, q, qdot, external, rate_hz, identification, told)
    space = JointSpace(simulated, roots)
    time_s = np.arange(stretch.start, stretch.stop) / rate_hz
    pressed = settled(space, q[stretch], found, stretch.start, rate_hz)
    return WalkingContact(
        found, found.on(simulated), reference_motion(space, time_s, q[stretch]),
        reference_motion(space, time_s, pressed), PrescribedLoads(space, np.arange(len(q)) / rate_hz, external),
        stiffness, step_s, passive, passive_joints,
    )  # fmt: skip


def refuse_incomplete(body: SubjectModel, mass_kg: float | None) -> None:
    """A model without trunk and arms weighs less than what pressed on the plates, and a planar one has no sides."""
    if body.in_space is not None:
        raise BiomecError(
            "Contact is identified for feet in space, and this model is planar. Choose a body model in space, or "
            "contact with the floor."
        )
    there = float(sum(one.mass for one in body.system.bodies)) - body.device_kg
    if mass_kg is not None and there < WHOLE * mass_kg:
        raise BiomecError(
            f"The model has {there:.0f} kg of the person's {mass_kg:.0f} kg, because segments above were not recorded. "
            "Feet on identified contact would bear another body than the plates measured: choose another way to hold "
            "the root."
        )


def refuse_hands(system: System, external: ExternalLoads, stretch: slice) -> None:
    """Contact is identified for feet and tips of crutches: a body that stands on its hands too would fall."""
    weight = sum(body.mass for body in system.bodies) * float(np.linalg.norm(system.gravity))
    for k, segment in enumerate(external.segments):
        pressing = float(np.abs(external.force[stretch, k, 1]).max(initial=0.0))
        if "foot" in segment or limb_of(segment) is None or tip_of(system, segment):
            continue
        if pressing > HANDS_SHARE * weight:
            raise BiomecError(
                f"The {segment} bears up to {pressing:.0f} N in this stretch, and contact is identified for feet only "
                "and for tips of crutches. Choose contact with the floor, which takes hands too."
            )
