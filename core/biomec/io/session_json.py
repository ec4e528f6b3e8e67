"""What a session holds besides trials and arrays, as plain data for files: subject, settings, history, notices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biomec.io.project_trial import (
    day_from_json,
    notice_from_json,
    notice_to_json,
    source_to_json,
    subject_from_json,
    subject_to_json,
)
from biomec.recording import EmgAlignment, Original, Record, Result, Session, Trial


def session_to_json(session: Session) -> dict[str, Any]:
    """Everything but trials, arrays of results, and the bytes of imported files."""
    alignment = session.emg_alignment
    return {
        "subject": subject_to_json(session.subject),
        "recorded": None if session.recorded is None else session.recorded.isoformat(),
        "emg_alignment": None if alignment is None else [alignment.first, alignment.last],
        "settings": session.settings,
        "results": list(session.results),
        "provenance": [vars(record) for record in session.provenance],
        "originals": [source_to_json(original.source) for original in session.originals],
        "notices": [notice_to_json(notice) for notice in session.notices],
    }


def session_from_json(
    stored: Mapping[str, Any],
    dynamic: Trial,
    static: Trial | None,
    results: Mapping[str, Result],
    originals: tuple[Original, ...] = (),
) -> Session:
    """Return the session of plain data and of what was stored beside them."""
    alignment = stored["emg_alignment"]
    return Session(
        dynamic,
        static,
        None if alignment is None else EmgAlignment(*alignment),
        subject_from_json(stored["subject"]),
        day_from_json(stored["recorded"]),
        stored["settings"],
        results,
        tuple(Record(**record) for record in stored["provenance"]),
        originals,
        tuple(notice_from_json(notice) for notice in stored["notices"]),
    )
