"""What the user changes about a visit: cycles and recordings that do not count, and what a clinician writes."""

from __future__ import annotations

from dataclasses import fields, replace

from biomec.pipeline.analysis import Analysis
from biomec.pipeline.notes import with_notes
from biomec.pipeline.replay import python_text
from biomec.recording import ClinicalNotes
from biomec_app.session.context import Context

REASON = "Why does it not count? The report lists the reason."


def change_notes(context: Context, label: str, notes: ClinicalNotes) -> None:
    """Keep other notes with the open recording; one step that can be undone."""
    analysis = context.document.analysis
    before = analysis.session.notes
    names = [one.name for one in fields(notes) if getattr(before, one.name) != getattr(notes, one.name)]
    if not names:
        return
    changes = {name: getattr(notes, name) for name in names}
    given = ", ".join(f"{name}={python_text(value)}" for name, value in changes.items())
    context.document.change(label, with_notes(analysis, **changes), f"analysis = with_notes(analysis, {given})")


def cycle_frame(analysis: Analysis, first: int) -> int:
    """First frame of a cycle as the file counts it, from that of the recording (0)."""
    return first + analysis.session.dynamic.first_frame


def exclude_cycle(context: Context, side: str, first: int, reason: str) -> None:
    """Exclude the cycle of the open recording that begins at a frame (from 0)."""
    analysis = context.document.analysis
    notes = analysis.session.notes.with_excluded_cycle(side, cycle_frame(analysis, first), reason)
    change_notes(context, f"Exclude {side} cycle", notes)


def include_cycle(context: Context, side: str, first: int) -> None:
    """Let an excluded cycle count again."""
    analysis = context.document.analysis
    notes = analysis.session.notes.with_included_cycle(side, cycle_frame(analysis, first))
    change_notes(context, f"Include {side} cycle", notes)


def exclude_recording(context: Context, reason: str) -> None:
    """Exclude the open recording from its visit, or let it count again with an empty reason."""
    label = "Exclude recording" if reason else "Include recording"
    change_notes(context, label, replace(context.document.analysis.session.notes, excluded=reason))
