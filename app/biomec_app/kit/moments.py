"""How moments are told: frames by the numbers of the file, times from the start of the recording. Knows no Qt.

A file that was cut from a longer one begins with a later frame than 1, and its own clock runs since frame 1. Where
frame and time stand together, the words here say which zero the time has, and what the file's clock shows.
"""

from __future__ import annotations

import re

from biomec.recording import Trial

FROM_START = "from start"
_MOMENT = re.compile(r"(?:\b(?:at|from|to|and)|–) ?-?\d+(?:\.\d+)? s\b")
"""A moment in a sentence of the library, such as "at 1.20 s" or "from 0.10 to 0.35 s"; no length of time."""


def file_clock_s(trial: Trial, time_s: float) -> float:
    """What the file's own clock shows [s], which runs since frame 1, at a time [s] from the start of the recording."""
    return (trial.first_frame - 1) / trial.rate_hz + time_s


def zero_told(trial: Trial) -> str:
    """Where time begins, as a sentence."""
    if trial.first_frame == 1:
        return "Time counts from the first frame of the recording."
    return (
        f"Time counts from the start of the recording, frame {trial.first_frame} of the file; "
        f"the file's own clock shows {file_clock_s(trial, 0.0):.2f} s there."
    )


def moment_told(trial: Trial, time_s: float) -> str:
    """A moment by both counts: "0.17 s from start, frame 303" and, for a file that was cut, its own clock."""
    told = f"{time_s:.2f} s {FROM_START}, frame {trial.first_frame + round(time_s * trial.rate_hz)}"
    return told if trial.first_frame == 1 else f"{told} ({file_clock_s(trial, time_s):.2f} s on the file's clock)"


def with_zero(trial: Trial, sentence: str) -> str:
    """A sentence of the library with where time begins behind it, if it tells a moment; otherwise as it is."""
    return f"{sentence} {zero_told(trial)}" if _MOMENT.search(sentence) else sentence
