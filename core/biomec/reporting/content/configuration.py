"""What an analysis works with, in five panes: general, pre-processing, body segments, mechanism, signals.

Only words and numbers, as far as the steps have run; a pane whose step is still to come says which one to run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.structure import Structure
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import FrameState, frame_map, listed
from biomec.reporting.facts import CURRENT, STALE, model_facts, step_facts, subject_facts, trial_facts
from biomec.reporting.statistics.recording_quality import origin_shares
from biomec.reporting.tables import NOTHING, Section, Table, fact_table, number
from biomec.signals.filtering import FilteredMarkers, FilteredPlates
from biomec.signals.reconstruction import SampleOrigin

GENERAL, PREPROCESSING, SEGMENTS = "General", "Pre-processing", "Body segment"
MECHANISM, SIGNALS = "Mechanism", "Signals"
PRESENT, ABSENT = "Ok", "No"
FREE_BODY = 6  # coordinates of a rigid body by its centre of mass and attitude
ROWS_OF_A_HINGE = 3  # in natural coordinates; one of them depends on the others


def configuration(analysis: Analysis) -> tuple[Section, ...]:
    """The five panes, in the order of reading."""
    panes: dict[str, Callable[[Analysis], Section]] = {
        GENERAL: _general,
        PREPROCESSING: _preprocessing,
        SEGMENTS: _segments,
        MECHANISM: _mechanism,
        SIGNALS: _signals,
    }
    return tuple(_pane(title, make, analysis) for title, make in panes.items())


def _pane(title: str, make: Callable[[Analysis], Section], analysis: Analysis) -> Section:
    try:
        return make(analysis)
    except BiomecError as error:
        return Section(title, (str(error),))


# -------------------------------------------------------------------------------------------------------------- general
def _general(analysis: Analysis) -> Section:
    session = analysis.session
    recorded, person = trial_facts(session.dynamic), subject_facts(analysis)
    about: dict[str, str | None] = {
        recorded["file"].label: recorded["file"].text,
        "Static file": NOTHING if session.static is None else session.static.source.name,
    }
    about |= {fact.label: fact.text for fact in (*person.values(), recorded["rate"], recorded["length"])}
    known = "body" in analysis.done
    about["Model case"] = model_facts(analysis)["case"].text if known else 'known after "Body Model"'
    about["Number of segments"] = str(model_facts(analysis)["segments"].value) if known else 'known after "Body Model"'
    return Section(GENERAL, (), (fact_table("", about),))


# ------------------------------------------------------------------------------------------------------- pre-processing
def _preprocessing(analysis: Analysis) -> Section:
    clean = analysis.signals
    filtered, plates = clean.filtered, clean.filtered_plates
    rows = [
        _cutoffs("Positions", filtered, slice(None)),
        ("Velocities", NOTHING, NOTHING, "differentiated from the filtered positions; no filter of their own"),
        ("Accelerations", NOTHING, NOTHING, "differentiated from the filtered positions; no filter of their own"),
        _cutoffs("External forces", plates, slice(3)),
        _cutoffs("External torques", plates, slice(3, None)),
    ]
    columns = ("Signal", "Lowest [Hz]", "Highest [Hz]", "How")
    return Section(PREPROCESSING, (), (Table("Cut-off frequencies", columns, tuple(rows)), _lost_markers(analysis)))


def _lost_markers(analysis: Analysis) -> Table:
    """Shares of frames and samples by where they come from: those of the quality strip, by the same definition."""
    quality = frame_map(analysis)
    shares: dict[str, str | None] = {f"Frames {words}": _percent(quality.share(state)) for state, words in FRAMES}
    samples = origin_shares(quality.origin)
    shares |= {f"Samples {words}": _percent(float(np.mean(samples[kind]))) for kind, words in SAMPLES}
    never = [name for name in analysis.signals.reconstruction.markers.names if name not in quality.markers]
    shares["Markers of the static only, computed in every frame"] = f"{len(never)}: {listed(never)}" if never else "0"
    note = "A frame counts by the poorest of its markers. Markers that only the static shows do not count."
    return fact_table("Lost markers", shares, note)


def _cutoffs(
    name: str, filtered: FilteredMarkers | FilteredPlates | None, components: slice
) -> tuple[str, str, str, str]:
    if filtered is None or not np.isfinite(filtered.cutoff_hz[:, components]).any():
        return name, NOTHING, NOTHING, "not filtered"
    cutoffs = filtered.cutoff_hz[:, components]
    low, high = float(np.nanmin(cutoffs)), float(np.nanmax(cutoffs))
    return name, number(low, 3), number(high, 3), f"zero-lag {filtered.options.title} low-pass"


FRAMES = (
    (FrameState.MEASURED, "with all markers measured"),
    (FrameState.REBUILT, "with markers estimated in a local frame"),
    (FrameState.INTERPOLATED, "with interpolated markers"),
    (FrameState.LOST, "with markers still missing"),
    (FrameState.FAILED, "without a solution of the model"),
)
SAMPLES = (
    (SampleOrigin.MEASURED, "measured"),
    (SampleOrigin.REBUILT, "estimated in a local frame"),
    (SampleOrigin.INTERPOLATED, "interpolated"),
    (SampleOrigin.MISSING, "still missing"),
)


def _percent(fraction: float) -> str:
    return number(100.0 * fraction, 2, "%")


# ------------------------------------------------------------------------------------------------------------- segments
def _segments(analysis: Analysis) -> Section:
    body = analysis.body.person
    layout, parts = body.system.layout, {part.name: part for part in body.system.bodies}
    rows, tensors = [], []
    for segment in body.segments:
        part = parts[segment.name]
        columns = layout.columns(segment.name)
        where = f"{min(columns) + 1} to {max(columns) + 1}"
        centre = "   ".join(number(1e3 * x, 1) for x in np.asarray(part.centre_of_mass, dtype=np.float64).tolist())
        rows.append(
            (
                segment.name,
                ", ".join(segment.basis),
                number(part.mass, 3),
                centre,
                where,
                ", ".join(name for name in part.points if name in segment.basic_points + segment.points),
            )
        )
        tensors.append((segment.name, *_tensor(np.asarray(part.inertia))))
    note = "Centre of mass from the segment's origin, in its own axes X, Y, Z. Indices count from 1."
    headings = ("Segment", "Coordinates", "Mass [kg]", "Centre of mass [mm]", "Indices in q", "Anatomical points")
    moments = ("Segment", "xx", "yy", "zz", "xy", "xz", "yz")
    tables = [
        Table("Segments", headings, tuple(rows), note),
        Table("Inertia about the centre of mass [kg m²]", moments, tuple(tensors)),
    ]
    if body.left_out:
        tables.append(Table("Left out", ("Segment", "Why"), tuple(body.left_out.items())))
    return Section(SEGMENTS, (f"{model_facts(analysis)['name'].text}.",), tuple(tables))


def _tensor(J: FloatArray) -> tuple[str, ...]:
    return tuple(number(float(J[i, j]), 5) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


# ------------------------------------------------------------------------------------------------------------ mechanism
def _mechanism(analysis: Analysis) -> Section:
    counts, model = analysis.body.structure, model_facts(analysis)
    natural = [model[key] for key in ("coordinates", "constraints", "dof", "redundant")]
    reference = reference_point_counts(counts, model["segments"].value)
    rows = tuple((fact.label, str(fact.value), str(ma)) for fact, ma in zip(natural, reference, strict=True))
    types = tuple((kind, str(count)) for kind, count in counts.rows_by_type.items())
    devices = " with devices" if analysis.body.person.devices else ""
    words = f"As published gait models count it: {model['bodies'].text}{devices}, {model['mixed'].text}."
    return Section(
        MECHANISM,
        (words,),
        (
            Table("", ("", "Natural coordinates (MC)", "Reference points (MA)"), rows,
                  "Reference points: centre of mass and attitude of every segment."),
            Table("Constraints in natural coordinates", ("Type", "Rows"), types),
        ),
    )  # fmt: skip


def reference_point_counts(counts: Structure, bodies: int) -> tuple[int, int, int, int]:
    """Coordinates, rows, degrees of freedom and redundant rows of the same mechanism in reference-point coordinates.

    Six coordinates a body and no rows for rigidity; joints keep their rows, but a hinge needs two directions only where
    natural coordinates write three. The degrees of freedom are those of the mechanism, whatever the coordinates.
    """
    rows = counts.rows - counts.rows_by_type.get("rigid", 0)
    rows -= counts.rows_by_type.get("revolute", 0) // ROWS_OF_A_HINGE
    coordinates, free = FREE_BODY * bodies, counts.degrees_of_freedom
    return coordinates, rows, free, rows - (coordinates - free)


# -------------------------------------------------------------------------------------------------------------- signals
def _signals(analysis: Analysis) -> Section:
    session = analysis.session
    trial = session.dynamic
    recorded = {
        "Markers, dynamic": bool(trial.markers.names),
        "Markers, static": session.static is not None,
        "Force plates": bool(trial.plates),
        "EMG": trial.emg is not None,
        "Other analog channels": trial.analog is not None,
        "Events": bool(trial.events),
        "Results of other programs": trial.outputs is not None,
    }
    states = {CURRENT: PRESENT, STALE: f"{PRESENT}, {STALE}"}
    computed: dict[str, str | None] = {
        fact.label: states.get(fact.value, ABSENT) for fact in step_facts(analysis).values()
    }
    return Section(
        SIGNALS,
        (),
        (
            fact_table("Recorded", {name: PRESENT if there else ABSENT for name, there in recorded.items()}),
            fact_table("Computed", computed),
            fact_table("Joint loads", _loads(analysis)),
        ),
    )


def _loads(analysis: Analysis) -> dict[str, str | None]:
    """Which loads are there; those of an older run are marked as such."""
    words = ("Forces and torques by Newton-Euler", "Forces and torques by multibody", "Residual", "Power",
             "Force between scapula and ribs", "Ground reaction, measured", "Ground reaction, estimated")  # fmt: skip
    if "loads" not in analysis.done:
        return dict.fromkeys(words, ABSENT)
    found = analysis.loads
    estimated = found.external.estimated
    there = (True, True, True, True, bool(found.multibody.contacts),
             bool(found.external.segments) and not estimated.all(), bool(estimated.any()))  # fmt: skip
    old = "" if analysis.is_current("loads") else f", {STALE}"
    return {word: f"{PRESENT}{old}" if one else ABSENT for word, one in zip(words, there, strict=True)}
