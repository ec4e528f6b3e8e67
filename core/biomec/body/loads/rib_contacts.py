"""What the ribs bear of the scapulae, how far that can be: a surface pushes and never pulls.

The gliding contacts are equations that hold in both senses. Where their force is negative, something else must hold the
scapula on the ribs: serratus anterior, rhomboids, trapezius, which are not in the model. The contact force, and the
loads of the joints between scapula and thorax, are then not those of bone and cartilage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.notices import Grade, Notice, info, warning, worst_grade
from biomec.body.loads.contact_figures import ENDS
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_trust import ContactEffect, ContactLoad, LoadTrust
from biomec.body.loads.residuals import inner_frames
from biomec.signals.stretches import stretches

PULL = 5.0  # N: noise of markers and plates does as much; a smaller pull gets no notice
WHY = (
    "Ribs only push. Muscles hold the scapula where they would have to pull, serratus anterior above all, and muscles "
    "are not in the model: in those frames neither the contact force nor the loads of the sternoclavicular and "
    "acromioclavicular joints are what bones bear. Look at the loads without the contacts beside them."
)
CHANGED = 1e-6  # N: joints whose forces differ by less are not touched by the contacts


def contact_loads(loads: JointLoads) -> tuple[ContactLoad, ...]:
    """Sum up the gliding contacts whose forces are known."""
    return tuple(_summed(name, loads.contact_pressing[:, c]) for c, name in enumerate(loads.contacts))


def contact_effects(loads: JointLoads, without: JointLoads) -> tuple[ContactEffect, ...]:
    """Joints whose forces the contacts change, from the root outwards."""
    found = []
    for j, joint in reversed(list(enumerate(loads.joints))):
        force, other = (np.linalg.norm(one.force[:, j], axis=1) for one in (loads, without))
        there = inner_frames(np.isfinite(force) & np.isfinite(other), ENDS)
        if there.any() and np.abs(loads.force[there, j] - without.force[there, j]).max() > CHANGED:
            found.append(ContactEffect(joint, float(force[there].mean()), float(other[there].mean())))
    return tuple(found)


def with_contacts(trust: LoadTrust, loads: JointLoads, without: JointLoads) -> LoadTrust:
    """Trust in loads of which the ribs bear a part: lower where they would have to pull.

    loads   : with the gliding contacts;  without : of the same motion, by joints alone
    """
    if not loads.contacts:
        return trust
    contacts, effects = contact_loads(loads), contact_effects(loads, without)
    pulled = [one for one in contacts if one.share > 0.0]
    notices = [*trust.notices, *_pulls(pulled, trust.rate_hz), *_effect(effects)]
    if not pulled:
        return replace(trust, contacts=contacts, effects=effects, notices=tuple(notices))
    verdict = f"{trust.verdict} {_verdict(pulled)}"
    level = worst_grade([trust.level, Grade.CHECK])
    return replace(trust, level=level, verdict=verdict, contacts=contacts, effects=effects, notices=tuple(notices))


def _summed(name: str, pressing: FloatArray) -> ContactLoad:
    there = inner_frames(np.isfinite(pressing), ENDS)
    if not there.any():
        none = float("nan")
        return ContactLoad(name, none, none, none, read_only(there, np.bool_), 0.0, None)
    values = np.where(there, pressing, np.inf)
    pulls = np.asarray(values < -PULL)
    lowest = int(values.argmin())
    worst = next(((int(a), int(b) - 1) for a, b in stretches(pulls) if a <= lowest < b), None)
    return ContactLoad(
        name,
        float(pressing[there].mean()),
        float(pressing[there].max()),
        float(pressing[there].min()),
        read_only(pulls, np.bool_),
        float(pulls.sum() / there.sum()),
        worst,
    )


def _pulls(pulled: Sequence[ContactLoad], rate_hz: float) -> list[Notice]:
    """What each contact would have to do, then why and what to do about it, once."""
    notices = []
    for one in pulled:
        assert one.worst is not None
        first, last = (frame / rate_hz for frame in one.worst)
        words = (
            f"The ribs would have to pull on the scapula at the {one.contact} contact in {_percent(one.share)} of the "
            f"frames, most from {first:.2f} to {last:.2f} s, by up to {-one.lowest:.0f} N."
        )
        notices.append(warning("contact-pulls", words, one.contact, frames=one.worst))
    if notices:
        notices.append(warning("contacts-pull", WHY, *(one.contact for one in pulled)))
    return notices


def _verdict(pulled: Sequence[ContactLoad]) -> str:
    most, share = max(-one.lowest for one in pulled), max(one.share for one in pulled)
    return (
        f"The ribs would have to pull on the scapulae in up to {_percent(share)} of the frames, by up to {most:.0f} N, "
        "which they cannot: look at the loads of the shoulder girdle with care."
    )


def _effect(effects: Sequence[ContactEffect]) -> list[Notice]:
    if not effects:
        return []
    each = [f"{one.joint} {one.force:.0f} N instead of {one.force_without:.0f} N" for one in effects]
    words = f"With the contacts of the scapulae, the mean force of these joints is: {'; '.join(each)}."
    return [info("contacts-change-loads", words, *(one.joint for one in effects))]


def _percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{100.0 * share:.0f} %"
