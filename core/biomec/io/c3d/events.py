"""Events of a C3D file, on the clock of the trial."""

from __future__ import annotations

import re

import numpy as np

from biomec.base.notices import Notice, info, warning
from biomec.io.c3d.header import Header
from biomec.io.c3d.parameters import Parameters, as_written
from biomec.io.labels import listed
from biomec.recording import Event

SIDES = {"l": "Left", "left": "Left", "r": "Right", "right": "Right"}
SHORT = re.compile(r"^(l|r|left|right)[ _.-]?(hs|fs|ic|fc|heel ?strike|foot ?strike|on|to|fo|toe ?off|foot ?off|off)$")
STRIKES = ("hs", "fs", "ic", "fc", "heelstrike", "footstrike", "on")


def read_events(
    file: str, header: Header, parameters: Parameters, first_frame: int, rate_hz: float, duration_s: float
) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
    """Events of the EVENT group, or those of the header where the group has none.

    The group counts seconds from frame 1 of the capture, so that t = 60·minutes + seconds − (first frame − 1) / rate;
    the header counts from the first stored frame [C3D2021].
    """
    notices: list[Notice] = []
    times = parameters.get("EVENT", "TIMES")
    used = parameters.count("EVENT", "USED")
    labels, contexts = parameters.texts("EVENT", "LABELS"), parameters.texts("EVENT", "CONTEXTS")
    seconds, absolute = np.zeros(0), True
    if times is not None and used != 0:
        pairs = times.numbers[: len(times.numbers) // 2 * 2].reshape(-1, 2)
        seconds = np.array([60.0 * as_written(minutes) + as_written(rest) for minutes, rest in pairs[:used]])
    elif header.events:
        seconds, absolute = np.array([event.time_s for event in header.events]), False
        labels, contexts = tuple(event.label for event in header.events), ()
    shift = (first_frame - 1) / rate_hz
    if absolute and len(seconds) and shift > 0.0:
        inside = (seconds >= 0.0) & (seconds <= duration_s)
        if inside.all() and (seconds < shift - 0.5 / rate_hz).all():
            absolute = False
            notices.append(
                info(
                    "c3d-events-from-first-frame",
                    f"{file}: the events are counted from the first stored frame, for else they would lie before it.",
                )
            )
    if absolute:
        seconds = seconds - shift
    good = np.isfinite(seconds)
    if not good.all():
        notices.append(warning("c3d-event-times", f"{file}: {int((~good).sum())} events have no valid time; left out."))
    events, renamed = [], []
    for k in np.flatnonzero(good):
        label = labels[k] if k < len(labels) else ""
        context = contexts[k] if k < len(contexts) else ""
        full, side = _spelled_out(label)
        if full and context.capitalize() not in ("Left", "Right"):
            renamed.append(label)
            label, context = full, side
        events.append(Event(float(seconds[k]), label or "Event", _context(context)))
    if renamed:
        sentence = f"{file}: events named {listed(sorted(set(renamed)))} were taken as foot strikes and offs of a side."
        notices.append(info("c3d-event-labels", sentence))
    return tuple(events), tuple(notices)


def _context(context: str) -> str:
    word = context.strip().lower()
    return SIDES.get(word, "General" if word in ("", "general", "invalid") else context.strip())


def _spelled_out(label: str) -> tuple[str, str]:
    """Label and side of ``LHS``, ``RTO``, ``left heel strike`` …; empty if it is none of these."""
    found = SHORT.match(label.strip().lower())
    if found is None:
        return "", ""
    strike = found[2].replace(" ", "") in STRIKES
    return ("Foot Strike" if strike else "Foot Off"), SIDES[found[1]]
