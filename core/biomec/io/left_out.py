"""What a format cannot hold: said when a trial is written, never dropped in silence."""

from __future__ import annotations

from collections.abc import Iterable, Set

from biomec.base.notices import Notice, warning
from biomec.recording import Authority, LabAxes, Subject, Trial

PARTS = {
    "markers": "the markers",
    "residual": "the residuals of the markers",
    "unlabelled": "the points without a name",
    "other_subjects": "the markers of other subjects",
    "outputs": "the outputs of other programs",
    "plates": "the force plates",
    "corners": "the corners of the force plates",
    "analog": "the analog channels",
    "emg": "the EMG channels",
    "events": "the events",
    "subject": "what is known about the subject",
    "recorded": "the date of the recording",
    "first_frame": "the number of the first frame",
    "axes": "which way the axes of the laboratory point",
}


def parts_of(trial: Trial, usual_axes: LabAxes) -> list[str]:
    """Keys of `PARTS` that this trial has; axes only where a reader would assume others."""
    everyone = [trial.markers, *trial.other_subjects.values()]
    has = {
        "markers": bool(trial.markers.names),
        "residual": any(markers.residual is not None for markers in everyone),
        "unlabelled": trial.unlabelled is not None,
        "other_subjects": bool(trial.other_subjects),
        "outputs": trial.outputs is not None,
        "plates": bool(trial.plates),
        "corners": any(plate.corners is not None for plate in trial.plates),
        "analog": trial.analog is not None,
        "emg": trial.emg is not None,
        "events": bool(trial.events),
        "subject": trial.subject != Subject(),
        "recorded": trial.recorded is not None,
        "first_frame": trial.first_frame != 1,
        "axes": (trial.axes.up, trial.axes.forward) != (usual_axes.up, usual_axes.forward)
        or trial.axes.authority != Authority.ASSUMED,
    }
    return [part for part in PARTS if has[part]]


def left_out(trial: Trial, format: str, stored: Set[str], usual_axes: LabAxes = LabAxes()) -> tuple[Notice, ...]:
    """One notice that lists the parts of the trial which the written file does not hold; it is about their keys."""
    keys = [part for part in parts_of(trial, usual_axes) if part not in stored]
    if not keys:
        return ()
    lost = [PARTS[part] for part in keys]
    words = lost[0] if len(lost) == 1 else ", ".join(lost[:-1]) + " and " + lost[-1]
    return (warning("not-stored", f"This {format} file does not hold {words}.", *keys),)


def written(trial: Trial, notices: Iterable[Notice]) -> str:
    """Words for what a file holds that was written with these notices: "197 frames, 59 markers, 2 force plates"."""
    lost = {part for notice in notices if notice.code == "not-stored" for part in notice.about}
    frames = f"{trial.frames} frames" if "markers" not in lost and trial.markers.names else ""
    counts = {
        "markers": (len(trial.markers.names), "markers"),
        "plates": (len(trial.plates), "force plates"),
        "analog": (len(trial.analog.names) if trial.analog else 0, "analog channels"),
        "emg": (len(trial.emg.names) if trial.emg else 0, "EMG channels"),
    }
    kept = [f"{count} {words}" for part, (count, words) in counts.items() if count and part not in lost]
    return ", ".join(filter(None, (frames, *kept))) or f"{trial.frames} frames"
