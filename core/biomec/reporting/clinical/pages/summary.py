"""First page: who, why, the few numbers that a reader wants first, and room for what the clinician writes."""

from __future__ import annotations

import math

from biomec.reporting.clinical.blocks import FreeText, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.visit import SIDES, in_words
from biomec.reporting.facts import subject_facts
from biomec.reporting.indices.profile_score import overall_score
from biomec.reporting.indices.push_ups import push_ups
from biomec.reporting.statistics.time_and_distance import BOTH
from biomec.reporting.tables import NOTHING, fact_table, number

KIND, TITLE = "summary", "Summary"
WRITTEN = (
    ("findings", "Findings", 6),
    ("interpretation", "Interpretation", 6),
    ("recommendation", "Recommendation", 4),
    ("signature", "Date and signature", 2),
)
"""Free texts: key, title and lines of room."""
GIVEN = (("question", "Question of the referral"), ("diagnosis", "Diagnosis"), ("treatment", "Treatment so far"))
MILLIMETRE = 1e3


def summary_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Person, referral, and free texts."""
    visit, notes = material.visit, material.visit.notes
    facts = subject_facts(visit.first)
    subject, measures = visit.subject, visit.first.body.person.measures
    legs = [number(MILLIMETRE * float(measures[key]), 0) for key in ("leg_length_D", "leg_length_E") if key in measures]
    known = not material.nameless
    about: dict[str, str | None] = {
        "Name": (subject.name or "not given") if known else None,
        "Identifier": notes.identifier or None,
        "Born": in_words(subject.birth_date) if known and subject.birth_date is not None else None,
        "Measured on": None if visit.day is None else in_words(visit.day),
        "Age at measurement": None if visit.age_years is None else f"{visit.age_years} years",
        "Sex": facts["sex"].text,
        "Mass": facts["mass"].text,
        "Height": facts["height"].text,
        "Leg length, right and left": f"{legs[0]} and {legs[1]} mm" if len(legs) == 2 else None,
        "Condition": notes.condition or None,
        "Referred by": notes.referrer or None,
        "Measured by": notes.examiner or None,
    }
    given = [Words((text,), title) for key, title in GIVEN if (text := str(getattr(notes, key)).strip())]
    written = [FreeText(key, title, str(getattr(notes, key)), lines) for key, title, lines in WRITTEN]
    return Page(KIND, entry.title or TITLE, (fact_table("", about), *given, *written))


def highlights(material: Material) -> tuple[tuple[str, str], ...]:
    """At most five numbers with what they are: of a walk, of push-ups, and how far they can be trusted."""
    found = _of_a_walk(material) if material.walks else _of_push_ups(material)
    found += [(material.judged, "trust in the measurement")] if material.judged else []
    return tuple(found[:5])


def _of_a_walk(material: Material) -> list[tuple[str, str]]:
    walk, kind = material.visit.time_and_distance, material.visit.kind
    found: list[tuple[str, str]] = []
    for key, digits, unit in (("speed", 2, "m/s"), ("cadence", 0, "steps/min")):
        value = math.nan if walk is None else walk.mean(key, BOTH, kind)
        if math.isfinite(value):
            found.append((f"{number(value, digits)} {unit}", key))
    scores = material.scores
    if scores:
        sides = [f"{number(scores[side].mean)}°" if side in scores else NOTHING for side in SIDES]
        found.append((" / ".join(sides), "Gait Profile Score, right / left"))
    if set(scores) == set(SIDES):
        both, usual = overall_score(scores["right"], scores["left"]), material.usual_score
        words = "" if usual is None else f"; mean of the norm {number(usual)}°"
        found.append((f"{number(both)}°", f"Gait Profile Score, both{words}"))
    return found


def _of_push_ups(material: Material) -> list[tuple[str, str]]:
    made = [one for one in map(push_ups, material.visit.analyses) if one is not None]
    if not made:
        return []
    first = made[0]
    found = [(str(sum(map(len, made))), "repetitions"), (f"{number(float(first.duration_s.mean()), 2)} s", "duration")]
    if set(first.depth_deg) == set(SIDES):
        depth = [float(first.depth_deg[side].mean()) for side in SIDES]
        found.append((f"{number(depth[0], 0)}° / {number(depth[1], 0)}°", "range of the elbow, right / left"))
    if set(first.hand_peak) == set(SIDES):
        hands = [float(first.hand_peak[side].mean()) for side in SIDES]
        words = "greatest force of the hand in body weight, right / left"
        found.append((f"{number(hands[0], 2)} / {number(hands[1], 2)}", words))
    return found
