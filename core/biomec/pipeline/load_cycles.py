"""Which cycles count for the loads of a joint: those whose ground reaction was measured, on sound plates, throughout.

A ground reaction that was estimated from the motion says little about a single joint, and one that is missing says
nothing. Their cycles are reported apart, never in the mean of measured ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Grade
from biomec.body.loads.contact_verdict import ContactVerdict
from biomec.body.loads.floor_contacts import floor_contacts, off_plates
from biomec.engine.tree.joint_tree import JointTree, joints_to_root
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import EVENTS
from biomec.pipeline.steps.loads import tree_of
from biomec.pipeline.steps.segments import belt_of, determined_motion
from biomec.recording.limb_names import limb_of
from biomec.signals.cycles import Cycles

NEXT_S = 0.05  # before the end of a cycle: the next contact may begin there [s]


class Ground(StrEnum):
    """Where the ground reaction of a joint in a cycle comes from."""

    MEASURED = "measured"
    FREE = "no contact"  # nothing that touches the ground lies beyond the joint
    ESTIMATED = "estimated from the motion"
    MISSING = "not measured"
    POOR = "poor contact"


COUNTED = (Ground.MEASURED, Ground.FREE)


@dataclass(frozen=True, eq=False)
class LoadCycles:
    """Cycles of one group, joint by joint.

    cycles  : all of them
    ground  : joint -> (K,) where its ground reaction comes from
    reasons : joint -> (K,) the same in words, with the fault of a poor contact
    """

    cycles: Cycles
    ground: Mapping[str, tuple[Ground, ...]]
    reasons: Mapping[str, tuple[str, ...]]

    def counts(self, joint: str, *, estimated: bool = False) -> BoolArray:
        """(K,) valid cycles that count for a joint: measured ones, or those that rest on an estimate."""
        wanted = (Ground.ESTIMATED,) if estimated else COUNTED
        return np.asarray(self.cycles.valid & np.array([one in wanted for one in self.ground[joint]], dtype=np.bool_))

    def only_estimated(self, joint: str) -> bool:
        """Whether a joint has estimated cycles and no measured one."""
        return bool(not self.counts(joint).any() and self.counts(joint, estimated=True).any())

    def best(self, joint: str) -> BoolArray:
        """(K,) the measured cycles, or the estimated ones where none is measured."""
        return self.counts(joint, estimated=self.only_estimated(joint))

    def of(self, joint: str) -> Cycles:
        """The cycles, those that are not among the best taken out, with the reasons."""
        out = np.asarray(self.cycles.valid & ~self.best(joint))
        reasons = {int(self.cycles.spans[k, 0]): self.reasons[joint][k] for k in np.flatnonzero(out)}
        source = str(Ground.ESTIMATED) if self.only_estimated(joint) else ""
        return replace(self.cycles, left_out=FrozenDict({**self.cycles.left_out, **reasons}), source=source)


def load_cycles(analysis: Analysis) -> Mapping[str, LoadCycles]:
    """Group of cycles -> which of them count for which joint. Loads must have run."""
    return analysis.derived(_load_cycles)


def cycles_of_joint(analysis: Analysis, joint: str) -> Mapping[str, Cycles]:
    """The groups of cycles as they count for a joint; all of them where its loads are not known."""
    groups = analysis.cycles.groups
    if "loads" not in analysis.done or joint not in analysis.loads.newton_euler.joints:
        return groups
    return {name: found.of(joint) for name, found in load_cycles(analysis).items()}


def _load_cycles(analysis: Analysis) -> Mapping[str, LoadCycles]:
    found, body = analysis.loads, analysis.body.person
    tree, external, rate = tree_of(body, found.options), found.external, analysis.signals.trial.rate_hz
    q, qdot, _ = determined_motion(body, analysis.motion)
    floor = floor_contacts(body.system, q, qdot, rate, ground=belt_of(analysis.signals, analysis.body))
    loaded, guessed = np.asarray((external.force != 0.0).any(axis=2)), external.estimated_loads
    walks = analysis.cycles.by == EVENTS
    feet = [part.name for part in body.system.bodies if _is_foot(part.name)] if walks else []
    missing = off_plates(floor, external)
    state = {
        segment: (
            _any(external.segments, loaded & ~guessed, segment),
            _any(external.segments, loaded & guessed, segment),
            _any(floor.segments, missing, segment),
        )
        for segment in dict.fromkeys((*external.segments, *floor.segments, *feet))
    }
    contacts = () if found.trust.judged is None else found.trust.judged.contacts
    return FrozenDict(
        {
            name: _judged(cycles, tree, state, contacts, round(NEXT_S * rate))
            for name, cycles in analysis.cycles.groups.items()
        }
    )


def _judged(
    cycles: Cycles,
    tree: JointTree,
    state: Mapping[str, tuple[BoolArray, BoolArray, BoolArray]],
    contacts: Iterable[ContactVerdict],
    before: int,
) -> LoadCycles:
    poor = [one for one in contacts if one.grade is Grade.POOR]
    under: dict[str, list[str]] = {joint: [] for joint in tree.names}
    for segment in state:
        for joint in joints_to_root(tree, segment):
            under[joint].append(segment)
    ground: dict[str, tuple[Ground, ...]] = {}
    reasons: dict[str, tuple[str, ...]] = {}
    for joint, segments in under.items():
        support = [_ground(segments, state, poor, int(a), max(int(b) - before, int(a) + 1)) for a, b in cycles.spans]
        ground[joint], reasons[joint] = tuple(one for one, _ in support), tuple(words for _, words in support)
    return LoadCycles(cycles, FrozenDict(ground), FrozenDict(reasons))


def _ground(
    segments: list[str],
    state: Mapping[str, tuple[BoolArray, BoolArray, BoolArray]],
    poor: list[ContactVerdict],
    first: int,
    stop: int,
) -> tuple[Ground, str]:
    """Where the forces on these segments come from, from frame ``first`` up to ``stop``."""
    if not segments:
        return Ground.FREE, str(Ground.FREE)
    measured, estimated, missing = (
        [bool(state[segment][k][first:stop].any()) for segment in segments] for k in range(3)
    )
    for one in poor:
        if set(one.segments) & set(segments) and one.frames[0] < stop and one.frames[1] >= first:
            return Ground.POOR, f"{Ground.POOR}: {one.fault}" if one.fault else str(Ground.POOR)
    if any(estimated):
        return Ground.ESTIMATED, str(Ground.ESTIMATED)
    if any(missing) or not any(measured):
        return Ground.MISSING, str(Ground.MISSING)
    return Ground.MEASURED, str(Ground.MEASURED)


def _any(names: tuple[str, ...], columns: BoolArray, segment: str) -> BoolArray:
    """(T,) where any column of this segment is True."""
    mine = [k for k, name in enumerate(names) if name == segment]
    return np.asarray(columns[:, mine].any(axis=1))


def _is_foot(name: str) -> bool:
    limb = limb_of(name)
    return limb is not None and limb.kind == "foot"
