"""Names of things and moments in words, as every part of the window writes them."""

from __future__ import annotations

import re

from biomec.body.anatomy.model_landmarks import shipped_words
from biomec.pipeline.analysis import Analysis
from biomec.recording import Trial
from biomec.recording.limb_names import limb_of
from biomec.recording.marker_set import MarkerSet, Side

SIDE_CODES = {"D": (Side.RIGHT, "direita"), "E": (Side.LEFT, "esquerda")}
LIMB_CODES = {"Mao": ("hand", "mão"), "Pe": ("foot", "pé")}
PARTS = {"BR": ("arm", "braço"), "AB": ("forearm", "antebraço"), "CX": ("thigh", "coxa"), "PN": ("leg", "perna")}


def point_words(name: str, marker_set: MarkerSet | None = None) -> str:
    """Where a marker or landmark is, such as "acromial angle, right"; empty if nobody knows."""
    if marker_set is not None and name in marker_set:
        marker = marker_set[name]
        words = marker.landmark.split(",")[0]
        return f"{words}, {marker.side.value}" if words and marker.side is not None else words
    return shipped_words().get(name, "")


def with_code(name: str, words: str) -> str:
    """Words with the code behind them: "acromial angle, right (AA_D)"; the code alone without words."""
    return f"{words} ({name})" if words and words != name else name


def plate_user(analysis: Analysis, plate: str) -> str | None:
    """The hand or foot that uses a plate, by the contacts of the analysis; None if there is none, or more than one."""
    if "signals" not in analysis.done or analysis.signals.contacts is None:
        return None
    users = {item.segment for item in analysis.signals.contacts.contacts if item.contact.plate == plate}
    users.discard(None)
    return users.pop() if len(users) == 1 else None


def plate_words(analysis: Analysis, plate: str) -> str:
    """A plate by who uses it: "right hand (Mao_D)". Before that is known, by what its name says."""
    user = plate_user(analysis, plate)
    limb = limb_of(plate) if user is None else None
    return with_code(plate, user or (f"{limb.side.lower()} {limb.kind}" if limb is not None else ""))


def channel_words(name: str) -> str:
    """An EMG channel: "triceps, right (triceps_D)"."""
    stem, _, code = name.rpartition("_")
    if not stem or code not in SIDE_CODES:
        return name
    return with_code(name, f"{stem.replace('_', ' ')}, {SIDE_CODES[code][0].value}")


def origin(name: str) -> str:
    """What the parts of a code stand for in Portuguese, the language of the protocol; empty if there are none."""
    parts = name.split("_")
    phrases = []
    for k, part in enumerate(parts):
        if k and part in SIDE_CODES:
            side, word = SIDE_CODES[part]
            phrases.append(f"_{part} stands for {word}, {side.value}")
        elif part in LIMB_CODES and len(parts) > 1:
            limb, word = LIMB_CODES[part]
            phrases.append(f"{part} for {word}, {limb}")
        elif part.startswith("CL") and part[2:] in PARTS and len(parts) > 1:
            limb, word = PARTS[part[2:]]
            phrases.append(f"{part} for a cluster of markers on the {word}, {limb}")
    if not phrases:
        return ""
    phrases[0] = phrases[0].replace(" for ", " stands for ", 1) if "stands" not in phrases[0] else phrases[0]
    return f"{'; '.join(phrases)} (Portuguese)."


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
    words = f"{time_s:.2f} s {FROM_START}, frame {trial.first_frame + round(time_s * trial.rate_hz)}"
    return words if trial.first_frame == 1 else f"{words} ({file_clock_s(trial, time_s):.2f} s on the file's clock)"


def with_zero(trial: Trial, sentence: str) -> str:
    """A sentence of the library with where time begins behind it, if it tells a moment; otherwise as it is."""
    return f"{sentence} {zero_told(trial)}" if _MOMENT.search(sentence) else sentence
