"""A muscle whose end is sewn to where another one ends, as surgeons transfer tendons.

The transferred muscle keeps its fibres, and its path and surfaces as far as the segment on which it ended; from there
it runs straight, or over the last of these surfaces, to where the other one reaches its last bone, and with it to its
end. Its tendon is made so long that the fibres have the length in the static pose that they had there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biomec.base.arrays import IntArray
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.muscle_paths import MusclePaths, muscle_paths
from biomec.body.muscles.muscle_set import Muscle, MuscleSet
from biomec.body.muscles.sharing_model import SharingModel, person_muscles
from biomec.body.muscles.some_frames import model_of_frames, motion_of_frames


def transferred_muscle(donor: Muscle, target: Muscle) -> Muscle:
    """The donor with the end of the target, both as in their source."""
    if donor.source.name != target.source.name or donor.side != target.side:
        raise BiomecError(
            f"{donor.sided_title} cannot be moved to the end of {target.sided_title}: both must be of one side and "
            "come from the same source, which says where bones lie to each other."
        )
    kept = _before_end(donor)
    if not kept:
        raise BiomecError(f"{donor.sided_title} lies on one bone only, so that there is nothing to transfer.")
    points = (*donor.points[:kept], *target.points[_before_end(target) :])
    # surfaces along the part that is kept, and along the stretch to the new end
    wraps = tuple(
        replace(one, last=kept if not 0 <= one.last < kept else one.last) for one in donor.wraps if one.first < kept
    )
    return replace(donor, points=points, wraps=wraps)


def _before_end(muscle: Muscle) -> int:
    """Number of the points before those on the bone where a muscle ends."""
    kept = len(muscle.points)
    while kept and muscle.points[kept - 1].body == muscle.points[-1].body:
        kept -= 1
    return kept


def transferred(fitted: FittedMuscles, muscles: Sequence[str], target: str) -> FittedMuscles:
    """The muscles of a person with some of them ending where ``target`` ends."""
    unknown = [name for name in (*muscles, target) if name not in fitted.names]
    if unknown:
        raise BiomecError(f"What if: there is no muscle {', '.join(unknown)} in this set.")
    end = fitted.original[fitted.names.index(target)]
    moved = tuple(transferred_muscle(one, end) if one.name in muscles else one for one in fitted.original)
    again = fit_muscles(fitted.person, MuscleSet(fitted.set_name, fitted.set_name, moved), fitted.options)
    if again.names != fitted.names:
        raise BiomecError(f"{target} ends on a segment that the body model does not have.")
    pose = fitted.person.system.reference[None]
    before, after = (muscle_paths(fitted.person, pose, None, one).length[0] for one in (fitted, again))
    own = []
    for m, (old, new) in enumerate(zip(fitted.muscles, again.muscles, strict=True)):
        if old.name not in muscles:
            own.append(old)
            continue
        tendon = old.lts + float(after[m] - before[m])
        if not tendon > 0.0:
            raise BiomecError(
                f"{old.sided_title} is too long for that end: even without a tendon its fibres would be slack there."
            )
        own.append(replace(new, lopt=old.lopt, lts=tendon, fmax=old.fmax))
    return replace(again, muscles=tuple(own))


def transferred_model(
    paths: MusclePaths,
    model: SharingModel,
    muscles: Sequence[str],
    target: str,
    frames: IntArray,
    curves: str = "degroote",
) -> SharingModel:
    """What sharing needs in some frames, with muscles that end where ``target`` ends."""
    fitted = transferred(paths.fitted, muscles, target)
    some = model_of_frames(model, frames)
    motion = motion_of_frames(paths.motion, frames)
    # velocities are those of the segments: paths read no other ones
    traced = muscle_paths(fitted.person, paths.q[frames], None, fitted, motion=motion)
    # a torque that loses its only muscle is still wanted: it is then lacking, and the movement is not carried
    return person_muscles(
        traced, some.loads, tree=model.tree, curves=curves, mass_kg=model.body_weight / GRAVITY,
        shared=model.rows.titles,
    )  # fmt: skip
