"""The verdict about every contact with a plate, and the mass by which it is judged.

Limits were set on 24 sound and 4 partial contacts of walking people (`contact_figures`); 5 % is also what [Hicks2015]
allow of the net external force.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Grade, Limit, Notice, worst_grade
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import WEIGHED, BodyWrench, MassReference
from biomec.body.loads.contact_figures import LEAST_S, OUTSIDE, ContactFigures, Support, contact_figures, support
from biomec.body.loads.joint_verdict import JointErrors, JointVerdict
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.recording import Trial
from biomec.recording.limb_names import limb_of
from biomec.signals.contact_detection import frame_range
from biomec.signals.contacts import AssignedContact, ContactAssignment
from biomec.signals.plate_geometry import called
from biomec.signals.plate_quality import PlateQuality

SHARED_BW = 0.05  # on the plate of a foot that swings
UNDER_M = 0.03  # from the markers of a foot to a force that acts under it
AGREE = 0.03  # contacts whose forces differ by less weigh the same body
LATE_S = 0.02  # after the foot landed; sound plates begin up to 16 ms later


FORCE = Limit(0.05, 0.10)  # |δ|; 5 % of the net external force [Hicks2015]
RUN_S = 0.05  # s below SHORT_BW
RUN_SHORT = -0.03  # δ with which such a run means missing force
ROUGHNESS = Limit(0.12, np.inf)  # RMS residual force, body weights; sound 0.04 to 0.10
PLACE_M = Limit(0.06, np.inf)  # mean horizontal residual moment over the force; sound 3 to 31 mm
LAG_S = Limit(0.025, 0.05)  # sound 0 to 17 ms
OFFSET = Limit(0.02, 0.05)  # body weights on the empty plate: 0.02 × 0.15 m are 0.03 N m/kg

FAULTS: Mapping[str, tuple[Grade, str]] = {
    "two-on-one-plate": (Grade.POOR, "two feet on one plate"),
    "force-outside-plate": (Grade.POOR, "force outside the plate"),
    "plate-sign": (Grade.POOR, "wrong sign of the plate"),
    "plate-clipped": (Grade.POOR, "plate at the limit of its range"),
    "plate-pulled": (Grade.CHECK, "plate reads as if it were pulled"),
    "contact-doubtful": (Grade.CHECK, "doubtful owner"),
}
"""Notice about a plate -> what it makes of a contact, and the name of the fault."""

PARTIAL, MISSING, TWO_PLATES, SHARED = "partial strike", "force missing", "foot on two plates", "plate shared"
DISAGREE, CALIBRATION, ELSEWHERE = "motion and plates disagree", "mass or calibration", "body borne elsewhere"
NOT_ZERO, OVERHANG, NOBODY = "plate does not read zero", "foot overhangs the plate", "nobody known"
UNKNOWN_MASS = "mass not known"


@dataclass(frozen=True, eq=False)
class ContactVerdict:
    """One contact of a hand or foot with a plate, judged.

    segment : of the model; None where nobody is known to make it
    sharing : segments on the plate at once, where they are more than one
    on_s, off_s, frames : when, from the start of the recording [s]; first and last frame
    cut     : the recording begins or ends within it
    fault   : its name, such as "partial strike"; "" where there is none
    sentence: for a clinician, with the numbers
    masked  : (T,) frames in which force is missing
    joints  : joint of the limb -> how far its moments may be off in this contact
    """

    segment: str | None
    sharing: tuple[str, ...]
    plate: str
    number: int
    on_s: float
    off_s: float
    frames: tuple[int, int]
    cut: bool
    grade: Grade
    fault: str
    sentence: str
    figures: ContactFigures
    masked: BoolArray
    joints: Mapping[str, JointVerdict] = field(default_factory=FrozenDict)

    @property
    def segments(self) -> tuple[str, ...]:
        """Segments whose loads rest on this contact."""
        return (self.segment,) if self.segment is not None else self.sharing

    def plain(self) -> dict[str, Any]:
        """All of it as plain data, lengths in metres and times in seconds; None for what is not known."""
        about = ("segment", "plate", "number", "on_s", "off_s", "frames", "cut", "fault", "sentence")
        return {
            **{name: getattr(self, name) for name in about},
            "grade": str(self.grade),
            "figures": {name: _known(value) for name, value in vars(self.figures).items()},
            "joints": {
                name: {"grade": str(one.grade), "error_Nm_kg": _known(one.error), "cause": one.cause}
                for name, one in self.joints.items()
            },
        }

    @property
    def title(self) -> str:
        """Whose contact it is, and with which plate."""
        return _title(self.segments, self.plate)


@dataclass(frozen=True, eq=False)
class JudgedContacts:
    """All contacts of a recording, in order of time, and the masses."""

    contacts: tuple[ContactVerdict, ...]
    mass: MassReference


def judge_contacts(
    trial: Trial,
    assignment: ContactAssignment,
    motion: SegmentMotion,
    gravity: FloatArray,
    required: BodyWrench | None,
    entered_kg: float,
    static_kg: float | None = None,
    quality: PlateQuality | None = None,
    soles: Mapping[str, tuple[str, str]] = FrozenDict(),
    height_m: float = np.nan,
    notices: Iterable[Notice] = (),
    assumed: bool = False,
    others: ExternalLoads | None = None,
) -> JudgedContacts:
    """Judge every contact of a recording with a plate.

    assignment : under the names of the model's segments
    required   : what the motion asks of the ground; None where the model holds only the legs
    entered_kg : the subject's mass as entered;  static_kg : as weighed in the static, if it was
    soles      : side ("Left", "Right") -> heel and toe marker;  height_m : stature, for the outline of the foot
    notices    : of the recording stage, whose faults of plates count
    assumed    : nobody entered or weighed the mass: it is only usual for the height
    others     : measured forces beside those of the plates, such as those of crutches

    The static's weight is the reference where it is within 15 % of the entered mass: else not all of the body stood on
    the plates. Without it, contacts on two plates or more that agree within 3 % are a weighing too, within the same
    15 %, unless they are all too light and feet lie beside the plates. An assumed mass bounds nothing; if the contacts
    do not agree either, their forces are compared with nothing, and they are "check".
    """
    shown, g, warnings = (
        support(trial, assignment, motion, gravity, required, others),
        float(np.linalg.norm(gravity)),
        [*notices],
    )
    there = range(len(shown.contacts))

    def measured(mass_kg: float) -> list[tuple[ContactFigures, BoolArray]]:
        return [contact_figures(shown, k, mass_kg, g, assignment, quality, soles, height_m) for k in there]

    used, origin = entered_kg, "assumed" if assumed else "entered"
    if static_kg is not None and not assumed and abs(static_kg / entered_kg - 1.0) <= WEIGHED:
        used, origin = static_kg, "static"
    found = measured(used)
    if origin != "static":
        factor = _agreed(shown, [figures for figures, _ in found], np.inf if assumed else WEIGHED)
        if factor is not None:
            used, origin = factor * used, "steps"
            found = measured(used)
    if origin == "assumed":
        found = [(replace(one, delta=np.nan, run_s=0.0, rms_bw=np.nan), np.zeros_like(gone)) for one, gone in found]
    alike = _alike([figures for figures, _ in found])
    verdicts = [_judged(shown, k, *found[k], warnings, required is not None, alike) for k in there]
    sound = [one.figures.delta for one in verdicts if FORCE.grade(one.figures.delta) is Grade.GOOD]
    walk = used * (1.0 + float(np.median(sound))) if sound else None
    order = sorted(verdicts, key=lambda one: one.on_s)
    return JudgedContacts(tuple(order), MassReference(entered_kg, static_kg, walk, used, origin, assumed))


def with_joints(judged: JudgedContacts, errors: JointErrors) -> JudgedContacts:
    """Judge the joints of every contact, too."""
    known, found = {body.name for body in errors.tree.system.bodies}, []
    for one in judged.contacts:
        if one.segment in known:
            elsewhere = one.fault == ELSEWHERE
            joints = errors.verdicts(one.segment, one.frames, judged.mass.used, one.grade, one.figures, elsewhere)
            one = replace(one, joints=joints)
        found.append(one)
    return replace(judged, contacts=tuple(found))


def _agreed(shown: Support, figures: Sequence[ContactFigures], most: float) -> float | None:
    """Mass factor, at most this far from 1, on which contacts of two plates or more agree; None where they do not."""
    judged = [k for k, one in enumerate(figures) if one.how == "single support" and np.isfinite(one.delta)]
    if len({shown.contacts[k].contact.plate for k in judged}) < 2:
        return None
    factors = 1.0 + np.array([figures[k].delta for k in judged])
    middle = float(np.median(factors))
    if np.abs(factors / middle - 1.0).max() > AGREE:
        return None
    beside = any(figures[k].overhangs for k in judged)
    return None if (middle < 1.0 and beside) or abs(middle - 1.0) > most else middle


def _alike(figures: Sequence[ContactFigures]) -> bool:
    """Whether several contacts that bore the body alone are all short, or all long, by the same share."""
    deltas = np.array([one.delta for one in figures if one.how == "single support" and np.isfinite(one.delta)])
    if len(deltas) < 2 or FORCE.grade(float(np.median(deltas))) is Grade.GOOD:
        return False
    return bool(np.abs(deltas - np.median(deltas)).max() <= AGREE)


def _judged(
    shown: Support,
    k: int,
    figures: ContactFigures,
    masked: BoolArray,
    notices: Sequence[Notice],
    whole: bool,
    alike: bool,
) -> ContactVerdict:
    item, trial = shown.contacts[k], shown.trial
    contact = item.contact
    frames = frame_range(trial.rate_hz, trial.frames, contact.on_s, contact.off_s)
    grade, fault = _graded(shown, k, figures, _known_faults(item, frames, notices), whole, alike)
    when = f", {contact.on_s:.1f}–{contact.off_s:.1f} s"
    segments = (item.segment,) if item.segment is not None else item.sharing
    title = _title(segments, contact.plate) + (when if grade is Grade.POOR else "")
    return ContactVerdict(
        item.segment,
        item.sharing,
        contact.plate,
        contact.number,
        contact.on_s,
        contact.off_s,
        frames,
        contact.starts_before or contact.ends_after,
        grade,
        fault,
        f"{title}: {_words(grade, fault, figures, segments)}",
        figures,
        read_only(masked, np.bool_),
    )


def _known_faults(item: AssignedContact, frames: tuple[int, int], notices: Sequence[Notice]) -> list[str]:
    """Codes of faults of the plate during a contact."""
    return [
        one.code
        for one in notices
        if one.code in FAULTS
        and one.about
        and one.about[0] == item.contact.plate
        and (one.frames is None or (one.frames[0] <= frames[1] and frames[0] <= one.frames[1]))
    ]


def _graded(
    shown: Support, k: int, figures: ContactFigures, faults: Sequence[str], whole: bool, alike: bool
) -> tuple[Grade, str]:
    """Grade and name of the fault. A named fault of the plate comes first, then force, then everything else."""
    named = sorted((FAULTS[code] for code in faults), key=lambda one: one[0] is not Grade.POOR)
    if named and named[0][0] is Grade.POOR:
        return named[0]
    if _off_clock(figures):  # makes runs of missing force, and loads the plate of the other foot, all by itself
        return Grade.POOR, DISAGREE
    if figures.other_bw > SHARED_BW:
        return Grade.POOR, TWO_PLATES if _under(shown, k) else SHARED
    if shown.limbs[k] is None:
        return Grade.NOT_JUDGED, NOBODY
    offset = OFFSET.grade(figures.offset_bw)
    if not figures.how:
        doubts = [offset, *(grade for grade, _ in named), Grade.CHECK if figures.overhangs else Grade.GOOD]
        grade = worst_grade(doubts)
        if grade is Grade.GOOD:
            return Grade.NOT_JUDGED, ""
        return grade, named[0][1] if named else NOT_ZERO if offset is grade else OVERHANG
    force, fault = FORCE.grade(figures.delta), ""
    if figures.run_s >= RUN_S - 1e-9:
        missing = whole and figures.delta <= RUN_SHORT
        force = worst_grade([force, Grade.POOR if missing else Grade.CHECK])
        fault = PARTIAL if missing else DISAGREE
    if np.isnan(figures.delta):
        force, fault = Grade.CHECK, UNKNOWN_MASS
    elif FORCE.grade(figures.delta) is not Grade.GOOD or fault == PARTIAL:
        alike_inside = alike and not figures.overhangs
        fault = CALIBRATION if figures.delta > 0.0 or alike_inside else PARTIAL if figures.overhangs else MISSING
        if figures.how == "all feet" and fault == MISSING:
            force, fault = Grade.CHECK, ELSEWHERE
    rough = Grade.GOOD
    if figures.how == "single support":
        rough = worst_grade(
            [ROUGHNESS.grade(figures.rms_bw), PLACE_M.grade(figures.place_m), LAG_S.grade(figures.lag_s)]
        )
    # what the heel misses in double support, no sum of forces shows: a late plate does
    hidden = figures.outside > OUTSIDE and figures.where == "heel" and figures.late_s >= LATE_S
    parts = [(force, fault), (offset, NOT_ZERO), (rough, DISAGREE), *named]
    parts.append((Grade.CHECK if hidden else Grade.GOOD, PARTIAL))
    grade = worst_grade(part for part, _ in parts)
    return (grade, "") if grade is Grade.GOOD else next((grade, name) for part, name in parts if part is grade)


def _clock_s(figures: ContactFigures) -> float:
    """Time by which the plates follow the motion [s]: by the course of the force, or else by when it begins."""
    return figures.lag_s if np.isfinite(figures.lag_s) else figures.late_s


def _off_clock(figures: ContactFigures) -> bool:
    """Whether plates and cameras do not share a clock; a foot beside its plate is late for another reason."""
    late = LAG_S.grade(_clock_s(figures)) is Grade.POOR and not figures.overhangs
    return late and figures.how == "single support" and FORCE.grade(figures.delta) is not Grade.POOR


def _under(shown: Support, k: int) -> bool:
    """Whether another contact at the same time lies under the same foot, too."""
    mine, limb = shown.contacts[k], shown.limbs[k]
    for other, theirs in zip(shown.contacts, shown.limbs, strict=True):
        apart = other.contact.on_s >= mine.contact.off_s or other.contact.off_s <= mine.contact.on_s
        near = [distance for name, distance in other.distances.items() if limb_of(name) == limb]
        if theirs != limb and not apart and near and min(near) < UNDER_M:
            return True
    return False


def _known(value: float | str) -> float | str | None:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _title(segments: Sequence[str], plate: str) -> str:
    words = " and ".join(segments) or "nobody known"
    return f"{words[:1].upper()}{words[1:]}, {called(plate)}"


def _words(grade: Grade, fault: str, figures: ContactFigures, segments: Sequence[str]) -> str:
    """What a clinician reads after the name of the contact."""
    size = 100.0 * abs(figures.delta) if np.isfinite(figures.delta) else 0.0
    which = "less" if figures.delta < 0.0 else "more"
    above = f"the joints above the {' and the '.join(segments)}" if segments else "its force"
    unused = f"Do not use {above} in this step."
    if fault == NOBODY:
        return "its force is used for nobody, because it is not known whose it is."
    if fault == UNKNOWN_MASS:
        return "whether the plate bears the whole foot cannot be judged, because the mass is not known; enter it."
    if grade is Grade.NOT_JUDGED:
        return (
            "not judged, because no other foot is seen to swing for "
            f"{LEAST_S:g} s while this one is on the plate, nor do plates bear the whole body."
        )
    if fault in ("", OVERHANG):
        beside = " The foot overhangs the plate, but no force is missing." if figures.overhangs else ""
        if fault == OVERHANG:
            return "the foot lies partly beside the plate, and whether force is missing cannot be judged."
        whole = (
            "the plates together bear the whole body" if figures.how == "all feet" else "the plate bears the whole foot"
        )
        return f"{whole} (force within {max(1.0, np.ceil(size)):.0f} %).{beside}"
    if fault == PARTIAL and grade is Grade.POOR:
        where = f" ({figures.where})" if figures.where else ""
        return f"partial strike{where}: {size:.0f} % of the force went beside the plate. {unused}"
    if fault == PARTIAL and FORCE.grade(figures.delta) is Grade.GOOD:
        return (
            f"the plate begins {1e3 * figures.late_s:.0f} ms after the foot landed, which lies partly beside it; "
            "part of the first force may be missing."
        )
    if fault == MISSING and grade is Grade.POOR:
        words = f"{size:.0f} % of the force is missing although the foot is inside; check calibration, rail, stick."
        return f"{words} {unused}"
    if fault == ELSEWHERE:
        return (
            f"the plates together read {size:.0f} % less than the motion asks for; something else bears the body: "
            "seat, rail or stick. Ankles and knees can be used, hips with care."
        )
    if fault in (PARTIAL, MISSING, CALIBRATION):
        doing = "compare with another step."
        if fault == CALIBRATION:
            doing = (
                f"check mass and calibration{', and whether a rail, stick or harness helped' * (figures.delta < 0.0)}."
            )
        return f"the plate reads {size:.0f} % {which} than the motion asks for; {doing}"
    if fault == DISAGREE:
        right = ", although the force as a whole is right" * (FORCE.grade(figures.delta) is Grade.GOOD)
        clock = " Check that cameras and plates start together." * _off_clock(figures)
        return f"motion and plates disagree ({_roughness(figures)}){right}.{clock}"
    if fault == NOT_ZERO:
        return (
            f"the plate reads {100.0 * figures.offset_bw:.0f} % of body weight while empty, or drifts by it; let the "
            "offset be removed."
        )
    if fault == TWO_PLATES:
        return f"the foot stands on two plates at once, and another foot was given one of them. {unused}"
    if fault == SHARED:
        return f"another plate is loaded while only this foot is on the ground. {unused}"
    return f"{fault}. {unused}" if grade is Grade.POOR else f"{fault}; look at it with care."


def _roughness(figures: ContactFigures) -> str:
    """What of the course of the force does not fit, in words."""
    words = []
    if figures.run_s >= RUN_S - 1e-9:
        words.append(f"force below the motion's for {1e3 * figures.run_s:.0f} ms")
    if ROUGHNESS.grade(figures.rms_bw) is not Grade.GOOD:
        words.append(f"residual {figures.rms_bw:.2f} body weights RMS")
    if PLACE_M.grade(figures.place_m) not in (Grade.GOOD, Grade.NOT_JUDGED):
        words.append(f"centre of pressure {1e3 * figures.place_m:.0f} mm off")
    lag = _clock_s(figures) if _off_clock(figures) else figures.lag_s
    if LAG_S.grade(lag) not in (Grade.GOOD, Grade.NOT_JUDGED):
        words.append(f"plates {1e3 * abs(lag):.0f} ms {'late' if lag > 0.0 else 'early'}")
    return ", ".join(words)
