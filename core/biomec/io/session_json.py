"""What a session holds besides trials and arrays, as plain data for files: subject, settings, history, notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from biomec.base.notices import Notice
from biomec.io.project_trial import notice_to_json, source_to_json, subject_to_json
from biomec.recording import ClinicalNotes, EmgAlignment, Original, Record, Result, Session, Source, Subject, Trial
from biomec.recording.step import plain_data


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
        "notes": plain_data(session.notes),
    }


@dataclass(frozen=True)
class StoredResult:
    """What is stored of a result beside its arrays.

    arrays : their names; in a MATLAB file name -> type and shape
    """

    arrays: tuple[str, ...] | Mapping[str, tuple[str, tuple[int, ...]]]
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class StoredSession:
    """What is stored of a session beside trials and arrays. What has a default came later than the first version.

    results : names of steps; in a MATLAB file step -> what is stored of its result
    """

    subject: Subject
    recorded: date | None
    emg_alignment: EmgAlignment | None
    settings: Mapping[str, Any]
    results: tuple[str, ...] | Mapping[str, StoredResult]
    provenance: tuple[Record, ...]
    notices: tuple[Notice, ...]
    originals: tuple[Source, ...] = ()
    notes: ClinicalNotes = field(default_factory=ClinicalNotes)


def session_of(
    stored: StoredSession,
    dynamic: Trial,
    static: Trial | None,
    results: Mapping[str, Result],
    originals: tuple[Original, ...] = (),
) -> Session:
    """Return the session of plain data and of what was stored beside them."""
    return Session(
        dynamic,
        static,
        stored.emg_alignment,
        stored.subject,
        stored.recorded,
        stored.settings,
        results,
        stored.provenance,
        originals,
        stored.notices,
        stored.notes,
    )
