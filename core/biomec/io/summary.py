"""What a file holds, for people and for programs: the report of ``biomec info``."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biomec.recording import Analog, ForcePlate, Markers, Session, Trial
from biomec.recording.trial import is_angle

SCHEMA = 1  # of the JSON report; keys are added without a new number, never renamed or removed
WIDTH = 100  # characters of a line
_SIDE_LETTERS = {"D": "right", "E": "left"}


# -------------------------------------------------------------------------------------------------------- for programs
def summary(trial: Trial, session: Session | None = None) -> dict[str, Any]:
    """Return what a trial holds as plain data for JSON; ``session`` adds what a project holds beside it."""
    axes, subject = trial.axes, trial.subject if session is None else session.subject
    recorded = trial.recorded if session is None else session.recorded
    return {
        "schema": SCHEMA,
        "file": trial.source.name,
        "format": trial.source.format,
        "size_bytes": trial.source.size,
        "sha256": trial.source.sha256,
        "frames": trial.frames,
        "first_frame": trial.first_frame,
        "rate_hz": float(trial.rate_hz),
        "duration_s": trial.duration_s,
        "recorded": None if recorded is None else recorded.isoformat(),
        "subject": {
            "name": subject.name,
            "sex": subject.sex,
            "mass_kg": subject.mass_kg,
            "height_m": subject.height_m,
            "birth_date": None if subject.birth_date is None else subject.birth_date.isoformat(),
            "measures": dict(subject.measures),
        },
        "axes": {
            "up": axes.up,
            "up_by": axes.authority.value,
            "forward": axes.forward,
            "forward_by": axes.forward_authority.value,
        },
        "markers": _markers(trial.markers),
        "unlabelled": 0 if trial.unlabelled is None else len(trial.unlabelled.names),
        "other_subjects": {name: len(markers.names) for name, markers in trial.other_subjects.items()},
        "outputs": dict(Counter(trial.outputs.kinds)) if trial.outputs is not None else {},
        "plates": [_plate(plate) for plate in trial.plates],
        "analog": _channels(trial.analog),
        "emg": _channels(trial.emg),
        "events": [
            {"time_s": event.time_s, "label": event.label, "context": event.context, "origin": event.origin}
            for event in trial.events
        ],
        "notices": [
            {"severity": notice.severity.value, "code": notice.code, "sentence": notice.sentence}
            for notice in (*trial.notices, *(() if session is None else session.notices))
        ],
        "project": None if session is None else _project(session),
    }


def _markers(markers: Markers) -> list[dict[str, Any]]:
    visible = markers.visible
    shares = 100.0 * visible.mean(axis=0) if markers.frames else np.zeros(len(markers.names))
    return [
        {"name": name, "visible_percent": float(share), "longest_gap_frames": _longest_gap(visible[:, k])}
        for k, (name, share) in enumerate(zip(markers.names, shares, strict=True))
    ]


def _longest_gap(visible: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Frames of the longest stretch without a sample."""
    edges = np.flatnonzero(np.concatenate([[True], visible, [True]]))
    return int(np.diff(edges).max()) - 1


def _plate(plate: ForcePlate) -> dict[str, Any]:
    vertical = plate.vertical[np.isfinite(plate.vertical)]
    return {
        "name": plate.name,
        "type": plate.type,
        "rate_hz": float(plate.rate_hz),
        "samples": plate.samples,
        "start_s": float(plate.start_s),
        "peak_n": float(vertical.max()) if vertical.size else None,
        "loaded_percent": 100.0 * float(plate.loaded().mean()) if plate.samples else 0.0,
        "corners": plate.corners is not None,
    }


def _channels(analog: Analog | None) -> dict[str, Any] | None:
    if analog is None:
        return None
    return {
        "names": list(analog.names),
        "units": list(analog.units),
        "rate_hz": float(analog.rate_hz),
        "samples": analog.samples,
        "start_s": float(analog.start_s),
    }


def _project(session: Session) -> dict[str, Any]:
    alignment = session.emg_alignment
    return {
        "static": None if session.static is None else session.static.source.name,
        "emg_alignment": None if alignment is None else [alignment.first, alignment.last],
        "settings": list(session.settings),
        "results": list(session.results),
        "history": [f"{record.when} {record.step}" for record in session.provenance],
        "originals": [original.source.name for original in session.originals],
    }


# ---------------------------------------------------------------------------------------------------------- for people
def summary_text(facts: Mapping[str, Any]) -> str:
    """Lay out what `summary` returned."""
    lines = [f"{facts['file']}    {facts['format']}, {_size(facts['size_bytes'])}"]
    start = "" if facts["first_frame"] == 1 else f", first frame {facts['first_frame']}"
    lines += _row("Time", f"{facts['frames']} frames at {facts['rate_hz']:g} Hz, {facts['duration_s']:.3f} s{start}")
    lines += _row("Subject", _subject(facts["subject"]))
    measures = facts["subject"]["measures"]
    if measures:
        lines += _row("Measures", ", ".join(_measure(name, value) for name, value in measures.items()))
    lines += _row("Recorded", facts["recorded"] or "not stated")
    axes = facts["axes"]
    lines += _row("Axes", f"up {axes['up']} ({axes['up_by']}), forward {axes['forward']} ({axes['forward_by']})")
    lines += _marker_rows(facts["markers"])
    if facts["unlabelled"]:
        lines += _row("Unlabelled", f"{facts['unlabelled']} points without a name")
    for name, count in facts["other_subjects"].items():
        lines += _row("Also", f"{count} markers of {name}")
    if facts["outputs"]:
        lines += _row("Outputs", ", ".join(f"{count} {kind}" for kind, count in facts["outputs"].items()))
    lines += _rows("Plates", [_plate_words(plate) for plate in facts["plates"]])
    for title, key in (("Analog", "analog"), ("EMG", "emg")):
        if facts[key]:
            lines += _row(title, _channel_words(facts[key]))
    events = [f"{event['time_s']:8.3f} s  {event['context']:<8} {event['label']}" for event in facts["events"]]
    lines += _rows("Events", events)
    if facts["project"]:
        lines += _project_rows(facts["project"])
    if facts["notices"]:
        lines += ["", "Notices"]
        for notice in facts["notices"]:
            words = f"{notice['severity']}: {notice['sentence']}"
            lines += textwrap.wrap(words, WIDTH, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def _row(title: str, words: str) -> list[str]:
    return textwrap.wrap(f"{title:<11} {words}", WIDTH, initial_indent="  ", subsequent_indent=" " * 14) or []


def _rows(title: str, entries: Sequence[str]) -> list[str]:
    return [f"  {title if k == 0 else '':<11} {entry}" for k, entry in enumerate(entries)] or [f"  {title:<11} none"]


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"


def _subject(subject: Mapping[str, Any]) -> str:
    known = [subject["name"], subject["sex"]]
    known += [f"{subject['mass_kg']:g} kg"] if subject["mass_kg"] is not None else []
    known += [f"{subject['height_m']:.3g} m"] if subject["height_m"] is not None else []
    known += [f"born {subject['birth_date']}"] if subject["birth_date"] else []
    return ", ".join(word for word in known if word) or "not stated"


def _measure(name: str, value: float) -> str:
    """``leg length right 830 mm``; angles in degrees."""
    stem, _, side = name.rpartition("_")
    words = (f"{stem} {_SIDE_LETTERS[side]}" if side in _SIDE_LETTERS else name).replace("_", " ")
    return f"{words} {np.degrees(value):.3g}°" if is_angle(name) else f"{words} {1e3 * value:.4g} mm"


def _marker_rows(markers: Sequence[Mapping[str, Any]]) -> list[str]:
    if not markers:
        return _row("Markers", "none")
    gaps = [marker for marker in markers if marker["visible_percent"] < 100.0]
    always = [marker["name"] for marker in markers if marker["visible_percent"] == 100.0]
    rows = _row("Markers", f"{len(markers)}, of which {len(always)} are seen in every frame")
    if always:
        rows += _row("", ", ".join(always))
    for marker in gaps:
        seen, gap = f"{marker['visible_percent']:5.1f} %", marker["longest_gap_frames"]
        rows.append(f"  {'':<11} {marker['name']:<16} seen {seen}, longest gap {gap} frame{'s' if gap != 1 else ''}")
    return rows


def _plate_words(plate: Mapping[str, Any]) -> str:
    kind = f"type {plate['type']}" if plate["type"] else "forces given"
    peak = "no load" if plate["peak_n"] is None else f"peak {plate['peak_n']:.0f} N"
    loaded = f"loaded {plate['loaded_percent']:.0f} % of the time"
    return f"{plate['name']}: {kind}, {plate['samples']} samples at {plate['rate_hz']:g} Hz, {peak}, {loaded}"


def _channel_words(channels: Mapping[str, Any]) -> str:
    names = [f"{n} [{u}]" if u else n for n, u in zip(channels["names"], channels["units"], strict=True)]
    start = f" from {channels['start_s']:g} s" if channels["start_s"] else ""
    return (
        f"{len(names)} channels, {channels['samples']} samples at {channels['rate_hz']:g} Hz{start}: {', '.join(names)}"
    )


def _project_rows(project: Mapping[str, Any]) -> list[str]:
    rows = _row("Static", project["static"] or "none")
    if project["emg_alignment"]:
        rows += _row("EMG frames", "{} to {}".format(*project["emg_alignment"]))
    rows += _row("Settings", ", ".join(project["settings"]) or "none")
    rows += _row("Results", ", ".join(project["results"]) or "none")
    rows += _rows("History", project["history"])
    return rows + _row("Originals", ", ".join(project["originals"]) or "not kept")
