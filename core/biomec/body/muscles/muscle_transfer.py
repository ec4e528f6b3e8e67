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
from biomec.body.muscles.fitting import FittedMuscles
from biomec.body.muscles.muscle_paths import MusclePaths, muscle_paths
from biomec.body.muscles.muscle_set import Muscle
from biomec.body.muscles.sharing_model import SharingModel, person_muscles
from biomec.body.muscles.some_frames import model_of_frames, motion_of_frames
from biomec.engine.paths.cords import Cord, Cords


def transferred_cord(donor: Cord, kept: int, target: Cord, end: int) -> Cord:
    """The first ``kept`` points of a path, then those of another from number ``end`` on; both on the person's bones."""
    # surfaces along the part that is kept, and along the stretch to the new end
    contacts = tuple(
        replace(one, last=kept if not 0 <= one.last < kept else one.last) for one in donor.contacts if one.first < kept
    )
    return Cord(donor.name, (*donor.points[:kept], *target.points[end:]), contacts)


def _before_end(muscle: Muscle) -> int:
    """Number of the points before those on the bone where a muscle ends."""
    kept = len(muscle.points)
    while kept and muscle.points[kept - 1].body == muscle.points[-1].body:
        kept -= 1
    return kept


def transferred(fitted: FittedMuscles, muscles: Sequence[str], target: str) -> FittedMuscles:
    """The muscles of a person with some of them ending where ``target`` ends.

    Paths are joined on the person's bones, where muscles of all sources lie, so that both may come from other sources.
    """
    unknown = [name for name in (*muscles, target) if name not in fitted.names]
    if unknown:
        raise BiomecError(f"What if: there is no muscle {', '.join(unknown)} in this set.")
    t = fitted.names.index(target)
    end = fitted.original[t]
    cords, original = list(fitted.cords.cords), list(fitted.original)
    for m in (fitted.names.index(name) for name in muscles):
        donor = original[m]
        if donor.side != end.side:
            raise BiomecError(f"{donor.sided_title} cannot be moved to the other side, to {end.sided_title}.")
        kept = _before_end(donor)
        if not kept:
            raise BiomecError(f"{donor.sided_title} lies on one bone only, so that there is nothing to transfer.")
        cords[m] = transferred_cord(cords[m], kept, fitted.cords.cords[t], _before_end(end))
        original[m] = replace(donor, points=(*donor.points[:kept], *end.points[_before_end(end) :]))
    system = fitted.cords
    again = replace(
        fitted, original=tuple(original),
        cords=Cords(system.bodies, tuple(cords), system.surfaces, system.coordinates),
    )  # fmt: skip
    pose = fitted.person.system.reference[None]
    before, after = (muscle_paths(fitted.person, pose, None, one).length[0] for one in (fitted, again))
    own = list(fitted.muscles)
    for m in (fitted.names.index(name) for name in muscles):
        tendon = own[m].lts + float(after[m] - before[m])
        if not tendon > 0.0:
            raise BiomecError(
                f"{own[m].sided_title} is too long for that end: even without a tendon its fibres would be slack there."
            )
        own[m] = replace(own[m], lts=tendon)
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
