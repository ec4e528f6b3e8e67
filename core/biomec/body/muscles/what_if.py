"""What if a muscle were weaker, stronger, gone or attached elsewhere: who does its work, and what joints then bear.

The movement stays the recorded one. A variant changes the strength of muscles, or comes with other paths (a
transferred tendon); the torques are then shared anew. The loss at which the movement can no longer be carried is found
by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress, part_of
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.muscles.joint_contact import JointContacts, joint_contacts
from biomec.body.muscles.lacking import bears, joints_at_least, lower_bounds
from biomec.body.muscles.muscle_forces import EmgTargets, MuscleForces, muscle_forces
from biomec.body.muscles.sharing_model import SharingModel
from biomec.body.muscles.sharing_options import SharingOptions

PRECISION = 0.005  # of a muscle's strength, to which the greatest bearable loss is found
LISTED = 3


@dataclass(frozen=True, eq=False)
class MuscleVariant:
    """A change of muscles.

    title    : what people call it, such as "half the quadriceps"
    strength : muscle -> factor of its strength; 0 removes it
    model    : the same motion with other paths, where a muscle is attached elsewhere; None for the paths as they are
    """

    title: str
    strength: Mapping[str, float] = field(default_factory=FrozenDict)
    model: SharingModel | None = None

    def __post_init__(self) -> None:
        for name, factor in self.strength.items():
            if not 0.0 <= factor < np.inf:
                raise BiomecError(f"What if: the strength of {name} cannot be multiplied by {factor:g}.")
        object.__setattr__(self, "strength", FrozenDict(dict(self.strength)))

    def factors(self, names: Sequence[str]) -> FloatArray:
        """(M,) factor of every muscle; muscles that are not there are refused."""
        unknown = [name for name in self.strength if name not in names]
        if unknown:
            raise BiomecError(f"What if: there is no muscle {', '.join(unknown)} in this set.")
        return np.array([self.strength.get(name, 1.0) for name in names])


@dataclass(frozen=True, eq=False)
class VariantResult:
    """A variant beside the recorded body.

    change  : (M,) mean activation minus that of the recorded body, over frames solved in both; by its own muscles
    joints  : joint -> greatest contact force [× body weight] as recorded, and in the variant
    least   : (T, J) where contact forces are only a lower bound, since torque is lacking
    carried : whether the movement can still be carried: no torque is lacking that was not lacking before
    """

    variant: MuscleVariant
    forces: MuscleForces
    contacts: JointContacts
    change: FloatArray
    joints: Mapping[str, tuple[float, float]]
    least: BoolArray
    carried: bool
    notices: tuple[Notice, ...]

    @property
    def at_least(self) -> frozenset[str]:
        """Joints that bear at least what `joints` says: they cannot be compared with the recorded body."""
        return joints_at_least(self.contacts, self.least)

    @property
    def compensating(self) -> tuple[tuple[str, float], ...]:
        """Muscles that work more, with the increase of mean activation, the most first."""
        order = np.argsort(-self.change, kind="stable")
        return tuple((self.forces.names[m], float(self.change[m])) for m in order if self.change[m] > 1e-3)


@dataclass(frozen=True, eq=False)
class MuscleQuestion:
    """A recorded body with its muscle and contact forces, of which variants are asked.

    motion : of the segments;  body : says which way joints are compressed
    emg    : measured activations that took part, and do so in every variant
    """

    model: SharingModel
    options: SharingOptions
    motion: SegmentMotion
    body: BodyModel | None
    forces: MuscleForces
    contacts: JointContacts
    emg: EmgTargets | None = None


def muscle_question(
    model: SharingModel,
    motion: SegmentMotion,
    options: SharingOptions = SharingOptions(),
    body: BodyModel | None = None,
    emg: EmgTargets | None = None,
) -> MuscleQuestion:
    """Solve the body as recorded, so that variants can be put beside it."""
    forces = muscle_forces(model, options, emg=emg)
    return MuscleQuestion(model, options, motion, body, forces, joint_contacts(model, forces, motion, body), emg)


def compare_variants(
    question: MuscleQuestion, variants: Sequence[MuscleVariant], progress: Progress | None = None
) -> tuple[VariantResult, ...]:
    """Answer several variants side by side."""
    found = []
    for k, variant in enumerate(variants):
        within = part_of(progress, k / len(variants), (k + 1) / len(variants))
        found.append(_answer(question, variant, within))
    return tuple(found)


def _answer(question: MuscleQuestion, variant: MuscleVariant, progress: Progress | None) -> VariantResult:
    model = question.model if variant.model is None else variant.model
    if model.frames != question.model.frames:
        raise BiomecError("What if: a variant needs the paths of the same frames.")
    forces = muscle_forces(
        model, question.options, strength=variant.factors(model.names), emg=question.emg, progress=progress
    )
    contacts = joint_contacts(model, forces, question.motion, question.body)
    least = lower_bounds(model, forces)
    before = {name: question.forces.activation[:, m] for m, name in enumerate(question.forces.names)}
    both = np.isfinite(forces.activation).all(axis=1) & np.isfinite(question.forces.activation).all(axis=1)
    change = np.full(len(forces.names), np.nan)
    for m, name in enumerate(forces.names):
        if name in before and both.any():
            change[m] = (forces.activation[both, m] - before[name][both]).mean()
    change = np.nan_to_num(change)
    was = question.contacts.peaks()
    joints = {joint: (was[joint][0], peak) for joint, (peak, _) in contacts.peaks().items() if joint in was}
    carried = bears(question.forces, forces)
    result = VariantResult(
        variant, forces, contacts, read_only(change), FrozenDict(joints), read_only(least, np.bool_), carried, ()
    )  # fmt: skip
    return replace(result, notices=tuple(_sentences(result, model)))


def _sentences(result: VariantResult, model: SharingModel) -> list[Notice]:
    """The answer in words."""
    title = result.variant.title
    words = f"{title}: the movement can {'still' if result.carried else 'no longer'} be carried."
    notices = [info("variant-carried" if result.carried else "variant-not-carried", words)]
    if result.compensating:
        named = "; ".join(f"{model.title(name)} +{100.0 * more:.0f} %" for name, more in result.compensating[:LISTED])
        notices.append(info("variant-compensation", f"{title}: its work is done by {named}."))
    changed = sorted(result.joints.items(), key=lambda one: -abs(one[1][1] - one[1][0]))
    moved = [
        (joint, was, now) for joint, (was, now) in changed if abs(now - was) > 0.01 and joint not in result.at_least
    ][:LISTED]
    if moved:
        named = "; ".join(f"{joint} {now:.2f} instead of {was:.2f}" for joint, was, now in moved)
        notices.append(info("variant-contact", f"{title}: greatest contact forces, in body weights: {named}."))
    bounds = [f"{joint} {result.joints[joint][1]:.2f}" for joint, _ in changed if joint in result.at_least]
    if bounds:
        words = (
            f"{title}: torque is lacking, and what is lacking presses on nothing. These joints bear at least, in body "
            f"weights: {'; '.join(bounds[:LISTED])}{' …' if len(bounds) > LISTED else ''}; do not compare them."
        )
        notices.append(warning("variant-contact-at-least", words, *sorted(result.at_least)))
    return notices


@dataclass(frozen=True, eq=False)
class LossCurve:
    """How the movement fares as muscles lose strength.

    muscles  : that lose it, all by the same share;  titles : what people call them
    loss     : (N,) shares that were tried, rising, 0 to 1;  reserve_Nm : (N,) greatest reserve torque [N m]
    highest  : (N,) greatest activation of any muscle
    contact  : (N, J) greatest contact force of each joint [× body weight];  least : (N, J) where it is a lower bound
    crossed  : (J,) joints that the muscles cross
    bearable : greatest loss with which the movement can be carried, to half a percent; 1 if the muscles can be gone
    """

    muscles: tuple[str, ...]
    loss: FloatArray
    reserve_Nm: FloatArray
    highest: FloatArray
    joints: tuple[str, ...]
    contact: FloatArray
    least: BoolArray
    crossed: BoolArray
    bearable: float
    titles: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The answer in words."""
        named = "; ".join(self.titles[:LISTED]) + (" …" if len(self.titles) > LISTED else "")
        if self.bearable >= 1.0:
            return f"The movement can be carried without {named}."
        return f"The movement can be carried until {named} have lost {100.0 * self.bearable:.0f} % of their strength."


def loss_curve(
    question: MuscleQuestion, muscles: Sequence[str], steps: int = 5, progress: Progress | None = None
) -> LossCurve:
    """Weaken muscles step by step, and find by bisection from which loss on the movement can no longer be carried.

    What weaker muscles can carry, stronger ones can. Steps are equal over all losses; those of the bisection join them.
    """
    question.model.indices(tuple(muscles))
    tried: dict[float, tuple[float, float, FloatArray, BoolArray]] = {}
    joints = tuple(question.contacts.peaks())
    rounds = int(np.ceil(np.log2(1.0 / ((steps - 1) * PRECISION)))) if steps > 1 else int(np.ceil(-np.log2(PRECISION)))
    count = steps + max(rounds, 1)

    def carried(loss: float) -> bool:
        variant = MuscleVariant(f"{100.0 * loss:.1f} % less", dict.fromkeys(muscles, 1.0 - loss))
        within = part_of(progress, len(tried) / count, min((len(tried) + 1) / count, 1.0))
        answer = _answer(question, variant, within)
        peaks = answer.contacts.peaks()
        contact = np.array([peaks[joint][0] if joint in peaks else np.nan for joint in joints])
        highest = float(np.nan_to_num(answer.forces.activation).max(initial=0.0))
        least = np.array([joint in answer.at_least for joint in joints])
        tried[loss] = (answer.forces.largest_reserve_Nm, highest, contact, least)
        return answer.carried

    grid = [float(one) for one in np.linspace(0.0, 1.0, max(steps, 2))]
    fine = [carried(loss) for loss in grid]
    failed = fine.index(False) if False in fine else len(grid)
    low, high = grid[max(failed - 1, 0)], grid[min(failed, len(grid) - 1)]
    while high - low > PRECISION:
        middle = 0.5 * (low + high)
        if carried(middle):
            low = middle
        else:
            high = middle
    if progress is not None:
        progress(1.0)
    order = sorted(tried)
    columns = [np.array([tried[loss][k] for loss in order]) for k in range(4)]
    return LossCurve(
        tuple(muscles),
        read_only(order),
        read_only(columns[0]),
        read_only(columns[1]),
        joints,
        read_only(columns[2]),
        read_only(columns[3], np.bool_),
        read_only(
            [any(joint in question.model.crossed_joints.get(name, ()) for name in muscles) for joint in joints],
            np.bool_,
        ),
        low,
        tuple(question.model.title(name) for name in muscles),
    )
