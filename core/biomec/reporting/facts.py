"""The facts about a result, each stated once: recording, person, model, motion, cycles, loads, and state of the steps.

Tree, status line, configuration, report, summary and command line choose from these and lay them out. A fact has the
plain value for programs and the text for people, so both always agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.fields import label_of
from biomec.base.notices import Grade, Severity
from biomec.body.anatomy.mixed_coordinates import mixed_coordinates_of
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency_notices import TYPES
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.body.loads.joint_loads import largest_difference
from biomec.engine.structure import Structure
from biomec.pipeline.analysis import STEPS, Analysis
from biomec.pipeline.load_reading import chosen_loads
from biomec.pipeline.outlook import obstacle_of_loads
from biomec.recording import Trial
from biomec.reporting.tables import NOTHING, number, power
from biomec.signals.reconstruction import SampleOrigin

MILLIMETRE = 1e3
ACROSS_PLANE = 3  # freedoms of the root that a recording laid into a plane leaves at rest
CURRENT, STALE, TODO, BLOCKED = "up to date", "out of date", "not yet", "not possible"
"""States of a step."""
ON_PLATES = "These loads can be used in the steps on the plates."  # where others are estimated
ADVICE = {"good": "These loads can be used.", "check": "Check before use.", "poor": "Not to be relied upon."}
"""Level of trust in joint loads -> what to do with them."""


@dataclass(frozen=True)
class Fact:
    """One fact.

    label : what it is, such as "Mass"
    value : for programs: numbers in ``unit``; None where it is not known
    text  : for people, with its unit and where it comes from
    """

    label: str
    value: Any
    text: str
    unit: str = ""


Facts = Mapping[str, Fact]
"""Key -> fact; keys stay the same, labels and texts are words for people."""


# ----------------------------------------------------------------------------------------------------------- recording
def trial_facts(trial: Trial) -> Facts:
    """A trial: file, frames, rate, duration."""
    frames = f"{trial.frames} frames at {trial.rate_hz:g} Hz"
    return {
        "file": Fact("File", trial.source.name, trial.source.name),
        "frames": Fact("Frames", trial.frames, frames),
        "rate": Fact("Sampling rate", trial.rate_hz, f"{trial.rate_hz:g} Hz", "Hz"),
        "duration": Fact("Total time", trial.duration_s, number(trial.duration_s, 2, "s"), "s"),
        "length": Fact("Length", trial.duration_s, f"{frames}, {number(trial.duration_s, 2, 's')}", "s"),
    }


def signal_facts(analysis: Analysis) -> Facts:
    """What became of the recorded signals: markers, origin of their samples, filter, plates."""
    signals = analysis.signals
    trial, rebuilt, filtered = signals.trial, signals.reconstruction, signals.filtered
    shares = {origin.name.lower(): rebuilt.fraction(origin) for origin in SampleOrigin}
    origins = (SampleOrigin.MEASURED, SampleOrigin.REBUILT, SampleOrigin.INTERPOLATED, SampleOrigin.MISSING)
    names = [origin.name.lower() for origin in origins]
    marker_set = analysis.preparation.marker_set.name
    cutoffs, filter_words = None, "not filtered"
    if filtered is not None and np.isfinite(filtered.cutoff_hz).any():
        low, high = cutoffs = float(np.nanmin(filtered.cutoff_hz)), float(np.nanmax(filtered.cutoff_hz))
        filter_words = f"low-pass at {low:.1f} Hz" if high - low < 0.05 else f"low-pass at {low:.1f} to {high:.1f} Hz"
    plates = tuple(plate.name for plate in trial.plates)
    return {
        "markers": Fact("Markers", len(trial.markers.names), f"{len(trial.markers.names)}, marker set {marker_set}"),
        "marker_set": Fact("Marker set", marker_set, marker_set),
        "samples": Fact("Samples", shares, ", ".join(f"{number(100.0 * shares[name], 1)} % {name}" for name in names)),
        "filter": Fact("Filter", cutoffs, filter_words, "Hz"),
        "plates": Fact("Force plates", plates, ", ".join(plates) or "none"),
    }


# -------------------------------------------------------------------------------------------------------------- person
def subject_facts(analysis: Analysis) -> Facts:
    """The person as the model takes them, once it is there; before that as they were entered."""
    session, entered = analysis.session, analysis.session.subject
    subject, sex, mass, height = entered, entered.sex, entered.mass_kg, entered.height_m
    origin = {"sex": "", "mass": "", "height": ""}
    if "body" in analysis.done:
        subject, measures = analysis.body.subject, analysis.body.person.measures
        sex, mass, height = str(measures["sex"]), float(measures["mass"]), float(measures["height"])
        if entered.sex is None:
            origin["sex"] = " (assumed)"
        if entered.mass_kg is None:
            origin["mass"] = " (weighed on the plates)" if subject.mass_kg is not None else " (assumed)"
        if entered.height_m is None:
            origin["height"] = " (from the markers)"
    age = None if session.recorded is None else subject.age_on(session.recorded)
    born, day = subject.birth_date, session.recorded
    return {
        "name": Fact("Name", subject.name, subject.name or NOTHING),
        "sex": Fact("Sex", sex, (sex or NOTHING) + origin["sex"]),
        "birth_date": Fact("Birth date", born, NOTHING if born is None else born.isoformat()),
        "age": Fact("Age", age, NOTHING if age is None else f"{age} years", "years"),
        "mass": Fact("Mass", mass, number(mass, 1, "kg") + origin["mass"], "kg"),
        "height": Fact("Height", height, number(height, 2, "m") + origin["height"], "m"),
        "recorded": Fact("Acquisition date", day, NOTHING if day is None else day.isoformat()),
        "weighed": _weighed(analysis),
    }


def _weighed(analysis: Analysis) -> Fact:
    """What the plates weigh: of somebody who stands, else of the movement, but not over a contact that is poor."""
    clean = analysis.signals if "signals" in analysis.done else None
    found = None if clean is None else clean.weighed or clean.mass
    if clean is not None and found is clean.mass and found is not None and found.frames and "loads" in analysis.done:
        first, last = found.frames
        if analysis.loads.trust.poor[first : last + 1].any():
            found = None
    mass = None if found is None else found.mass_kg
    return Fact("On the force plates", mass, number(mass, 1, "kg"), "kg")


# --------------------------------------------------------------------------------------------------------------- model
def model_facts(analysis: Analysis) -> Facts:
    """The person's model: its size as natural coordinates count it."""
    return facts_of_model(analysis.body.person, analysis.body.structure)


def facts_of_model(body: SubjectModel, counts: Structure) -> Facts:
    """The same of a model that is not that of an analysis."""
    segments, redundant = len(body.system.bodies), len(counts.redundant)
    free = counts.degrees_of_freedom - (ACROSS_PLANE if body.model.planar else 0)
    in_plane = " in the plane" if body.model.planar else ""
    numbers = {
        "segments": ("Segments", segments, f"{segments} segments"),
        "coordinates": ("Coordinates", counts.coordinates, f"{counts.coordinates} natural coordinates"),
        "constraints": ("Constraints", counts.rows, f"{counts.rows} constraint rows ({redundant} redundant)"),
        "redundant": ("Redundant constraints", redundant, f"{redundant} redundant"),
        "dof": ("Degrees of freedom", free, f"{free} degrees of freedom{in_plane}"),
    }
    mixed = mixed_coordinates_of(body)
    case = "sagittal plane" if body.model.planar else "3D"
    size = ", ".join(numbers[key][2] for key in ("segments", "coordinates", "constraints", "dof"))
    name, title = body.model.name, body.model.title
    return {
        "name": Fact("Model", name, f"{name}: {title}"),
        "size": Fact("Size", None, size),
        **{key: Fact(label, value, text) for key, (label, value, text) in numbers.items()},
        "mixed": Fact("Mixed coordinates", mixed.coordinates, str(mixed)),
        "bodies": Fact("Bodies with devices", mixed.bodies, f"{mixed.bodies} bodies"),
        "case": Fact("Model case", case, case),
        "left_out": Fact(
            "Left out", dict(body.left_out), "; ".join(f"{part}: {why}" for part, why in body.left_out.items())
        ),
    }


# -------------------------------------------------------------------------------------------------------------- motion
def motion_facts(positions: ConsistentPositions) -> Facts:
    """How well the motion obeys the model and fits the markers, over the frames that were solved."""
    valid, position = positions.valid, positions.position
    solved, total = int(valid.sum()), positions.frames
    iterations = position.iterations[valid]
    mean = float(iterations.mean()) if solved else float("nan")
    most = int(position.iterations.max(initial=0))
    violation = float(position.violation[valid].max()) if solved else float("nan")
    residual = MILLIMETRE * positions.marker_residual[valid]
    rms, largest = finite_rms(residual), finite_largest(residual)
    method = label_of(ConsistencyOptions, "method", positions.options.method)
    return {
        "method": Fact("Method", positions.options.method, method),
        "solved": Fact("Frames that obey the model", solved, f"{solved} of {total}"),
        "frames": Fact("Frames", total, str(total)),
        "iterations": Fact(
            "Iterations", mean, f"{number(mean, 1)} on average, {int(iterations.max(initial=0))} at most"
        ),
        "iterations_max": Fact("Most iterations", most, str(most)),
        "violation": Fact("Largest violation ‖Φ‖", violation, power(violation)),
        "marker_rms": Fact("Markers to model", rms, f"{number(rms, 1, 'mm')} rms", "mm"),
        "marker_max": Fact("Markers to model, at most", largest, number(largest, 1, "mm"), "mm"),
    }


def constraint_words(kind: str) -> str:
    """Type of a constraint row in plain words."""
    words = TYPES.get(kind, kind).removeprefix("the ")
    return words[0].upper() + words[1:]


# -------------------------------------------------------------------------------------------------------------- cycles
def cycle_facts(analysis: Analysis) -> Facts:
    """What repeats, and how often."""
    found = analysis.cycles
    by = "foot strikes" if found.by == "events" else f"minima of {found.by}"
    return {
        "by": Fact("Cycles begin and end at", found.by, by),
        "found": Fact("Cycles", found.found, str(found.found)),
        "valid": Fact("Valid cycles", found.valid, f"{found.valid} of {found.found}"),
    }


# --------------------------------------------------------------------------------------------------------------- loads
def load_facts(analysis: Analysis) -> Facts:
    """How loads were computed and are shown, and how far to trust them."""
    found, loads = analysis.loads, chosen_loads(analysis)
    trust, external, ribs = found.trust, found.external, found.multibody.contacts
    share = float(external.estimated.mean()) if external.frames else 0.0
    advice = ON_PLATES if share and trust.level is Grade.GOOD else ADVICE[trust.level]
    difference = (None, None) if ribs else largest_difference(found.newton_euler, found.multibody)
    touching, counted = list(dict.fromkeys(external.segments)), int(trust.residuals.counted.sum())
    masses = None if trust.judged is None else trust.judged.mass
    steps = [one.sentence for one in trust.steps]
    words = analysis.settings.load_reading.words
    return {
        "trust": Fact("Trust", trust.level, trust.verdict),
        "advice": Fact("Advice", trust.level, advice),
        "methods": Fact("Methods", found.multibody.method, f"{found.newton_euler.method} and {found.multibody.method}"),
        "difference": Fact(
            "They differ by", difference, f"{power(difference[0])} N and {power(difference[1])} N·m at most"
        ),
        "reading": Fact("Loads shown here", words, words + ": the ribs bear the scapulae" * bool(loads.contacts)),
        "plates": Fact("Plate forces", found.options.plate_forces, found.plate_words),
        "external": Fact("External forces on", touching, ", ".join(touching) or "none"),
        "estimated": Fact("Frames with an estimated ground reaction", share, number(100.0 * share, 0, "%")),
        "residual": Fact("Residual on", loads.root, f"{loads.root}, over {counted} frames"),
        "residual_frames": Fact("Frames that count for the residual", counted, str(counted)),
        "steps": Fact("Contacts with plates", [one.plain() for one in trust.steps], " ".join(steps) or "none"),
        "mass": Fact(
            "Mass", None if masses is None else masses.used, NOTHING if masses is None else masses.sentence, "kg"
        ),
    }  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- state
def step_facts(analysis: Analysis) -> Facts:
    """Title and state of every step, and why it cannot run where that is known.

    Steps that run only when they are asked for are there once they ran.
    """
    facts = {}
    for step in STEPS:
        if step.asked and step.name not in analysis.done:
            continue
        obstacle = obstacle_of_loads(analysis) if step.name == "loads" else ""
        if step.name in analysis.done:
            state = CURRENT if analysis.is_current(step.name) else STALE
            facts[step.name] = Fact(step.title, state, state)
        else:
            facts[step.name] = Fact(step.title, BLOCKED if obstacle else TODO, obstacle or TODO)
    return facts


def count_steps(analysis: Analysis, state: str) -> int:
    """How many steps are in a state."""
    return sum(fact.value == state for fact in step_facts(analysis).values())


def count_notices(analysis: Analysis, severity: Severity) -> int:
    """How many notices of a severity there are."""
    return sum(notice.severity is severity for notice in analysis.notices)


# ----------------------------------------------------------------------------------------------- numbers that are there
def finite_mean(values: FloatArray, axis: int | None = None) -> Any:
    """Mean without missing samples; NaN of nothing."""
    there = np.isfinite(values)
    count = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    mean = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return float(mean) if axis is None else mean


def finite_rms(values: FloatArray, axis: int | None = None) -> Any:
    """Root mean square without missing samples; NaN of nothing."""
    root = np.sqrt(finite_mean(values**2, axis))
    return float(root) if axis is None else root


def finite_largest(values: FloatArray, axis: int | None = None) -> Any:
    """Maximum without missing samples; NaN of nothing."""
    found = np.where(np.isfinite(values), values, -np.inf).max(axis=axis, initial=-np.inf)
    largest = np.where(np.isfinite(found), found, np.nan)
    return float(largest) if axis is None else largest
